import { type ErrorHandlerOptions, GeneralError, NotFound, Unavailable } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

const errors: Record<string, () => unknown> = {
  plain: () => Object.assign(new Error('connect to db.internal failed'), { errors: ['detail'] }),
  string: () => 'connect to db.internal failed',
  gateway: () => Object.assign(new Error('connect to db.internal failed'), { statusCode: 502 }),
  odd: () => Object.assign(new Error('connect to db.internal failed'), { statusCode: 507 }),
  client: () => Object.assign(new Error('Too big for us'), { statusCode: 413 }),
  service: () => new Unavailable('Back at noon'),
  general: () => new GeneralError('Said on purpose', { hint: 1 }),
  missing: () => new NotFound('No such thing')
}

const answers = async (t: Test, environment: string | undefined, errorHandler?: ErrorHandlerOptions) => {
  const before = process.env.NODE_ENV
  if (environment === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = environment
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  })
  const get = async (id: string) => {
    throw errors[id]?.()
  }
  const app = await createApp(t, { service: { get }, plugin: errorHandler ? { errorHandler } : {} })
  return async (id: string) => {
    const response = await getJSON(app, `/things/${id}`)
    return { ...response.json(), status: response.statusCode }
  }
}

const shown = async (t: Test, answer: (id: string) => Promise<{ message: string }>) => {
  for (const id of ['plain', 'string', 'gateway', 'odd'])
    t.equal((await answer(id)).message, 'connect to db.internal failed', id)
}

const hidden = async (t: Test, answer: (id: string) => Promise<{ message: string }>) => {
  t.strictSame(await answer('plain'), {
    name: 'GeneralError',
    message: 'Internal Server Error',
    code: 500,
    className: 'general-error',
    status: 500
  })
  t.equal((await answer('string')).message, 'Internal Server Error')
  t.match(await answer('gateway'), { name: 'BadGateway', message: 'Bad Gateway', code: 502, status: 502 })
  t.match(await answer('odd'), { message: 'Insufficient Storage', code: 507 })
}

const always = async (t: Test, answer: (id: string) => Promise<unknown>) => {
  t.match(await answer('client'), { name: 'PayloadTooLarge', message: 'Too big for us', code: 413 })
  t.match(await answer('service'), { name: 'Unavailable', message: 'Back at noon', code: 503 })
  t.match(await answer('general'), { name: 'GeneralError', message: 'Said on purpose', data: { hint: 1 } })
  t.match(await answer('missing'), { message: 'No such thing', code: 404 })
}

t.test('The message of an error that is not a service error is shown unless `NODE_ENV` is `production`', async (t) => {
  for (const environment of [undefined, 'development', 'test']) await shown(t, await answers(t, environment))
  await always(t, await answers(t, 'development'))
})

t.test('in `production` a 5xx says only its standard text', async (t) => {
  const answer = await answers(t, 'production')
  await hidden(t, answer)
  await always(t, answer)
})

t.test('option `errorHandler.expose` overrides', async (t) => {
  await shown(t, await answers(t, 'production', { expose: true }))
  await hidden(t, await answers(t, 'development', { expose: false }))
  await always(t, await answers(t, 'development', { expose: false }))
})

t.test('A stack never leaves the server', async (t) => {
  const stack = { stack: 'Error: at /srv/secret.js:1:1' }
  const thrown = [
    Object.assign(new Error('broken'), stack),
    Object.assign(new NotFound('broken'), stack),
    { message: 'broken', ...stack },
    { name: 'NotFound', message: 'broken', code: 404, className: 'not-found', ...stack },
    new Error('broken', { cause: Object.assign(new Error('why'), stack) })
  ]
  for (const error of thrown) {
    for (const accept of ['application/json', 'text/html']) {
      const app = await createApp(t, {
        service: {
          get: async () => {
            throw error
          }
        }
      })
      const { body } = await app.inject({ url: '/things/1', headers: { accept } })
      t.match(body, 'broken')
      t.notMatch(body, /stack|secret|cause|\.js|why/)
    }
  }
})

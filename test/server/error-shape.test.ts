import { errors as feathers } from '@feathersjs/errors'
import Fastify from 'fastify'
import * as library from 'fastify-services'
import services, {
  BadRequest,
  type ErrorHandlerOptions,
  GeneralError,
  NotFound,
  type ServiceError,
  Unavailable
} from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

type ErrorClass = new (message?: string, data?: Record<string, unknown>) => ServiceError

const table: [name: string, code: number, className: string][] = [
  ['BadRequest', 400, 'bad-request'],
  ['NotAuthenticated', 401, 'not-authenticated'],
  ['PaymentError', 402, 'payment-error'],
  ['Forbidden', 403, 'forbidden'],
  ['NotFound', 404, 'not-found'],
  ['MethodNotAllowed', 405, 'method-not-allowed'],
  ['NotAcceptable', 406, 'not-acceptable'],
  ['Timeout', 408, 'timeout'],
  ['Conflict', 409, 'conflict'],
  ['Gone', 410, 'gone'],
  ['LengthRequired', 411, 'length-required'],
  ['PayloadTooLarge', 413, 'payload-too-large'],
  ['UriTooLong', 414, 'uri-too-long'],
  ['UnsupportedMediaType', 415, 'unsupported-media-type'],
  ['Unprocessable', 422, 'unprocessable'],
  ['TooManyRequests', 429, 'too-many-requests'],
  ['GeneralError', 500, 'general-error'],
  ['NotImplemented', 501, 'not-implemented'],
  ['BadGateway', 502, 'bad-gateway'],
  ['Unavailable', 503, 'unavailable']
]

let toError: () => unknown
const shared = createApp(t, {
  service: {
    get: async () => {
      throw toError()
    }
  }
})
/** The answer to a call whose method throws an error. */
const answer = async (error: () => unknown, headers = {}) => {
  toError = error
  return getJSON(await shared, '/things/1', headers)
}

for (const [name, code, className] of table) {
  t.test(`JSON body, \`code\` always a number and equal to the status: ${name} ${code} ${className}`, async (t) => {
    const Class = (library as unknown as Record<string, ErrorClass>)[name] as ErrorClass
    const response = await answer(() => new Class('Said so', { field: 'text', errors: { text: 'is missing' } }))
    t.equal(response.statusCode, code)
    t.match(response.headers['content-type'], 'application/json')
    t.strictSame(response.json(), {
      name,
      message: 'Said so',
      code,
      className,
      data: { field: 'text' },
      errors: { text: 'is missing' }
    })
    t.strictSame(
      (await answer(() => new Class('Said so'))).json(),
      { name, message: 'Said so', code, className },
      'data and errors may be missing'
    )
    t.equal(new Class().statusCode, code, 'The error objects also carry `statusCode`')
  })
}

t.test('401 carries `WWW-Authenticate: Bearer`, others do not', async (t) => {
  t.equal((await answer(() => new library.NotAuthenticated())).headers['www-authenticate'], 'Bearer')
  t.notOk('www-authenticate' in (await answer(() => new library.Forbidden())).headers)
})

t.test('an error of another Feathers package by its fields too: `@feathersjs/errors`', async (t) => {
  for (const [name, Class] of Object.entries(feathers as unknown as Record<string, ErrorClass>)) {
    if (!table.some(([rowName]) => rowName === name)) continue
    const error = new Class('Said so', { field: 'text', errors: { text: 'is missing' } })
    const response = await answer(() => error)
    t.equal(response.statusCode, error.code, name)
    t.strictSame(response.json(), {
      name,
      message: 'Said so',
      code: error.code,
      className: error.className,
      data: { field: 'text' },
      errors: { text: 'is missing' }
    })
  }
})

t.test('an error of another Feathers package: by shape, not `instanceof`', async (t) => {
  const response = await answer(() => ({
    name: 'Teapot',
    message: 'Short and stout',
    code: 418,
    className: 'teapot',
    data: [1],
    stack: 'at secret.js'
  }))
  t.equal(response.statusCode, 418)
  t.strictSame(response.json(), {
    name: 'Teapot',
    message: 'Short and stout',
    code: 418,
    className: 'teapot',
    data: [1]
  })
})

t.test('a Fastify or http-errors error by its `statusCode`', async (t) => {
  const plain = (fields: object) => Object.assign(new Error('Said so'), fields)
  const status = async (fields: object) => (await answer(() => plain(fields))).json()
  t.match(await status({ statusCode: 409 }), { name: 'Conflict', code: 409, className: 'conflict', message: 'Said so' })
  t.match(
    await status({ status: 404 }),
    { name: 'GeneralError', code: 500 },
    'the status of some other answer is not ours'
  )
  t.match(await status({ statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), { name: 'PayloadTooLarge', code: 413 })
  t.match(await status({ statusCode: 418 }), { code: 418, message: 'Said so' })
  t.match(await status({ statusCode: 507 }), { code: 507 })
})

t.test('validation errors become BadRequest with `errors`', async (t) => {
  const validation = [{ instancePath: '/text', message: 'must be string' }]
  const error = Object.assign(new Error('body/text must be string'), {
    statusCode: 400,
    code: 'FST_ERR_VALIDATION',
    validation
  })
  t.strictSame((await answer(() => error)).json(), {
    name: 'BadRequest',
    message: 'body/text must be string',
    code: 400,
    className: 'bad-request',
    errors: validation
  })
})

const noStatus: Record<string, object> = {
  '`error.code` 11000': { code: 11000 },
  "`error.code` 'ENOENT'": { code: 'ENOENT' },
  '`error.code` 200': { code: 200 },
  '`error.code` 404 without a className': { code: 404 },
  "`error.code` '404' with a className": { code: '404', className: 'not-found' },
  '`error.statusCode` 200': { statusCode: 200 },
  '`error.statusCode` 302': { statusCode: 302 },
  "`error.statusCode` '404'": { statusCode: '404' },
  '`error.statusCode` 600': { statusCode: 600 },
  '`error.statusCode` 404.5': { statusCode: 404.5 },
  '`error.status` NaN': { status: Number.NaN }
}

for (const [name, fields] of Object.entries(noStatus)) {
  t.test(`\`error.code\` of a driver is no status: ${name}: 500`, async (t) => {
    const response = await answer(() => Object.assign(new Error('Said so'), fields))
    t.equal(response.statusCode, 500)
    t.strictSame(response.json(), { name: 'GeneralError', message: 'Said so', code: 500, className: 'general-error' })
  })
}

t.test('`error.headers`: not copied', async (t) => {
  const headers = { 'x-secret': '1', 'set-cookie': 'a=1' }
  for (const error of [
    new Error('broken'),
    new library.Conflict('Said so'),
    Object.assign(new Error('broken'), { statusCode: 409 })
  ]) {
    const response = await answer(() => Object.assign(error, { headers }))
    t.notOk('x-secret' in response.headers)
    t.notOk('set-cookie' in response.headers)
  }
})

t.test('a class of its own, derived from a service error', async (t) => {
  class Locked extends library.ServiceError {
    constructor(message: string) {
      super(message, 'Locked', 423, { by: 'me' })
    }
  }
  t.strictSame((await answer(() => new Locked('Said so'))).json(), {
    name: 'Locked',
    message: 'Said so',
    code: 423,
    className: 'locked',
    data: { by: 'me' }
  })
})

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

t.test('in `production` the faults that a validation of an adapter has found leave', async (t) => {
  const fault = { path: 'email', message: 'This is no e-mail address' }
  const validation = Object.assign(new Error('Validation error'), { errors: [fault] })
  const error = Object.assign(new BadRequest(validation.message, { errors: [fault] }), {
    [Symbol('error')]: validation
  })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false, expose: false } })
  app.service('users', { create: () => Promise.reject(error) })
  const answer = await app.inject({ method: 'POST', url: '/users', payload: {} })
  t.match(answer.json(), { code: 400, message: 'Validation error', errors: [fault] })
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
      const { body } = await answer(() => error, { accept })
      t.match(body, 'broken')
      t.notMatch(body, /stack|secret|cause|\.js|why/)
    }
  }
})

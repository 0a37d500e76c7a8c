import swagger from '@fastify/swagger'
import { feathers } from '@feathersjs/feathers'
import feathersRest from '@feathersjs/rest-client'
import Fastify from 'fastify'
import services, { BadRequest, type ErrorHandlerOptions, notFound, resource, Unavailable } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'

// Its types are those of a module without a default.
const restClient = feathersRest as unknown as typeof feathersRest.default

interface Client {
  service(path: string): { find(): Promise<unknown>; create(data: object): Promise<Record<string, unknown>> }
}

const problemType = 'application/problem+json'
const Note = {
  type: 'object',
  required: ['id', 'text'],
  properties: {
    id: { type: 'integer', readOnly: true },
    text: { type: 'string' },
    address: { type: 'object', properties: { 'a/b': { type: 'integer' } } }
  }
} as const

async function createApp(t: Test, options: ErrorHandlerOptions) {
  const app = Fastify({ logger: false })
  t.teardown(() => app.close())
  const shown = { html: false, logger: false, ...options } as const
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1' } }))
  await app.register(services, { errorHandler: shown, notFound: true })
  app.service('notes', { create: async (data: object) => ({ id: 1, ...data }) } as never, {
    schema: resource(Note) as never
  })
  app.service('failures', {
    find: async () => {
      throw new Unavailable('Come back later', { retryAfter: 2 })
    },
    create: async ({ kind }: { kind: string }) => {
      if (kind === 'fields') throw new BadRequest('Not right', { errors: { 'e mail': ['is taken', 'is odd'], age: 7 } })
      if (kind === 'text') throw new BadRequest('Not right', { errors: 'all of it' })
      const path = ['tags', { key: 0 }]
      throw new BadRequest('Not right', { field: 'x', errors: [{ path, message: 'is odd', code: 'odd' }] })
    }
  } as never)
  return app
}

t.test('problem details, where a request asks for them or as the default', async (t) => {
  const [byRequest, byDefault] = [await createApp(t, {}), await createApp(t, { problem: true })]
  const typeOf = async (app: typeof byRequest, accept?: string) => {
    const { headers } = await app.inject({ url: '/failures?token=secret', headers: { ...(accept && { accept }) } })
    t.match(headers.vary, /accept/i)
    return String(headers['content-type']).split(';')[0]
  }
  for (const [accept, asked, standard] of [
    [undefined, 'application/json', problemType],
    ['application/json', 'application/json', 'application/json'],
    ['application/json;q=1', 'application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json', problemType],
    ['application/json, Application/Problem+JSON', problemType, problemType],
    [`${problemType};q=0, application/json`, 'application/json', 'application/json']
  ]) {
    t.equal(await typeOf(byRequest, accept), asked, String(accept))
    t.equal(await typeOf(byDefault, accept), standard, String(accept))
  }
  const { statusCode, headers, body } = await byDefault.inject('//failures?token=secret')
  t.match([statusCode, headers['retry-after'], headers['content-type']], [503, '2', problemType])
  t.strictSame(JSON.parse(body), {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'Come back later',
    instance: '/failures',
    name: 'Unavailable',
    message: 'Come back later',
    code: 503,
    className: 'unavailable',
    data: { retryAfter: 2 }
  })
  const missing = (await byDefault.inject('/a%20b')).json()
  t.match(missing, { status: 404, title: 'Not Found', instance: '/a%20b', name: 'NotFound' })
})

t.test('errors have pointers into the body', async (t) => {
  const app = await createApp(t, { problem: true })
  const errorsOf = async (url: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url, payload })
    t.equal(answer.statusCode, 400)
    return answer.json().errors
  }
  t.match(await errorsOf('/notes', { address: { 'a/b': 'x' } }), [
    { pointer: '#/text', detail: 'is required', instancePath: '/text' },
    { pointer: '#/address/a~1b', detail: 'must be an integer' }
  ])
  t.strictSame(await errorsOf('/failures', { kind: 'fields' }), [
    { path: ['e mail'], message: 'is taken', detail: 'is taken', pointer: '#/e%20mail' },
    { path: ['e mail'], message: 'is odd', detail: 'is odd', pointer: '#/e%20mail' },
    { path: ['age'], message: '7', detail: '7', pointer: '#/age' }
  ])
  t.match(await errorsOf('/failures', { kind: 'text' }), [{ detail: 'all of it', pointer: '#' }])
  t.match(await errorsOf('/failures', { kind: 'list' }), [{ code: 'odd', detail: 'is odd', pointer: '#/tags/0' }])
  const query = (await app.inject('/notes?$limit=x')).json()
  t.notOk(JSON.stringify(query).includes('pointer'))
})

t.test('clients read the same error, with the option and without it', async (t) => {
  const [plain, problem] = [await createApp(t, {}), await createApp(t, { problem: true })]
  const addresses = await Promise.all([plain, problem].map((app) => app.listen({ port: 0 })))
  for (const kind of ['fields', 'list']) {
    const [first, second] = await Promise.all(
      addresses.flatMap(async (address) => {
        const ours = createClient().configure(rest(address).fetch(fetch))
        const theirs = feathers().configure(restClient(address).fetch(fetch))
        return Promise.all(
          [ours, theirs].map(async (client) => {
            const { name, code, className, message, data, errors } = await (client as unknown as Client)
              .service('failures')
              .create({ kind })
              .catch((error) => error as Record<string, unknown>)
            return { name, code, className, message, data, errors }
          })
        )
      })
    )
    t.strictSame(second, first)
    t.match(first, [{ name: 'BadRequest', code: 400, className: 'bad-request', errors: Object }, {}])
  }
})

t.test('problem details that a client of Feathers gets are an error of its class', async (t) => {
  const address = await (await createApp(t, { problem: true })).listen({ port: 0 })
  const send: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, Accept: problemType } })
  for (const client of [
    createClient().configure(rest(address).fetch(send)),
    feathers().configure(restClient(address).fetch(send))
  ])
    await t.rejects((client as unknown as Client).service('failures').find(), {
      ...{ name: 'Unavailable', message: 'Come back later', code: 503, className: 'unavailable' },
      data: { retryAfter: 2 }
    })
})

t.test('other handlers have the option too, and documents name the type', async (t) => {
  for (const problem of [true, false]) {
    const app = await createApp(t, { problem })
    await app.ready()
    const { components } = app.swagger() as { components?: { responses?: Record<string, { content: object }> } }
    const types = Object.keys(components?.responses?.BadRequest?.content ?? {})
    t.strictSame(types, ['application/json', ...(problem ? [problemType] : [])])
  }

  const bare = Fastify()
  t.teardown(() => bare.close())
  bare.setNotFoundHandler(notFound({ html: false, logger: false, problem: true }))
  t.match((await bare.inject('/nowhere')).json(), { status: 404, instance: '/nowhere' })
})

import { memory } from '@feathersjs/memory'
import { Ajv } from 'ajv'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import services, { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import Type from 'typebox'
import * as z from 'zod'

type Responses = Record<string, object>

/** An application that holds answers to the schemas of their routes, as `@fastify/response-validation` does. */
async function createStrict(t: Test, add: (app: FastifyInstance) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  const ajv = new Ajv({ strict: false })
  const responsesOf = (request: FastifyRequest) => request.routeOptions.schema?.response as Responses
  app.addHook('preSerialization', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (reply.statusCode >= 300) return payload
    const schema = responsesOf(request)['2xx'] as object
    if (!ajv.validate(schema, payload)) throw new Error(ajv.errorsText())
    return payload
  })
  await app.register(services)
  await add(app)
  await app.ready()
  return app
}

const record = Type.Object({ id: Type.Integer(), text: Type.String() })
const Folder = z.object({
  id: z.int(),
  text: z.string(),
  get folders(): z.ZodOptional<z.ZodArray<z.ZodObject>> {
    return z.array(Folder).optional()
  }
})
const schemas = {
  'a resource': resource(record, { readOnly: ['id'] }),
  'a resource that refers to itself': resource(Folder, { readOnly: ['id'] })
}

for (const [name, schema] of Object.entries(schemas))
  t.test(`answers with lists fit the schemas of their routes: ${name}`, async (t) => {
    const app = await createStrict(t, (app) =>
      app.service('posts', memory({ startId: 1, multi: true }) as never, { schema: schema as never })
    )
    const calls = [
      ['POST', '/posts', { text: 'a' }, 201],
      ['POST', '/posts', [{ text: 'b' }, { text: 'c' }], 201],
      ['GET', '/posts', undefined, 200],
      ['GET', '/posts/1', undefined, 200],
      ['PATCH', '/posts/1', { text: 'd' }, 200],
      ['PATCH', '/posts', { text: 'e' }, 200],
      ['DELETE', '/posts/1', undefined, 200],
      ['DELETE', '/posts', undefined, 200]
    ] as const
    for (const [method, url, payload, status] of calls) {
      const answer = await app.inject({ method, url, ...(payload && { payload }) })
      t.equal(answer.statusCode, status, `${method} ${url}: ${answer.body}`)
    }
  })

t.test('the schemas of routes that answer no lists are those of one record', async (t) => {
  const responses = new Map<string, Responses>()
  const note = (app: FastifyInstance) =>
    app.addHook('onRoute', ({ method, url, schema }) => {
      responses.set(`${method} ${url}`, schema?.response as Responses)
    })
  const schema = resource(record, { readOnly: ['id'], lists: false })
  await createStrict(t, (app) => {
    note(app)
    app.service('plain', memory() as never, { schema: resource(record, { readOnly: ['id'] }) as never })
    app.service('posts', memory({ multi: true }) as never, { schema: schema as never })
  })
  const routes = ['POST /plain', 'PATCH /plain', 'DELETE /plain', 'PATCH /plain/:id', 'POST /posts', 'PATCH /posts/:id']
  for (const route of routes) t.match(responses.get(route), { '2xx': { type: 'object' } }, route)
  t.match(responses.get('PATCH /posts'), { '2xx': { type: 'array' } })
})

t.test('an answer that Fastify has by its content type is that of each record, in lists too', async (t) => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } } }
  const response = { '2xx': { description: 'A post', content: { 'application/json': { schema } } } }
  const methods = ['find', 'get', 'create', 'patch', 'remove'].map((method) => [method, { response }])
  for (const formatter of [undefined, (_request: FastifyRequest, reply: FastifyReply) => reply.data]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, formatter ? { formatter } : {})
    app.service('posts', memory({ startId: 1, multi: true }) as never, { schema: Object.fromEntries(methods) as never })
    const ofText = { response: { '2xx': { description: 'Lines', content: { 'text/csv': {} } } } }
    app.service('lines', { find: async () => 'a,b' }, { schema: { find: ofText } })
    t.equal((await app.inject('/lines')).statusCode, 200)
    const calls = [
      ['POST', '/posts', { secret: 's' }],
      ['POST', '/posts', [{ secret: 's' }]],
      ['GET', '/posts'],
      ['GET', '/posts/1'],
      ['PATCH', '/posts', { text: 'a' }],
      ['DELETE', '/posts/1']
    ] as const
    for (const [method, url, payload] of calls) {
      const { statusCode, body } = await app.inject({ method, url, ...(payload && { payload: payload as object }) })
      t.ok(statusCode < 300 && !/secret/.test(body), `${method} ${url}: ${statusCode} ${body}`)
    }
  }
})

t.test('an answer that is declared by content type is that of its own type, of JSON or of all types', async (t) => {
  const text = { type: 'string' }
  const of = (...names: string[]) => ({
    schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])) }
  })
  const contents = {
    versions: { 'application/vnd.v2+json': of('two'), 'application/json': of('one') },
    any: { 'text/csv': { schema: text }, '*/*': of('one', 'two') }
  }
  const stored = { one: '1', two: '2', secret: 's' }
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async ({ headers }, reply) => void (headers['x-type'] && reply.type(`${headers['x-type']}`)))
  await app.register(services)
  for (const [path, content] of Object.entries(contents)) {
    const response = { '2xx': { description: 'Posts', content } }
    const service = { find: async () => [stored], get: async () => stored }
    app.service(path, service, { schema: { find: { response }, get: { response } } })
    // Fastify itself serializes what middleware sends.
    const after = (_request: FastifyRequest, reply: FastifyReply) => void reply.send(reply.data)
    app.service(`sent-${path}`, service, { schema: { find: { response }, get: { response } }, after })
  }
  const get = async (url: string, type?: string) =>
    (await app.inject({ url, ...(type && { headers: { 'x-type': type } }) })).json()
  for (const form of ['', 'sent-']) {
    for (const type of [undefined, 'application/json; charset=utf-8'])
      t.strictSame(await get(`/${form}versions/1`, type), { one: '1' }, form)
    t.strictSame(await get(`/${form}versions`, 'application/vnd.v2+json'), [{ two: '2' }], form)
    t.strictSame(await get(`/${form}any`), [{ one: '1', two: '2' }], form)
    t.strictSame(await get(`/${form}any/1`), { one: '1', two: '2' }, form)
  }
  t.strictSame(await get('/versions', 'application/other+json'), [{ one: '1' }])
})

t.test('middleware and formatters choose the schema of an answer, by its status or its type', async (t) => {
  const of = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
  const content = { 'application/json': { schema: of('one') }, 'application/vnd.v2+json': { schema: of('two') } }
  const response = { 200: { content }, 202: of('three') }
  const stored = { one: '1', two: '2', three: '3', secret: 's' }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const schema = { find: { response }, get: { response } }
  const methods = { find: async () => [stored], get: async () => stored }
  const change = async ({ headers }: FastifyRequest, reply: FastifyReply) => {
    if (headers['x-status']) reply.code(Number(headers['x-status']))
    if (headers['x-type']) reply.type(String(headers['x-type']))
  }
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    await change(request, reply)
    return reply.send(reply.data)
  }
  const formatter = async (request: FastifyRequest, reply: FastifyReply) => {
    await change(request, reply)
    return reply.data
  }
  const variants = { change: { after: change }, send: { after: send }, make: { formatter } }
  for (const [name, options] of Object.entries(variants)) app.service(name, methods, { schema, ...options })
  for (const name of Object.keys(variants)) {
    const get = async (url: string, headers = {}) => (await app.inject({ url: `/${name}${url}`, headers })).json()
    t.strictSame(await get('/1'), { one: '1' }, name)
    t.strictSame(await get('/1', { 'x-type': 'application/vnd.v2+json' }), { two: '2' }, name)
    t.strictSame(await get('', { 'x-type': 'application/vnd.v2+json' }), [{ two: '2' }], name)
    t.strictSame(await get('/1', { 'x-status': '202' }), { three: '3' }, name)
  }
})

t.test('the name of a field within, or a default, is no reference of the record', async (t) => {
  const within = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      sub: { type: 'object', properties: { $id: { type: 'string' }, $ref: { type: 'string' } } },
      link: { type: 'object', default: { $ref: '#a' } }
    }
  } as const
  const app = await createStrict(t, (app) =>
    app.service('posts', memory({ startId: 1, multi: true }) as never, { schema: resource(within) as never })
  )
  for (const payload of [[{ sub: { $id: 'a', $ref: 'b' } }, {}], {}] as object[])
    t.equal((await app.inject({ method: 'POST', url: '/posts', payload })).statusCode, 201)
  t.equal((await app.inject('/posts')).statusCode, 200)
  t.equal((await app.inject({ method: 'DELETE', url: '/posts' })).statusCode, 200)
})

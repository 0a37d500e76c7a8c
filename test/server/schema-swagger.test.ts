import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

type Json = { [key: string]: Json } & Json[]

const message = { type: 'object', required: ['text'], properties: { id: { type: 'string' }, text: { type: 'string' } } }

class Messages {
  async find() {
    return []
  }
  async get(id: string) {
    return { id }
  }
  async create(data: object) {
    return data
  }
  async patch(_id: string, data: object) {
    return data
  }
  async remove(id: string) {
    return { id }
  }
  async archive(data: object) {
    return data
  }
}

async function document(t: Test, options: object, record: object = message, shared: object[] = []) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, options)
  await app.register(services)
  for (const schema of shared) app.addSchema(schema)
  app.register(
    async (child) => {
      child.service('rooms/:room/messages', new Messages(), {
        methods: ['find', 'get', 'create', 'patch', 'remove', 'archive'],
        schema: {
          find: {
            summary: 'All messages',
            tags: ['messages'],
            querystring: { type: 'object', properties: { $limit: { type: 'integer', default: 10 } } },
            response: { 200: record }
          } as object,
          get: { response: { '2xx': record } },
          create: { body: record, response: { 201: record } },
          patch: { body: { ...message, required: [] }, response: record },
          archive: { body: { type: 'object', properties: { id: { type: 'string' } } } }
        }
      })
    },
    { prefix: '/v1' }
  )
  await app.ready()
  return app.swagger() as unknown as Json
}

const openapi = { openapi: { openapi: '3.0.3', info: { title: 'Test', version: '1.0.0' } } }
const base = '/v1/rooms/{room}/messages'

/** What stands at the path of the service, and at that of a record. */
function operations({ paths }: Json): { service: Json; record: Json } {
  const [service, record] = ['{room}/messages', '}'].map(
    (end) => Object.entries(paths as Json).find(([url]) => url.replace(/\/$/, '').endsWith(end))?.[1]
  )
  return { service: service as Json, record: record as Json }
}

t.test('shown by `@fastify/swagger`: the paths of a service, which answer', async (t) => {
  const urls = Object.keys((await document(t, openapi)).paths as Json)
  t.equal(urls.length, 2)
  t.equal(urls[0], base, 'without a slash behind it: there PATCH and DELETE are 400')
  t.match(urls[1], /^\/v1\/rooms\/\{room\}\/messages\/\{\w+\}$/)
})

t.test('shown by `@fastify/swagger`: the verbs of a service', async (t) => {
  const { service, record } = operations(await document(t, openapi))
  const verbs = (item: Json) =>
    Object.keys(item)
      .filter((verb) => verb !== 'head')
      .sort()
  t.strictSame(verbs(service), ['delete', 'get', 'patch', 'post'])
  t.strictSame(verbs(record), ['delete', 'get', 'patch'])
})

t.test("shown by `@fastify/swagger`: find's response shows list and page of the record", async (t) => {
  const { get } = operations(await document(t, openapi)).service
  t.match(get, { summary: 'All messages', tags: ['messages'] })
  const schema = get?.responses?.['200']?.content?.['application/json']?.schema as Json
  const [list, page] = (schema.anyOf ?? schema.oneOf) as Json[]
  t.match(list, { type: 'array', items: message })
  t.match(page, {
    type: 'object',
    properties: { total: { type: 'integer' }, limit: {}, skip: {}, data: { type: 'array', items: message } }
  })
})

t.test('shown by `@fastify/swagger`: parameters of the query and of the path', async (t) => {
  const { service, record } = operations(await document(t, openapi))
  const parameters = service.get?.parameters as Json[]
  t.match(
    parameters.find(({ name }) => String(name) === '$limit'),
    { in: 'query', schema: { type: 'integer', default: 10 } }
  )
  t.match(
    parameters.find(({ name }) => String(name) === 'room'),
    { in: 'path', required: true }
  )
  const ofPath = ((record.get?.parameters ?? []) as Json[]).filter((parameter) => String(parameter.in) === 'path')
  t.equal(ofPath.length, 2)
})

t.test('shown by `@fastify/swagger`: bodies and responses of one record', async (t) => {
  const { service, record } = operations(await document(t, openapi))
  t.match(record.get?.responses?.['2XX']?.content?.['application/json']?.schema, message)
  t.match(record.patch?.requestBody?.content?.['application/json']?.schema, {
    type: 'object',
    properties: message.properties
  })
  t.match(service.patch?.responses?.['200']?.content ?? service.patch?.responses?.['2XX']?.content, {
    'application/json': { schema: { properties: message.properties } }
  })
})

t.test("shown by `@fastify/swagger`: `POST` is create's, a custom method does not stand over it", async (t) => {
  const { post } = operations(await document(t, openapi)).service
  t.match(post?.requestBody?.content?.['application/json']?.schema, message)
  t.match(post?.responses?.['201']?.content?.['application/json']?.schema, message)
})

t.test(
  'shown by `@fastify/swagger`: a shared schema is referred to, and every reference leads somewhere',
  async (t) => {
    const described = await document(t, openapi, { $ref: 'message#' }, [{ $id: 'message', ...message }])
    const references = [...JSON.stringify(described).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference as string
    )
    t.ok(references.length >= 4, 'list, page, get, create')
    for (const reference of references) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce<Json | undefined>((at, key) => at?.[key], described)
      t.match(target, message, reference)
    }
  }
)

t.test('shown by `@fastify/swagger`: the document of OpenAPI 2 as well', async (t) => {
  const { service } = operations(await document(t, { swagger: { info: { title: 'Test', version: '1.0.0' } } }))
  t.ok(service.get?.responses?.['200']?.schema)
  t.ok(service.post)
})

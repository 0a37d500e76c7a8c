import type { FastifySchemaCompiler } from 'fastify'
import t from 'tap'
import { createApp } from '../support/response-app.js'

/** A schema of a library of its own: a function that gives the value or throws. */
type Check = (value: unknown) => unknown

const upper: Check = (value) => {
  const { text } = value as { text?: unknown }
  if (typeof text !== 'string') throw new Error('text is missing')
  return { text: text.toUpperCase() }
}

const validator: FastifySchemaCompiler<Check> =
  ({ schema }) =>
  (data: unknown) => {
    try {
      return { value: schema(data) }
    } catch (error) {
      return { error: error as Error }
    }
  }

const service = {
  find: async ({ query }: { query: unknown }) => [{ query }],
  get: async (id: string) => ({ id, secret: 's' }),
  create: async (data: unknown) => data
}

t.test('a host with its own validator compiler: a record, and each item of a batch', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body: upper } } },
    plugin: { errorHandler: { html: false } },
    host: (app) => {
      app.setValidatorCompiler(validator as FastifySchemaCompiler<unknown>)
    }
  })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.strictSame(await post({ text: 'a' }), { text: 'A' })
  t.strictSame(await post([{ text: 'a' }, { text: 'b' }]), [{ text: 'A' }, { text: 'B' }])
  t.match(await post({}), { name: 'BadRequest', code: 400, message: /text is missing/ })
  t.match(await post([{ text: 'a' }, {}]), { name: 'BadRequest', code: 400, message: /1.*text is missing/ })
})

t.test('a host with its own validator compiler: the query', async (t) => {
  const numbers: Check = (query) =>
    Object.fromEntries(Object.entries(query as object).map(([key, value]) => [key, Number(value)]))
  const app = await createApp(t, {
    service,
    options: { schema: { find: { querystring: numbers } } },
    host: (app) => {
      app.setValidatorCompiler(validator as FastifySchemaCompiler<unknown>)
    }
  })
  t.strictSame((await app.inject('/things?a=1')).json(), [{ query: { a: 1 } }])
})

t.test('a host with its own serializer compiler: one record, lists, pages and batches by it', async (t) => {
  const app = await createApp(t, {
    service: {
      ...service,
      find: async ({ query }: { query: { page?: string } }) =>
        query.page ? { total: 1, data: [{ id: 1, secret: 's' }] } : [{ id: 1, secret: 's' }]
    },
    options: {
      schema: {
        get: { response: { 200: ['id'] } },
        find: { response: { 200: ['id'] } },
        create: { response: { '2xx': ['id'] } }
      }
    },
    host: (app) => {
      app.setSerializerCompiler(({ schema }) => {
        const keys = schema as unknown as string[]
        return (data) =>
          JSON.stringify(Object.fromEntries(keys.map((key) => [key, (data as Record<string, unknown>)[key]])))
      })
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: '1' })
  t.strictSame((await app.inject('/things')).json(), [{ id: 1 }])
  t.strictSame((await app.inject('/things?page=1')).json(), { total: 1, data: [{ id: 1 }] })
  t.strictSame((await app.inject({ method: 'POST', url: '/things', payload: [{ id: 1, a: 2 }] })).json(), [{ id: 1 }])
})

t.test('a host with its own reply serializer: it stays out of the way of services with a schema', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { get: { response: { 200: { type: 'object', properties: { id: {} } } } } } },
    host: (app) => {
      app.setReplySerializer((payload) => JSON.stringify({ host: payload }))
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: '1' })
})

t.test('a host with Ajv options of its own: they hold for services, batches too', async (t) => {
  const body = { type: 'object', properties: { count: { type: 'integer' } }, additionalProperties: false }
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body } } },
    plugin: { errorHandler: { html: false } },
    server: { ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } }
  })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.match(await post({ count: '1' }), { code: 400 })
  t.match(await post([{ count: 1 }, { count: '1', other: 1 }]), {
    code: 400,
    errors: [{ instancePath: /^\/1/ }, { instancePath: /^\/1/ }]
  })
  t.strictSame(await post([{ count: 1 }]), [{ count: 1 }])
})

t.test('a host with a schema error formatter of its own: it is asked for one record', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body: { type: 'object', required: ['text'] } } } },
    plugin: { errorHandler: { html: false } },
    server: { schemaErrorFormatter: (errors, part) => new Error(`${part}: ${errors.length} wrong`) }
  })
  const response = await app.inject({ method: 'POST', url: '/things', payload: {} })
  t.match(response.json(), { name: 'BadRequest', code: 400, message: 'body: 1 wrong' })
})

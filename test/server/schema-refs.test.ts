import t from 'tap'
import { createApp } from '../support/response-app.js'

const record = { id: 1, text: 'a', secret: 's', author: { name: 'bob', secret: 's' } }
const shown = { id: '1', text: 'a', author: { name: 'bob' } }
const user = { type: 'object', properties: { name: { type: 'string' } } }
const fields = { id: { type: 'string' }, text: { type: 'string', maxLength: 5 } }

const service = {
  find: async ({ query }: { query: { page?: string } }) =>
    query.page ? { total: 1, limit: 1, skip: 0, data: [record] } : [record],
  get: async () => record,
  create: async (data: unknown) => (Array.isArray(data) ? data.map(() => record) : record)
}

const message = { type: 'object', properties: { ...fields, author: { $ref: 'user#' } } }

/** Schemas of one record, and the shared schemas that they need. */
const kinds: Record<string, [schema: object, shared: object[]]> = {
  '`$ref` to app.addSchema': [
    { $ref: 'message#' },
    [
      { $id: 'user', ...user },
      { $id: 'message', ...message }
    ]
  ],
  '`$ref` inside a record to app.addSchema': [message, [{ $id: 'user', ...user }]],
  '`$ref` to a definition of app.addSchema': [
    { type: 'object', properties: { ...fields, author: { $ref: 'shared#/definitions/user' } } },
    [{ $id: 'shared', definitions: { user } }]
  ],
  'LOCAL `#/definitions/...` refs': [
    { type: 'object', definitions: { user }, properties: { ...fields, author: { $ref: '#/definitions/user' } } },
    []
  ],
  'LOCAL `#/$defs/...` refs': [
    { type: 'object', $defs: { user }, properties: { ...fields, author: { $ref: '#/$defs/user' } } },
    []
  ],
  'LOCAL `#/properties/...` refs': [
    { type: 'object', properties: { ...fields, author: user, editor: { $ref: '#/properties/author' } } },
    []
  ],
  '`$id` of its own': [{ $id: 'own', type: 'object', properties: { ...fields, author: user } }, []],
  '`$id` of its own and LOCAL refs': [
    {
      $id: 'both',
      type: 'object',
      definitions: { user },
      properties: { ...fields, author: { $ref: '#/definitions/user' } }
    },
    []
  ],
  '`$id` that is a URL, with LOCAL refs': [
    {
      $id: 'https://a.test/message.json',
      type: 'object',
      definitions: { user },
      properties: { ...fields, author: { $ref: '#/definitions/user' } }
    },
    []
  ],
  'refs to its own `$id`': [
    {
      $id: 'self',
      type: 'object',
      definitions: { user },
      properties: { ...fields, author: { $ref: 'self#/definitions/user' } }
    },
    []
  ],
  'a record that refers to itself by `#`': [
    { type: 'object', properties: { ...fields, author: user, parent: { $ref: '#' } } },
    []
  ]
}

for (const [name, [schema, shared]] of Object.entries(kinds)) {
  t.test(`schemas with ${name}: response`, async (t) => {
    const response = { '2xx': schema }
    const app = await createApp(t, {
      service,
      options: { schema: { find: { response }, get: { response }, create: { response } } },
      host: (app) => {
        for (const item of shared) app.addSchema(item)
      }
    })
    t.strictSame((await app.inject('/things/1')).json(), shown)
    t.strictSame((await app.inject('/things')).json(), [shown])
    t.strictSame((await app.inject('/things?page=1')).json(), { total: 1, limit: 1, skip: 0, data: [shown] })
    t.strictSame((await app.inject({ method: 'POST', url: '/things', payload: {} })).json(), shown)
    t.strictSame((await app.inject({ method: 'POST', url: '/things', payload: [{}] })).json(), [shown])
  })

  // Fastify itself resolves no `#` in a body.
  if (name.endsWith('by `#`')) continue
  t.test(`schemas with ${name}: body`, async (t) => {
    const app = await createApp(t, {
      service: { create: async (data: unknown) => data },
      options: { schema: { create: { body: schema } } },
      plugin: { errorHandler: { html: false } },
      host: (app) => {
        for (const value of shared) app.addSchema(value)
      }
    })
    const post = (payload: object) => app.inject({ method: 'POST', url: '/things', payload })
    t.strictSame((await post({ id: 1, author: { name: 2 } })).json(), { id: '1', author: { name: '2' } })
    t.strictSame((await post([{ id: 1, author: { name: 2 } }])).json(), [{ id: '1', author: { name: '2' } }])
    t.match((await post([{}, { text: 'too long' }])).json(), { code: 400, errors: [{ instancePath: '/1/text' }] })
  })
}

t.test('one schema object with `$id` for all methods of two services', async (t) => {
  const schema = {
    $id: 'message',
    type: 'object',
    definitions: { user },
    properties: { ...fields, author: { $ref: '#/definitions/user' } }
  }
  const both = { find: { response: schema }, get: { response: schema }, create: { body: schema, response: schema } }
  const app = await createApp(t, { service, options: { schema: both } })
  app.service('others', service as Required<typeof service>, { schema: both })
  for (const path of ['things', 'others']) {
    t.strictSame((await app.inject(`/${path}`)).json(), [shown])
    t.strictSame((await app.inject(`/${path}/1`)).json(), shown)
    t.strictSame((await app.inject({ method: 'POST', url: `/${path}`, payload: [{ text: 'a' }] })).json(), [shown])
  }
  t.strictSame(schema.$id, 'message', 'the schema object is not changed')
})

t.test('schemas of the context that the service is registered in', async (t) => {
  const app = await createApp(t, { service })
  app.register(
    async (child) => {
      child.addSchema({ $id: 'inner', type: 'object', properties: { text: { type: 'string' } } })
      child.service('inner', service as Required<typeof service>, {
        schema: { find: { response: { $ref: 'inner#' } } }
      })
    },
    { prefix: '/v1' }
  )
  t.strictSame((await app.inject('/v1/inner')).json(), [{ text: 'a' }])
})

t.test('an invalid schema fails at start', async (t) => {
  const bad: Record<string, object> = {
    body: { body: { type: 'nothing' } },
    querystring: { querystring: { type: 'object', properties: { a: { type: 'nothing' } } } },
    reference: { body: { $ref: 'missing#' } },
    response: { response: { 200: { $ref: 'missing#' } } }
  }
  for (const [name, schema] of Object.entries(bad)) {
    await t.rejects(
      async () => {
        const app = await createApp(t, { service, options: { schema: { create: schema } } })
        await app.ready()
      },
      Error,
      name
    )
  }
})

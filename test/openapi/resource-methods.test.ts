import { resource } from 'fastify-services'
import t from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { All, documentOf, follow, operationsOf } from './app.js'

const Post = Type.Object(
  { id: Type.Integer(), title: Type.String(), secret: Type.Optional(Type.String()) },
  { title: 'Post' }
)
const posts = resource(Post, {
  readOnly: ['id'],
  writeOnly: ['secret'],
  methods: {
    publish: {
      route: 'POST /:id/publish',
      body: z.object({ at: z.string(), note: z.string().optional() }),
      query: z.object({ notify: z.boolean(), tag: z.string().optional() })
    },
    like: { route: 'PUT /:id/likes' },
    remind: { route: 'POST /:id/reminders', body: z.object({ at: z.string().optional() }) },
    recent: { route: 'GET /recent', response: Type.Array(Post) },
    scan: { route: 'GET /:id/scan', response: z.unknown(), produces: ['application/pdf'] },
    archive: { body: Type.Object({ before: Type.String() }), response: Type.Object({ count: Type.Integer() }) }
  }
})
const nothing = async () => ({ id: 1, title: '' })
const service = {
  get: nothing,
  publish: nothing,
  like: nothing,
  remind: nothing,
  recent: async () => [],
  scan: async () => Buffer.from('scan'),
  archive: async () => ({ count: 1 })
}

t.test('documents have the data, the query and the answer of the custom methods of a resource', async (t) => {
  const document = await documentOf(t, (app) => app.service('posts', service, { schema: posts }))
  const operations = operationsOf(document)
  t.strictSame(Object.keys(operations).sort(), [
    'GET /posts/recent',
    'GET /posts/{id}',
    'GET /posts/{id}/scan',
    'POST /posts',
    'POST /posts/{id}/publish',
    'POST /posts/{id}/reminders',
    'PUT /posts/{id}/likes'
  ])
  const contentOf = ({ content }: { content: object }) =>
    (content as Record<string, { schema: object }>)['application/json']
  t.strictSame(operations['GET /posts/{id}/scan'].responses[200].content, {
    'application/pdf': { schema: { type: 'string', format: 'binary' } }
  })
  const publish = operations['POST /posts/{id}/publish']
  t.strictSame(publish.responses[200].content['application/json'].schema, { $ref: '#/components/schemas/Post' })
  t.strictSame(follow(document, publish.requestBody.content['application/json'].schema), {
    type: 'object',
    properties: { at: { type: 'string' }, note: { type: 'string' } },
    required: ['at'],
    additionalProperties: false
  })
  t.equal(publish.requestBody.required, true)
  const parameters = publish.parameters.map((parameter: { $ref?: string }) =>
    parameter.$ref === undefined ? parameter : follow(document, parameter as { $ref: string })
  )
  t.match(parameters, [
    { name: 'id', in: 'path', schema: { type: 'integer' } },
    { name: 'notify', in: 'query', required: true, schema: { type: 'boolean' } },
    { name: 'tag', in: 'query', schema: { type: 'string' } }
  ])
  t.equal(operations['POST /posts/{id}/reminders'].requestBody.required, false, 'no field must be there')
  t.equal(operations['PUT /posts/{id}/likes'].requestBody, undefined, 'it takes no data')
  const recent = follow(document, contentOf(operations['GET /posts/recent'].responses[200])?.schema as { $ref: string })
  t.strictSame(recent, {
    type: 'array',
    items: {
      title: 'Post',
      type: 'object',
      required: ['id', 'title'],
      properties: { id: { type: 'integer', readOnly: true }, title: { type: 'string' } },
      additionalProperties: false
    }
  })
  t.match(operations['POST /posts'], {
    operationId: 'archivePosts',
    requestBody: { content: { 'application/json': { schema: { properties: { before: { type: 'string' } } } } } },
    responses: { 200: { content: { 'application/json': { schema: { properties: { count: { type: 'integer' } } } } } } }
  })
})

t.test('`lists: false` has the last word before `multi` of the adapter', async (t) => {
  const schema = resource(Post, { readOnly: ['id'], lists: false })
  const document = await documentOf(t, (app) =>
    app.service('posts', new All({ multi: true }) as never, { schema: schema as never })
  )
  const { content } = operationsOf(document)['POST /posts'].requestBody
  t.strictSame(content['application/json'].schema, { $ref: '#/components/schemas/PostData' })
})

import { METHODS } from 'node:http'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import { resource } from 'fastify-services'
import authentication, { authenticate, type Strategy } from 'fastify-services/authentication'
import events from 'fastify-services/events'
import { openapi } from 'fastify-services/openapi'
import t from 'tap'
import { documentOf, follow, operationsOf } from './app.js'

const text = { type: 'string' } as const
const post = resource(
  { title: 'Post', type: 'object', required: ['id', 'title'], properties: { id: { type: 'integer' }, title: text } },
  {
    readOnly: ['id'],
    methods: { stats: { route: 'GET /stats', query: { type: 'object', properties: { title: text } } } }
  }
)
const proxy: Strategy = { parse: () => null, authenticate: () => ({ user: { id: 1 } }) }

const create = (t: Parameters<typeof documentOf>[0], version?: '3.1.0' | '3.2.0') =>
  documentOf(
    t,
    async (app) => {
      await app.register(authentication, { strategies: { proxy } })
      const posts = Object.assign(memory({ startId: 1, paginate: { default: 10 } }), { stats: async () => ({}) })
      app.service('posts', posts as object, { schema: post as object })
      app.service(
        'lines',
        { find: async () => [] },
        {
          before: authenticate('proxy'),
          schema: {
            find: { produces: ['application/x-ndjson'], response: { type: 'object', properties: { a: text } } }
          }
        }
      )
      // OpenAPI 3.1 can't describe it.
      if (version === '3.2.0')
        app
          .addHttpMethod('SEARCH')
          .route({ method: 'SEARCH', url: '/search', schema: { security: [{ Bearer: [] }] }, handler: async () => [] })
      await app.register(events, { services: { posts: true } })
    },
    { ...(version && { document: { openapi: version } }) }
  )

const isKnown = METHODS.includes('QUERY') && (Fastify().supportedMethods as string[]).includes('QUERY')
const skip = isKnown ? false : 'Node or Fastify has no QUERY'

t.test('3.2 shows a QUERY with its body, and the items of streams', { skip }, async (t) => {
  const document = await create(t, '3.2.0')
  t.equal(document.openapi, '3.2.0')
  const operations = operationsOf(document)
  const { 'GET /posts': find, 'QUERY /posts': query, 'QUERY /posts/stats': stats, 'QUERY /lines': lines } = operations
  const { headers, ...answer } = find.responses[200]
  t.match(query, { operationId: 'findPostsByQuery', tags: ['posts'], responses: { ...find.responses, 200: answer } })
  t.match([headers.Link, query.responses[200].headers], [{ schema: { type: 'string' } }, undefined], 'no next URL')
  t.strictSame([query.parameters, query['x-service']], [undefined, undefined])
  const body = follow(document, query.requestBody.content['application/json'].schema)
  t.match(Object.keys(body.properties), ['id', 'title', '$or', '$and', '$limit', '$skip', '$sort', '$select'])
  t.equal(stats.operationId, 'statsPostsByQuery')
  t.strictSame(lines.requestBody.content['application/json'].schema, { type: 'object' })
  t.strictSame(lines.security, operations['GET /lines'].security)

  const { content } = find.responses[200]
  t.notOk('itemSchema' in content['application/json'])
  const event = follow(document, content['text/event-stream'].itemSchema)
  t.match(event.properties.data, {
    contentMediaType: 'application/json',
    contentSchema: { required: ['path', 'event'] }
  })
  t.strictSame(operations['GET /events'].responses[200].content['text/event-stream'], content['text/event-stream'])
  const line = follow(document, lines.responses[200].content['application/x-ndjson'].itemSchema)
  t.strictSame(line.properties, { a: text })

  t.strictSame(document.paths['/search'].additionalOperations.SEARCH.security, [{ Bearer: [] }])
  t.notMatch(JSON.stringify(document), 'x-fastify-services')
})

t.test('3.1 is the default, and has none of that', async (t) => {
  const document = await create(t)
  t.equal(document.openapi, '3.1.0')
  t.notMatch(JSON.stringify(document), /itemSchema|ByQuery|additionalOperations/)
  t.throws(() => openapi({ info: { title: '', version: '' }, openapi: '3.0.0' as '3.1.0' }), /'3.1.0' or '3.2.0'/)
})

import t from 'tap'
import { All, documentOf, operationsOf } from './app.js'

const record = { title: 'Post', type: 'object', properties: { id: { type: 'integer' } } }
const body = { type: 'object', properties: { at: { type: 'string' } } }

class Posts extends All {
  async share(id: unknown, data: unknown) {
    return { id, data }
  }
  async stats() {
    return {}
  }
}

t.test('custom methods with routes are paths', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('posts', new Posts(), {
      methods: ['get', 'share', 'stats'],
      routes: { share: 'POST /:id/share', stats: 'GET /all/stats' },
      schema: { get: { response: record }, share: { body, response: record }, stats: { response: body } }
    })
  )
  const operations = operationsOf(document)
  t.strictSame(Object.keys(operations), ['GET /posts/{id}', 'POST /posts/{id}/share', 'GET /posts/all/stats'])
  t.match(operations['POST /posts/{id}/share'], {
    operationId: 'sharePost',
    summary: 'Share a record of posts',
    parameters: [{ name: 'id', schema: { type: 'integer' } }],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/SharePostData' } } } },
    responses: {
      200: {
        description: 'What `share` gives.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Post' } } }
      },
      404: {}
    }
  })
  t.match(operations['GET /posts/all/stats'], {
    operationId: 'statsPosts',
    summary: 'Stats (posts)',
    requestBody: undefined,
    responses: {
      200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/StatsPostsResult' } } } }
    }
  })
})

t.test('the words of a name in camel case are told apart', async (t) => {
  const service = { get: async () => ({}), markAsRead: async () => ({}) }
  const document = await documentOf(t, (app) =>
    app.service('blogPosts', service, { methods: ['get', 'markAsRead'], routes: { markAsRead: 'POST /:id/read' } })
  )
  t.match(operationsOf(document)['POST /blogPosts/{id}/read'], {
    operationId: 'markAsReadBlogPosts',
    summary: 'Mark as read a record of blog posts'
  })
})

t.test('those that a header names stand beside `create`', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('posts', new All({ multi: ['create', 'archive'] }), {
      methods: ['create', 'publish', 'archive'],
      schema: {
        create: { response: record },
        publish: { body, querystring: body, response: record },
        archive: { response: body }
      }
    })
  )
  const operations = operationsOf(document)
  t.strictSame(Object.keys(operations), ['POST /posts'])
  const { operationId, 'x-service-methods': more } = operations['POST /posts']
  t.equal(operationId, 'createPost')
  t.match(more.publish, {
    parameters: [
      { name: 'X-Service-Method', in: 'header', required: true, schema: { type: 'string', const: 'publish' } },
      { name: 'at', in: 'query' }
    ],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Post' } } } } }
  })
  t.match(more.archive, {
    requestBody: { required: false },
    responses: {
      200: { content: { 'application/json': { schema: { oneOf: [body, { type: 'array', items: body }] } } } }
    }
  })
  t.strictSame(Object.keys(document.components.schemas), ['Post', 'Error'], 'nothing that no operation refers to')
})

t.test('without `create` the first of them has the operation', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('posts', new All(), {
      methods: ['find', 'create', 'publish', 'archive'],
      schema: { create: { hide: true } }
    })
  )
  const { 'POST /posts': post, ...others } = operationsOf(document)
  t.strictSame(Object.keys(others), ['GET /posts'])
  t.match(post, { operationId: 'publishPosts', parameters: [{ name: 'X-Service-Method' }] })
  t.strictSame(Object.keys(post['x-service-methods']), ['archive'])
})

t.test('a hidden one is nowhere', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('posts', new All(), { methods: ['create', 'publish'], schema: { publish: { hide: true } } })
  )
  t.notOk('x-service-methods' in operationsOf(document)['POST /posts'])
})

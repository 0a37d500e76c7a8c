import t from 'tap'
import { All, documentOf, operationsOf, type Part } from './app.js'

const idsOf = (document: Part) =>
  Object.fromEntries(Object.entries(operationsOf(document)).map(([name, { operationId }]) => [name, operationId]))

t.test('each method has an operation with an id, a tag and a summary', async (t) => {
  const document = await documentOf(t, (app) => app.service('posts', new All()))
  t.strictSame(idsOf(document), {
    'GET /posts': 'findPosts',
    'POST /posts': 'createPosts',
    'GET /posts/{id}': 'getPosts',
    'PUT /posts/{id}': 'updatePosts',
    'PATCH /posts/{id}': 'patchPosts',
    'DELETE /posts/{id}': 'removePosts'
  })
  const operations = Object.values(operationsOf(document))
  t.strictSame(
    operations.map(({ summary }) => summary),
    ['Find records', 'Create a record', 'Get a record', 'Replace a record', 'Change a record', 'Remove a record'].map(
      (summary) => `${summary} of posts`
    )
  )
  for (const { tags, security } of operations) t.strictSame([tags, security], [['posts'], []])
  t.strictSame(document.tags, [{ name: 'posts', description: 'The service at `/posts`.' }])
  t.match(document, { openapi: '3.1.0', servers: [{ url: '/' }], info: { title: 'Test' } })
})

t.test('each operation says which method it is', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('v1/posts', new All({ id: '_id', multi: ['patch'] }), {
      methods: ['find', 'create', 'patch', 'publish', 'archive'],
      routes: { publish: 'POST /:id/publish' },
      schema: { find: { 'x-service': 'mine', 'x-mine': true } as object }
    })
  )
  const operations = operationsOf(document)
  const marks = Object.entries(operations).map(([name, part]) => [name, part['x-service']])
  const post = { path: 'v1/posts', id: '_id' }
  t.strictSame(Object.fromEntries(marks), {
    'GET /v1/posts': { ...post, method: 'find', route: 'GET /' },
    'POST /v1/posts': { ...post, method: 'create', route: 'POST /' },
    'PATCH /v1/posts': { ...post, method: 'patch', route: 'PATCH /' },
    'PATCH /v1/posts/{id}': { ...post, method: 'patch', route: 'PATCH /:id' },
    'POST /v1/posts/{id}/publish': { ...post, method: 'publish', route: 'POST /:id/publish' }
  })
  t.equal(operations['GET /v1/posts']['x-mine'], true)
  const { archive } = operations['POST /v1/posts']['x-service-methods']
  t.strictSame(archive['x-service'], { ...post, method: 'archive' }, 'a header names it')
})

t.test('calls for many records are there where `multi` allows them', async (t) => {
  const some = await documentOf(t, (app) => app.service('posts', new All({ multi: ['create', 'update'] })))
  t.equal(idsOf(some)['PUT /posts'], 'updateManyPosts')
  t.notOk(idsOf(some)['PATCH /posts'])
  t.match(operationsOf(some)['POST /posts'].summary, 'Create a record of posts, or a list')
  const all = await documentOf(t, (app) => app.service('weather', new All({ multi: true })))
  t.match(idsOf(all), {
    'GET /weather': 'findWeather',
    'GET /weather/{id}': 'getWeather',
    'PATCH /weather': 'patchManyWeather',
    'DELETE /weather': 'removeManyWeather'
  })
  t.notOk(idsOf(all)['PUT /weather'], 'adapters replace no many records')
  t.equal(operationsOf(all)['PATCH /weather'].summary, 'Change all records of weather that the query selects')
})

t.test('services of the same last name have different names', async (t) => {
  const document = await documentOf(t, async (app) => {
    for (const version of ['v1', 'v2'])
      await app.register(async (child) => void child.service('posts', { find: async () => [] }), { prefix: version })
    app.service('users/:userId/posts', { find: async () => [] })
    app.service('2fa-codes', { find: async () => [] })
    app.service('/', { find: async () => [] })
    app.service('a/:b', { find: async () => [] })
    app.service('a', { find: async () => [] })
  })
  t.strictSame(idsOf(document), {
    'GET /v1/posts': 'findV1Posts',
    'GET /v2/posts': 'findV2Posts',
    'GET /users/{userId}/posts': 'findUsersPosts',
    'GET /2fa-codes': 'findThe2faCodes',
    'GET /': 'findRecords',
    'GET /a/{b}': 'findA',
    'GET /a': 'findA2'
  })
  t.strictSame(document.tags[4], { name: '/', description: 'The service at `/`.' })
  t.strictSame(operationsOf(document)['GET /'].tags, ['/'])
})

t.test('what the schema of a method says comes first', async (t) => {
  const document = await documentOf(
    t,
    (app) => {
      app.service('posts', new All({ multi: ['patch'] }), {
        schema: {
          find: {
            summary: 'Search',
            description: 'By title.',
            tags: ['reading'],
            operationId: 'search',
            security: [{ Key: [] }]
          },
          get: { hide: true },
          create: { deprecated: true, 'x-level': 1 } as object,
          patch: { summary: 'Edit', operationId: 'edit' }
        }
      })
    },
    {
      document: {
        tags: [{ name: 'posts', description: 'What is written.' }],
        components: { securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'key' } } }
      }
    }
  )
  const operations = operationsOf(document)
  t.match(operations['GET /posts'], {
    summary: 'Search',
    description: 'By title.',
    tags: ['reading'],
    operationId: 'search',
    security: [{ Key: [] }]
  })
  t.notOk(operations['GET /posts/{id}'])
  t.match(operations['POST /posts'], { deprecated: true, 'x-level': 1 })
  t.match(operations['PATCH /posts/{id}'], { summary: 'Edit', operationId: 'edit' })
  t.match(operations['PATCH /posts'], { summary: 'Edit: all that the query selects', operationId: 'editMany' })
  t.strictSame(document.tags, [{ name: 'posts', description: 'What is written.' }])
  t.strictSame(Object.keys(document.components.securitySchemes), ['Key'])
})

t.test('routes of the application stay as they are, and no id is there twice', async (t) => {
  const document = await documentOf(t, (app) => {
    const schema = {
      operationId: 'findPosts',
      response: { 200: { type: 'object', properties: { at: { type: 'string' } } } }
    }
    app.get('/time', { schema }, () => ({}))
    app.get('/day', { schema: { ...schema, operationId: 'findPosts2' } }, () => ({}))
    app.service('posts', { find: async () => [], get: async () => ({}) })
    app.get('/posts/:id', { schema: { summary: 'Its own' } }, () => ({}))
    const same = { operationId: 'same' }
    app.service('notes', { find: async () => [], get: async () => ({}) }, { schema: { find: same, get: same } })
  })
  t.match(operationsOf(document)['GET /time'], { operationId: 'findPosts', tags: undefined })
  t.equal(idsOf(document)['GET /posts'], 'findPosts3')
  t.same([idsOf(document)['GET /notes'], idsOf(document)['GET /notes/{id}']].sort(), ['same', 'same2'])
  t.match(operationsOf(document)['GET /posts/{id}'], { summary: 'Its own', operationId: undefined })
})

t.test('`transform` and `transformObject` of the application run for what is its own', async (t) => {
  const seen: string[] = []
  const document = await documentOf(
    t,
    (app) => {
      app.get('/time', () => ({}))
      app.get('/own', { schema: { tags: ['internal'] } }, () => ({}))
      app.service('posts', { find: async () => [] })
    },
    {
      options: {
        exposeHeadRoutes: true,
        hiddenTag: 'internal',
        transform({ schema, url }) {
          seen.push(url)
          return { schema: { ...schema, summary: 'Changed' }, url }
        },
        transformObject(given) {
          const { openapiObject } = given as unknown as { openapiObject: { tags: [] } }
          return Object.assign(openapiObject, { 'x-changed': true })
        }
      }
    }
  )
  t.strictSame([...new Set(seen)], ['/time', '/own'])
  t.match(document, { 'x-changed': true, paths: { '/time': { get: { summary: 'Changed' } } } })
  t.strictSame(Object.keys(document.paths['/posts']), ['get'], 'HEAD is no operation')
  t.notOk('parameters' in document.paths['/posts'].get)
  t.notOk(document.paths['/own'])
})

t.test('a path of the options, and the same document twice', async (t) => {
  const responses = { Gone: { description: 'It has gone.' } }
  const operation = { summary: 'Its own', get: { operationId: 'own', responses: { 200: { description: 'It.' } } } }
  const document = await documentOf(
    t,
    (app) => {
      app.service('posts', { find: async () => [] })
      app.get('/yaml', { schema: { hide: true } }, () => app.swagger({ yaml: true }))
    },
    { document: { paths: { '/own': operation }, components: { responses } } }
  )
  t.match(document.paths['/own'], operation)
  t.strictSame(Object.keys(document.components.responses), ['Gone', 'BadRequest', 'AnyError'])
  t.strictSame(Object.keys(responses), ['Gone'], 'the options are as they were')
})

t.test('an application without services has its document', async (t) => {
  const document = await documentOf(t, (app) => app.get('/time', () => ({})))
  t.strictSame(Object.keys(document.paths), ['/time'])
  t.strictSame(document.tags, [])
})

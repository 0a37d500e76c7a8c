import multipart from '@fastify/multipart'
import { memory } from '@feathersjs/memory'
import t from 'tap'
import { startOf } from '../../lib/explorer/model/place.js'
import { type ExploredService, servicesIn } from '../../lib/explorer/model/services.js'
import { All, documentOf } from '../openapi/app.js'

const post = {
  type: 'object',
  required: ['_id', 'title'],
  properties: {
    _id: { type: 'integer' },
    title: { type: 'string', description: 'What it is called.' },
    secret: { type: 'string', format: 'password', maxLength: 1024 },
    text: { type: 'string', maxLength: 5000 },
    state: { type: 'string', enum: ['draft', 'published'] },
    price: { type: ['number', 'null'] },
    rank: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    size: { anyOf: [{ const: 's' }, { const: 'm' }, { type: 'null' }] },
    any: {},
    several: { type: ['integer', 'string'] },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    tags: { type: 'array', items: { type: 'string' } },
    isOpen: { type: 'boolean' }
  }
}
const query = {
  type: 'object',
  properties: {
    $select: { type: 'array', items: { type: 'string' } },
    $sort: { type: 'object', properties: { title: { type: 'integer' } } },
    title: { type: 'string' },
    rank: {
      anyOf: [
        { type: 'integer' },
        {
          type: 'object',
          properties: {
            $ge: { type: 'integer' },
            $gte: { type: 'integer' },
            $eq: { type: 'integer' },
            $own: {},
            $in: { type: 'array', items: { type: 'integer' } }
          }
        }
      ]
    },
    price: { type: 'object', properties: { $lt: { type: 'number' } } }
  }
}

class Posts extends All {
  async share(id: unknown, data: unknown) {
    return { id, data }
  }
}

t.test('the services of a document', async (t) => {
  const tags = [{ name: 'posts', description: 'What authors write.' }]
  const ofService = await documentOf(
    t,
    (app) => {
      app.service('posts', new Posts({ id: '_id', paginate: { default: 10 }, multi: ['patch'] }), {
        methods: ['find', 'get', 'create', 'patch', 'remove', 'share', 'archive'],
        routes: { share: 'POST /:id/share/:place' },
        deprecated: { methods: ['share'] },
        schema: {
          find: { querystring: query, response: post },
          create: { body: post },
          share: { security: [{ Bearer: [] }], description: 'With whom.' }
        }
      })
      app.service('users/:id/posts', { find: async () => [], get: async (id: unknown) => ({ id }) })
      app.service('/', { get: async (id: unknown) => ({ id }) })
      app.service('any', memory())
      app.get('/time', async () => 0)
    },
    { document: { tags } }
  )
  const services = servicesIn(ofService)
  const at = (path: string) => services.get(path) as ExploredService
  t.strictSame([...services.keys()], ['posts', 'users/:id/posts', '', 'any'])
  t.match(at('posts'), { path: 'posts', idField: '_id', description: 'What authors write.', placeholders: [] })
  t.match(at('any').operations.get('find'), { sortable: undefined }, 'as adapters do')
  t.strictSame(
    [...at('any').operations.values()].filter(({ isCustom }) => isCustom),
    [],
    'none of the six is a custom method'
  )
  t.match(at('users/:id/posts'), { idField: 'id', description: undefined, placeholders: ['id'] })
  t.ok(at('').operations.get('get')?.hasId)
  t.ok(at('users/:id/posts').operations.get('get')?.hasId)
  t.equal(at('users/:id/posts').operations.get('find')?.hasId, false)

  const { operations } = at('posts')
  const of = (name: string) => operations.get(name)
  t.strictSame([...operations.keys()].sort(), ['archive', 'create', 'find', 'get', 'patch', 'remove', 'share'])
  t.match(of('patch'), { route: 'PATCH /:id', hasId: true, hasData: true, isCustom: false }, 'that of one record')
  t.match(of('remove'), { hasId: true, hasData: false, isGuarded: false })
  t.match(of('archive'), { route: undefined, hasId: false, hasData: true, isCustom: true, bodies: [] })
  t.match(of('share'), {
    route: 'POST /:id/share/:place',
    placeholders: ['place'],
    summary: 'Share a record of posts (deprecated)',
    description: 'With whom.',
    isGuarded: true
  })
  t.match(of('find'), { canSelect: true, canJoin: false, sortable: ['title'] })
  t.match(of('get'), { canSelect: false, sortable: [], query: [] })

  const fields = of('create')?.bodies[0] ?? []
  const kinds = Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))
  const text = { title: 'text', secret: 'text', text: 'text' }
  const numbers = { _id: 'number', price: 'number', rank: 'number' }
  const others = {
    state: 'choice',
    size: 'choice',
    any: 'json',
    several: 'json',
    either: 'json',
    tags: 'list',
    isOpen: 'boolean'
  }
  t.strictSame(kinds, { ...numbers, ...text, ...others })
  const named = (test: (field: (typeof fields)[number]) => boolean) => fields.filter(test).map(({ name }) => name)
  t.strictSame(
    named(({ isRequired }) => isRequired),
    ['_id', 'title']
  )
  t.strictSame(
    named(({ isNullable }) => isNullable),
    ['price', 'rank', 'size']
  )
  t.strictSame(
    named(({ isLong }) => isLong),
    ['text']
  )
  t.strictSame(
    named(({ isSecret }) => isSecret),
    ['secret']
  )
  t.strictSame(fields.find(({ name }) => name === 'size')?.choices, ['s', 'm'])
  t.equal(fields[1]?.description, 'What it is called.')
  t.strictSame(
    of('find')?.record.map(({ name }) => name),
    Object.keys(post.properties),
    'of the records of a page'
  )
  t.strictSame(
    of('find')?.query.map(({ name, kind, operators }) => [name, kind, operators]),
    [
      ['title', 'text', ['']],
      ['rank', 'number', ['', '$gte', '$in', '$own']],
      ['price', 'number', ['$lt']]
    ]
  )
})

t.test('a service begins with its list, or with what needs no id', async (t) => {
  const document = await documentOf(t, (app) => {
    app.service('lists', { get: async () => ({}), find: async () => [] })
    app.service('forms', { get: async () => ({}), create: async () => ({}) })
    app.service('records', { get: async () => ({}) })
  })
  const services = servicesIn(document)
  const start = (path: string) => startOf(services.get(path) as ExploredService)
  t.match([start('lists'), start('forms'), start('records')], [{ call: 'find' }, { call: 'create' }, { call: 'find' }])
  t.equal(start('forms').service, 'forms')
})

t.test('files, several kinds of data, and lists as records', async (t) => {
  const file = { type: 'string', format: 'binary' }
  const named = { type: 'string', contentMediaType: 'image/png' }
  const kinds = { oneOf: ['a', 'b'].map((kind) => ({ type: 'object', properties: { kind: { const: kind } } })) }
  const document = await documentOf(t, async (app) => {
    await app.register(multipart)
    app.service('files', new All(), {
      methods: ['create', 'patch'],
      schema: {
        create: {
          body: { type: 'object', properties: { one: named, some: { type: 'array', items: file } } },
          consumes: ['multipart/form-data']
        },
        patch: { body: kinds }
      }
    })
    const hasData = { type: 'object', properties: { data: { type: 'array', items: {} } } }
    app.service('lists', new All({ paginate: false }), {
      methods: ['find', 'get'],
      schema: { find: { response: hasData } }
    })
    const kind = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
    app.service('either', new All({ paginate: false }), {
      methods: ['find', 'get'],
      schema: {
        find: { response: { anyOf: [{ type: 'array', items: kind('a') }, kind('b')] } },
        get: { response: { oneOf: [kind('c'), kind('d')] } }
      }
    })
  })
  const services = servicesIn(document)
  const operation = (name: string) => services.get('files')?.operations.get(name)
  t.match(operation('create'), {
    isForm: true,
    bodies: [
      [
        { kind: 'file', isMany: false },
        { kind: 'file', isMany: true }
      ]
    ]
  })
  t.match(operation('patch')?.bodies, [[{ choices: ['a'] }], [{ choices: ['b'] }]])
  const recordOf = (path: string, method: string) =>
    (services.get(path)?.operations.get(method)?.record ?? []).map(({ name }) => name)
  t.strictSame(recordOf('lists', 'find'), ['data'])
  t.strictSame(recordOf('either', 'find'), ['a'])
  t.strictSame(recordOf('either', 'get'), ['c'])
})

t.test('a parameter may be required, and `$and` among them lets conditions of one field join', async (t) => {
  const find = (...parameters: object[]) => {
    const document = { paths: { '/posts': { get: { 'x-service': { path: 'posts', method: 'find' }, parameters } } } }
    return servicesIn(document).get('posts')?.operations.get('find')
  }
  const [q, and] = [
    { in: 'query', name: 'q', required: true, schema: { type: 'string' } },
    { in: 'query', name: '$and', schema: { type: 'array' } }
  ]
  t.match(find(q), { canJoin: false, query: [{ name: 'q', isRequired: true }] })
  t.match(find({ ...q, required: false }, and), { canJoin: true, query: [{ name: 'q', isRequired: false }] })
})

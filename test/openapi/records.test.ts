import multipart from '@fastify/multipart'
import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { All, documentOf, follow, operationsOf, type Part } from './app.js'

const record = {
  title: 'Post',
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer', readOnly: true }, title: { type: 'string' } }
}
const post = { $ref: '#/components/schemas/Post' }
const page = { $ref: '#/components/schemas/PostPage' }
const list = { type: 'array', items: post }

const resultOf = (document: Part, name: string, status = '200') =>
  operationsOf(document)[name].responses[status].content['application/json'].schema
const bodyOf = (document: Part, name: string) => operationsOf(document)[name].requestBody.content

t.test('records are components, and so are pages and bodies', async (t) => {
  const service = new All({ paginate: { default: 10 }, multi: ['create', 'patch'] })
  const document = await documentOf(t, (app) => app.service('posts', service, { schema: resource(record) as object }))
  t.strictSame(Object.keys(document.components.schemas), ['Post', 'PostPage', 'Error', 'PostData', 'PostPatch'])
  t.match(document.components.schemas.Post, record)
  const count = (description: string) => ({ type: 'integer', description })
  t.strictSame(document.components.schemas.PostPage, {
    type: 'object',
    description: 'A page of records.',
    required: ['total', 'limit', 'skip', 'data'],
    properties: {
      total: count('How many the query selects in all.'),
      limit: count('The most that one page holds.'),
      skip: count('How many were left out before this page.'),
      data: list
    }
  })
  t.strictSame(resultOf(document, 'GET /posts'), page)
  t.strictSame(resultOf(document, 'GET /posts/{id}'), post)
  t.strictSame(resultOf(document, 'POST /posts', '201'), { oneOf: [post, list] })
  t.strictSame(resultOf(document, 'PATCH /posts'), list)
  t.strictSame(resultOf(document, 'PATCH /posts/{id}'), post)
  const data = { $ref: '#/components/schemas/PostData' }
  t.strictSame(bodyOf(document, 'POST /posts'), {
    'application/json': { schema: { oneOf: [data, { type: 'array', items: data }] } }
  })
  t.strictSame(bodyOf(document, 'PUT /posts/{id}')['application/json'].schema, data, 'what create takes')
  t.strictSame(follow(document, bodyOf(document, 'PATCH /posts/{id}')['application/json'].schema).required, undefined)
})

t.test('`find` gives lists where the service says so, and either where it says nothing', async (t) => {
  const find = { response: record }
  const of = (options: object) => documentOf(t, (app) => app.service('posts', new All(options), { schema: { find } }))
  t.strictSame(resultOf(await of({ paginate: false }), 'GET /posts'), list)
  t.strictSame(resultOf(await of({ paginate: { max: 5 } }), 'GET /posts'), page)
  t.strictSame(resultOf(await of({}), 'GET /posts'), { anyOf: [list, page] })
})

t.test('a service without schemas', async (t) => {
  const document = await documentOf(t, (app) =>
    app.service('posts', new All({ multi: true, paginate: false }), { methods: ['find', 'get', 'create', 'publish'] })
  )
  t.strictSame(resultOf(document, 'GET /posts'), { type: 'array', items: {} })
  t.strictSame(resultOf(document, 'GET /posts/{id}'), {})
  t.strictSame(resultOf(document, 'POST /posts', '201'), {})
  t.match(operationsOf(document)['POST /posts'].requestBody, {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } } }
  })
})

t.test('a method with another result or body than the others', async (t) => {
  const short = { type: 'object', properties: { id: { type: 'integer' } } }
  const document = await documentOf(t, (app) =>
    app.service('posts', new All(), {
      schema: {
        get: { response: { 200: record, 409: { description: 'Locked.', ...short }, default: { type: 'null' } } },
        create: { body: record, response: { 201: short } },
        update: { body: short, response: { '2xx': record } },
        patch: { response: {} },
        remove: { response: { 204: { type: 'null' } } }
      }
    })
  )
  t.strictSame(resultOf(document, 'POST /posts', '201'), { $ref: '#/components/schemas/CreatePostResult' })
  t.strictSame(resultOf(document, 'PUT /posts/{id}'), post)
  t.strictSame(resultOf(document, 'PATCH /posts/{id}'), post)
  t.strictSame(bodyOf(document, 'PUT /posts/{id}')['application/json'].schema, {
    $ref: '#/components/schemas/PostUpdate'
  })
  const names = ['Post', 'PostPage', 'Error', 'PostData', 'CreatePostResult', 'PostUpdate']
  t.strictSame(Object.keys(document.components.schemas).sort(), names.sort(), 'errors have no result of their own')
  const { responses } = operationsOf(document)['GET /posts/{id}']
  t.match(responses['409'], { description: 'Locked.', content: { 'application/json': { schema: short } } })
  t.strictSame(responses.default, { description: 'Another answer.' })
  t.strictSame(operationsOf(document)['DELETE /posts/{id}'].responses['204'], { description: 'No Content' })
})

t.test('schemas that refer to others lead somewhere', async (t) => {
  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, nodes: { type: 'array', items: { $ref: '#/$defs/node' } } }
  }
  const node = {
    type: 'object',
    properties: { next: { $ref: '#/$defs/node' }, root: { $ref: '#' }, text: { $ref: '#/properties/name' } }
  }
  const document = await documentOf(t, (app) => {
    app.addSchema({ $id: 'http://test/author', type: 'object', properties: { name: { type: 'string' } } })
    app.service('trees', new All(), { schema: { get: { response: { ...tree, $defs: { node } } } } })
    const inner = { $id: 'inner', type: 'object', properties: { self: { $ref: 'inner' } } }
    const book = {
      $id: 'book',
      type: 'object',
      properties: { by: { $ref: 'http://test/author#' }, inner, other: { $ref: 'book' } }
    }
    app.service('books', new All(), { schema: { get: { response: book } } })
    app.service('authors', new All(), { schema: { get: { response: { $ref: 'http://test/author#' } } } })
  })
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => $ref as string)
  for (const $ref of new Set(references)) t.ok(follow(document, { $ref }), $ref)
  t.match(document.components.schemas, {
    Trees: { properties: { nodes: { items: { $ref: '#/components/schemas/TreesNode' } } } },
    TreesNode: { properties: { next: { $ref: '#/components/schemas/TreesNode' } } },
    Book: { properties: { by: { $ref: '#/components/schemas/author' }, other: { $ref: '#/components/schemas/Book' } } },
    inner: { properties: { self: { $ref: '#/components/schemas/inner' } } }
  })
  t.strictSame(resultOf(document, 'GET /authors/{id}'), { $ref: '#/components/schemas/author' })
  t.notMatch(JSON.stringify(document), /"\$(id|defs)"/)
})

t.test('a reference may have a percent sign that encodes nothing', async (t) => {
  const schema = {
    type: 'object',
    properties: { share: { $ref: '#/$defs/50%' } },
    $defs: { '50%': { type: 'number' } }
  }
  const document = await documentOf(t, (app) => {
    app.setSerializerCompiler(() => JSON.stringify)
    app.service('posts', new All(), { schema: { get: { response: schema } } })
  })
  t.strictSame(document.components.schemas.Posts.properties.share, { $ref: '#/components/schemas/Posts50' })
})

t.test('a schema may refer to a component of the options', async (t) => {
  const reference = { $ref: '#/components/schemas/Own' }
  const document = await documentOf(
    t,
    (app) => {
      app.setSerializerCompiler(() => JSON.stringify)
      app.service('posts', new All(), {
        schema: { get: { response: { type: 'object', properties: { own: reference } } } }
      })
    },
    { document: { components: { schemas: { Own: { type: 'string' } } } } }
  )
  t.strictSame(document.components.schemas.Posts.properties, { own: reference })
})

t.test('a component that is there already keeps its name', async (t) => {
  const schemas = { Post: { type: 'string' as const }, Error: { type: 'string' as const } }
  const document = await documentOf(
    t,
    (app) => app.service('posts', new All(), { schema: { get: { response: record } } }),
    { document: { components: { schemas } } }
  )
  t.match(document.components.schemas, {
    ...schemas,
    Post2: record,
    Error2: { required: ['name', 'message', 'code', 'className'] }
  })
})

t.test('keywords of Ajv and of draft 7 become those of OpenAPI 3.1', async (t) => {
  const properties = {
    note: { type: 'string', nullable: true, transform: ['trim'] },
    pair: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false },
    start: { type: 'array', items: [{ type: 'number' }] },
    same: { type: 'array', items: { type: 'number' }, additionalItems: false },
    any: { type: 'object' },
    map: { type: 'object', patternProperties: { '^x': { type: 'string' } } },
    kind: { const: 'post', 'x-own': 1 },
    card: {
      type: 'object',
      dependencies: { number: ['holder'], code: { required: ['number'] }, bank: { minProperties: 2 } }
    }
  }
  const document = await documentOf(
    t,
    (app) => app.service('posts', new All(), { schema: { get: { response: { type: 'object', properties } } } }),
    { fastify: { ajv: { customOptions: { strict: false } } } }
  )
  t.strictSame(document.components.schemas.Posts.properties, {
    note: { type: ['string', 'null'] },
    pair: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
    start: { type: 'array', prefixItems: [{ type: 'number' }] },
    same: { type: 'array', items: { type: 'number' } },
    any: { type: 'object', additionalProperties: true },
    map: { type: 'object', patternProperties: { '^x': { type: 'string' } } },
    kind: { const: 'post', 'x-own': 1 },
    card: {
      type: 'object',
      dependentRequired: { number: ['holder'], code: ['number'] },
      dependentSchemas: { bank: { minProperties: 2 } }
    }
  })
})

t.test('whatever OpenAPI 3.1 knows of a schema is kept, at any depth', async (t) => {
  const text = { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'uuid', const: 'a', enum: ['a'] }
  const number = { minimum: 1, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 1 }
  const list = {
    minItems: 1,
    maxItems: 9,
    uniqueItems: true,
    minContains: 1,
    maxContains: 2,
    contains: text,
    items: text
  }
  const notes = {
    title: 'a',
    description: 'a',
    default: 1,
    example: 1,
    examples: [1],
    deprecated: true,
    externalDocs: {}
  }
  const file = { contentEncoding: 'base64', contentMediaType: 'application/json', contentSchema: { type: 'number' } }
  const object = {
    minProperties: 1,
    maxProperties: 9,
    required: ['a'],
    dependentRequired: { a: ['b'] },
    propertyNames: text
  }
  // biome-ignore lint/suspicious/noThenProperty: a keyword
  const branches = { if: text, then: text, else: text, not: text, anyOf: [text], oneOf: [text], allOf: [text] }
  const rest = { unevaluatedItems: text, unevaluatedProperties: text, additionalProperties: text, prefixItems: [text] }
  const within = { properties: { text }, patternProperties: { '^a': text }, dependentSchemas: { text } }
  const flags = { readOnly: true, writeOnly: true, discriminator: { propertyName: 'a' }, 'x-own': 1 }
  const whole = Object.assign({}, number, list, notes, file, object, branches, rest, within, flags)
  const document = await documentOf(t, (app) => {
    app.setSerializerCompiler(() => JSON.stringify)
    app.service('posts', new All(), { schema: { get: { response: whole } } })
  })
  t.strictSame(document.components.schemas.A, whole)
})

t.test('what has a default may be left out of a body', async (t) => {
  const properties = { title: { type: 'string' }, tags: { type: 'array', default: [] } }
  const body = { type: 'object', required: ['title', 'tags'], properties }
  const document = await documentOf(t, (app) =>
    app.service('posts', new All(), { schema: { create: { body, response: { 201: body } } } })
  )
  const { Posts, PostsData } = document.components.schemas
  t.strictSame([Posts.required, PostsData.required], [['title', 'tags'], ['title']])
})

t.test('a schema of zod', async (t) => {
  const schema = z.object({ id: z.int(), title: z.string().default('') })
  const document = await documentOf(t, (app) => {
    app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
    app.service('posts', new All(), { schema: { get: { response: schema }, create: { body: schema } } })
  })
  const { Posts, PostsData } = document.components.schemas
  t.match(Posts, { required: ['id', 'title'], properties: { id: { type: 'integer' } } })
  t.match(PostsData, { required: ['id'], properties: { title: { default: '' } } })
})

t.test('files are sent in forms, and other types are those that are named', async (t) => {
  const file = { isFile: true }
  const body = {
    type: 'object',
    properties: { title: { type: 'string' }, files: { type: 'array', items: { contentMediaType: 'image/png' } }, file }
  }
  const document = await documentOf(
    t,
    async (app) => {
      await app.register(multipart)
      app.service('pictures', new All({ multi: true }), {
        schema: {
          find: { response: record, produces: ['application/json', 'application/x-ndjson'] },
          get: { produces: ['image/png'] },
          create: { body },
          update: {
            body: { type: 'object', properties: { file: { anyOf: [{ format: 'binary' }, { type: 'null' }] } } }
          },
          patch: { body: record, consumes: ['application/merge-patch+json'] }
        }
      })
    },
    { fastify: { ajv: { customOptions: { strict: false } } } }
  )
  const data = { $ref: '#/components/schemas/PostData' }
  t.strictSame(bodyOf(document, 'POST /pictures'), {
    'multipart/form-data': { schema: data, encoding: { files: { contentType: 'image/png' } } }
  })
  t.match(follow(document, data).properties, {
    file: { type: 'string', format: 'binary' },
    files: { items: { type: 'string', format: 'binary', contentMediaType: 'image/png' } }
  })
  t.strictSame(Object.keys(bodyOf(document, 'PUT /pictures/{id}')), ['multipart/form-data'], 'a file or nothing')
  t.strictSame(Object.keys(bodyOf(document, 'PATCH /pictures/{id}')), ['application/merge-patch+json'])
  const { description, content } = operationsOf(document)['GET /pictures'].responses['200']
  t.equal(description, 'The records that the query selects. One on each line.')
  t.strictSame(content['application/x-ndjson'], { schema: { $ref: '#/components/schemas/Post' } })
  t.strictSame(operationsOf(document)['GET /pictures/{id}'].responses['200'].content, {
    'image/png': { schema: { type: 'string', format: 'binary' } }
  })
})

t.test('a body with a title of its own is called by that', async (t) => {
  const titled = (title: string) => ({ ...record, title })
  const schema = { get: { response: record }, create: { body: titled('NewPost') }, patch: { body: titled('Post') } }
  const document = await documentOf(t, (app) => app.service('posts', new All({}), { schema }))
  t.match(bodyOf(document, 'POST /posts'), {
    'application/json': { schema: { $ref: '#/components/schemas/NewPost' } }
  })
  t.match(bodyOf(document, 'PATCH /posts/{id}'), {
    'application/json': { schema: { $ref: '#/components/schemas/PostPatch' } }
  })
})

t.test(
  'the schema of an answer that is declared by content type is that of the record, and other types are files',
  async (t) => {
    const text = { schema: { type: 'string' } }
    const content = { 'text/csv': text, 'application/json': { schema: record } }
    const response = { '2xx': { description: 'As a table, too', content } }
    const missing = { description: 'None', content: { '*/*': { schema: record } } }
    const document = await documentOf(t, (app) =>
      app.service('posts', new All(), {
        methods: ['find', 'get', 'publish'],
        schema: {
          find: { response },
          get: { response: { ...response, 404: missing } },
          publish: { response: { '2xx': { description: 'A table', content: { 'text/csv': text } } } }
        }
      } as object)
    )
    t.match(document.components.schemas.Post, record)
    const { responses } = operationsOf(document)['GET /posts/{id}']
    const file = { schema: { type: 'string', format: 'binary' } }
    t.strictSame(responses[200], {
      description: 'As a table, too',
      content: { 'text/csv': file, 'application/json': { schema: post } }
    })
    t.match(responses[404], { description: 'None', content: { 'application/json': { schema: { type: 'object' } } } })
    t.match(resultOf(document, 'GET /posts'), { anyOf: [list, page] })
  }
)

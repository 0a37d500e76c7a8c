import { resource } from 'fastify-services'
import t, { type Test } from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { documentOf, operationsOf, type Part } from './app.js'

const post = {
  title: 'Post',
  type: 'object',
  required: ['id', 'text'],
  properties: { id: { type: 'integer' }, text: { type: 'string' } }
}
const { title: _, ...untitled } = post
const zodPost = z.object({ id: z.int(), text: z.string() })
const Folder = z
  .object({
    id: z.int(),
    get folders(): z.ZodArray<z.ZodObject> {
      return z.array(Folder)
    }
  })
  .meta({ id: 'Folder' })
const nothing = async () => ({ id: 1, text: '' })
const service = { get: nothing, create: nothing, patch: nothing }

/** The document of services, by their paths, whose records have these schemas. */
const documentWith = (t: Test, schemas: Record<string, unknown>): Promise<Part> =>
  documentOf(t, (app) => {
    for (const [path, schema] of Object.entries(schemas))
      app.service(path, service as never, { schema: resource(schema as never, { readOnly: ['id'] as never }) as never })
  })

const componentsOf = (document: Part): string[] =>
  Object.keys(document.components.schemas)
    .filter((name) => name !== 'Error')
    .sort()
const bodyOf = (document: Part, operation: string): string =>
  operationsOf(document)[operation].requestBody.content['application/json'].schema.$ref.split('/').at(-1)

t.test('records of one name, and all that belongs to them, are named by the paths of their services', async (t) => {
  const ofVersions = ['V1Posts', 'V1PostsData', 'V1PostsPatch', 'V2Posts', 'V2PostsData', 'V2PostsPatch']
  const other = { ...untitled, properties: { ...post.properties, more: { type: 'string' } } }
  const pairs = {
    'a title': [post, { ...other, title: 'Post' }],
    'the same schema': [post, post],
    'an `$id`': [
      { ...untitled, $id: 'post' },
      { ...other, $id: 'https://my.app/post#' }
    ],
    'a title and an `$id`': [post, { ...other, $id: 'Post' }],
    'a title of TypeBox': [Type.Object({ id: Type.Integer() }, { title: 'Post' }), post],
    'a title of zod': [zodPost.meta({ title: 'Post' }), post],
    'an id of zod': [z.object({ id: z.int() }).meta({ id: 'Post' }), post],
    'a union': [{ title: 'Post', anyOf: [{ ...post, title: 'Note' }, other] }, post]
  }
  for (const [name, [first, second]] of Object.entries(pairs)) {
    const document = await documentWith(t, { 'v1/posts': first, 'v2/posts': second })
    t.strictSame(componentsOf(document), ofVersions, name)
    t.equal(bodyOf(document, 'POST /v2/posts'), 'V2PostsData', name)
    t.equal(bodyOf(document, 'PATCH /v1/posts/{id}'), 'V1PostsPatch', name)
  }
})

t.test('the `$id` of the schema of a resource names its record', async (t) => {
  const records: Record<string, unknown> = {
    Book: { ...untitled, $id: 'Book' },
    Post: { ...untitled, $id: 'https://my.app/post#' },
    BlogPost: { ...untitled, $id: 'https://my.app/schemas/blog-post.schema.json' },
    MyApp: { ...untitled, $id: 'https://my.app/' },
    Entry: Type.Object({ id: Type.Integer() }, { $id: 'Entry' }),
    Note: zodPost.meta({ id: 'Note' }),
    Folder,
    Node: Type.Cyclic({ Node: Type.Object({ id: Type.Integer(), nodes: Type.Array(Type.Ref('Node')) }) }, 'Node')
  }
  for (const [name, schema] of Object.entries(records)) {
    const document = await documentWith(t, { things: schema })
    const missing = [name, `${name}Data`, `${name}Patch`].filter((key) => !componentsOf(document).includes(key))
    t.strictSame(missing, [])
    t.equal(operationsOf(document)['GET /things/{id}'].operationId, `get${name}`)
    t.notMatch(JSON.stringify(document), /"\$(id|defs)"/, 'documents have components in their place')
  }
})

t.test('the `id` of zod names a record without `resource()`, which may refer to itself', async (t) => {
  const document = await documentOf(t, (app) => {
    app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
    app.service('folders', service, { schema: { get: { response: Folder }, patch: { response: Folder } } })
  })
  const reference = { $ref: '#/components/schemas/Folder' }
  t.strictSame(componentsOf(document), ['Folder'])
  t.match(document.components.schemas.Folder, { properties: { folders: { items: reference } } })
  const { responses } = operationsOf(document)['PATCH /folders/{id}']
  t.strictSame(responses[200].content['application/json'].schema, reference)
})

t.test('the name of a record is for that record alone, in other services too', async (t) => {
  const draft = { ...untitled, title: 'Post', required: ['text'] }
  const options = { methods: { publish: { route: 'POST /:id/publish', body: draft, response: post } } } as const
  const document = await documentOf(t, (app) => {
    app.service('drafts', { ...service, publish: nothing } as never, { schema: resource(untitled, options) as never })
    app.service('posts', service as never, { schema: resource(post) as never })
  })
  t.equal(document.components.schemas.Post.required.length, 2)
  t.equal(bodyOf(document, 'POST /drafts/{id}/publish'), 'PublishDraftsData')
  t.strictSame(
    operationsOf(document)['POST /drafts/{id}/publish'].responses[200].content['application/json'].schema,
    { $ref: '#/components/schemas/Post' },
    'a result that is the record refers to it'
  )
})

t.test('a body is called by its own title or `$id`, with a number where another schema is called so', async (t) => {
  const schemaWith = (body: object) =>
    resource(untitled, { methods: { publish: { route: 'POST /:id/publish', body } } } as never) as never
  const at = { type: 'object', properties: { at: { type: 'string' } } }
  const document = await documentOf(t, (app) => {
    app.service('a', { ...service, publish: nothing } as never, { schema: schemaWith({ ...at, title: 'Publication' }) })
    app.service('b', { ...service, publish: nothing } as never, { schema: schemaWith({ ...at, $id: '/publication' }) })
    app.service('c', { ...service, publish: nothing } as never, { schema: schemaWith({ ...at, title: 'Publication' }) })
  })
  const bodies = ['a', 'b', 'c'].map((path) => bodyOf(document, `POST /${path}/{id}/publish`))
  t.strictSame(bodies, ['Publication', 'Publication2', 'Publication'])
})

t.test('a schema of the application whose `$id` is the URL of a folder has a name', async (t) => {
  const document = await documentOf(t, (app) => {
    app.addSchema({ $id: 'https://my.app/author/', ...untitled })
    const response = { type: 'object', properties: { by: { $ref: 'https://my.app/author/' } } }
    app.service('books', service, { schema: { get: { response } } })
  })
  t.strictSame(document.components.schemas.Books.properties.by, { $ref: '#/components/schemas/author' })
})

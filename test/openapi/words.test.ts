import t from 'tap'
import { toComponentName } from '../../lib/openapi/components.js'
import { hasAttachment, toJsonSchema, withoutFields } from '../../lib/openapi/json-schema.js'
import { nameOf, nameServices } from '../../lib/openapi/names.js'
import { toQueryParameters } from '../../lib/openapi/query.js'
import { errorOf, errorSchema } from '../../lib/openapi/service.js'

const textOf = (name: string, schema: object) => toQueryParameters(name, { ...schema }, false)[0]?.description

t.test('what a document says of a query', async (t) => {
  const plain = { type: 'string' }
  t.strictSame(
    Object.fromEntries(
      ['$limit', '$skip', '$sort', '$select', '$or', '$and'].map((name) => [name, textOf(name, plain)])
    ),
    {
      $limit: 'The most records that the answer holds.',
      $skip: 'How many records are left out before the first one.',
      $sort: 'The order: fields with 1 for ascending and -1 for descending, as in `$sort[name]=-1`.',
      $select: 'The fields that the records of the answer have, as in `$select=id&$select=name`.',
      $or: 'Conditions of which one must hold, as in `$or[0][name]=a&$or[1][name]=b`.',
      $and: 'Conditions that must all hold, as in `$and[0][name]=a&$and[1][name]=b`.'
    }
  )
  const deep = { type: 'object', properties: { b: { type: 'object', properties: { c: plain } } } }
  t.match(textOf('a', { anyOf: [plain, deep] }), 'A client needs a serializer', 'one of several is deep')
  t.strictSame(toQueryParameters('a', { anyOf: [true, null, plain] as never }, true)[0]?.required, true)
})

t.test('names of services: more words of the path where two are the same, then numbers', async (t) => {
  const namesOf = (...paths: string[]) =>
    [...nameServices(new Map(paths.map((path) => [path, {}])))].map(([, { path, record }]) => {
      t.equal(record, path, 'a record without a name has that of the path')
      return path
    })
  t.strictSame(namesOf('posts', 'blog-posts', '/'), ['Posts', 'BlogPosts', 'Records'])
  t.strictSame(namesOf('a/v1/posts', 'b/v1/posts', 'v2/posts'), ['AV1Posts', 'BV1Posts', 'V2Posts'])
  t.strictSame(namesOf('a/b/posts', 'c/d/posts'), ['BPosts', 'DPosts'], 'no more words than it takes')
  t.strictSame(namesOf('a/:b', 'a', ':c/a'), ['A', 'A2', 'A3'])
  t.strictSame(namesOf('2fa'), ['The2fa'])
})

t.test('a record has the name that its schema gives itself, unless several services do', async (t) => {
  const recordsOf = (services: Record<string, object>) =>
    [...nameServices(new Map(Object.entries(services))).values()].map(({ record }) => record)
  const post = { title: 'Post' }
  t.strictSame(recordsOf({ posts: post, users: { $id: 'user' }, heroes: {} }), ['Post', 'User', 'Heroes'])
  t.strictSame(recordsOf({ posts: post, drafts: post, news: { title: 'Posts' } }), ['Posts', 'Drafts', 'News'])
  const names: [string, object][] = [
    ['BlogPost', { title: 'Blog post', $id: 'other' }],
    ['APIKey', { title: 'API-key' }],
    ['Post', { title: '', $id: 'https://my.app/post#' }],
    ['Beitrage', { title: 'Beiträge' }],
    ['The2fa', { title: '2fa' }]
  ]
  for (const [name, schema] of names) t.equal(nameOf(schema), name)
  for (const schema of [{}, { title: 5 }, { title: '記事' }, { $id: '#' }]) t.equal(nameOf(schema), undefined)
})

t.test('whether a record has a file that is attached to a body', async (t) => {
  const [file, text] = [{ isFile: true }, { type: 'string' }]
  const has = (...fields: object[]) => hasAttachment({ properties: Object.fromEntries(fields.entries()) })
  t.strictSame(
    [has(text, file), has(text, { items: file }), has(text, { items: text }), has()],
    [true, true, false, false]
  )
  t.equal(hasAttachment({}), false)
})

t.test('the shape of an error', async (t) => {
  t.strictSame(errorSchema, {
    type: 'object',
    description: 'An error.',
    required: ['name', 'message', 'code', 'className'],
    properties: {
      name: { type: 'string', description: 'The class of the error.', examples: ['BadRequest'] },
      message: { type: 'string', description: 'What is wrong, for people.' },
      code: { type: 'integer', description: 'The status of the answer.', minimum: 400, maximum: 599 },
      className: { type: 'string', description: 'The class in kebab-case.', examples: ['bad-request'] },
      data: { description: 'What the error tells besides.' },
      errors: { description: 'What is wrong in detail, by field for example.' }
    }
  })
  t.strictSame(errorOf('404'), { name: 'NotFound', description: 'Not Found.' })
  t.strictSame(errorOf('499'), { name: 'AnyError', description: 'Any other error.' })
})

t.test('names of components', async (t) => {
  const ids = ['http://my.app/post#', 'post', '#/definitions/a b', 'http://my.app/#post', 'urn:a:b', 'a.b-c_1']
  t.strictSame(ids.map(toComponentName), ['post', 'post', 'a_b', 'post', 'urn_a_b', 'a.b-c_1'])
})

t.test('a schema of whatever kind', async (t) => {
  for (const one of [undefined, null, true, 'text', [], { '~standard': { version: 1, vendor: 'none' } }])
    t.type(toJsonSchema(one, 'input'), 'object')
  t.strictSame(toJsonSchema(true, 'output'), {})
  const bare = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } }
  t.equal(toJsonSchema(bare, 'input'), bare, 'a library that gives no JSON Schema')
})

t.test('what remains of a schema without some fields', async (t) => {
  const select = { type: 'array', items: { type: 'string' } }
  const given = {
    type: 'object',
    title: '',
    required: ['secret'],
    properties: { secret: {}, name: { default: '' }, $select: select }
  }
  t.strictSame(withoutFields(given, ['secret']), {
    type: 'object',
    title: '',
    properties: { name: { default: '' }, $select: select }
  })
  t.equal(withoutFields(given, []), given)
})

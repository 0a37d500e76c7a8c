import t from 'tap'
import { toJsonSchema } from '../../lib/openapi/json-schema.js'
import { nameOf, nameServices } from '../../lib/openapi/names.js'

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

t.test('a schema of whatever kind', async (t) => {
  for (const item of [undefined, null, true, 'text', [], { '~standard': { version: 1, vendor: 'none' } }])
    t.type(toJsonSchema(item, 'input'), 'object')
  t.strictSame(toJsonSchema(true, 'output'), {})
  const bare = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } }
  t.equal(toJsonSchema(bare, 'input'), bare, 'a library that gives no JSON Schema')
})

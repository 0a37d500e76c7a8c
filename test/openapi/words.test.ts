import t, { type Test } from 'tap'
import { documentOf, operationsOf } from './app.js'

/** The ids of the operations of services whose records have these schemas, without the name of their method. */
async function namesOf(t: Test, method: 'find' | 'get', services: Record<string, unknown>): Promise<string[]> {
  const document = await documentOf(t, (app) => {
    app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
    for (const [path, response] of Object.entries(services))
      app.service(path, { [method]: async () => [] }, { schema: { [method]: { response } } } as object)
  })
  return Object.values(operationsOf(document)).map(({ operationId }) => operationId.replace(method, ''))
}

t.test('names of services: more words of the path where two are the same, then numbers', async (t) => {
  const ofPaths = async (...paths: string[]) => {
    const services = Object.fromEntries(paths.map((path) => [path, {}]))
    const records = await namesOf(t, 'get', services)
    t.strictSame(await namesOf(t, 'find', services), records, 'a record without a name has that of the path')
    return records
  }
  t.strictSame(await ofPaths('posts', 'blog-posts', '/'), ['Posts', 'BlogPosts', 'Records'])
  t.strictSame(await ofPaths('a/v1/posts', 'b/v1/posts', 'v2/posts'), ['AV1Posts', 'BV1Posts', 'V2Posts'])
  t.strictSame(await ofPaths('a/b/posts', 'c/d/posts'), ['BPosts', 'DPosts'], 'no more words than it takes')
  t.strictSame(await ofPaths('a/:b', 'a', ':c/a'), ['A', 'A2', 'A3'])
  t.strictSame(await ofPaths('2fa'), ['The2fa'])
})

t.test('a number at the end of a name makes none that another service has', async (t) => {
  const find = async () => []
  const { components } = await documentOf(t, (app) => {
    for (const path of ['a', ':c/a', 'a2']) app.service(path, { find })
  })
  const pages = Object.keys(components.schemas).filter((name) => name.endsWith('Page'))
  t.strictSame(pages, ['APage', 'A2Page', 'A22Page'])
})

t.test('a record has the name that its schema gives itself, unless several services do', async (t) => {
  const post = { title: 'Post' }
  const names = { posts: post, users: { $id: 'user' }, heroes: {} }
  t.strictSame(await namesOf(t, 'get', names), ['Post', 'User', 'Heroes'])
  t.strictSame(await namesOf(t, 'get', { posts: post, drafts: post, news: { title: 'Posts' } }), [
    'Posts',
    'Drafts',
    'News'
  ])
  const titles = {
    a: { title: 'Blog post', $id: 'other' },
    b: { title: 'API-key' },
    c: { title: '', $id: 'https://my.app/post#' },
    d: { title: 'Beiträge' },
    e: { title: '2fa' },
    f: { title: '記事' },
    g: { $id: '#' }
  }
  t.strictSame(await namesOf(t, 'get', titles), ['BlogPost', 'APIKey', 'Post', 'Beitrage', 'The2fa', 'F', 'G'])
})

t.test('a schema of whatever kind', async (t) => {
  const bare = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } }
  const kinds = [true, 'text', [], bare, { '~standard': { version: 1, vendor: 'none' } }, { title: 5 }]
  const services = Object.fromEntries(kinds.map((schema, index) => [`a${index}`, { 200: schema }]))
  t.strictSame(await namesOf(t, 'get', services), ['A0', 'A1', 'A2', 'A3', 'A4', 'A5'])
})

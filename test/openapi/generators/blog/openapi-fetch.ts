import createClient, { type Middleware } from 'openapi-fetch'
import { stringify } from 'qs'
import type { components, paths } from './generated/openapi-typescript.js'

type PostPage = components['schemas']['PostPage']
type Query = NonNullable<paths['/posts']['get']['parameters']['query']>

/** The requests of the contract, by openapi-fetch with the types of openapi-typescript. Returns the answers by name. */
export async function run(baseUrl: string): Promise<Record<string, unknown>> {
  let token = ''
  const authorize: Middleware = {
    onRequest({ request }) {
      if (token !== '') request.headers.set('Authorization', `Bearer ${token}`)
    }
  }
  const client = createClient<paths>({ baseUrl })
  client.use(authorize)
  const querySerializer = (query: unknown) => stringify(query)
  const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }
  const login = { strategy: 'local' as const, email: ada.email, password: ada.password }
  const titles = (page: PostPage | undefined) => page?.data.map(({ title }) => title)
  const find = async (query: Query) => titles((await client.GET('/posts', { params: { query } })).data)
  const read = async (query: Query) => (await client.GET('/posts', { params: { query } })).data
  const post = { path: { postId: '1' } }
  const first = { path: { id: 1 } }

  const signUp = await client.POST('/users', { body: ada })
  const refused = await client.POST('/posts', { body: { title: 'x', text: 'x' } })
  const wrong = await client.POST('/authentication', { body: { ...login, password: 'wrong horse' } })
  const right = await client.POST('/authentication', { body: login })
  token = right.data?.accessToken ?? ''
  const one = await client.POST('/posts', { body: { title: 'a', text: 'one two three', tags: ['x'] } })
  const list = [
    { title: 'b', text: 'one' },
    { title: 'c', text: 'one two' }
  ]
  const batch = await client.POST('/posts', { body: list })
  return {
    'sign-up': [signUp.response.status, signUp.data],
    'without a token': [refused.response.status, refused.error],
    'wrong password': [wrong.response.status, wrong.error],
    login: [right.response.status, right.data],
    create: [one.response.status, one.data],
    batch: [batch.response.status, batch.data],
    page: await read({ $limit: 2, $skip: 1, $sort: { words: -1 } }),
    sort: await find({ $sort: { words: -1 } }),
    'sort by two': await find({ $sort: { published: 1, title: -1 } }),
    equality: await find({ words: 2 }),
    operators: await find({ words: { $gt: 1, $lte: 3 }, title: { $ne: 'a' } }),
    'one of a list': await find({ 'title[$in]': ['a', 'c'], $sort: { title: 1 } }),
    'a list of one': await find({ 'words[$in]': [1] }),
    'none of a list': await find({ 'words[$nin]': [1, 2] }),
    characters: await find({ title: "x & y=z+ä%'()*!😀#" }),
    select: (await read({ $select: ['title'], $limit: 1 }))?.data,
    'select of several': (await read({ $select: ['title', 'words'], $limit: 1 }))?.data,
    'alternatives by qs': titles(
      (
        await client.GET('/posts', {
          params: { query: { $or: [{ title: 'a' }, { words: { $lt: 2 } }], $sort: { title: 1 } } },
          querySerializer
        })
      ).data
    ),
    'alternatives without it': await find({ $or: [{ title: 'a' }] }).catch((error: Error) => error.message),
    get: (await client.GET('/posts/{id}', { params: first })).data,
    'not found': (await client.GET('/posts/{id}', { params: { path: { id: 77 } } })).error,
    'bad query': (await client.GET('/posts', { params: { query: { words: 'many' as unknown as number } } })).error,
    'bad data': (await client.POST('/posts', { body: { title: '', text: 'x' } })).error,
    update: (await client.PUT('/posts/{id}', { params: first, body: { title: 'A', text: 'one two' } })).data,
    patch: (await client.PATCH('/posts/{id}', { params: first, body: { title: 'a' } })).data,
    publish: (await client.POST('/posts/{id}/publish', { params: first })).data,
    'patch of many': (
      await client.PATCH('/posts', { params: { query: { words: { $lt: 3 } } }, body: { tags: ['short'] } })
    ).data,
    comment: (await client.POST('/posts/{postId}/comments', { params: post, body: { text: 'Well said' } })).data,
    comments: (await client.GET('/posts/{postId}/comments', { params: post })).data,
    upload: (
      await client.POST('/pictures', {
        // The types take a file for a text.
        body: { title: 'A file', file: 'hello' },
        bodySerializer({ title }) {
          const form = new FormData()
          form.set('title', title)
          form.set('file', new Blob(['hello'], { type: 'text/plain' }))
          return form
        }
      })
    ).data,
    remove: (await client.DELETE('/posts/{id}', { params: { path: { id: 2 } } })).data,
    'remove of many': (await client.DELETE('/posts', { params: { query: { 'id[$in]': [1, 3] } } })).data,
    logout: (await client.DELETE('/authentication')).data
  }
}

import { stringify } from 'qs'
import { createClient } from './generated/hey-api/client/index.js'
import * as blog from './generated/hey-api/index.js'

/** The requests of the contract, by the client that @hey-api/openapi-ts has generated. Returns the answers by name. */
export async function run(baseUrl: string): Promise<Record<string, unknown>> {
  let token = ''
  const client = createClient({ baseUrl, auth: () => token })
  const deep = createClient({ baseUrl, auth: () => token, querySerializer: (query) => stringify(query) })
  const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }
  const login = { strategy: 'local' as const, email: ada.email, password: ada.password }
  const titles = (page: blog.PostPage | undefined) => page?.data.map(({ title }) => title)
  const find = async (query: blog.FindPostsData['query']) => titles((await blog.findPosts({ client, query })).data)

  const signUp = await blog.createUser({ client, body: ada })
  const refused = await blog.createPost({ client, body: { title: 'x', text: 'x' } })
  const wrong = await blog.createAuthentication({ client, body: { ...login, password: 'wrong horse' } })
  const right = await blog.createAuthentication({ client, body: login })
  token = right.data?.accessToken ?? ''
  const one = await blog.createPost({ client, body: { title: 'a', text: 'one two three', tags: ['x'] } })
  const list = [
    { title: 'b', text: 'one' },
    { title: 'c', text: 'one two' }
  ]
  const batch = await blog.createPost({ client, body: list })
  const read = await blog.findPosts({ client, query: { $limit: 2, $skip: 1, $sort: { words: -1 } } })
  const form = { title: 'A file', file: new Blob(['hello'], { type: 'text/plain' }) }
  const post = { postId: '1' }
  return {
    'sign-up': [signUp.response?.status, signUp.data],
    'without a token': [refused.response?.status, refused.error],
    'wrong password': [wrong.response?.status, wrong.error],
    login: [right.response?.status, right.data],
    create: [one.response?.status, one.data],
    batch: [batch.response?.status, batch.data],
    page: read.data,
    sort: await find({ $sort: { words: -1 } }),
    'sort by two': await find({ $sort: { published: 1, title: -1 } }),
    equality: await find({ words: 2 }),
    operators: await find({ words: { $gt: 1, $lte: 3 }, title: { $ne: 'a' } }),
    'one of a list': await find({ 'title[$in]': ['a', 'c'], $sort: { title: 1 } }),
    'a list of one': await find({ 'words[$in]': [1] }),
    'none of a list': await find({ 'words[$nin]': [1, 2] }),
    characters: await find({ title: "x & y=z+ä%'()*!😀#" }),
    select: (await blog.findPosts({ client, query: { $select: ['title'], $limit: 1 } })).data?.data,
    'select of several': (await blog.findPosts({ client, query: { $select: ['title', 'words'], $limit: 1 } })).data
      ?.data,
    'alternatives by qs': titles(
      (
        await blog.findPosts({
          client: deep,
          query: { $or: [{ title: 'a' }, { words: { $lt: 2 } }], $sort: { title: 1 } }
        })
      ).data
    ),
    'alternatives without it': String((await blog.findPosts({ client, query: { $or: [{ title: 'a' }] } })).error),
    get: (await blog.getPost({ client, path: { id: 1 } })).data,
    'not found': (await blog.getPost({ client, path: { id: 77 } })).error,
    'bad query': (await blog.findPosts({ client, query: { words: 'many' as unknown as number } })).error,
    'bad data': (await blog.createPost({ client, body: { title: '', text: 'x' } })).error,
    update: (await blog.updatePost({ client, path: { id: 1 }, body: { title: 'A', text: 'one two' } })).data,
    patch: (await blog.patchPost({ client, path: { id: 1 }, body: { title: 'a' } })).data,
    publish: (await blog.publishPost({ client, path: { id: 1 } })).data,
    'patch of many': (await blog.patchPosts({ client, query: { words: { $lt: 3 } }, body: { tags: ['short'] } })).data,
    comment: (await blog.createComment({ client, path: post, body: { text: 'Well said' } })).data,
    comments: (await blog.findComments({ client, path: post })).data,
    upload: (await blog.createPicture({ client, body: form })).data,
    remove: (await blog.removePost({ client, path: { id: 2 } })).data,
    'remove of many': (await blog.removePosts({ client, query: { 'id[$in]': [1, 3] } })).data,
    logout: (await blog.removeAuthentication({ client })).data
  }
}

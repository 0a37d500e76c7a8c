import { include, may, own } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { list, memory, startEvents } from '../support/events-app.js'

const ann = { 'x-user': '1' }

/** A server with posts, their authors, of whom callers see themselves, and comments. */
const startPosts = (t: Test) =>
  startEvents(
    t,
    (app) => {
      app.addHook('onRequest', async (request) => {
        const { 'x-user': id } = request.headers
        if (id !== undefined) request.feathers = { user: { id: Number(id) }, authenticated: true }
      })
      const relations = {
        author: 'users',
        comments: { service: 'comments', by: 'postId' },
        tags: { service: 'tags', by: 'postId' }
      }
      app.service('tags', memory())
      app.service('comments', memory(), { hooks: { around: { all: [include({ author: 'users' })] } } })
      app.service('users', memory(), {
        hooks: { around: { find: [own('id')] } }
      })
      app.service('posts', memory(), {
        hooks: { around: { all: [include(relations), may()] } }
      })
    },
    { services: { posts: true, users: true, comments: true } }
  )

t.test('a list changes with the related records that it includes and its caller sees', async (t) => {
  const { subscribe, call } = await startPosts(t)
  const query = (name: string) => list('posts', `&subscribe[0][query][$include][]=${name}`)
  const plain = await subscribe(list('posts'), ann).connected
  const authors = await subscribe(query('author'), ann).connected
  const comments = await subscribe(query('comments'), ann).connected
  const within = await subscribe(query('comments.author'), ann).connected
  await subscribe(query('tags'), ann).connected
  await call('POST', '/users', { name: 'Ann' })
  await call('POST', '/users', { name: 'Bea' })
  await call('PATCH', '/users/2', { name: 'Bia' })
  await call('POST', '/comments', { postId: 1 })
  await call('POST', '/posts', { authorId: 1 })
  const end = { path: 'posts', event: 'created', data: { id: 1 } }
  const changed = { path: 'posts', event: 'changed' }
  for (const [name, stream, count] of [
    ['no related records', plain, 0],
    ['authors: only the caller is seen', authors, 1],
    ['comments', comments, 1],
    ['comments and their authors', within, 2]
  ] as const) {
    await stream.until(({ events }) => events.at(-1)?.event === 'created')
    t.strictSame(stream.events, [...Array<object>(count).fill(changed), end], name)
  }
})

t.test('a list with added fields changes when the rules of its user are asked for again', async (t) => {
  const { app, subscribe, call } = await startPosts(t)
  const told = await subscribe(list('posts', '&subscribe[0][query][$may]=true'), ann).connected
  const plain = await subscribe(list('posts'), ann).connected
  await app.events.recheck(1)
  await call('POST', '/posts', { authorId: 1 })
  for (const [stream, events] of [
    [told, ['changed', 'created']],
    [plain, ['created']]
  ] as const) {
    await stream.until(({ events }) => events.at(-1)?.event === 'created')
    t.strictSame(
      stream.events.map(({ event }) => event),
      events
    )
  }
})

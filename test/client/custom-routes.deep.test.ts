import { feathers } from '@feathersjs/feathers'
import restClient from '@feathersjs/rest-client'
import axios from 'axios'
import Fastify from 'fastify'
import services from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import superagent from 'superagent'
import t, { type Test } from 'tap'
import { createClientOfEcho } from '../support/client-app.js'
import { createDrivers } from '../support/client-drivers.js'
import { createRecorder } from '../support/recorder.js'

type Method = (...args: unknown[]) => Promise<unknown>
type Posts = Record<string, Method>
type Connection = { service(path: string): { methods(...names: string[]): Posts } }

const options = {
  methods: ['get', 'publish', 'hide', 'clear', 'stats', 'archive'],
  routes: {
    publish: 'POST /:id/publish',
    hide: 'PATCH /:id/comments/:commentId',
    clear: 'DELETE /:id/comments/',
    stats: 'GET /stats'
  } as const
}

async function serve(t: Test, path = 'posts') {
  const server = Fastify({ forceCloseConnections: true })
  t.teardown(() => server.close())
  await server.register(services)
  const { service, calls } = createRecorder(options.methods)
  server.service<Record<string, unknown>, string>(path, service, options)
  return { calls, server, base: await server.listen({ port: 0, host: '127.0.0.1' }) }
}

t.test('every adapter sends the verb and the path of a route', async (t) => {
  const { base } = await serve(t)
  for (const driver of await createDrivers()) {
    const answers = await driver.run(
      async ({ client }, { base, routes }) => {
        const app = client(base, undefined, routes)
        const { publish, hide, clear, stats, archive } = app.service('posts') as unknown as Posts
        return [
          await publish?.('a/b?c', { a: 1 }, { query: { x: { y: '1' } } }),
          await publish?.(2),
          await hide?.(1, { a: 1 }, { route: { commentId: 'ü/' } }),
          await clear?.(1, { query: { a: '1' } }),
          await stats?.({ query: { a: '1' } }),
          await archive?.({ a: 1 })
        ]
      },
      { base, routes: { posts: options.routes } }
    )
    t.strictSame(
      answers,
      [
        { method: 'publish', args: ['a/b?c', { a: 1 }], query: { x: { y: '1' } }, route: {} },
        { method: 'publish', args: ['2', null], query: {}, route: {} },
        { method: 'hide', args: ['1', { a: 1 }], query: {}, route: { commentId: 'ü/' } },
        { method: 'clear', args: ['1'], query: { a: '1' }, route: {} },
        { method: 'stats', args: [], query: { a: '1' }, route: {} },
        { method: 'archive', args: [{ a: 1 }], query: {}, route: {} }
      ],
      driver.adapter
    )
  }
})

t.test('what is sent: no header, values encoded, the path of the service filled', async (t) => {
  const { address, asked } = await createClientOfEcho(t)
  const connection = rest(`${address}/v1/`).fetch(fetch)
  const routes = { publish: 'POST /:id/publish', stats: 'GET /größe/stats', top: 'GET /' } as const
  const app = createClient({ routes: { 'rooms/:id/posts': routes, '': routes } }).configure(connection)
  const call = (path: string, name: string, ...args: unknown[]) =>
    (app.service(path) as unknown as Posts)[name]?.(...args)
  await call('rooms/:id/posts', 'publish', 'a b', undefined, { route: { id: 'c/d' } })
  await call('', 'publish', 1, { a: 1 })
  await call('', 'stats', { query: { a: 1 } })
  await call('', 'top')
  t.same(
    asked.map(({ method, url, body, headers }) => [method, url, body, headers['x-service-method']]),
    [
      ['POST', '/v1/rooms/c%2Fd/posts/a%20b/publish', '', undefined],
      ['POST', '/v1/1/publish', '{"a":1}', undefined],
      ['GET', '/v1/gr%C3%B6%C3%9Fe/stats?a=1', '', undefined],
      ['GET', '/v1/', '', undefined]
    ]
  )
})

t.test('a value that is missing, or can be no segment, is refused, and nothing is sent', async (t) => {
  const { app, asked } = await createClientOfEcho(t, undefined, { posts: options.routes })
  const { publish, hide } = app.service('posts') as unknown as Posts
  for (const id of [undefined, null, '', '.', '..'])
    await t.rejects(async () => publish?.(id, {}), { name: 'BadRequest' }, String(id))
  await t.rejects(async () => publish?.('..'), { message: `The value of ':id' of posts.publish can't be ".."` })
  await t.rejects(async () => hide?.(1, {}), { message: "The value of ':commentId' of posts.hide can't be empty" })
  t.same(asked, [])
})

t.test('hooks of the client get the arguments by name', async (t) => {
  const { app, address, asked } = await createClientOfEcho(t, undefined, { posts: options.routes })
  app.use('posts', rest(address).fetch(fetch).service('posts'), {
    hooks: {
      before: {
        publish: ({ id, data }) => ({ id: Number(id) + 1, data: { ...data, b: 2 } }),
        stats: ({ id, data, params }) => void t.strictSame([id, data, params], [undefined, undefined, {}])
      }
    }
  })
  const { publish, stats } = app.service('posts') as unknown as Posts
  await publish?.(1, { a: 1 })
  await stats?.()
  t.match(asked, [{ url: '/posts/2/publish', body: '{"a":1,"b":2}' }, { url: '/posts/stats' }])
})

t.test('who does not know the routes names the method in the header, as clients of Feathers 5 do', async (t) => {
  const { base, calls } = await serve(t)
  const withoutRoutes = createClient().configure(rest(base).fetch(fetch)).service('posts') as unknown as Posts
  await withoutRoutes.publish?.({ id: 1, a: 1 })
  await t.rejects(async () => withoutRoutes.publish?.(1, { a: 1 }), {
    message: "'publish' needs 'id': send it in the URL, as in POST /posts/:id/publish, or in the data"
  })
  await t.rejects(async () => withoutRoutes.publish?.(1, { a: 1 }, { query: {} }), {
    message: 'There is no route of posts.publish in routes'
  })
  const connections = { fetch: [fetch], axios: [axios], superagent: [superagent] }
  for (const [name, [library]] of Object.entries(connections)) {
    const connection = (restClient.default(base) as unknown as Record<string, (library: unknown) => Connection>)[
      name
    ]?.(library) as Connection
    const app = feathers().configure(connection as never)
    app.use('posts', connection.service('posts') as never, { methods: ['hide', 'stats'] } as never)
    const registered = app.service('posts') as unknown as Posts
    // An application of Feathers has methods of this name itself.
    const posts = connection.service('posts').methods('publish')
    t.match(await posts.publish?.({ id: 1, a: 1 }, { query: { b: '1' } }), {
      args: ['1', { a: 1 }],
      query: { b: '1' }
    })
    t.match(
      await registered.hide?.({ id: 1, commentId: 2, a: 1 }),
      { args: ['1', { a: 1 }], route: { commentId: '2' } },
      name
    )
    t.match(await registered.stats?.({}, { query: { b: '1' } }), { args: [], query: { b: '1' } }, name)
  }
  t.equal(calls.length, 10)
})

import Fastify from 'fastify'
import services, { type HookContext, type MethodRoutes, type Params, type WithRoutes } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import { same } from './same.js'

interface Post {
  id: number
  at: Date
}
type Received = { id: number; at: string }

class PostService {
  async get(id: number): Promise<Post> {
    return { id, at: new Date() }
  }
  async publish(id: number, data: { days: number }, _params: Params<{ a?: string }>): Promise<Post> {
    return { id: id + data.days, at: new Date() }
  }
  async like(id: number): Promise<number> {
    return id
  }
  async hide(id: number, _data: { a: string } | undefined, { route }: Params): Promise<string> {
    return `${id}${route?.commentId}`
  }
  async clear(id: number, _params?: Params): Promise<void> {
    void id
  }
  async stats({ query }: Params<{ year: string }>): Promise<{ count: number }> {
    return { count: Number(query?.year) }
  }
  async configure(data: { a: number }): Promise<Date> {
    return new Date(data.a)
  }
  async archive(data: { before: string }): Promise<string> {
    return data.before
  }
}

export const options = {
  methods: ['get', 'publish', 'like', 'hide', 'clear', 'stats', 'configure', 'archive'],
  routes: {
    publish: 'POST /:id/publish',
    like: 'PUT /likes/:id',
    hide: 'PATCH /:id/comments/:commentId',
    clear: 'DELETE /:id/comments',
    stats: 'GET /stats',
    configure: 'POST /configuration'
  }
} as const
options.routes satisfies MethodRoutes

type Posts = WithRoutes<PostService, typeof options.routes>

// A hook that is written apart.
const trim = ({ id, data, params, result }: HookContext<Posts, 'publish'>) => {
  same<typeof id, number>(true)
  same<typeof data, { days: number }>(true)
  same<NonNullable<typeof params.query>['a'], string | undefined>(true)
  same<typeof result, Post | undefined>(true)
}
const ofStats = ({ id, data, params }: HookContext<Posts, 'stats'>) => {
  same<typeof id, undefined>(true)
  same<typeof data, undefined>(true)
  same<NonNullable<typeof params.query>['year'], string>(true)
}

// A service that is not listed has the routes of its options.
const app = Fastify()
await app.register(services)
const posts = app.service('posts', new PostService(), {
  ...options,
  hooks: {
    before: {
      publish: [
        trim,
        ({ id, data }) => {
          same<typeof id, number>(true)
          same<typeof data, { days: number }>(true)
        }
      ],
      stats: ofStats,
      clear: ({ id, data }) => {
        same<typeof id, number>(true)
        same<typeof data, undefined>(true)
      },
      configure: ({ data }) => same<typeof data, { a: number }>(true),
      archive: ({ data }) => same<typeof data, { before: string }>(true)
    }
  }
})
same<Awaited<ReturnType<typeof posts.publish>>, Post>(true)
await posts.publish(1, { days: 2 }, {})
await posts.like(1)

app.service('inline', new PostService(), {
  methods: ['publish'],
  routes: { publish: 'POST /:id/publish' },
  hooks: { before: { publish: ({ id, data }) => same<[typeof id, typeof data], [number, { days: number }]>(true) } }
})
// @ts-expect-error: no such method
app.service('a', new PostService(), { methods: ['publish'], routes: { publsh: 'POST /:id/publish' } })
// @ts-expect-error: the routes of the six are fixed
app.service('b', new PostService(), { methods: ['publish'], routes: { get: 'GET /:id' } })
// @ts-expect-error: no verb
app.service('c', new PostService(), { methods: ['publish'], routes: { publish: '/:id/publish' } })
// @ts-expect-error: no verb of a route
app.service('d', new PostService(), { methods: ['publish'], routes: { publish: 'HEAD /:id/publish' } })

// The client, told the same object.
const connection = rest('http://localhost').fetch(fetch)
type Listed = { posts: Posts; 'users/:userId/posts': Posts; plain: PostService; words: { find(): Promise<string[]> } }
const { routes } = options
const ofBoth = { posts: routes, 'users/:userId/posts': routes }
const client = createClient<Listed>({ routes: { ...ofBoth, plain: { publish: 'POST /publish' } } }).configure(
  connection
)
createClient<Listed>({ routes: ofBoth })
createClient<Listed>()
createClient({ routes: { posts: { publish: 'POST /:id/publish' } } })
// @ts-expect-error: the routes of a service are missing
createClient<Listed>({ routes: { posts: routes } })
// @ts-expect-error: a route is missing
createClient<Listed>({ routes: { ...ofBoth, posts: { publish: routes.publish } } })
// @ts-expect-error: other routes than its type says
createClient<Listed>({ routes: { ...ofBoth, posts: { ...routes, publish: 'POST /publish' } } })
// @ts-expect-error: no such method
createClient<Listed>({ routes: { ...ofBoth, plain: { publsh: 'POST /publish' } } })
// @ts-expect-error: no such service
createClient<Listed>({ routes: { ...ofBoth, post: routes } })

const received = client.service('posts')
const published = await received.publish(1, { days: 2 }, { query: { a: 'b' } })
same<typeof published, Received>(true)
await received.publish(1, new FormData())
await received.like(1)
await received.like(1, undefined, { query: {} })
await received.hide(1, { a: 'b' }, { route: { commentId: 2 } })
await received.hide(1, undefined, { route: { commentId: '2' } })
same<Awaited<ReturnType<typeof received.clear>>, null>(true)
await received.clear(1)
same<Awaited<ReturnType<typeof received.stats>>, { count: number }>(true)
await received.stats({ query: { year: '1' } })
same<Awaited<ReturnType<typeof received.configure>>, string>(true)
await received.configure({ a: 1 })
await received.archive({ before: '1' })
received.hooks({
  before: { publish: ({ id, data }) => same<[typeof id, typeof data], [number, { days: number }]>(true) }
})
// @ts-expect-error: no data
await received.publish(1)
// @ts-expect-error: no id
await received.publish({ days: 2 })
// @ts-expect-error: no value for the placeholder
await received.hide(1, { a: 'b' })
// @ts-expect-error: it has no data
await received.stats({ query: { year: '1' } }, {})

const nested = client.service('users/:userId/posts')
await nested.publish(1, { days: 2 }, { route: { userId: 1 } })
await nested.like(1, undefined, { route: { userId: 1 } })
await nested.hide(1, undefined, { route: { userId: 1, commentId: 2 } })
// @ts-expect-error: no value for the placeholder of the path
await nested.publish(1, { days: 2 })

// Without routes it is as it was, whatever the name.
const actor = createClient<{ actors: { act(data: { a: number }): Promise<number> } }>().service('actors')
await actor.act({ a: 1 })
same<HookContext<{ act(data: { a: number }): Promise<number> }, 'act'>['data'], { a: number }>(true)
await client.service('plain').archive({ before: '1' })

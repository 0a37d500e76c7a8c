import Fastify from 'fastify'
import services, {
  type HookContext,
  type Id,
  type Multi,
  type Paged,
  type Params,
  type RecordOf,
  resource,
  type ServiceOf
} from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import Type from 'typebox'
import * as z from 'zod'
import { same } from './same.js'

const Post = z.object({ id: z.int(), title: z.string(), secret: z.string().optional() })
interface Sent {
  id: number
  title: string
}

const posts = resource(Post, {
  readOnly: ['id'],
  writeOnly: ['secret'],
  methods: {
    publish: {
      route: 'POST /:id/publish',
      body: Type.Object({ at: Type.String() }),
      query: z.object({ notify: z.boolean().optional() })
    },
    like: { route: 'PUT /:id/likes' },
    stats: { route: 'GET /stats', query: z.object({ year: z.int() }), response: z.object({ count: z.int() }) },
    related: { route: 'GET /:id/related', response: z.array(Post) },
    archive: { body: z.object({ before: z.string().optional() }) }
  }
})

type Posts = ServiceOf<typeof posts>
same<RecordOf<typeof posts>, Sent>(true)
same<Awaited<ReturnType<Posts['publish']>>, Sent>(true)
same<Awaited<ReturnType<Posts['related']>>, Sent[]>(true)
same<Parameters<Posts['publish']>[1]['at'], string>(true)
same<ServiceOf<typeof posts, 'get'>['archive'], Posts['archive']>(true)
same<'find' extends keyof ServiceOf<typeof posts, 'get'> ? true : false, false>(true)

class PostService {
  async get(id: Id): Promise<Sent> {
    return { id: Number(id), title: '' }
  }
  async publish(id: string, data: { at: string }, params: Params<{ notify?: boolean }>): Promise<Sent> {
    return { id: Number(id), title: `${data.at}${params.query?.notify}` }
  }
  async like(_id: Id): Promise<void> {}
  async stats({ query }: Params<{ year: number }>): Promise<{ count: number }> {
    return { count: query?.year ?? 0 }
  }
  async related(id: Id): Promise<Sent[]> {
    return [await this.get(id)]
  }
  async archive({ before }: { before?: string }): Promise<Sent> {
    return { id: 1, title: before ?? '' }
  }
}
class Lacking {
  async get(id: Id): Promise<Sent> {
    return { id: Number(id), title: '' }
  }
}
class Other extends PostService {
  // @ts-expect-error: the class is of another method
  override async publish(id: string, data: { until: number }): Promise<Sent> {
    return { id: Number(id), title: `${data.until}` }
  }
}

// What declares no data and no query, can be a method that says nothing of them.
const posting: Pick<Posts, 'like' | 'related'> = {
  like: async (id: Id, _data: object, _params: Params) => ({ id: Number(id), title: '' }),
  related: async (_id: Id, _params: Params) => []
}
await posting.like(1, {}, { query: {} })
// @ts-expect-error: it takes no data
await posting.like(1, { at: 'now' })
// @ts-expect-error: it takes no query
await posting.related(1, { query: { year: 1 } })

const app = Fastify()
await app.register(services)
const registered = app.service('posts', new PostService(), { schema: posts })
await registered.publish('1', { at: 'now' }, {})
// @ts-expect-error: it lacks the methods that are declared
app.service('lacking', new Lacking(), { schema: posts })
// @ts-expect-error: its `publish` takes other data
app.service('other', new Other(), { schema: posts })
// @ts-expect-error: one of the six
resource(Post, { methods: { get: {} } })
// @ts-expect-error: no verb
resource(Post, { methods: { publish: { route: '/:id/publish' } } })

// The service fits what `Services` says of it.
const listed: Pick<Posts, 'publish'> = new PostService()

// A method that leaves out its argument for data would get the data for its params.
class WithoutData extends PostService {
  override async publish(id: string, _params?: Params): Promise<Sent> {
    return { id: Number(id), title: '' }
  }
  override async like(_id: Id, _params?: Params): Promise<void> {}
}
// @ts-expect-error: the params of its methods stand where the data is
app.service('without-data', new WithoutData(), { schema: posts })
// @ts-expect-error: so they do, where nothing is declared as the data
posting.like = async (_id: Id, _params?: Params) => ({ id: 1, title: '' })
// @ts-expect-error: or other data than params has been declared
listed.publish = async (_id: Id, _params?: Params) => ({ id: 1, title: '' })

// A class that says nothing of its data has the argument in its place, and params of any query.
class Loose extends PostService {
  override async like(_id: Id, _data?: unknown, _params?: Params): Promise<void> {}
}
app.service('loose', new Loose(), { schema: posts })

// Hooks have the arguments of the route.
const ofPublish = ({ id, data, params, result }: HookContext<Posts, 'publish'>) => {
  same<typeof id, Id>(true)
  same<typeof data, { at: string }>(true)
  same<NonNullable<typeof params.query>['notify'], boolean | undefined>(true)
  same<typeof result, Sent | undefined>(true)
}
void ofPublish

// The client has the same methods.
const connection = rest('http://localhost').fetch(fetch)
const client = createClient<{ posts: Posts }>()
client.use('posts', connection.service('posts'))
const received = client.service('posts')
same<Awaited<ReturnType<typeof received.publish>>, Sent>(true)
await received.publish(1, { at: 'now' }, { query: { notify: true } })
await received.like(1)
await received.archive()
await received.archive({ before: 'now' })
same<Awaited<ReturnType<typeof received.stats>>, { count: number }>(true)
await received.stats({ query: { year: 2030 } })
const related = await received.related(1)
same<typeof related, Sent[]>(true)
// @ts-expect-error: no data
await received.publish(1)
// @ts-expect-error: another type
await received.publish(1, { at: 1 })
// @ts-expect-error: no id
await received.publish({ at: 'now' })
// @ts-expect-error: another query
await received.stats({ query: { years: 2030 } })

// Where the path has placeholders, a method with a route needs their values, on the server and in the client.
const nested = app.service<Posts, 'blogs/:blogId/posts'>('blogs/:blogId/posts')
await nested.like(1, {}, { route: { blogId: 1 } })
await nested.stats({ query: { year: 2030 }, route: { blogId: 1 } })
// @ts-expect-error: no values
await nested.like(1)
// @ts-expect-error: they stand where the data is
await nested.like(1, { route: { blogId: 1 } })
// @ts-expect-error: no values
await nested.stats({ query: { year: 2030 } })
const ofBlog = createClient<{ blogs: Posts; 'blogs/:blogId/posts': Posts }>().service('blogs/:blogId/posts')
await ofBlog.like(1, {}, { route: { blogId: 1 } })
// @ts-expect-error: they stand where the data is
await ofBlog.like(1, { route: { blogId: 1 } })

// Routes in the client: those that the type says.
const routes = { publish: 'POST /:id/publish', like: 'PUT /:id/likes', stats: 'GET /stats' } as const
createClient<{ posts: Posts }>({ routes: { posts: { ...routes, related: 'GET /:id/related' } } })
createClient<{ posts: Posts }>({
  // @ts-expect-error: a name that is misspelt
  routes: { posts: { ...routes, related: 'GET /:id/related', relatd: 'GET /:id/related' } }
})

// Hooks set what only the server sets, and clients can't.
const Note = z.object({ id: z.int(), authorId: z.int(), at: z.string(), token: z.string(), text: z.string() })
const notes = resource(Note, { readOnly: ['id', 'authorId', 'at', 'token'], writeOnly: ['token'] })
type Notes = Multi<Paged<ServiceOf<typeof notes>>>
const complete = ({ data }: HookContext<ServiceOf<typeof notes>, 'create'>) => {
  same<typeof data.authorId, number | undefined>(true)
  data.authorId = 1
  data.at = new Date()
  data.token = data.text.trim()
  // @ts-expect-error: another type
  data.authorId = '1'
  // @ts-expect-error: no field of the record
  data.autorId = 1
}
const touch = ({ data }: HookContext<Notes, 'patch'>) => {
  data.at = data.text ?? ''
}
const completeAll = ({ data }: HookContext<Notes, 'create'>) => {
  for (const item of [data].flat()) item.authorId = 1
}
const whatever = ({ data }: HookContext<Notes>) => {
  for (const item of [data].flat()) if (item) item.authorId = 1
}
void [complete, touch, completeAll, whatever]
const noteService = createClient<{ notes: ServiceOf<typeof notes> }>().service('notes')
noteService.create({ text: 'a' })
// @ts-expect-error: only the server sets it
noteService.create({ text: 'a', authorId: 1 })
noteService.hooks({
  before: {
    create: ({ data }) => {
      // @ts-expect-error: nor do hooks of the client
      data.authorId = 1
    }
  }
})

// Methods that the resource closes are there for the server, and not for clients.
const closed = resource(Type.Object({ id: Type.Integer(), name: Type.String() }), {
  readOnly: ['id'],
  methods: { update: false, remove: false, close: { route: 'POST /:id/close' } }
})
const closedRoutes = { closed: { close: 'POST /:id/close' } } as const
const closedClient = createClient<{ closed: Paged<ServiceOf<typeof closed>> }>({ routes: closedRoutes }).service(
  'closed'
)
await closedClient.patch(1, { name: 'a' })
same<Awaited<ReturnType<typeof closedClient.close>>, { id: number; name: string }>(true)
// @ts-expect-error: it is closed
await closedClient.update(1, { name: 'a' })
await app.service<Paged<ServiceOf<typeof closed>>, string>('closed').update(1, { name: 'a' })
// @ts-expect-error: none of the six
resource(Type.Object({ id: Type.Integer() }), { methods: { update: {} } })

import type { KnexService } from '@feathersjs/knex'
import { type MemoryService, memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, {
  type DataOf,
  type Multi,
  type QueryOf,
  type RecordOf,
  resource,
  type ServiceOf,
  type Unpaged,
  type WithMethods
} from 'fastify-services'
import Type from 'typebox'
import { same } from '../programs/same.js'

const posts = resource(
  Type.Object({ id: Type.Integer(), title: Type.String(), status: Type.Enum(['draft', 'final']) }),
  { readOnly: ['id'] }
)
type Post = RecordOf<typeof posts>

// An adapter that does not page has a signature for pages, too. It stands where `Services` says that `find` gives a list.
const listMethods = ['find', 'create'] as const
type Lists = Unpaged<ServiceOf<typeof posts>>
declare module 'fastify-services' {
  interface Services {
    'listed-posts': Lists
    'listed-multi': Multi<Lists>
    'listed-multi-too': Unpaged<Multi<ServiceOf<typeof posts>>>
    'listed-offered': WithMethods<Lists, typeof listMethods>
    'listed-found': Unpaged<ServiceOf<typeof posts, 'find'>>
    'listed-empty': Record<never, never>
  }
}
const app = Fastify()
await app.register(services)
app.service('listed-posts', memory({}), { schema: posts })
app.service('listed-posts', memory<Post>({}), { schema: posts })
app.service('listed-posts', memory<Post, DataOf<typeof posts>>({}), { schema: posts })
declare const rows: KnexService<Post>
declare const stored: MemoryService<Post>
app.service('listed-posts', rows, { schema: posts })
app.service('listed-posts', stored, { schema: posts })
app.service('listed-multi', memory({ multi: true }), { schema: posts })
app.service('listed-multi-too', rows, { schema: posts })
app.service('listed-offered', rows, { schema: posts, methods: listMethods })
app.service('listed-empty', { get: async () => 1 })
const titles = (await app.service('listed-posts').find({ query: { status: 'final' } })).map(({ title }) => title)
same<typeof titles, string[]>(true)

// Literals have the types of the service, with arguments and without.
const post: Post = { id: 1, title: 'a', status: 'final' }
app.service('listed-found', { find: async () => [{ ...post, status: 'draft' }] })
app.service('listed-found', {
  async find(params) {
    same<NonNullable<typeof params>['query'], QueryOf<typeof posts> | undefined>(true)
    return [post]
  }
})
// @ts-expect-error: a page is no list
app.service('listed-found', { find: async () => ({ total: 0, limit: 0, skip: 0, data: [post] }) })
// @ts-expect-error: records of another kind
app.service('listed-posts', memory<{ id: string }>({}))

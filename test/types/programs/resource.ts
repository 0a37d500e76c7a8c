import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify from 'fastify'
import services, {
  type DataOf,
  type Id,
  type Multi,
  type Paged,
  type Paginated,
  type Params,
  type PatchOf,
  type QueryOf,
  type RecordOf,
  resource,
  type ServiceOf,
  type UpdateOf
} from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { same } from './same.js'

const options = { readOnly: ['id'], writeOnly: ['secret'], sort: ['title'] } as const

const posts = resource(
  Type.Object({
    id: Type.Integer(),
    title: Type.String(),
    status: Type.Enum(['draft', 'final']),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    tags: Type.Array(Type.String()),
    address: Type.Object({ city: Type.String() }),
    secret: Type.String()
  }),
  options
)
const byZod = resource(
  z.object({
    id: z.int(),
    title: z.string(),
    status: z.enum(['draft', 'final']),
    note: z.string().nullable().optional(),
    tags: z.array(z.string()),
    address: z.object({ city: z.string() }),
    secret: z.string()
  }),
  options
)
const byValibot = resource(
  toStandardJsonSchema(
    v.object({
      id: v.pipe(v.number(), v.integer()),
      title: v.string(),
      status: v.picklist(['draft', 'final']),
      note: v.optional(v.nullable(v.string())),
      tags: v.array(v.string()),
      address: v.object({ city: v.string() }),
      secret: v.string()
    })
  ),
  options
)
const byArk = resource(
  ark({
    id: 'number.integer',
    title: 'string',
    status: "'draft' | 'final'",
    'note?': 'string | null',
    tags: 'string[]',
    address: { city: 'string' },
    secret: 'string'
  }),
  options
)
const byJson = resource(
  {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      title: { type: 'string' },
      at: { type: ['string', 'null'] },
      by: { type: 'integer', nullable: true }
    },
    required: ['id', 'title']
  },
  { readOnly: ['id'] }
)

interface Post {
  id: number
  title: string
  status: 'draft' | 'final'
  note?: string | null
  tags: string[]
  address: { city: string }
}
interface NewPost extends Omit<Post, 'id'> {
  secret: string
}
type Flat<T> = { [K in keyof T]: T[K] }

same<Flat<RecordOf<typeof posts>>, Flat<Post>>(true)
same<Flat<DataOf<typeof posts>>, Flat<NewPost>>(true)
same<Flat<PatchOf<typeof posts>>, Flat<Partial<NewPost>>>(true)
same<RecordOf<typeof byJson>, { id: number; title: string; at?: string | null; by?: number | null }>(true)

// One record, one type of service, whatever library has described it.
same<ServiceOf<typeof byZod>, ServiceOf<typeof posts>>(true)
same<ServiceOf<typeof byValibot>, ServiceOf<typeof posts>>(true)
same<ServiceOf<typeof byArk>, ServiceOf<typeof posts>>(true)

const query: QueryOf<typeof posts> = {
  id: 1,
  title: { $lt: 'b', $in: ['a'] },
  tags: 'x',
  note: '',
  $or: [{ status: 'draft' }],
  $limit: 1,
  $sort: { title: -1 },
  $select: ['id', 'address']
}
// @ts-expect-error: no such field
const misspelt: QueryOf<typeof posts> = { titel: 'a' }
// @ts-expect-error: it does not leave
const secret: QueryOf<typeof posts> = { secret: 'a' }
// @ts-expect-error: an object is not compared
const object: QueryOf<typeof posts> = { address: { city: 'Bern' } }
const nullText: QueryOf<typeof posts> = { note: null, $or: [{ note: { $ne: null } }] }
// @ts-expect-error: the option `sort` does not name it
const sorted: QueryOf<typeof posts> = { $sort: { id: 1 } }
// @ts-expect-error: another type
const typed: QueryOf<typeof posts> = { id: '1' }
// @ts-expect-error: a field that there is not
resource(Type.Object({ id: Type.Integer() }), { readOnly: ['ip'] })

class PostService {
  async find(_params: Params<QueryOf<typeof posts>>): Promise<Paginated<Post>> {
    return { total: 0, limit: 0, skip: 0, data: [] }
  }
  async get(_id: Id): Promise<Post & { secret: string }> {
    throw new Error()
  }
  async create(data: DataOf<typeof posts>): Promise<Post> {
    return { id: 1, ...data }
  }
}
class Other {
  async get(_id: Id): Promise<{ id: number }> {
    return { id: 1 }
  }
}
class OtherData {
  async create(data: { heading: string }): Promise<Post> {
    throw new Error(data.heading)
  }
}

const app = Fastify()
await app.register(services)
app.service('posts', new PostService(), { schema: posts })
app.service('posts-too', new PostService(), { schema: { ...byZod, find: { ...byZod.find, headers: {} } } })
// @ts-expect-error: its records lack fields
app.service('others', new Other(), { schema: posts })
// @ts-expect-error: its `create` takes other data
app.service('others', new OtherData(), { schema: posts })

interface List {
  posts: Paged<ServiceOf<typeof posts, 'find' | 'get' | 'create' | 'patch'>>
}
const client = createClient<List>().configure(rest('http://localhost').fetch(fetch))
const page = await client.service('posts').find({ query: { ...query, $sort: { title: 1 } } })
same<(typeof page.data)[number]['status'], 'draft' | 'final'>(true)
await client.service('posts').patch(1, { title: 'b' })
// @ts-expect-error: the server sets it
await client.service('posts').patch(1, { id: 2 })
// @ts-expect-error: fields are missing
await client.service('posts').create({ title: 'a' })
// @ts-expect-error: it is not one of the methods
await client.service('posts').remove(1)

// With the option `multi` of an adapter, lists are taken, and given.
const multi = createClient<{
  posts: Multi<List['posts']>
  ended: Multi<ServiceOf<typeof posts, 'remove'>>
}>().configure(rest('http://localhost').fetch(fetch))
const many = multi.service('posts')
same<Awaited<ReturnType<typeof createMany>>, string[]>(true)
async function createMany(sent: DataOf<typeof posts>): Promise<string[]> {
  const created = await many.create([sent, sent])
  const patched = await many.patch(null, { title: 'b' }, { query: { title: 'a' } })
  const removed = await multi.service('ended').remove(null, { query: { title: 'b' } })
  const single = await many.patch(1, { title: 'c' })
  return [...created, ...patched, ...removed, single].map(({ title }) => title)
}
// @ts-expect-error: it takes no lists
await client.service('posts').patch(null, { title: 'b' })
for (const value of [misspelt, secret, object, nullText, sorted, typed]) JSON.stringify(value)

// Files: a `File` in the data, nothing in what leaves, a form from the client.
const image = { type: 'string', contentMediaType: 'image/png' } as const
const pictures = resource(
  z.object({ id: z.int(), title: z.string(), file: z.file(), more: z.array(z.file()).optional() }),
  { readOnly: ['id'] }
)
const bySchema = resource(
  {
    type: 'object',
    required: ['id', 'title', 'file'],
    properties: {
      id: { type: 'integer' },
      title: { type: 'string' },
      file: { type: 'string', format: 'binary' },
      more: { type: 'array', items: image },
      text: { ...image, contentEncoding: 'base64' }
    }
  },
  { readOnly: ['id'] }
)
same<DataOf<typeof pictures>['file'], File>(true)
same<DataOf<typeof bySchema>['file'], File>(true)
same<NonNullable<DataOf<typeof bySchema>['more']>, File[]>(true)
same<NonNullable<DataOf<typeof bySchema>['text']>, string>(true)
same<RecordOf<typeof pictures>, { id: number; title: string }>(true)
same<keyof RecordOf<typeof bySchema>, 'id' | 'title' | 'text'>(true)
const anything = resource(Type.Object({ any: Type.Any(), list: Type.Array(Type.Any()), unknown: Type.Unknown() }))
same<keyof RecordOf<typeof anything>, 'any' | 'list' | 'unknown'>(true)
const uploads = createClient<{ pictures: ServiceOf<typeof pictures> }>()
  .configure(rest('http://localhost').fetch(fetch))
  .service('pictures')
const picture = await uploads.create(new FormData())
same<typeof picture, { id: number; title: string }>(true)
await uploads.patch(1, new FormData())
// @ts-expect-error: it does not leave
picture.file
// @ts-expect-error: a text is no file
await uploads.create({ title: 'a', file: 'bytes' })

// Schemas of bodies that have fields which are `readOnly`: only those that are settable are in the data.
const Account = z.object({ id: z.int(), name: z.string(), role: z.string() })
const accounts = resource(Account, {
  readOnly: ['id', 'role'],
  create: Account,
  patch: Account.partial(),
  settable: { create: ['id'] }
})
same<DataOf<typeof accounts>, { id: number; name: string }>(true)
same<PatchOf<typeof accounts>, { name?: string }>(true)
const settableOnce = resource(Account, { readOnly: ['id', 'role'], settable: { create: ['id'] } })
same<DataOf<typeof settableOnce>, { id: number; name: string }>(true)
same<PatchOf<typeof settableOnce>, { name?: string }>(true)
same<UpdateOf<typeof settableOnce>, { name: string }>(true)
same<UpdateOf<typeof accounts>, { name: string }>(true)

// `update` has a schema of its own, on both sides.
const Draft = z.object({ id: z.int(), name: z.string(), note: z.string().optional() })
const drafts = resource(Draft, {
  readOnly: ['id'],
  create: z.object({ name: z.string() }),
  update: z.object({ note: z.string() })
})
same<UpdateOf<typeof drafts>, { note: string }>(true)
const draftClient = createClient<{ drafts: ServiceOf<typeof drafts> }>().service('drafts')
await draftClient.update(1, { note: 'a' })
// @ts-expect-error: the data of `create`
await draftClient.update(1, { name: 'a' })
const draft = { id: 1, name: 'a' }
app.service(
  'drafts',
  { update: async (_id: Id, { note }: { note: string }) => ({ ...draft, note }) },
  { schema: drafts }
)
// @ts-expect-error: a field that there is not
resource(Account, { readOnly: ['id'], settable: { create: ['ip'] } })

// A record may stand within itself: what an option names is left out there, too.
const Folder = z.object({
  id: z.int(),
  name: z.string(),
  secret: z.string().optional(),
  owner: z.object({ id: z.int(), since: z.date() }),
  extra: z.any(),
  get folders() {
    return z.array(Folder)
  },
  get parent() {
    return Folder.nullable().optional()
  },
  get ends() {
    return z.object({ first: z.tuple([Folder]) }).optional()
  }
})
const folders = resource(Folder, { readOnly: ['id'], writeOnly: ['secret'] })
const owner = { id: 1, since: new Date() }
const leaf = { name: 'b', owner, extra: 1, folders: [] }
const folder: DataOf<typeof folders> = {
  ...leaf,
  folders: [leaf],
  parent: { ...leaf, parent: null, folders: [leaf] },
  ends: { first: [leaf] }
}
const moved: PatchOf<typeof folders> = { parent: leaf }
const inner = (folder: RecordOf<typeof folders>) => folder.folders[0]?.parent?.id
same<ReturnType<typeof inner>, number | undefined>(true)
same<DataOf<typeof folders>['owner'], { id: number; since: Date }>(true)
// @ts-expect-error: the server sets it
const numbered: DataOf<typeof folders> = { ...leaf, folders: [{ ...leaf, id: 1 }] }
// @ts-expect-error: it does not leave
const hidden = (folder: RecordOf<typeof folders>) => folder.folders[0]?.secret
for (const value of [folder, moved, numbered, hidden]) JSON.stringify(value)

// Options and queries may name the fields of each branch of a union.
const cat = z.object({ id: z.int(), kind: z.literal('cat'), lives: z.int(), size: z.string(), chip: z.string() })
const dog = z.object({ id: z.int(), kind: z.literal('dog'), breed: z.string(), size: z.int() })
const pets = resource(z.discriminatedUnion('kind', [cat, dog]), { readOnly: ['id'], writeOnly: ['chip'] })
const petQueries: QueryOf<typeof pets>[] = [
  { lives: { $gt: 3 }, $sort: { breed: 1 }, $select: ['lives', 'kind'] },
  { size: 'a', $or: [{ size: 1 }, { kind: 'dog', breed: 'a' }] }
]
// @ts-expect-error: no branch has it
const unknownQuery: QueryOf<typeof pets> = { wings: 2 }
// @ts-expect-error: it does not leave
const chipQuery: QueryOf<typeof pets> = { chip: 'a' }
// @ts-expect-error: another type than in the branch
const typedQuery: QueryOf<typeof pets> = { lives: 'a' }
// @ts-expect-error: no branch has it
resource(z.discriminatedUnion('kind', [cat, dog]), { writeOnly: ['wings'] })
const catData: DataOf<typeof pets> = { kind: 'cat', lives: 9, size: 's', chip: 'c' }
// @ts-expect-error: a field of the branch of dogs
const mixedData: DataOf<typeof pets> = { kind: 'cat', lives: 9, size: 's', chip: 'c', breed: 'a' }
for (const value of [petQueries, unknownQuery, chipQuery, typedQuery, catData, mixedData]) JSON.stringify(value)

// References of a JSON Schema lead to its definitions.
const trees = resource(
  Type.Cyclic(
    {
      Tree: Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        secret: Type.Optional(Type.String()),
        trees: Type.Array(Type.Ref('Tree'))
      })
    },
    'Tree'
  ),
  { readOnly: ['id'], writeOnly: ['secret'] }
)
const tree: DataOf<typeof trees> = { name: 'a', trees: [{ name: 'b', secret: 'c', trees: [] }] }
const nameWithin = (tree: RecordOf<typeof trees>) => tree.trees[0]?.trees[0]?.name
same<ReturnType<typeof nameWithin>, string | undefined>(true)
const treeQuery: QueryOf<typeof trees> = { name: 'a', $sort: { name: 1 } }
// @ts-expect-error: the server sets it
const numberedTree: DataOf<typeof trees> = { name: 'a', trees: [{ id: 1, name: 'b', trees: [] }] }
// @ts-expect-error: it does not leave
const hiddenWithin = (tree: RecordOf<typeof trees>) => tree.trees[0]?.secret
const places = resource({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    address: { $ref: '#/$defs/address' },
    around: { $ref: '#' },
    kind: { $ref: '#/definitions/kind' },
    elsewhere: { $ref: 'https://example.org/place' }
  },
  required: ['id', 'address'],
  definitions: { kind: { enum: ['town', 'village'] } },
  $defs: { address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }
})
const cityAround = (place: RecordOf<typeof places>) => place.around?.around?.address.city
same<ReturnType<typeof cityAround>, string | undefined>(true)
same<RecordOf<typeof places>['kind'], 'town' | 'village' | undefined>(true)
same<RecordOf<typeof places>['elsewhere'], unknown>(true)
// Lists within themselves have no type that ends, and fields may stand beside a reference.
const lists = resource(
  {
    type: 'object',
    properties: { id: { type: 'integer' }, list: { $ref: '#/$defs/list' } },
    $defs: { list: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/list' }, { type: 'integer' }] } } }
  },
  { readOnly: ['id'] }
)
const listData: DataOf<typeof lists> = { list: [1, [2, [3]]] }
const beside = resource({
  type: 'object',
  properties: {
    base: { $ref: '#/$defs/base', properties: { title: { type: 'string' } }, required: ['title'] }
  },
  $defs: { base: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } }
})
const besideData: DataOf<typeof beside> = { base: { id: 1, title: 'a' } }
// @ts-expect-error: a field beside the reference
const besideWrong: DataOf<typeof beside> = { base: { id: 1, title: 2 } }
for (const value of [listData, besideData, besideWrong]) JSON.stringify(value)
for (const value of [tree, treeQuery, numberedTree, hiddenWithin]) JSON.stringify(value)

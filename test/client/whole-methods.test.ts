import {
  type ClientOptions,
  type ClientServiceOptions,
  createClient,
  FetchClient,
  type HookContext,
  rest
} from 'fastify-services/client'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { createFetch, outcome, outcomes, shown } from './outcome.js'

type Methods = Record<string, (...args: unknown[]) => unknown>

const { sent, library } = createFetch()
const connection = rest('http://a').fetch(library)
const connect = (options?: ClientOptions) => createClient(options).configure(rest('http://a').fetch(library))

/** What a call sends, or else its error, or its result. */
async function request(call: () => unknown): Promise<unknown> {
  const result = await outcome(call)
  const [sentRequest] = sent.splice(0)
  if (sentRequest === undefined) return result
  const { method, url, headers, body } = sentRequest
  const name = headers['X-Service-Method']
  return `${method} ${url}${name === undefined ? '' : ` (${name})`}${body === undefined ? '' : ` ${shown(body)}`}`
}

const words = `archive a1 A_b _a 1a a-b then setup teardown all around before after error hooks on once off emit addListener
  listeners iterate toString constructor __proto__ base connection getQuery methods name options bases database rename names
  optional find send toJSON catch finally pipe getReader nodeType length asymmetricMatch pipes`

t.test('names of custom methods: called, named in `use`, named in `methods`', async (t) => {
  const row = async (name: string) => {
    const things = connect().service('things') as unknown as Methods
    const member = things[name]
    const listed = () =>
      connect()
        .use('listed', connection.service('listed'), { methods: [name] })
        .service('listed') as unknown as Methods
    const added = () => connection.service('added').methods('before1', name) as unknown as Methods
    const isSent = member !== undefined && !(name in things)
    return [
      isSent ? await request(() => member({ a: 1 })) : typeof member,
      await request(() => listed()[name]?.({ a: 1 })),
      await request(async () => {
        const service = added()
        return Object.hasOwn(service, name) ? service[name]?.({ a: 1 }) : 'not added'
      })
    ]
  }
  const table: [string, unknown][] = []
  for (const name of ['', ...words.split(/\s+/)]) table.push([name, await row(name)])
  isKept(t, Object.fromEntries(table), 'test/client/whole-names.txt')
})

const params = { query: { q: 1 }, route: { userId: 'u', id: 'r', part: 'ä/b' } }
const calls: Record<string, unknown[]> = {
  find: [params],
  get: [1, params],
  create: [{ a: 1 }, params],
  update: [1, { a: 1 }, params],
  patch: [null, { a: 1 }, params],
  remove: [null, params],
  plain: [{ a: 1 }, params],
  top: [params],
  stats: [params],
  add: [{ a: 1 }, params],
  publish: [1, { a: 1 }, params],
  replace: ['x y', 'text', params],
  hide: [1, undefined, params],
  clear: [1, params],
  identity: [params],
  odd: [{ a: 1 }, params],
  many: [null, { a: 1 }, params],
  missing: [undefined, { a: 1 }, params],
  empty: [],
  plainly: [],
  onlyId: [1]
}
const routes = {
  top: 'GET /',
  stats: 'GET /größe//stats/',
  add: 'POST /more',
  publish: 'POST /:id/publish',
  replace: 'PUT /of/:id',
  hide: 'PATCH /:id/:part',
  clear: 'DELETE /:id/comments/:id',
  identity: 'GET /:idea/x',
  many: 'PATCH /:id/many',
  missing: 'POST /:id/missing',
  empty: 'DELETE /empty',
  onlyId: 'POST /:id/only',
  find: 'GET /other'
} as const

t.test('all methods and routes of custom ones: what is sent, and what hooks get', async (t) => {
  const app = connect({ routes: { 'users/:userId/things': routes } })
  const seen: string[] = []
  const see = ({ method, type, path, id, data, params, event }: HookContext) =>
    void seen.push(JSON.stringify([method, type, path, id, data, Object.keys(params), event]))
  const options: ClientServiceOptions = { methods: Object.keys(routes), hooks: { before: { all: [see] } } }
  app.use('users/:userId/things', connection.service('users/:userId/things'), options)
  const things = app.service('users/:userId/things') as unknown as Methods
  const table = await outcomes(calls, async (args, name) => [
    await request(() => things[name]?.(...args)),
    ...seen.splice(0)
  ])
  isKept(t, table, 'test/client/whole-methods.txt')
})

class Own extends FetchClient {
  override getQuery = (query: object) => `?own=${JSON.stringify(query)}`
  override get = (id: string | number, ...rest: [object?]) => super.find({ query: { id, ...rest[0] } })
  archive = async (data: unknown) => ['archived', data]
  iterate = () => 'its own'
}

t.test('a class of services: what it overrides, what it has, what it is given', async (t) => {
  const withOptions = rest('http://b/', { headers: { a: 1 }, x: 1 } as object).fetch(library, { y: 2 } as object, Own)
  const app = createClient().configure(withOptions)
  const things = app.service('things') as unknown as Methods
  const rows: Methods = {
    find: () => things.find?.(),
    get: () => things.get?.(1, { a: 1 }),
    archive: () => things.archive?.({ a: 1 }),
    'archive, named': () => (withOptions.service('x').methods('archive', 'other') as unknown as Methods).archive?.(1),
    other: () => (withOptions.service('x').methods('archive', 'other') as unknown as Methods).other?.(1),
    iterate: () => things.iterate?.(),
    getQuery: () => withOptions.service('x').getQuery({ b: 1 }),
    'the one of all': () =>
      rest('http://b')
        .fetch(library)
        .service('x')
        .getQuery({ b: [1] }),
    'without a query': () => rest('http://b').fetch(library).service('x').getQuery({}),
    members: () => shown({ ...withOptions.service('/x/') }),
    classes: () => [
      withOptions.Service === Own,
      rest('http://b').fetch(library, Own).Service === Own,
      connection.Service === FetchClient
    ]
  }
  isKept(t, await outcomes(rows, request), 'test/client/whole-classes.txt')
})

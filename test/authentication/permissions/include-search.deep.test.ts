import { KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import { type AroundHook, type Query, resource, type ServiceOptions } from 'fastify-services'
import {
  allow,
  include,
  own,
  type Permissions,
  protect,
  type Relation,
  scope,
  within
} from 'fastify-services/authentication'
import { memory } from 'fastify-services/memory'
import t, { type Test } from 'tap'
import { openPGlite } from '../../support/pglite.js'
import { createGenerator } from '../../support/random.js'
import { type Caller, createApp, type Send } from './callers.js'

/*
 * Random permissions on services with relations both ways. Each related record is the one that a plain model tells from the
 * data and the permissions, and the one that the same caller finds at the other service.
 * SEED=7 ROUNDS=500 tries others.
 */
const seed = Number(process.env.SEED ?? 1)
const rounds = Number(process.env.ROUNDS ?? 8)
t.setTimeout(60_000 + 20_000 * rounds)

type Id = number | string
type Row = { readonly id: Id } & Readonly<Record<string, unknown>>
type Name = 'users' | 'posts' | 'comments'

const fieldsOf: Readonly<Record<Name, readonly string[]>> = {
  users: ['id', 'name', 'kind', 'projectId'],
  posts: ['id', 'name', 'kind', 'projectId', 'authorId'],
  comments: ['id', 'name', 'kind', 'projectId', 'authorId', 'postId', 'parentId']
}
const names = Object.keys(fieldsOf) as Name[]

type NamedRelation = { readonly service: Name; readonly field?: string; readonly by?: string; readonly query?: Query }
const relationsOf: Readonly<Record<Name, Readonly<Record<string, NamedRelation>>>> = {
  users: { posts: { service: 'posts', by: 'authorId' }, comments: { service: 'comments', by: 'authorId' } },
  posts: {
    author: { service: 'users', field: 'authorId' },
    readers: { service: 'users', field: 'readerIds' },
    comments: { service: 'comments', by: 'postId' }
  },
  comments: {
    author: { service: 'users', field: 'authorId' },
    post: { service: 'posts', field: 'postId' },
    parent: { service: 'comments', field: 'parentId' },
    replies: { service: 'comments', by: 'parentId' }
  }
}

const callers: readonly (Caller | undefined)[] = [
  { id: 1, role: 'member', projects: [1] },
  { id: 2, role: 'member', projects: [1, 2] },
  { id: 3, role: 'admin', projects: [1, 2] },
  undefined
]

/** What a round knows of a service. */
interface Plan {
  readonly rows: readonly Row[]
  readonly roles: Readonly<Record<string, Permissions>> | undefined
  readonly owner: string | undefined
  readonly kinds: readonly string[] | undefined
  readonly protectedField: string | undefined
  readonly hiddenField: string | undefined
  /** The field that no reply of the schema has; `null`: the schema hides none. */
  readonly writeOnly: string | null | undefined
  readonly relations: Readonly<Record<string, NamedRelation>>
}
type Plans = Readonly<Record<Name, Plan>>

/** Where a caller calls from: its project counts if the services are nested. */
interface At {
  readonly user: Caller | undefined
  readonly projectId: number | undefined
}

const permissionOf = ({ roles }: Plan, user: Caller | undefined, method: string): boolean | readonly string[] => {
  if (roles === undefined) return true
  const permissions = user === undefined ? false : (roles[user.role as string] as Permissions)
  return typeof permissions === 'boolean' ? permissions : (permissions[method] ?? false)
}

/** The model: the records that a caller gets from a service, `undefined` if it may not call it. */
function visible(plan: Plan, { user, projectId }: At, method: string): Row[] | undefined {
  const permission = permissionOf(plan, user, method)
  if (permission === false || (plan.owner !== undefined && user === undefined)) return undefined
  if (projectId !== undefined && !(user?.projects as number[] | undefined)?.includes(projectId)) return undefined
  const isHidden = (field: string) =>
    [plan.protectedField, plan.hiddenField, plan.writeOnly].includes(field) ||
    (permission !== true && !permission.includes(field))
  return plan.rows
    .filter((row) => projectId === undefined || row.projectId === projectId)
    .filter((row) => plan.owner === undefined || String(row[plan.owner]) === String(user?.id))
    .filter((row) => plan.kinds === undefined || user?.role === 'admin' || plan.kinds.includes(row.kind as string))
    .map((row) => Object.fromEntries(Object.entries(row).filter(([field]) => !isHidden(field))) as Row)
}

type Condition = { readonly kind?: string }
/** Finds the records of a service as a caller. */
type Source = (name: Name, condition: Condition, sort: 1 | -1 | undefined) => Promise<readonly Row[] | undefined>

const modelSource =
  (plans: Plans, at: At): Source =>
  async (name, { kind }, sort) => {
    const plan = plans[name]
    const permission = permissionOf(plan, at.user, 'find')
    const asked = [...(kind === undefined ? [] : ['kind']), ...(sort === undefined ? [] : ['id'])]
    if (typeof permission === 'object' && asked.some((field) => !permission.includes(field))) return undefined
    const kindOf = new Map(plan.rows.map((row) => [row, row.kind]))
    const rows = plan.rows.filter((row) => kind === undefined || kindOf.get(row) === kind)
    const found = visible({ ...plan, rows }, at, 'find')
    return sort === -1 ? found?.reverse() : found
  }

const clientSource =
  (send: Send, urlOf: (name: Name) => string, as: Caller | undefined): Source =>
  async (name, { kind }, sort) => {
    const records: Row[] = []
    for (;;) {
      const query = `$skip=${records.length}${kind === undefined ? '' : `&kind=${kind}`}${sort === undefined ? '' : `&$sort[id]=${sort}`}`
      const { status, body } = await send('GET', `${urlOf(name)}?${query}`, { as })
      if ([401, 403, 404, 405].includes(status)) return undefined
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      if (Array.isArray(body)) return body
      records.push(...body.data)
      if (records.length >= body.total || body.data.length === 0) return records
    }
  }

/** Adds related records to a record, as they would be. */
async function addExpected(
  plans: Plans,
  name: Name,
  record: Row,
  paths: readonly string[],
  source: Source
): Promise<Row> {
  const result: Record<string, unknown> = { ...record }
  for (const path of paths) {
    const [relation = '', ...rest] = path.split('.')
    const { service, field, by, query = {} } = plans[name].relations[relation] as NamedRelation
    const within = paths
      .filter((other) => other.startsWith(`${relation}.`))
      .map((other) => other.slice(relation.length + 1))
    if (rest.length === 0 && within.length > 0) continue
    const { $sort, ...condition } = query as { $sort?: { id: -1 } } & Condition
    const sort = $sort?.id ?? (by === undefined ? undefined : 1)
    const others = (await source(service, condition, sort)) ?? []
    const key = by ?? 'id'
    const isKey = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && value !== '')
    const matching = async (id: unknown) => {
      const found = isKey(id) ? others.filter((other) => other[key] === id) : []
      return Promise.all(
        found.map((other) => (within.length === 0 ? other : addExpected(plans, service, other, within, source)))
      )
    }
    const value = record[field ?? 'id']
    result[relation] =
      by !== undefined
        ? await matching(value)
        : Array.isArray(value)
          ? (await Promise.all(value.map(matching))).flat()
          : ((await matching(value))[0] ?? null)
  }
  return result as Row
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** Hides a field as hooks of users do. */
const hideField =
  (hidden: string): AroundHook =>
  async (context, next) => {
    await next()
    const hide = ({ [hidden]: _, ...record }: Record<string, unknown>) => record
    const sent = Object(context.dispatch ?? context.result)
    const list = Array.isArray(sent) ? sent : Array.isArray(sent.data) ? sent.data : undefined
    context.dispatch =
      list === undefined ? hide(sent) : list === sent ? list.map(hide) : { ...sent, data: list.map(hide) }
  }

interface StoreKind {
  readonly hasLists: boolean
  readonly oddIds: readonly string[]
  open(name: Name, rows: readonly Row[], paginate: object | undefined): Promise<object>
}

async function search(t: Test, store: StoreKind): Promise<void> {
  const random = createGenerator(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = <T>(list: readonly T[], share: number): T[] => list.filter(() => random() < share)
  const maybe = <T>(share: number, value: () => T): T | undefined => (random() < share ? value() : undefined)
  const failures: string[] = []
  const counts = { calls: 0, refused: 0, records: 0, empty: 0 }

  const rowsOf = (name: Name, hasOddIds: boolean): Row[] => {
    const toId = (number: number): Id => (hasOddIds ? (store.oddIds[number - 1] ?? 'none') : number)
    const reference = () => pick<() => unknown>([() => null, ...[1, 2, 3, 6, 8, 9].map((id) => () => toId(id))])()
    const missing = () => store.hasLists && random() < 0.1
    const odd = () => pick<unknown>([{ $ne: 0 }, '', [], {}])
    return Array.from({ length: 8 }, (_, index) => {
      const row: Record<string, unknown> = {
        id: toId(index + 1),
        name: pick(['x', 'y']),
        kind: pick(['a', 'b', 'c']),
        projectId: pick([1, 2])
      }
      for (const field of fieldsOf[name].slice(4))
        if (!missing()) row[field] = store.hasLists && hasOddIds && random() < 0.1 ? odd() : reference()
      if (name === 'posts' && store.hasLists)
        row.readerIds = pick([null, [], [toId(2), null, toId(6), toId(9)], Array.from({ length: 3 }, reference)])
      return row as Row
    })
  }

  for (let round = 0; round < rounds && failures.length === 0; round++) {
    const hasOddIds = store.oddIds.length > 0 && random() < 0.3
    const isNested = random() < 0.3
    const planOf = (name: Name): Plan => {
      const fields = [...fieldsOf[name], ...(name === 'posts' && store.hasLists ? ['readerIds'] : [])]
      const writeOnly = hasOddIds ? undefined : maybe(0.4, () => maybe(0.7, () => 'name') ?? null)
      const permission = () =>
        pick<() => boolean | string[]>([
          () => true,
          () => false,
          ...[0.85, 0.6].map(
            (share) => () =>
              fields.filter((field) => field !== writeOnly && (field === 'id' ? random() < 0.95 : random() < share))
          )
        ])()
      const roles = () => ({
        member: { find: permission(), get: permission() },
        admin: maybe(0.5, () => true as const) ?? { find: permission(), get: permission() }
      })
      const all = Object.entries(relationsOf[name]).filter(([, { field }]) => field !== 'readerIds' || store.hasLists)
      const query = () => ({
        ...(random() < 0.6 && { kind: pick(['a', 'b']) }),
        ...(random() < 0.5 && { $sort: { id: -1 } })
      })
      return {
        rows: rowsOf(name, hasOddIds),
        roles: maybe(0.5, roles),
        owner: maybe(0.15, () => (name === 'users' ? 'id' : 'authorId')),
        kinds: maybe(0.3, () => some(['a', 'b', 'c'], 0.6)),
        protectedField: maybe(0.3, () => 'name'),
        hiddenField: maybe(0.4, () => pick(fields.slice(1))),
        writeOnly,
        relations: Object.fromEntries(
          all.map(([key, relation]) => [key, random() < 0.3 ? { ...relation, query: query() } : relation])
        )
      }
    }
    const plans = Object.fromEntries(names.map((name) => [name, planOf(name)])) as unknown as Plans
    const paginate = maybe(0.6, () => ({ default: pick([2, 5]), max: pick([3, 5, 50]) }))
    const prefix = isNested ? 'projects/:projectId/' : ''
    const { app, send } = await createApp(t, async (app) => {
      if (isNested) {
        const inProjects = scope(({ params: { user } }) => ({ id: (user?.projects ?? []) as number[] }))
        app.service('projects', memory({ records: [{ id: 1 }, { id: 2 }] }), {
          hooks: { around: { all: [inProjects] } }
        })
      }
      for (const name of names) {
        const plan = plans[name]
        const { roles, owner, kinds, protectedField, hiddenField, writeOnly, relations } = plan
        const inKinds = kinds && scope(({ params: { user } }) => (user?.role === 'admin' ? true : { kind: [...kinds] }))
        const targets = Object.entries(relations).map(([key, relation]): [string, Relation] => [
          key,
          { ...relation, service: `${prefix}${relation.service}` }
        ])
        const hooks: (AroundHook | undefined)[] = [
          hiddenField === undefined ? undefined : hideField(hiddenField),
          roles && allow(roles),
          isNested ? within('projects') : undefined,
          owner === undefined ? undefined : own(owner),
          inKinds
        ]
        hooks.splice(Math.floor(random() * 6), 0, include(Object.fromEntries(targets)))
        hooks.splice(Math.floor(random() * 7), 0, protectedField === undefined ? undefined : protect(protectedField))
        const integer = { type: ['integer', 'null'] } as const
        const properties = Object.fromEntries(
          [...fieldsOf[name], 'readerIds'].map((field) => [
            field,
            field === 'id'
              ? { type: 'integer' }
              : field === 'readerIds'
                ? { type: ['array', 'null'], items: integer }
                : ['name', 'kind'].includes(field)
                  ? { type: 'string', ...(field === writeOnly && { writeOnly: true }) }
                  : integer
          ])
        )
        app.service(`${prefix}${name}`, await store.open(name, plan.rows, paginate), {
          ...(writeOnly !== undefined && { schema: resource({ type: 'object', properties } as never) }),
          hooks: { around: { all: hooks.filter((hook) => hook !== undefined) } }
        } as ServiceOptions<object>)
      }
    })
    const projectId = isNested ? pick([1, 2]) : undefined
    const urlOf = (name: Name) => `/${prefix.replace(':projectId', String(projectId))}${name}`
    for (const user of callers) {
      for (let call = 0; call < 6; call++) {
        const name = pick(names)
        const plan = plans[name]
        const at: At = { user, projectId }
        const relationNames = Object.keys(plan.relations)
        const paths = [
          ...new Set(
            Array.from({ length: pick([1, 2, 3]) }, () => {
              const relation = pick(relationNames)
              const within = Object.keys(plans[(plan.relations[relation] as NamedRelation).service].relations)
              return random() < 0.5 ? relation : `${relation}.${pick(within)}`
            })
          )
        ]
        const method = random() < 0.7 ? 'find' : 'get'
        const model = visible(plan, at, method)
        const id = pick(plan.rows).id
        const permission = permissionOf(plan, user, method)
        const isReadable = (field: string) =>
          (permission === true || Object(permission).includes?.(field)) &&
          ![plan.protectedField, plan.writeOnly].includes(field)
        const select = maybe(0.3, () => some(fieldsOf[name], 0.4).filter(isReadable)) ?? []
        const filter = method === 'find' && isReadable('kind') && random() < 0.3 ? `&kind=${pick(['a', 'b'])}` : ''
        const limits = method === 'find' && random() < 0.4 ? `&$limit=${pick([1, 3])}&$skip=${pick([0, 1])}` : ''
        const include = paths.map((path) => `&$include[]=${path}`).join('')
        const selection = select.map((field) => `&$select[]=${field}`).join('')
        const url = method === 'find' ? urlOf(name) : `${urlOf(name)}/${encodeURIComponent(id)}`
        const answer = await send('GET', `${url}?${filter}${limits}${selection}${include}`, { as: user })
        const plain = await send('GET', `${url}?${filter}${limits}`, { as: user })
        counts.calls += 1
        const fail = (what: string) =>
          failures.push(
            `round ${round}: ${JSON.stringify(user)} GET ${url}?${filter}${limits}${selection}${include}: ${what}\n${JSON.stringify(plans)}`
          )
        const needed = paths.map(
          (path) => (plan.relations[path.split('.')[0] as string] as NamedRelation).field ?? 'id'
        )
        const isForbidden = select.length > 0 && needed.some((field) => !isReadable(field))
        if (isForbidden || plain.status !== 200) {
          counts.refused += 1
          const isExpected =
            answer.status === plain.status ? plain.status !== 200 : isForbidden && answer.status === 403
          if (!isExpected) fail(`${answer.status} ${JSON.stringify(answer.body)}, without $include ${plain.status}`)
          continue
        }
        if (answer.status !== 200) {
          fail(`${answer.status} ${JSON.stringify(answer.body)}`)
          continue
        }
        const listIn = (body: { data?: Row[] } | Row[] | Row): readonly Row[] =>
          'data' in body ? (body.data as Row[]) : ([body].flat() as Row[])
        const got = listIn(answer.body)
        const records = listIn(plain.body)
        // The records that the caller gets are tested elsewhere; here, that the model agrees.
        const known = new Set(model?.map(canonical))
        const stranger = records.find((record) => !known.has(canonical(record)))
        if (stranger !== undefined) fail(`without $include ${canonical(stranger)}`)
        for (const [what, source] of [
          ['the model', modelSource(plans, at)],
          ['the other service', clientSource(send, urlOf, user)]
        ] as const) {
          const expected = await Promise.all(
            records.map(async (record) => {
              const whole = await addExpected(plans, name, record, paths, source)
              const isSelected = ([field]: [string, unknown]) =>
                select.length === 0 || field === 'id' || select.includes(field) || field in plan.relations
              return Object.fromEntries(Object.entries(whole).filter(isSelected)) as Row
            })
          )
          if (canonical(got) !== canonical(expected)) fail(`${canonical(got)}\nby ${what} ${canonical(expected)}`)
          for (const related of expected.flatMap((record) =>
            paths.flatMap((path) => record[path.split('.')[0] as string])
          ))
            counts[related === null ? 'empty' : 'records'] += 1
        }
      }
    }
    await app.close()
  }
  t.strictSame(failures.slice(0, 1).join().split('\n'), [''], `SEED=${seed}`)
  t.comment(JSON.stringify(counts))
  t.ok(counts.refused > 0 && counts.records > 0 && counts.empty > 0, JSON.stringify(counts))
}

const oddIds = ['1', '[object Object]', '__proto__', 'a,b', 'constructor', 'null', 'true', 'undefined']

t.test('on memory()', (t) =>
  search(t, {
    hasLists: true,
    oddIds,
    open: async (_name, rows, paginate) =>
      memory({ records: rows as never, ...(paginate && { paginate: paginate as never }) })
  })
)

t.test('on the memory service of Feathers', (t) =>
  search(t, {
    hasLists: true,
    oddIds: [],
    async open(_name, rows, paginate) {
      const service = new MemoryService({ ...(paginate && { paginate }) } as object)
      service.store = Object.fromEntries(rows.map((row) => [row.id, row]))
      return service
    }
  })
)

t.test('on PostgreSQL', async (t) => {
  const Model = await openPGlite(t)
  for (const name of names)
    await Model.schema.createTable(name, (table) => {
      table.integer('id').primary()
      for (const column of ['name', 'kind']) table.text(column)
      for (const column of fieldsOf[name].slice(3)) table.integer(column)
    })
  await search(t, {
    hasLists: false,
    oddIds: [],
    async open(name, rows, paginate) {
      await Model(name).delete()
      await Model(name).insert(rows as object[])
      return new KnexService({ Model, name, ...(paginate && { paginate }) } as never)
    }
  })
})

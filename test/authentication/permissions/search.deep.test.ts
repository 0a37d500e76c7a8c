import { METHODS } from 'node:http'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import type { ServiceOptions } from 'fastify-services'
import { allow, own, scope, within } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import type { TableService } from '../../../lib/core/adapters/table.js'
import { createGenerator } from '../../support/random.js'
import { type Caller, createApp } from './callers.js'
import { eachStore, type Note, type Store, users } from './note-stores.js'

/*
 * Random calls by several users, with a plain model beside: nobody reads, changes or learns of what the model says is not theirs.
 * SEED=7 RUNS=20000 tries others. Each run begins with the records that the calls before it have left.
 */
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 600)
// Ids that no record reaches.
const missing = 999_999_999

t.setTimeout(30_000 + 100 * runs)

/** Reads by hand what the hooks hold to. */
const mayUse: Readonly<Record<string, (user: Caller, note: Note) => boolean>> = {
  owned: (user, note) => note.userId === user.id,
  shared: (user, note) => user.role === 'admin' || (user.projects as number[]).includes(note.projectId),
  plain: (user, note) => note.userId === user.id,
  'projects/:projectId/notes': (user, note) => (user.projects as number[]).includes(note.projectId)
}

const roles = allow({
  admin: true,
  member: {
    find: ['id', 'text', 'kind', 'userId', 'projectId'],
    get: ['id', 'text', 'kind', 'userId', 'projectId'],
    create: true,
    update: true,
    remove: true,
    patch: ['text', 'kind', 'userId', 'projectId'],
    touch: true
  }
})
const hooksOf: Readonly<Record<string, ReturnType<typeof own>>> = {
  owned: own('userId'),
  shared: scope(({ params: { user } }) => (user?.role === 'admin' ? true : { projectId: user?.projects })),
  plain: own('userId'),
  'projects/:projectId/notes': within('projects')
}

/** A service that knows nothing of queries but equality, and of no permissions. */
class Plain {
  readonly notes: Pick<TableService<Note>, 'find' | 'get' | 'create' | 'patch' | 'remove'>
  constructor(notes: object) {
    this.notes = notes as TableService<Note>
  }
  find = ({ query }: { query?: object } = {}) => this.notes.find({ query: { userId: Object(query).userId } })
  get = (id: string) => this.notes.get(id)
  create = (data: Note) => this.notes.create(data)
  patch = (id: string, data: Partial<Note>) => this.notes.patch(id, data)
  remove = (id: string) => this.notes.remove(id)
  touch = async (id: string) => ({ ...(await this.get(id)), text: 'touched' })
}

async function search(t: Test, name: string, store: () => Promise<Store>): Promise<void> {
  const random = createGenerator(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const stores: Record<string, Store> = {}
  for (const path of Object.keys(mayUse)) stores[path] = await store()
  const projects = new MemoryService({ startId: 1 })
  projects.store = Object.fromEntries([1, 2, 3].map((id) => [id, { id, name: `${id}` }]))
  const { send } = await createApp(t, (app) => {
    const visible = scope(({ params: { user } }) => ({ id: user?.projects }))
    app.service('projects', projects, { hooks: { around: { all: [visible] } } })
    for (const [path, { service, hooks = [] }] of Object.entries(stores)) {
      const object = path === 'plain' ? new Plain(service()) : service()
      const methods = path === 'plain' ? ['find', 'get', 'create', 'patch', 'remove', 'touch'] : undefined
      app.service(path, object, {
        hooks: { around: { all: [...hooks, roles, hooksOf[path] as never] } },
        ...(methods && { methods, routes: { touch: 'POST /:id/touch' } })
      } as ServiceOptions<object>)
    }
  })

  const fields = ['text', 'kind', 'userId', 'projectId', 'secret', 'id']
  const valueFor = (field: string) =>
    field === 'text' || field === 'kind' || field === 'secret' ? pick(['a', 'b', 'c']) : pick([1, 2, 3, 4, 5])
  const condition = (): string => {
    const field = pick(fields)
    const operator = pick(['', '', '[$ne]', '[$gt]', '[$in]', '[$nin]'])
    return `${field}${operator}=${valueFor(field)}`
  }
  const bracketed = (text: string) => text.replace(/^(\w+)/, '[$1]')
  const query = (): string => {
    const parts = Array.from({ length: Math.floor(random() * 3) }, condition)
    if (random() < 0.3) parts.push(`$or[0]${bracketed(condition())}&$or[1]${bracketed(condition())}`)
    if (random() < 0.1) parts.push(`$and[0]${bracketed(condition())}`)
    if (random() < 0.1) parts.push(`$sort[${pick(fields)}]=1`)
    if (random() < 0.1) parts.push(`$select[]=${pick(fields)}&$select[]=id`)
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  }
  // A query of JSON has values that no URL can say. What adapters throw at, as a `$or` that is no list, is left out.
  const valueOfJSON = (field: string, level = 0): unknown =>
    pick<() => unknown>([
      () => valueFor(field),
      () => valueFor(field),
      () => pick([null, true, '', [], {}]),
      () => ({ [pick(['$ne', '$gt', '$eq', '$not'])]: level > 2 ? 1 : valueOfJSON(field, level + 1) }),
      () => ({ $in: [valueFor(field), level > 2 ? 1 : valueOfJSON(field, level + 1)] }),
      () => ({ [pick(fields)]: valueFor(field) }),
      () => [[{ [pick(fields)]: 'a' }]]
    ])()
  const queryOfJSON = (level = 0): object => {
    const names = Array.from({ length: Math.floor(random() * 3) }, () => pick(fields))
    const parts: object[] = names.map((name) => ({ [name]: valueOfJSON(name) }))
    if (random() < 0.3 && level < 3)
      parts.push({
        [pick(['$or', '$and', '$nor'])]: pick([[queryOfJSON(level + 1)], [[queryOfJSON(level + 1)]]])
      })
    if (random() < 0.1) parts.push({ $sort: pick([{ [pick(fields)]: 1 }, [pick(fields)]]) })
    if (random() < 0.1) parts.push({ $select: pick([[pick(fields), 'id'], [[pick(fields)]]]) })
    if (random() < 0.1) parts.push({ $limit: pick([1, '1']) })
    return Object.assign({}, ...parts)
  }
  const isQueryKnown = METHODS.includes('QUERY') && (Fastify().supportedMethods as string[]).includes('QUERY')
  const data = () =>
    Object.fromEntries(
      ['text', ...fields]
        .filter((field, index) => index === 0 || random() < (field === 'id' || field === 'secret' ? 0.05 : 0.3))
        .map((field) => [field, valueFor(field)])
    )
  const failures: string[] = []
  let answered = 0
  for (let run = 0; run < runs && failures.length === 0; run++) {
    const path = pick(Object.keys(mayUse))
    const { all } = stores[path] as Store
    const as = pick(users)
    const before = await all()
    const projectId = pick([1, 2, 3])
    const may = (note: Note) =>
      (mayUse[path] as (user: Caller, note: Note) => boolean)(as, note) &&
      (!path.includes(':') || note.projectId === projectId)
    const base = `/${path.replace(':projectId', String(projectId))}`
    const id = pick([...before.map(({ id }) => id), missing])
    const [verb, url, body] = pick([
      ['GET', `${base}${query()}`, undefined],
      ['GET', `${base}/${id}${query()}`, undefined],
      ['POST', base, random() < 0.2 ? [data(), data()] : data()],
      ['PATCH', `${base}/${id}${random() < 0.3 ? query() : ''}`, data()],
      ['PATCH', `${base}${query()}`, data()],
      ['PUT', `${base}/${id}`, data()],
      ['DELETE', `${base}/${id}${random() < 0.3 ? query() : ''}`, undefined],
      ['DELETE', `${base}?text=a&kind=c&userId=${as.id}`, undefined],
      ['POST', `${base}/${id}/touch`, {}],
      isQueryKnown ? ['QUERY', base, queryOfJSON()] : ['GET', base, undefined],
      isQueryKnown ? ['QUERY', base, queryOfJSON()] : ['GET', base, undefined]
    ] as const)
    const answer = await send(verb, url, { as, body })
    const after = await all()
    const call = `run ${run}: user ${as.id} ${verb} ${url} ${JSON.stringify(body) ?? ''} → ${answer.status} ${JSON.stringify(answer.body)}`
    const fail = (what: string) => failures.push(`${what}: ${call}`)
    const find = (notes: readonly Note[], wanted: unknown) => notes.find((note) => String(note.id) === String(wanted))
    const isOfAdapter = verb === 'QUERY' && /cannot nest|is not a function/.test(answer.body?.message)
    if (answer.status >= 500 && !isOfAdapter) fail('a failure of the server')
    // Whatever is not theirs is as it was.
    for (const note of before.filter((note) => !may(note)))
      if (JSON.stringify(find(after, note.id)) !== JSON.stringify(note)) fail(`note ${note.id} of others was changed`)
    // Nothing comes to stand among the records of others.
    for (const note of after.filter((note) => !may(note)))
      if (find(before, note.id) === undefined || may(find(before, note.id) as Note))
        fail(`note ${note.id} became one of others`)
    if (answer.status < 300) {
      answered += 1
      const records = [answer.body?.data ?? answer.body]
        .flat()
        .filter((record) => record !== null && record !== undefined)
      for (const record of records) {
        const note = find(before, record.id) ?? find(after, record.id)
        if (note !== undefined && !may(note) && !may(find(after, record.id) ?? note))
          fail(`note ${record.id} of others was shown`)
        if (as.role !== 'admin' && 'secret' in record) fail('a hidden field was shown')
      }
      const isAsked = url.includes('secret') || (verb === 'QUERY' && JSON.stringify(body).includes('"secret"'))
      if (as.role !== 'admin' && isAsked) fail('a hidden field was asked for')
    }
    // A record of others answers as one that is not there.
    const theirs = before.find((note) => !may(note))
    if (theirs !== undefined && run % 5 === 0)
      for (const [verb, body] of [['GET'], ['DELETE'], ['PATCH', { text: 'x' }]] as const) {
        const [other, none] = [
          await send(verb, `${base}/${theirs.id}`, { as, body }),
          await send(verb, `${base}/${missing - 1}`, { as, body })
        ]
        const same = JSON.stringify(none.body).replaceAll(`'${missing - 1}'`, `'${theirs.id}'`)
        if (JSON.stringify(other.body) !== same) fail(`${verb} tells that note ${theirs.id} is there`)
      }
  }
  t.strictSame(failures, [], `${name}: SEED=${seed}`)
  t.ok(answered > runs / 10, `${answered} of ${runs} calls were answered`)
}

eachStore(search)

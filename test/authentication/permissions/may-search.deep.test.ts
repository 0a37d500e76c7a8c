import { MemoryService } from '@feathersjs/memory'
import type { AroundHook, ServiceOptions } from 'fastify-services'
import { allow, may, own, type Permissions, scope, within } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createGenerator } from '../../support/random.js'
import { type Caller, createApp } from './callers.js'
import { eachStore, type Note, type Store, users } from './note-stores.js'

/*
 * Random permissions, with a plain model beside: each answer of `$may` is that of the model, and each call then ends as the answer says.
 * SEED=7 ROUNDS=500 tries others.
 */
const seed = Number(process.env.SEED ?? 1)
const rounds = Number(process.env.ROUNDS ?? 4)
t.setTimeout(60_000 + 20_000 * rounds)

const methods = ['update', 'patch', 'remove', 'touch'] as const
type Method = (typeof methods)[number]
const fields = ['text', 'kind', 'secret', 'userId', 'projectId'] as const
const readable = ['id', 'text', 'kind', 'userId', 'projectId']

/** A hook, and its model: whether a caller passes with a note. `undefined`: only the call can tell. */
interface Rule {
  readonly hook: AroundHook
  readonly passes: (user: Caller, note: Note, method: Method) => boolean | undefined
}

const projectsOf = (user: Caller) => user.projects as number[]

const makers: readonly ((except: Method[]) => Rule)[] = [
  (except) => ({
    hook: own('userId', { except: ['find', 'get', ...except] }),
    passes: (user, note, method) => except.includes(method) || note.userId === user.id
  }),
  (except) => ({
    hook: scope(
      ({ params: { user } }) => (user?.role === 'admin' ? true : { projectId: user?.projects as unknown as number[] }),
      { except }
    ),
    passes: (user, note, method) =>
      except.includes(method) || user.role === 'admin' || projectsOf(user).includes(note.projectId)
  }),
  (except) => ({
    hook: scope(({ method, params: { user } }) => (method === 'remove' ? { userId: user?.id as number } : true), {
      except
    }),
    passes: (user, note, method) => except.includes(method) || method !== 'remove' || note.userId === user.id
  }),
  (except) => ({
    hook: scope(async ({ method }) => (method === 'patch' ? { userId: null } : { kind: ['a', 'b'] }), { except }),
    passes: (_user, _note, method) => except.includes(method) || method !== 'patch'
  }),
  (except) => ({
    hook: scope(({ id }) => (id === undefined ? true : { kind: Number(id) % 2 === 0 ? 'a' : 'b' }), { except }),
    passes: (_user, _note, method) => (except.includes(method) ? true : undefined)
  }),
  (except) => ({
    hook: scope(() => ({ text: ['a', 'b'], kind: 'a' }), { except: ['find', 'get', ...except] }),
    passes: (_user, { text, kind }, method) => except.includes(method) || (kind === 'a' && text !== 'c')
  })
]

/** Selects by equality alone, and knows nothing of permissions. */
class Plain {
  readonly store: Store
  constructor(store: Store) {
    this.store = store
  }
  get notes() {
    return this.store.service() as MemoryService<Note>
  }
  async find({ query = {} }: { query?: Record<string, unknown> }) {
    const isSelected = (note: Note, [name, value]: [string, unknown]) => {
      const { $in = [value] }: { $in?: unknown[] } = Object(value)
      return name.startsWith('$') || $in.includes(note[name as 'text'])
    }
    return (await this.store.all()).filter((note) => Object.entries(query).every((entry) => isSelected(note, entry)))
  }
  get = (id: string) => this.notes.get(id)
  update = (id: string, data: Note) => this.notes.update(id, data)
  patch = (id: string, data: Partial<Note>) => this.notes.patch(id, data)
  remove = (id: string) => this.notes.remove(id)
  touch = async (id: string) => this.get(id)
}

async function search(t: Test, name: string, open: () => Promise<Store>): Promise<void> {
  const random = createGenerator(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = <T>(list: readonly T[], share: number): T[] => list.filter(() => random() < share)
  const permissionsOf = (): Permissions => {
    if (random() < 0.2) return true
    const reads = random() < 0.5 ? true : readable
    const permission = () =>
      pick<() => boolean | string[]>([() => true, () => true, () => false, () => some(fields, 0.6)])()
    return {
      find: reads,
      get: reads,
      ...Object.fromEntries(some(methods, 0.8).map((method) => [method, permission()]))
    }
  }
  const failures: string[] = []
  const counts = { true: 0, false: 0, fields: 0, absent: 0 }

  for (let round = 0; round < rounds && failures.length === 0; round++) {
    const store = await open()
    const isPlain = random() < 0.4
    const isWithin = random() < 0.3
    const roles: Readonly<Record<string, Permissions>> = { admin: permissionsOf(), member: permissionsOf() }
    const rules = some(makers, 0.35).map((make) => make(some(methods, 0.3)))
    const ownHook = random() < 0.3 ? pick(methods) : undefined
    const path = isWithin ? 'projects/:projectId/notes' : 'notes'
    const { app, send } = await createApp(t, (app) => {
      const projects = new MemoryService({ startId: 1 })
      projects.store = Object.fromEntries([1, 2, 3].map((id) => [id, { id }]))
      const visible = scope(({ params: { user } }) => ({ id: user?.projects as unknown as number[] }))
      app.service('projects', projects, { hooks: { around: { all: [visible] } } })
      const service = isPlain
        ? new Plain(store)
        : Object.assign(store.service(), { touch: (id: string) => (store.service() as MemoryService).get(id) })
      const hooks = [allow(roles), ...rules.map(({ hook }) => hook), ...(isWithin ? [within('projects')] : []), may()]
      app.service(path, service, {
        methods: ['find', 'get', ...methods],
        routes: { touch: 'POST /:id/touch' },
        hooks: {
          around: { all: [...(store.hooks ?? []), ...hooks] },
          ...(ownHook && { before: { [ownHook]: [() => {}] } })
        }
      } as ServiceOptions<object>)
    })
    const expected = (user: Caller, note: Note, method: Method) => {
      if (method === ownHook) return undefined
      const permissions = roles[user.role as string] as Permissions
      const permission = permissions === true || Object(permissions)[method]
      const passed = rules.map(({ passes }) => passes(user, note, method))
      if (!permission || passed.includes(false)) return false
      if (passed.includes(undefined)) return undefined
      return ['update', 'patch'].includes(method) ? (permission as true | string[]) : true
    }
    for (const user of users) {
      const projectId = pick([1, 2])
      const base = isWithin ? `/projects/${projectId}/notes` : '/notes'
      // A service that ignores `$select` gives the fields of rules, too.
      const select = !isPlain && random() < 0.3 ? '&$select[]=id&$select[]=text' : ''
      const list = await send('GET', `${base}?$may=true${select}`, { as: user })
      const plainList = await send('GET', `${base}?${select}`, { as: user })
      const call = `round ${round}: user ${user.id} GET ${base}?$may=true${select} ${isPlain ? 'plain ' : ''}${JSON.stringify(roles)} ${ownHook}`
      const fail = (what: string) => failures.push(`${call}: ${what}`)
      if (list.status !== plainList.status) fail(`${list.status}, without $may ${plainList.status}`)
      if (list.status >= 300) continue
      const before = await store.all()
      const records: { id: number; $may: Record<string, unknown> }[] = [list.body.data ?? list.body].flat()
      const bare = records.map(({ $may, ...record }) => record)
      if (JSON.stringify(bare) !== JSON.stringify(plainList.body.data ?? plainList.body))
        fail('other records than without $may')
      for (const { id, $may } of records) {
        const note = before.find((note) => String(note.id) === String(id)) as Note
        const one = await send('GET', `${base}/${id}?$may=true${select}`, { as: user })
        if (one.status < 300 && JSON.stringify(one.body.$may) !== JSON.stringify($may))
          fail(`get tells ${JSON.stringify(one.body.$may)}`)
        const unknown = Object.keys($may).find((method) => !(methods as readonly string[]).includes(method))
        if (unknown !== undefined) fail(`it tells of ${unknown}`)
        for (const method of methods) {
          const told = $may[method]
          const model = expected(user, note, method)
          if (JSON.stringify(told) !== JSON.stringify(model)) fail(`${method} of ${id} is ${told}, not ${model}`)
          counts[told === undefined ? 'absent' : Array.isArray(told) ? 'fields' : (String(told) as 'true')] += 1
          if (random() < 0.6) continue
          const whole = Object.fromEntries(fields.map((field) => [field, note[field]]))
          const [verb, url] = {
            update: ['PUT', `${base}/${id}`],
            patch: ['PATCH', `${base}/${id}`],
            remove: ['DELETE', `${base}/${id}`],
            touch: ['POST', `${base}/${id}/touch`]
          }[method] as [string, string]
          const bodies: { body: object | undefined; isAllowed: boolean }[] =
            method === 'remove'
              ? [{ body: undefined, isAllowed: true }]
              : method === 'touch'
                ? [{ body: {}, isAllowed: true }]
                : Array.isArray(told)
                  ? [
                      {
                        body: Object.fromEntries(told.map((field) => [field, note[field as 'text']])),
                        isAllowed: true
                      },
                      ...fields
                        .filter((field) => !told.includes(field))
                        .map((field) => ({ body: { [field]: note[field] }, isAllowed: false }))
                    ]
                  : [{ body: whole, isAllowed: true }]
          for (const { body, isAllowed } of bodies) {
            const { status } = await send(verb, url, { as: user, body })
            const isRefused = [401, 403, 404].includes(status)
            if (status >= 500) fail(`${verb} ${url} failed`)
            if (told === undefined) continue
            if (told === false || !isAllowed ? status < 300 : isRefused)
              fail(`${verb} ${url} ${JSON.stringify(body)} is ${status}, told ${JSON.stringify(told)}`)
          }
          const left = await store.all()
          const service = store.service() as MemoryService<Note>
          if (!left.some((other) => String(other.id) === String(id))) await service.create({ ...note })
          else if (method === 'update') await service.update(note.id, { ...note })
        }
      }
    }
    await app.close()
  }
  t.strictSame(failures, [], `${name}: SEED=${seed}`)
  t.comment(`${name}: ${JSON.stringify(counts)}`)
  t.ok(counts.true > 0 && counts.false > 0 && counts.fields > 0 && counts.absent > 0, JSON.stringify(counts))
}

eachStore(search)

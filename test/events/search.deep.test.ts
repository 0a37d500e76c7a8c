import { KnexService } from '@feathersjs/knex'
import type { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { HookContext } from '../../index.js'
import { allow, scope, within } from '../../lib/authentication/index.js'
import type { Subscriber } from '../support/event-stream.js'
import { memory, serviceAt, startEvents } from '../support/events-app.js'
import { openPGlite } from '../support/pglite.js'
import { createGenerator } from '../support/random.js'

const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 6)
const users = ['ann', 'bob', 'cyd']
const groups = ['a', 'b', 'c']

interface Note {
  readonly id: number
  readonly grp: string | null
  readonly done: boolean | null
  readonly n: number | null
  readonly tag: string | null
}
type Store = { _find(params: object): Promise<unknown>; _create(data: object): Promise<unknown> }

async function logIn(context: HookContext, next: () => Promise<void>) {
  const id = context.params.headers?.['x-user']
  if (context.params.provider) context.params.user = { id, role: id === 'cyd' ? 'admin' : 'member' }
  await next()
}

/** Several users at work on notes and on messages in rooms, with what each may see as a plain model says it. */
class World {
  /** The groups of each user: as they are, and as the rule that was checked last knew them. */
  readonly memberships = new Map(users.map((user) => [user, new Set<string>()]))
  readonly checked = new Map<string, Set<string>>()
  readonly faults: string[] = []
  readonly #random: () => number
  app!: FastifyInstance
  call!: Awaited<ReturnType<typeof startEvents>>['call']

  constructor(
    random: () => number,
    readonly store: Store
  ) {
    this.#random = random
  }

  int = (below: number) => Math.floor(this.#random() * below)
  pick = <T>(items: readonly T[]): T => items[this.int(items.length)] as T
  chance = (share: number) => this.#random() < share

  note = (): Partial<Note> => ({
    grp: this.pick([...groups, null]),
    ...(this.chance(0.8) && { done: this.pick([true, false, null]) }),
    ...(this.chance(0.8) && { n: this.int(4) }),
    ...(this.chance(0.5) && { tag: this.pick(['x', 'X', 'y', null]) })
  })

  register = (app: FastifyInstance) => {
    const ofGroups = scope(
      ({ params }) => {
        const { id } = params.user as { id: string }
        const joined = [...(this.memberships.get(id) as Set<string>)]
        return id === 'cyd' ? true : { grp: joined.length === 0 ? ['none'] : joined }
      },
      { clientIds: false }
    )
    const roles = allow({
      admin: true,
      member: {
        find: ['id', 'grp', 'n', 'done'],
        get: ['id', 'grp', 'n', 'done'],
        create: true,
        update: true,
        patch: true,
        remove: true
      }
    })
    app.service('notes', this.store as MemoryService, { hooks: { around: { all: [logIn, roles, ofGroups] } } } as never)
    const mine = scope(({ params }) => ({ owner: (params.user as { id: string }).id }))
    app.service('rooms', memory({ store: Object.fromEntries(users.map((owner, id) => [id, { id, owner }])) }), {
      hooks: { around: { all: [logIn, mine] } }
    } as never)
    app.service('rooms/:roomId/messages', memory(), { hooks: { around: { all: [logIn, within('rooms')] } } } as never)
    app.service('quiet', memory())
  }

  sees(user: string, note: Partial<Note> | undefined): boolean {
    return note !== undefined && (user === 'cyd' || this.checked.get(user)?.has(String(note.grp)) === true)
  }

  notes = async () =>
    new Map(((await this.store._find({ query: {}, paginate: false })) as Note[]).map((note) => [note.id, note]))

  /** One change over HTTP, by hand, or of a membership. */
  async step(): Promise<void> {
    const user = this.pick(users)
    const headers = { 'x-user': user }
    const ids = [...(await this.notes()).keys()]
    const id = ids.length > 0 ? this.pick(ids) : 0
    const select = this.chance(0.15) ? '?$select[]=n' : ''
    const change = this.pick<object>([
      { done: this.chance(0.5) },
      { n: this.int(4) },
      { grp: this.pick(groups) },
      { tag: 'x' },
      { n: this.int(4), done: null }
    ])
    const kind = this.int(12)
    if (kind < 3)
      await this.call('POST', '/notes', this.chance(0.3) ? [this.note(), this.note()] : this.note(), headers)
    else if (kind < 6) await this.call('PATCH', `/notes/${id}${select}`, change, headers)
    else if (kind === 6) await this.call('PATCH', `/notes?n=${this.int(4)}`, change, headers)
    else if (kind === 7)
      await this.call('PUT', `/notes/${id}`, { done: true, n: 1, tag: null, ...this.note() }, headers)
    else if (kind === 8) await this.call('DELETE', `/notes/${id}${select}`, undefined, headers)
    else if (kind === 9)
      await this.call('POST', `/rooms/${this.int(4)}/messages`, { text: 'x', n: this.int(2) }, headers)
    else if (kind === 10) await this.#emit(id)
    else {
      const member = this.memberships.get(user) as Set<string>
      const group = this.pick(groups)
      if (!member.delete(group)) member.add(group)
      await this.app.events.recheck(user)
      this.checked.set(user, new Set(member))
    }
  }

  /** An event by hand, of a record of which a part is known. */
  async #emit(id: number): Promise<void> {
    const note = (await this.notes()).get(id)
    if (note === undefined) return
    const fields = Object.entries(note).filter(([name]) => name === 'id' || this.chance(0.6))
    serviceAt(this.app, 'notes').emit('patched', Object.fromEntries(fields))
  }
}

/** A list that a user shows: it is asked for again when something is told of it. */
class List {
  content = ''
  isStale = false
  constructor(
    readonly user: string,
    readonly url: string,
    readonly world: World
  ) {}

  async read(): Promise<void> {
    this.isStale = false
    this.content = await this.#ask()
  }

  /** A list of which nothing was told must be as it is. */
  async compare(): Promise<void> {
    const fresh = await this.#ask()
    if (this.content !== fresh) this.world.faults.push(`${this.user} ${this.url} has ${this.content}, not ${fresh}`)
  }

  #ask = async () => (await this.world.call('GET', this.url, undefined, { 'x-user': this.user })).body
}

const queries = [
  '',
  'done=true',
  'n=2',
  'n[$ne]=1',
  'n[$in][]=1&n[$in][]=3',
  '$or[0][n]=0&$or[1][done]=false',
  'grp=a',
  'n[$gt]=1',
  '$sort[n]=1&$sort[id]=1&$limit=2'
]

async function search(t: Test, random: () => number, store: Store, steps: number): Promise<string[]> {
  const world = new World(random, store)
  const { app, call, subscribe } = await startEvents(t, world.register, {
    services: { notes: { rule: 'hooks' }, 'rooms/:roomId/messages': { rule: 'hooks' }, quiet: true }
  })
  Object.assign(world, { app, call })
  for (const user of users) {
    for (const group of groups) if (world.chance(0.4)) world.memberships.get(user)?.add(group)
    world.checked.set(user, new Set(world.memberships.get(user)))
  }
  for (let count = 0; count < 5; count++) await store._create({ done: null, n: null, tag: null, ...world.note() })
  const streams: { stream: Subscriber; user: string; lists: List[]; read: number }[] = []
  for (const [room, user] of users.entries()) {
    const lists = [0, 1, 2].map(() => new List(user, `/notes?${world.pick(queries)}`, world))
    lists.push(new List(user, `/rooms/${room}/messages`, world))
    const asked = [...lists.map(({ url }) => url.slice(1)), 'quiet'].flatMap((url, index) => {
      const [path, query = ''] = url.split('?')
      const parameters = query
        .split('&')
        .filter(Boolean)
        .map((part) => part.replace(/^([^[=]+)/, `subscribe[${index}][query][$1]`))
      return [`subscribe[${index}][path]=${path}`, ...parameters]
    })
    const stream = await subscribe(`/events?${asked.join('&')}`, { 'x-user': user }).connected
    for (const list of lists) await list.read()
    streams.push({ stream, user, lists, read: 0 })
  }
  for (let step = 1; step <= steps; step++) {
    const before = await world.notes()
    await world.step()
    const after = await world.notes()
    await serviceAt(app, 'quiet').create({})
    for (const view of streams) {
      await view.stream.until(({ events }) =>
        events.some(({ path, data }) => path === 'quiet' && (data as { id: number } | undefined)?.id === step)
      )
      for (const { path, event, data, subscriptions } of view.stream.events.slice(view.read)) {
        for (const index of subscriptions as number[]) Object.assign(view.lists[index] ?? {}, { isStale: true })
        const { id } = (data ?? {}) as { id: number }
        if (path !== 'notes' || id === undefined) continue
        const note = event === 'removed' ? before.get(id) : after.get(id)
        if (!world.sees(view.user, note)) world.faults.push(`${event} ${id} to ${view.user}`)
      }
      view.read = view.stream.events.length
      for (const list of view.lists) {
        if (list.isStale && world.chance(0.7)) await list.read()
        if (!list.isStale) await list.compare()
      }
    }
  }
  for (const { stream } of streams) stream.socket.destroy()
  await app.close()
  return world.faults
}

t.test('no id is told to who does not see it, and lists stay true, in memory', async (t) => {
  for (let run = 0; run < runs; run++)
    t.same(await search(t, createGenerator(seed + run), memory() as never, 30), [], `SEED=${seed + run}`)
})

t.test('the same on PostgreSQL', async (t) => {
  const knex = await openPGlite(t)
  for (let run = 0; run < Math.max(1, runs / 6); run++) {
    await knex.schema.dropTableIfExists('notes')
    await knex.schema.createTable('notes', (table) => {
      table.increments('id')
      table.text('grp')
      table.boolean('done')
      table.integer('n')
      table.text('tag')
    })
    const store = new KnexService({ Model: knex, name: 'notes', multi: true })
    t.same(await search(t, createGenerator(seed + run), store as never, 30), [], `SEED=${seed + run}`)
  }
})

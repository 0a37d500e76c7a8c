import type { LiveList } from 'fastify-services/client/events'
import t from 'tap'
import { clientsOf, type Note, openEventsSite, until } from '../../support/events-site.js'
import { createGenerator } from '../../support/random.js'

const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 6)

/** A network that can be cut, and answers late or not at all. */
function createNetwork(random: () => number) {
  const streams = new Set<AbortController>()
  const network = {
    isBad: false,
    cut(): void {
      for (const stream of streams) stream.abort()
      streams.clear()
    },
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const isStream = new URL(url).pathname === '/events'
      if (network.isBad) {
        await new Promise((resolve) => setTimeout(resolve, random() * 30))
        // A call that changes something may have been carried out: only reads are lost here.
        if (random() < 0.4 && (init.method === 'GET' || isStream)) throw new TypeError('cut off')
      }
      if (!isStream) return fetch(url, init)
      const controller = new AbortController()
      streams.add(controller)
      return fetch(url, { ...init, signal: AbortSignal.any([controller.signal, init.signal as AbortSignal]) })
    }
  }
  return network
}

/** One client that does what chance says, and what must hold of it when all is quiet. */
async function play(
  name: string,
  site: Awaited<ReturnType<typeof openEventsSite>>,
  createApp: ReturnType<typeof clientsOf>,
  random: () => number
): Promise<string[]> {
  const network = createNetwork(random)
  const app = createApp({ heartbeat: 200 }, network.fetch)
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const faults: string[] = []
  const lists = new Map<LiveList<Note[]>, { path: 'notes' | 'private'; params: { query: object }; stop: () => void }>()
  const heard = new Map<number, number>()
  // The ids of its own calls, with the number of the login then.
  const created = new Map<number, number>()
  let logins = 0
  let isOut = true
  app.service('notes').on('created', ({ id }: Note) => heard.set(id, (heard.get(id) ?? 0) + 1))
  // What comes with a context is of an own call that was answered late.
  app.service('private').on('created', (_record, context) => {
    if (isOut && !context) faults.push(`${name} heard a private event after its logout`)
  })
  app.on('login', () => {
    logins++
    isOut = false
  })
  app.on('logout', () => {
    logins++
    isOut = true
  })

  const acts: Record<string, () => unknown> = {
    async create() {
      const login = logins
      const { id } = await app.service('notes').create({ text: name, kind: pick(['a', 'b']) })
      created.set(id, login)
    },
    createPrivate: () => !isOut && app.service('private').create({ text: name }),
    others: () => site.createServerNote({ text: 'server', kind: pick(['a', 'b']) }),
    async patch() {
      const [note] = await app.service('notes').find({ query: { text: name } })
      if (note) await app.service('notes').patch(note.id, { kind: pick(['a', 'b']) })
    },
    async remove() {
      const notes = await app.service('notes').find({ query: { text: name } })
      if (notes[0]) await app.service('notes').remove(pick(notes).id)
    },
    subscribe() {
      if (lists.size > 4) return
      const path = pick(['notes', 'notes', 'private'] as const)
      const params = { query: { ...(path === 'notes' && { kind: pick(['a', 'b']) }), $sort: { id: -1 }, $limit: 3 } }
      const list = app.service(path).live(params)
      lists.set(list, { path, params, stop: list.subscribe(() => {}) })
    },
    unsubscribe() {
      const [list, entry] = [...lists][0] ?? []
      entry?.stop()
      if (list) lists.delete(list)
    },
    async login() {
      const email = pick(['ada', 'bob'])
      await app.authenticate({ strategy: 'local', email, password: email })
    },
    async logout() {
      if (!isOut) await app.logout()
    },
    cut: () => network.cut(),
    bad() {
      network.isBad = !network.isBad
    },
    wait: () => new Promise((resolve) => setTimeout(resolve, random() * 80))
  }
  for (let step = 0; step < 40; step++) {
    const act = (acts[pick(Object.keys(acts))] as () => unknown)()
    if (random() < 0.7) await Promise.resolve(act).catch(() => {})
    else Promise.resolve(act).catch(() => {})
  }
  network.isBad = false
  await acts.wait?.()

  const start = Date.now()
  for (const [list, { path, params }] of lists) {
    let state = ''
    await until(async () => {
      const fresh = await app
        .service(path)
        .find(params)
        .catch((error) => error.name)
      state = `${name} ${path}: ${JSON.stringify([list.current, fresh, app.events.state])}`
      if (Date.now() - start > 40_000) return true
      if (typeof fresh === 'string') return list.current.state === 'error'
      return list.current.state === 'live' && JSON.stringify(list.current.data) === JSON.stringify(fresh)
    })
    if (Date.now() - start > 40_000) faults.push(state)
  }
  // The server tells a user of their own calls alone that they are theirs.
  const isRight = (id: number, login: number) => heard.get(id) === 1 || (login !== logins && heard.get(id) === 2)
  for (const [id, login] of created)
    if (!isRight(id, login)) faults.push(`${name} heard its own ${id} ${heard.get(id)} times`)
  for (const { stop } of lists.values()) stop()
  app.events.close()
  return faults
}

t.test(
  'whatever happens, a live list becomes that of a fresh find, and own calls are heard once',
  { timeout: 250_000 },
  async (t) => {
    const site = await openEventsSite(t, { heartbeat: 60, limits: { perUser: 500 } })
    const createApp = clientsOf(t, site.address)
    const rejections: unknown[] = []
    const note = (reason: unknown) => rejections.push(reason)
    process.on('unhandledRejection', note)
    t.teardown(() => process.off('unhandledRejection', note))
    const played = Array.from({ length: runs }, (_, run) =>
      play(`${seed + run}`, site, createApp, createGenerator(seed + run))
    )
    t.same((await Promise.all(played)).flat(), [])
    t.same(rejections, [])
    await until(() => site.app.events.streams === 0)
  }
)

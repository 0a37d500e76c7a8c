import type { MemoryService } from '@feathersjs/memory'
import t, { type Test } from 'tap'
import { BadRequest, type HookContext, resource } from '../../index.js'
import { scope } from '../../lib/authentication/index.js'
import { memory, readUser, serviceAt, startEvents } from '../support/events-app.js'
import { createGenerator } from '../support/random.js'

const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 4)

const schema = resource(
  {
    type: 'object',
    required: ['id', 'grp', 'n', 'tag'],
    properties: {
      id: { type: 'integer' },
      grp: { type: 'string' },
      n: { type: 'integer' },
      tag: { type: 'string' }
    }
  },
  { readOnly: ['id'] }
)
type Rule = (context: HookContext, next: () => Promise<void>) => Promise<unknown>
const isBob = ({ params, method }: HookContext) => method === 'find' && params.headers?.['x-user'] === 'bob'

/** Ways to say that Bob sees the records of the group `b`, and Ann all. */
const rules: Record<string, Rule> = {
  'a scope': scope((context) => (isBob(context) ? { grp: ['b'] } : true)) as Rule,
  'a hook that sets a field of the query': async (context, next) => {
    if (isBob(context)) context.params.query = { ...context.params.query, grp: 'b' }
    await next()
  },
  'a hook that refuses a query without the field': async (context, next) => {
    if (isBob(context) && context.params.query?.grp !== 'b') throw new BadRequest('`grp` must be b')
    await next()
  }
}
const queries = ['n[$gt]=1', 'n=2', '$or[0][n]=0&$or[1][tag]=x', 'id=1', 'n[$ne]=1', 'n[$in][]=1&n[$in][]=3', 'tag=x']

/** A server on which Ann changes records, and what Bob hears of his lists. */
async function startWorld(t: Test, rule: Rule, lists: readonly string[]) {
  const asUser = async (context: HookContext, next: () => Promise<void>) => {
    readUser(context)
    await next()
  }
  const options = { schema, hooks: { around: { all: [asUser, rule] } } }
  const { app, call, subscribe } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory() as MemoryService, options as never)
      app.service('quiet', memory())
    },
    { services: { notes: { rule: 'hooks' }, quiet: true } }
  )
  const parameters = [...lists.map((query) => `notes&grp=b&${query}`), 'quiet'].flatMap((text, index) => {
    const [path, ...parts] = text.split('&')
    const named = parts.map((part) => part.replace(/^([^[=]+)/, `subscribe[${index}][query][$1]`))
    return [`subscribe[${index}][path]=${path}`, ...named]
  })
  const url = `/events?${parameters.join('&')}`
  const bob = await subscribe(url, { 'x-user': 'bob' }).connected
  const begin = bob.id
  let steps = 0
  return {
    app,
    subscribe,
    change: (method: string, url: string, payload?: object) => call(method, url, payload, { 'x-user': 'ann' }),
    /** What Bob has heard, and what he hears of the same by a stream that goes on behind the first position. */
    async heard() {
      await serviceAt(app, 'quiet').create({})
      steps += 1
      const late = subscribe(url, { 'x-user': 'bob', 'last-event-id': String(begin) })
      const told = await Promise.all(
        [bob, late].map(async (stream) => {
          const isLast = ({ path, data }: { path: string; data?: unknown }) =>
            path === 'quiet' && (data as { id: number }).id === steps
          return (await stream.until(({ events }) => events.some(isLast))).events
        })
      )
      late.socket.destroy()
      return told
    }
  }
}

t.test('what a caller asks for tells nothing of the values of records that the caller may not see', async (t) => {
  const lists = [5, 6, 7, 8, 9].map((n) => `n[$gt]=${n}`)
  const { change, heard } = await startWorld(t, rules['a hook that sets a field of the query'] as Rule, lists)
  await change('POST', '/notes', { grp: 'a', n: 7, tag: 'x' })
  await change('PATCH', '/notes/1', { grp: 'a' })
  await change('PATCH', '/notes/1?$select[]=n', { n: 8 })
  await change('PATCH', '/notes/1', { n: 6 })
  const subscriptions = [0, 1, 2, 3, 4]
  const changed = { path: 'notes', event: 'changed', subscriptions }
  for (const events of await heard())
    t.match(
      events,
      [changed, changed, { path: 'quiet' }],
      'a patch of the field that decides may take a record out of all lists, whatever they ask for'
    )
})

t.test('a list with conditions that `find` refuses is refused', async (t) => {
  const { subscribe } = await startWorld(t, rules['a scope'] as Rule, ['n=1'])
  const refused = await subscribe('/events?subscribe[0][path]=notes&subscribe[0][query][salary]=1').end()
  t.equal(refused.status, 400)
})

/** Makes the same changes in worlds in which all is the same, but for the values of records that Bob never sees. */
async function hearWorld(t: Test, rule: Rule, shared: () => number, hidden: () => number) {
  const intOf = (random: () => number, below: number) => Math.floor(random() * below)
  const pick = <T>(items: readonly T[]) => items[intOf(shared, items.length)] as T
  const chance = (share: number) => shared() < share
  const valuesIn = (group: string) => {
    const random = group === 'b' ? shared : hidden
    return { n: intOf(random, 5), tag: intOf(random, 2) === 0 ? 'x' : 'y' }
  }
  const { app, change, heard } = await startWorld(t, rule, [pick(queries), pick(queries), pick(queries), ''])
  const groups = new Map<number, string>()
  let last = 0
  for (let step = 0; step < 40; step++) {
    const group = pick(['a', 'b', 'c'])
    const id = groups.size === 0 ? 0 : pick([...groups.keys()])
    const kind = groups.size === 0 ? 0 : intOf(shared, 7)
    const url = `/notes/${id}${chance(0.2) ? '?$select[]=n' : ''}`
    const present = groups.get(id) as string
    if (kind <= 1) {
      await change('POST', '/notes', { grp: group, ...valuesIn(group) })
      groups.set(++last, group)
    } else if (kind === 2) {
      await change('PATCH', url, { grp: group, ...valuesIn(group) })
      groups.set(id, group)
    } else if (kind === 3) {
      await change('PUT', url, { grp: group, ...valuesIn(group) })
      groups.set(id, group)
    } else if (kind === 4) {
      await change('DELETE', url)
      groups.delete(id)
    } else if (kind === 5) serviceAt(app, 'notes').emit('patched', { id, n: valuesIn(present).n })
    else {
      const { n, tag } = valuesIn(present)
      const fields = pick([{ n }, { tag }, { n, tag }])
      await change('PATCH', url, chance(0.5) ? { ...fields, grp: present } : fields)
    }
  }
  const frames = await heard()
  await app.close()
  return frames
}

for (const [name, rule] of Object.entries(rules))
  t.test(`worlds that differ in what Bob may not see sound the same: ${name}`, async (t) => {
    let ids = 0
    for (let run = seed; run < seed + runs; run++) {
      const first = await hearWorld(t, rule, createGenerator(run), createGenerator(run + 1000))
      const second = await hearWorld(t, rule, createGenerator(run), createGenerator(run + 2000))
      t.same(second, first, `SEED=${run}`)
      ids += first.flat().filter(({ path, data }) => path === 'notes' && data !== undefined).length
    }
    t.ok(ids > 0, 'ids of his records are told')
  })

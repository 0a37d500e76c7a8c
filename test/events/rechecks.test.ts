import t, { type Test } from 'tap'
import type { HookContext } from '../../index.js'
import { list, memory, readUser, startEvents } from '../support/events-app.js'

const ann = { 'x-user': 'ann' }

/** A server whose `find` reads the groups of its user, and then waits for a gate if there is one. */
async function startGroups(t: Test, options: object = {}) {
  const groups: string[] = ['a']
  const gates: (() => void)[] = []
  let isGated = false
  const mine = async (context: HookContext) => {
    const $in = [...groups]
    if (isGated) await new Promise<void>((resolve) => gates.push(resolve))
    context.params.query = { ...context.params.query, group: { $in } }
  }
  const api = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [mine] } } }),
    { services: { notes: true }, ...options }
  )
  return {
    ...api,
    groups,
    gates,
    gate(closed: boolean) {
      isGated = closed
    },
    asked: async (number: number) => {
      while (gates.length < number) await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}

t.test('a membership that ends while a stream is opened: its rule is asked for once more', async (t) => {
  const { app, subscribe, call, groups, gate, gates, asked } = await startGroups(t)
  gate(true)
  const stream = subscribe(list('notes'), ann)
  await asked(1)
  groups.pop()
  gate(false)
  await app.events.recheck('ann')
  gates[0]?.()
  await stream.connected
  await call('POST', '/notes', { group: 'a' })
  groups.push('b')
  await app.events.recheck('ann')
  await call('POST', '/notes', { group: 'b' })
  await stream.until(({ events }) => events.at(-1)?.event === 'created')
  t.same(
    stream.events.flatMap(({ data }) => data ?? []),
    [{ id: 2 }]
  )
})

t.test('an answer of before a membership has ended does not replace the one of after', async (t) => {
  const { app, subscribe, call, groups, gate, gates, asked } = await startGroups(t, { heartbeat: 20, recheck: 10 })
  const stream = await subscribe(list('notes'), ann).connected
  gate(true)
  await asked(1)
  gate(false)
  groups.splice(0, 1, 'b')
  await app.events.recheck('ann')
  for (const open of gates) open()
  await new Promise((resolve) => setImmediate(resolve))
  await call('POST', '/notes', { group: 'a' })
  await call('POST', '/notes', { group: 'b' })
  await stream.until(({ events }) => events.at(-1)?.event === 'created')
  t.same(
    stream.events.flatMap(({ data }) => data ?? []),
    [{ id: 2 }]
  )
})

t.test('the rules of all streams are asked for again, however many there are', async (t) => {
  const counts = new Map<string, number>()
  const count = ({ params }: HookContext) => {
    const number = String(params.headers?.['x-user'])
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  const { subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { find: [count] } } }),
    { services: { notes: true }, heartbeat: 20, recheck: 10 }
  )
  const numbers = Array.from({ length: 70 }, (_, number) => String(number))
  await Promise.all(numbers.map((number) => subscribe(list('notes'), { 'x-user': number }).connected))
  while (numbers.some((number) => Number(counts.get(number)) < 4))
    await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(counts.size, 70)
})

t.test('a rule with another date, or another large number, is another rule', async (t) => {
  for (const [before, after] of [
    [new Date('2025-01-01'), new Date('2020-01-01')],
    [2n ** 60n, 2n ** 60n + 1n]
  ]) {
    let $gt: unknown = before
    const find = [
      (context: HookContext) => {
        context.params.query = { ...context.params.query, at: { $gt } }
      }
    ]
    const { subscribe } = await startEvents(
      t,
      (app) => app.service('notes', memory(), { hooks: { before: { find } } }),
      {
        services: { notes: true },
        heartbeat: 20,
        recheck: 60
      }
    )
    const stream = await subscribe(list('notes')).connected
    $gt = after
    t.match(await stream.count(1), [{ event: 'changed' }])
  }
})

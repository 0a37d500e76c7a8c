import type { Test } from 'tap'
import type { EventLog, LogEntry, LoggedEvent } from '../../lib/events/index.js'

export const loggedEvent = (id: number, facts: LoggedEvent['facts'] = {}): LoggedEvent => ({
  service: 'notes',
  event: 'created',
  id,
  facts: { ...facts, at: { type: 'date', text: new Date(id).toISOString() }, none: null },
  touched: [],
  route: {},
  callers: [],
  call: 'a'
})

/** What every log of events must do. @param open makes an empty one that keeps so many events at least, and less than twice as many */
export async function logContract(t: Test, open: (events: number) => EventLog | Promise<EventLog>): Promise<void> {
  const start = async (events = 100) => {
    const log = await open(events)
    const entries: LogEntry[] = []
    const waiting: (() => void)[] = []
    const stop = log.listen({
      onEvent(entry) {
        entries.push(entry)
        for (const wake of waiting.splice(0)) wake()
      },
      onLoss() {}
    })
    const count = async (number: number) => {
      while (entries.length < number) await new Promise<void>((resolve) => waiting.push(resolve))
    }
    return { log, entries, count, stop }
  }

  await t.test('listeners get events in order, each with an id of its own', async (t) => {
    const { log, entries, count, stop } = await start()
    for (let id = 1; id <= 20; id++) await log.append(loggedEvent(id))
    await count(20)
    t.same(
      entries.map(({ event }) => event),
      Array.from({ length: 20 }, (_, index) => loggedEvent(index + 1))
    )
    t.equal(new Set(entries.map(({ id }) => id)).size, 20)
    for (const { id } of entries) t.match(id, /^[A-Za-z0-9_-]{1,64}$/)
    t.equal(log.newest(), entries.at(-1)?.id)
    stop()
    await log.append(loggedEvent(21))
    t.equal(entries.length, 20)
  })

  await t.test('what came behind a position can be read, from the first one on', async (t) => {
    const { log, entries, count } = await start()
    const begin = log.newest()
    for (let id = 1; id <= 3; id++) await log.append(loggedEvent(id))
    await count(3)
    t.same(await log.read(begin), entries)
    t.same(await log.read(entries[1]?.id as string), entries.slice(2))
    t.same(await log.read(log.newest()), [])
  })

  await t.test('a position of nowhere, and one that is too old, is unknown', async (t) => {
    const { log, entries, count } = await start(10)
    const other = await start()
    await other.log.append(loggedEvent(1))
    const begin = log.newest()
    for (let id = 1; id <= 40; id++) await log.append(loggedEvent(id))
    await count(40)
    const { id: last } = entries.at(-1) as LogEntry
    const unknown = [
      '',
      'x',
      `${last}x`,
      `${last} `,
      `x${last}`,
      last.toUpperCase().replace(/[^A-Z]/g, 'Q'),
      'x'.repeat(100_000),
      '__proto__',
      begin,
      entries[0]?.id as string
    ]
    for (const position of unknown) t.equal(await log.read(position), undefined, position.slice(0, 40))
    t.equal((await log.read(entries[35]?.id as string))?.length, 4)
  })
}

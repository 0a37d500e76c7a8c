import { type Child, startSubject } from './child.js'
import type { Counter } from './counters/counter.js'
import type { Options } from './options.js'
import type { Key } from './rows.js'
import { createToken } from './users.js'
import { verify, weightOf } from './works.js'

/** What was counted: medians, and by how much the two halves of one count differ at most. */
export interface Measured {
  readonly counts: ReadonlyMap<Key, number>
  readonly spread: number
}

/** Counts what each key names, in every one of several starts. */
export async function measure(
  node: string,
  counter: Counter,
  keys: readonly Key[],
  { starts, requests = counter.requests, warmup = counter.warmup }: Options
): Promise<Measured> {
  const token = await createToken()
  const samples = new Map(keys.map((key) => [key, [] as number[]]))
  const spreads: number[] = []

  async function count(child: Child, work: string): Promise<number> {
    const times = Math.ceil(requests / weightOf(work) / 2)
    const before = counter.isSlow ? warmupOf(work, warmup) : warmup
    await child.run(work, Math.ceil(before))
    const first = await counter.count(child, () => child.run(work, times))
    const other = await counter.count(child, () => child.run(work, times))
    spreads.push((2 * Math.abs(first - other)) / (first + other))
    return (first + other) / times / 2 / counter.per
  }

  async function start(subject: string, works: readonly string[]): Promise<void> {
    const isHeap = works.includes('heap')
    const child = await startSubject(subject, isHeap ? [node] : counter.command(node), token)
    if (child.port !== undefined) for (const work of works) await verify(work, subject, child)
    for (const work of works) {
      const value = isHeap ? await child.heap() : await count(child, work)
      samples.get(`${subject} ${work}`)?.push(value)
      console.error(`${subject} ${work}: ${value.toFixed(1)}`)
    }
    await child.stop()
  }

  for (let round = 0; round < starts; round++)
    for (const [subject, works] of bySubject(keys)) {
      try {
        await start(subject, works)
      } catch (error) {
        // A process that can't start with so many services is a row, too.
        if (!works.includes('heap')) throw error
        samples.get(`${subject} heap`)?.push(Number.NaN)
      }
    }
  const counts = new Map([...samples].map(([key, values]) => [key, median(values)]))
  return { counts, spread: Math.max(0, ...spreads) }
}

// Heavy work is compiled sooner, and each of it takes long.
const warmupOf = (work: string, warmup: number) =>
  Math.min(warmup, Math.max(warmup / weightOf(work), Math.min(2000, 100_000 / weightOf(work))))

function bySubject(keys: readonly Key[]): Map<string, string[]> {
  const worksBySubject = new Map<string, string[]>()
  for (const key of keys) {
    const [subject, work] = key.split(' ') as [string, string]
    worksBySubject.set(subject, [...(worksBySubject.get(subject) ?? []), work])
  }
  // `create`, which changes what the others find, comes last.
  for (const works of worksBySubject.values())
    works.sort((first, second) => Number(first === 'create') - Number(second === 'create'))
  return worksBySubject
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((first, second) => first - second)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle) - 1] as number)) / 2
}

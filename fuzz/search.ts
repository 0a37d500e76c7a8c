import { minimise } from './minimise.js'
import { Target } from './target.js'
import { caseOf, sendAll, Trial } from './trial.js'

export interface Find {
  what: string
  /** What was sent, as JSON. */
  text: string
  replay: string
}

export interface Found {
  statuses: Map<number, number>
  connections: number
  finds: Find[]
}

// A round is short enough to be sent again, to find out which of its cases it was.
const round = 1000
const most = 5

/** Sends cases until the time is over, or those of `only`, and tells what they did to the server. */
export async function search(
  seed: number,
  milliseconds: number,
  only?: readonly [first: number, last: number]
): Promise<Found> {
  const outcome: Found = { statuses: new Map(), connections: 0, finds: [] }
  const until = Date.now() + milliseconds
  const [first, last] = only ?? [0, Number.POSITIVE_INFINITY]
  let target = await Target.start()
  for (let start = first; start <= last && outcome.finds.length < most; start += round) {
    if (only === undefined && Date.now() > until) break
    const numbers = Array.from({ length: Math.min(round, last + 1 - start) }, (_, index) => start + index)
    const failed = await sendRound(target, numbers, seed, outcome)
    const problem = await target.problem()
    for (const [number, status] of failed.slice(0, most))
      outcome.finds.push(await toFind(seed, [number], `An answer ${status}`))
    if (failed.length === 0 && problem !== undefined) outcome.finds.push(await toFind(seed, numbers, problem))
    if (problem === undefined) continue
    await target.stop()
    target = await Target.start()
  }
  await target.stop()
  return outcome
}

/** Sends cases, and gives those that were answered with an error of the server. */
async function sendRound(
  target: Target,
  numbers: readonly number[],
  seed: number,
  outcome: Found
): Promise<[number, number][]> {
  const failed: [number, number][] = []
  outcome.connections += numbers.length
  await sendAll(
    target,
    numbers,
    (number) => caseOf(seed, number),
    (number, statuses) => {
      for (const status of statuses) {
        outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1)
        if (status >= 500) failed.push([number, status])
      }
    }
  )
  return failed
}

/** Looks for the one case that does it, and for as little of that as does it. */
async function toFind(seed: number, numbers: readonly number[], what: string): Promise<Find> {
  const trial = new Trial()
  const isBad = async (some: readonly number[]) =>
    (await trial.run(some.map((number) => caseOf(seed, number)))) !== undefined
  try {
    let suspects = numbers
    while (suspects.length > 1) {
      const half = Math.ceil(suspects.length / 2)
      const halves = [suspects.slice(0, half), suspects.slice(half)] as const
      if (await isBad(halves[0])) suspects = halves[0]
      else if (await isBad(halves[1])) suspects = halves[1]
      else break
    }
    const [first = 0] = suspects
    if (suspects.length > 1)
      return { what, text: '(no case does it alone)', replay: `--case ${first}-${suspects.at(-1)}` }
    const replay = `--case ${first}`
    const again = await trial.run([caseOf(seed, first)])
    if (again === undefined)
      return { what: `${what} (not when it is sent alone)`, text: JSON.stringify(caseOf(seed, first)), replay }
    const least = await minimise(caseOf(seed, first), async (less) => (await trial.run([less])) !== undefined)
    return { what: again, text: JSON.stringify(least), replay }
  } finally {
    await trial.stop()
  }
}

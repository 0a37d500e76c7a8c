import { createCase } from './cases.js'
import { createCounts, type Problem, searchCases } from './search.js'
import { shrink } from './shrink.js'

// The same cases each time. Others: SEED=$RANDOM RUNS=5000. A case is made again by its seed: SEED=… RUNS=1.
const first = Number(process.env.SEED ?? 301)
const runs = Number(process.env.RUNS ?? 100)
const batch = 20

/** What does not hold in some of the cases, by its kind, each with the smallest case that shows it. */
async function search() {
  const counts = createCounts()
  const kinds = new Map<string, { count: number; problem: Problem }>()
  const sizeOf = ({ shown }: Problem) => JSON.stringify(shown).length
  for (let seed = first; seed < first + runs; seed += batch) {
    const seeds = Array.from({ length: Math.min(batch, first + runs - seed) }, (_, index) => seed + index)
    for (const problem of await searchCases(seeds.map(createCase), counts)) {
      const before = kinds.get(problem.kind)
      const isSmaller = before === undefined || sizeOf(problem) < sizeOf(before.problem)
      kinds.set(problem.kind, { count: (before?.count ?? 0) + 1, problem: isSmaller ? problem : before.problem })
    }
  }
  const seconds = process.cpuUsage().user / 1e6
  for (const [kind, { count, problem }] of kinds) kinds.set(kind, { count, problem: await shrink(problem) })
  return { counts, kinds, seconds }
}

const printed: string[] = []
const { warn } = console
console.warn = (text) => printed.push(String(text))
// tap watches every promise, which doubles the time of the search: it is loaded after it.
const { counts, kinds, seconds } = await search()
console.warn = warn
const { default: t } = await import('tap')

t.test(`${runs} schemas with what is sent and stored, from SEED=${first}`, async (t) => {
  t.comment(`${JSON.stringify(counts)}, ${(runs / seconds).toFixed(1)} schemas for a second of processor time`)
  for (const [kind, { count, problem }] of kinds) {
    const { shown, answer, expected } = problem
    const { seed, models, described, bodies, stored } = shown
    const schema = { ...described, ...(models && { models }) }
    t.fail(`${kind} (${count} times; SEED=${seed} RUNS=1)`, { ...schema, bodies, stored, answer, expected })
  }
  t.equal(kinds.size, 0)
  t.strictSame(printed.slice(0, 3), [], `nothing is printed: ${printed.length} lines are`)
})

t.test('the search has something to find: bodies are taken and refused, and fields are hidden', async (t) => {
  // What does not start has no bodies.
  const { bodies, taken, hidden, cases, refusedAtStart } = counts
  if (cases - refusedAtStart < 20) return t.pass('too few schemas to tell')
  t.ok(taken > bodies / 5 && taken < (bodies * 4) / 5, `${taken} of ${bodies} bodies are taken`)
  t.ok(hidden > cases - refusedAtStart, `${hidden} fields are hidden`)
})

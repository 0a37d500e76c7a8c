import { Conflict } from 'fastify-services'
import t from 'tap'
import { type Act, type Acts, run, starts } from '../support/feathers-hooks.js'
import { createGenerator } from '../support/random.js'

// Hooks that do something at random: the same happens as in Feathers. `SEED=7 RUNS=5000` tries others.
const seed = Number(process.env.SEED ?? 1)
const runs = Number(process.env.RUNS ?? 150)

const args: Record<string, unknown[]> = { get: ['1', {}], create: [{ b: 2 }, {}], archive: [{ b: 2 }, {}], find: [] }
const plainTypes = ['before', 'after', 'error']
const aroundPlaces = ['in', 'out', 'early', 'caught']

const setResult =
  (label: string): Act =>
  (context) => {
    context.result = { by: label }
  }

const fail = (label: string) => () => {
  throw new Conflict(label)
}

/** What a hook may do. The label tells one from another. */
const acts: readonly ((label: string) => Act)[] = [
  setResult,
  fail,
  (label) => async () => {
    throw new Conflict(label)
  },
  (label) => () => ({ params: { by: label } }),
  (label) => async (context) => ({ ...context, params: { by: label } }),
  () => (context) => context,
  () => async () => null,
  () => (context) => {
    context.event = null
  },
  () => (context) => {
    context.result = undefined
  }
]

// An around hook that does not call next, or swallows an error, needs a result here. A copy of the context by an error hook differs in its type.
function choices(label: string) {
  if (/ (early|caught)$/.test(label)) return [setResult]
  return label.includes(' error ') ? [setResult, fail] : acts
}

for (let number = seed; number < seed + runs; number++) {
  const random = createGenerator(number)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const method = pick(Object.keys(args))
  const createLabel = () => {
    const type = pick(['around', 'before', 'after', 'error'])
    const label = `${pick(['app', 'service'])} ${type} ${pick(['all', method])}${pick(['', ' 2'])}`
    return plainTypes.includes(type) ? label : `${label} ${pick(aroundPlaces)}`
  }
  const chosen: Acts = random() < 0.3 ? { method: fail('method') } : {}
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const label = createLabel()
    chosen[label] = pick(choices(label))(label)
  }
  t.test(`the same as in Feathers, seed ${number}: ${method}, ${Object.keys(chosen)}`, async (t) => {
    const theirs = await run(t, starts.feathers, method, args[method] as unknown[], chosen)
    const ours = await run(t, starts.ours, method, args[method] as unknown[], chosen)
    t.ok(ours.order.length > 0)
    t.strictSame(ours, theirs)
  })
}

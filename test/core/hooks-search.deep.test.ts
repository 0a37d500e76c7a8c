import { Conflict } from 'fastify-services'
import t, { type Test } from 'tap'
import { type Act, type Acts, methods, run, type Start, starts } from '../support/feathers-hooks.js'
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

/** The forms in which hooks may be handed over. A second list replaces the first in Feathers, and stands within it here. */
const forms = ['list', 'by method', 'around all', 'around create', 'before all', 'before create', 'after all']

/** Adds hooks in each form to a service with a `create`, and tells the order in which they run. */
async function orderOf(start: Start, t: Test, added: readonly string[]) {
  const order: string[] = []
  const object = Object.fromEntries(methods.map((name) => [name, async (data: object) => data]))
  const { service } = await start(t, object, { around: { all: [note('application')] } })
  function note(label: string) {
    return async (_context: unknown, next?: () => Promise<void>) => {
      order.push(label)
      await next?.()
    }
  }
  for (const [index, form] of added.entries()) {
    const hook = note(`${index} ${form}`)
    const [type = '', method = ''] = form.split(' ')
    if (form === 'list') service.hooks([hook])
    else service.hooks(form === 'by method' ? { create: [hook] } : { [type]: { [method]: [hook] } })
  }
  await service.create?.({})
  return order
}

for (let number = seed; number < seed + runs; number++) {
  const random = createGenerator(number)
  const added = forms.flatMap((form) => (form === 'list' || random() < 0.4 ? [form] : [form, form]))
  const shuffled = added.sort(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 6))
  t.test(`hooks run in the order of Feathers, however they are handed over, seed ${number}: ${shuffled}`, async (t) => {
    const order = await orderOf(starts.ours, t, shuffled)
    t.strictSame(order, await orderOf(starts.feathers, t, shuffled))
    t.equal(order.length, shuffled.length + 1)
  })
}

import t from 'tap'
import { type Acts, run, starts } from '../support/feathers-hooks.js'
import { isKept } from '../support/kept.js'
import { told } from './told.js'

const fail =
  (...errors: unknown[]) =>
  () => {
    throw errors.length > 0 ? errors[0] : new Error('of a hook')
  }
const set = (changes: object) => (context: object) => void Object.assign(context, changes)
const give = (value: unknown) => () => value

const params = { query: { a: 1 } }
const calls: Record<string, unknown[]> = {
  find: [params],
  get: ['1', params],
  create: [{ b: 2 }, params],
  update: ['1', { b: 2 }, params],
  patch: [null, { b: 2 }],
  remove: ['1'],
  archive: [{ b: 2 }, params, 'more']
}

/** What hooks saw of a context, where it is not what the hook before it saw. */
function changes(fields: unknown[]) {
  const last: Record<string, string> = {}
  const rows = (fields as Record<string, unknown>[]).map(({ label, ...rest }) => {
    const changed = Object.entries(rest).filter(([name, value]) => last[name] !== JSON.stringify(told(value)))
    for (const [name, value] of changed) last[name] = JSON.stringify(told(value))
    return [label, Object.fromEntries(changed.map(([name, value]) => [name, told(value)]))] as const
  })
  return Object.fromEntries(rows.filter(([, changed]) => Object.keys(changed).length > 0))
}

t.test('the hooks of each method: what they see, in order', async (t) => {
  const table: Record<string, unknown> = {}
  for (const [method, args] of Object.entries(calls)) {
    const { order, fields, events, outcome } = await run(t, starts.ours, method, args, {})
    table[method] = { order: order.join(', '), fields: changes(fields), events, outcome }
  }
  isKept(t, table, 'test/core/whole-contexts-methods.txt')
})

const scenarios: Record<string, Acts> = {
  'a method that fails': { method: fail() },
  'a method that throws nothing': { method: fail(null) },
  'a method that gives nothing': { method: give(undefined) },
  'a method that gives null': { method: give(null) },
  'a method that gives a list': { method: give([{ id: 1 }, { id: 2 }]) },
  'a before hook that fails': { 'service before create': fail() },
  'a before hook that throws undefined': { 'app before all': fail(undefined) },
  'an after hook that fails': { 'service after all': fail() },
  'an after hook that throws null': { 'app after create 2': fail(null) },
  'an around hook that fails before': { 'service around create in': fail() },
  'an around hook that fails after': { 'app around all out': fail() },
  'a before hook that sets a result': { 'app before create': set({ result: 'early' }) },
  'a before hook that gives changes': { 'service before all': give({ data: { c: 3 }, params: { d: 4 }, added: 5 }) },
  'a before hook that gives null': { 'service before all': give(null) },
  'a before hook that gives a text': { 'service before all': give('text') },
  'a before hook that gives the context': { 'service before all': (context) => context },
  'a before hook that promises changes': { 'service before all': async () => ({ event: 'patched' }) },
  'a before hook that changes the type': { 'service before all': set({ type: 'error' }) },
  'an after hook that replaces the result': { 'service after create': set({ result: 'replaced' }) },
  'an after hook that gives a result': { 'app after all': give({ result: { e: 1 }, dispatch: { f: 2 } }) },
  'an after hook that takes the result': { 'app after all': set({ result: undefined }) },
  'an after hook that sets a status': { 'app after all': set({ statusCode: 202 }) },
  'an error hook that sets a result': { method: fail(), 'service error create': set({ result: 'recovered' }) },
  'an error hook outside that sets a result': { method: fail(), 'app error all': give({ result: 'recovered' }) },
  'an error hook that replaces the error': { method: fail(), 'service error all': set({ error: new Error('other') }) },
  'an error hook that takes the error': { method: fail(), 'service error all': set({ error: undefined }) },
  'an error hook that takes the error and sets a result': {
    method: fail(),
    'service error all 2': set({ error: null, result: null })
  },
  'an error hook that fails': { method: fail(), 'service error create': fail(new Error('of the error hook')) },
  'an error hook that throws undefined': { method: fail(), 'service error create 2': fail(undefined) },
  'an error hook that gives changes': {
    method: fail(),
    'app error create': give({ added: 1, error: new Error('given') })
  },
  'an around hook that ends early': { 'service around create early': set({ result: 'early' }) },
  'an around hook that ends with nothing': { 'service around create early': give(undefined) },
  'an around hook outside that ends with nothing': { 'app around all 2 early': give('a text') },
  'an around hook that catches': { method: fail(), 'service around create caught': set({ result: 'caught' }) },
  'an around hook that catches and sets none': { method: fail(), 'app around all caught': give(undefined) },
  'an event of another name': { 'app before all': set({ event: 'archived' }) },
  'an event that is null': { 'app after create': set({ event: null }) },
  'an http without anything': {
    'app before all': set({ http: undefined }),
    'app before all 2': set({ statusCode: 204 })
  },
  'a status that is taken back': {
    'app before all': set({ statusCode: 204 }),
    'app before all 2': set({ statusCode: undefined })
  },
  'arguments that are replaced': { 'app before create': set({ arguments: [{ g: 1 }, { query: {} }, 'more'] }) },
  'params that are replaced': { 'app before create': set({ params: { h: 1 } }) }
}

t.test('what hooks do to a call, and what comes of it', async (t) => {
  const table: Record<string, unknown> = {}
  const usual = await run(t, starts.ours, 'create', [{ b: 2 }], {})
  for (const [name, acts] of Object.entries(scenarios)) {
    const { order, fields, events, outcome } = await run(t, starts.ours, 'create', [{ b: 2 }], acts)
    const same = order.findIndex((label, index) => label !== usual.order[index])
    const rest = order.slice(same)
    const { [order[0] as string]: _, ...changed } = changes(fields)
    table[name] = [outcome, events, same === -1 ? 'as usual' : `${same} as usual, ${rest.join(', ')}`, changed]
  }
  isKept(t, table, 'test/core/whole-contexts-scenarios.txt')
})

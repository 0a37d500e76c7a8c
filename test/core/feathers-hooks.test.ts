import { Conflict } from 'fastify-services'
import t from 'tap'
import { type Act, type Acts, run, starts } from '../support/feathers-hooks.js'

const fail = (message: string) => () => {
  throw new Conflict(message)
}
/** A hook that sets fields of the context. */
const set =
  (changes: object): Act =>
  (context) => {
    Object.assign(context, changes)
  }
const params = { query: { a: '1' }, user: { id: 5 } }
const got = { answer: ['1', params] }
type Scenario = [name: string, acts: Acts, outcome: object, method?: string, args?: unknown[]]

const scenarios: Scenario[] = [
  ['success of find', {}, { result: { answer: [params] } }, 'find', [params]],
  ['success of find without params', {}, { result: { answer: [{}] } }, 'find', []],
  ['success of get', {}, { result: got }],
  ['success of create', {}, { result: { answer: [{ b: 2 }, params] } }, 'create', [{ b: 2 }, params]],
  [
    'success of create with many',
    { method: () => [{ id: 1 }, { id: 2 }] },
    { result: [{ id: 1 }, { id: 2 }] },
    'create',
    [[{}, {}]]
  ],
  ['success of update', {}, { result: { answer: ['1', { b: 2 }, params] } }, 'update', ['1', { b: 2 }, params]],
  ['success of patch of many', {}, { result: { answer: [null, { b: 2 }, params] } }, 'patch', [null, { b: 2 }, params]],
  ['success of remove', {}, { result: { answer: [5, params] } }, 'remove', [5, params]],
  ['success of a custom method', {}, { result: { answer: [{ b: 2 }, params] } }, 'archive', [{ b: 2 }, params]],
  ['the method throws', { method: fail('no') }, { error: { name: 'Conflict', message: 'no' } }],
  ['the method throws, of create', { method: fail('no') }, { error: { message: 'no' } }, 'create', [{}]],
  ...[
    'app before all',
    'app before get',
    'service before all',
    'service before get 2',
    'service after get',
    'service after all 2',
    'app after get',
    'app after all'
  ].map((label): Scenario => [`${label} throws`, { [label]: fail(label) }, { error: { message: label } }]),
  ...['app around all in', 'service around get 2 in', 'service around all out', 'app around get out'].map(
    (label): Scenario => [`${label} throws`, { [label]: fail(label) }, { error: { message: label } }]
  ),
  ...['service error get', 'service error get 2', 'service error all', 'app error get', 'app error all 2'].map(
    (label): Scenario => [
      `error recovered by ${label}`,
      {
        method: fail('no'),
        [label]: set({ result: { by: label } })
      },
      { result: { by: label } }
    ]
  ),
  [
    'error of an after hook recovered',
    {
      'service after get': fail('no'),
      'service error all': set({ result: 'recovered' })
    },
    { result: 'recovered' }
  ],
  [
    'error recovered, create emits',
    {
      method: fail('no'),
      'service error create': set({ result: { id: 1 } })
    },
    { result: { id: 1 } },
    'create',
    [{}]
  ],
  ...['service error get', 'service error all 2', 'app error all'].map(
    (label): Scenario => [
      `error replaced by ${label}, which throws`,
      { method: fail('no'), [label]: fail('instead') },
      { error: { message: 'instead' } }
    ]
  ),
  ...['service error get', 'service error all 2', 'app error all'].map(
    (label): Scenario => [
      `error replaced by ${label} in context.error`,
      {
        method: fail('no'),
        [label]: set({ error: new Conflict('instead') })
      },
      { error: { message: 'instead' } }
    ]
  ),
  [
    'error recovered by an around hook',
    {
      method: fail('no'),
      'service around get caught': set({ result: 'recovered' })
    },
    { result: 'recovered' }
  ],
  ...['app before all', 'app before get', 'service before all 2', 'service before get'].map(
    (label): Scenario => [
      `result set by ${label}`,
      {
        [label]: set({ result: { by: label } })
      },
      { result: { by: label } }
    ]
  ),
  [
    'result `null` set by a before hook',
    {
      'service before get': set({ result: null })
    },
    { result: null }
  ],
  [
    'result set by a before hook, create emits',
    {
      'service before create': (c) => {
        c.result = [{ id: 1 }]
      }
    },
    { result: [{ id: 1 }] },
    'create',
    [{}]
  ],
  [
    'result set by an around hook that does not call next',
    {
      'service around all early': set({ result: 'early' })
    },
    { result: 'early' }
  ],
  [
    'result changed by an after hook',
    {
      'service after get 2': set({ result: 'changed' })
    },
    { result: 'changed' }
  ],
  [
    'result changed by an around hook',
    {
      'app around all out': set({ result: 'changed' })
    },
    { result: 'changed' }
  ],
  [
    'a returned object is merged',
    { 'app before all': () => ({ params: { merged: true } }), 'service before get': async () => ({ id: '2' }) },
    { result: { answer: ['2', { merged: true }] } }
  ],
  [
    'a copy of the context is returned',
    { 'service before get': (c) => ({ ...c, params: { copied: true } }), 'service after get': (c) => ({ ...c }) },
    { result: { answer: ['1', { copied: true }] } }
  ],
  [
    'the context is returned',
    { 'service before get': (c) => Object.assign(c, { id: '3' }), 'service after get': async (c) => c },
    { result: { answer: ['3', params] } }
  ],
  [
    'arguments, dispatch and statusCode written',
    {
      'app before all': (c) => {
        c.arguments[0] = '4'
      },
      'service after get': (c) => {
        Object.assign(c, { dispatch: { safe: true }, statusCode: 202 })
      }
    },
    { result: { answer: ['4', params] } }
  ],
  [
    '`context.event = null`',
    {
      'service before create': set({ event: null })
    },
    { result: { answer: [{}, {}] } },
    'create',
    [{}]
  ],
  [
    '`context.event` set',
    {
      'service after archive': set({ event: 'archived' })
    },
    { result: { answer: [{}, {}] } },
    'archive',
    [{}]
  ]
]

for (const [name, acts, outcome, method = 'get', args = ['1', params]] of scenarios) {
  t.test(`the same as in Feathers: ${name}`, async (t) => {
    const theirs = await run(t, starts.feathers, method, args, acts)
    const ours = await run(t, starts.ours, method, args, acts)
    t.match(theirs.outcome, outcome)
    t.strictSame(ours.order, theirs.order, 'the same order of calls')
    t.strictSame(ours.fields, theirs.fields, 'the same context fields')
    t.strictSame(ours.events, theirs.events, 'the same events')
    t.strictSame(ours.outcome, theirs.outcome, 'the same outcome')
    t.ok(ours.order.length > 0)
  })
}

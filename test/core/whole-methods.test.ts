import t from 'tap'
import { neutral } from '../../lib/core/compose.js'
import { type Describable, describe, responsesIn } from '../../lib/core/description.js'
import { HookStore, traitsOf, withTraits } from '../../lib/core/hooks.js'
import { checkArguments, checkData, custom, definitionOf, endpointsOf, methods } from '../../lib/core/methods.js'
import { factsOf } from '../../lib/core/object-facts.js'
import { createService } from '../../lib/core/service.js'
import { isKept } from '../support/kept.js'
import { outcomeOf, told } from './told.js'

const six = [...methods.keys()]
const routes = [
  'POST /',
  'GET /stats',
  'POST /:id/publish',
  'PUT /:id',
  'PATCH /a/:id/',
  'DELETE /:ids',
  'GET /:id-x',
  'POST /x:id'
]
const definitions = new Map([
  ...six.map((name) => [name, definitionOf(name)] as const),
  ['archive', definitionOf('archive')],
  ['find with a route', definitionOf('find', 'POST /stats')],
  ...routes.map((route) => [route, definitionOf('archive', route)] as const)
])
const idsAndData: unknown[][] = [
  [],
  [undefined, undefined],
  [null],
  ['1'],
  [0, {}],
  ['', []],
  ['1', null],
  ['1', 'text'],
  [undefined, {}],
  [{}],
  [[]],
  [[{}, {}]],
  [[{}, null]],
  [[[], {}]],
  ['text'],
  [new Map()],
  ['1', new Date(0)]
]

/** What is refused, or not, by the message. */
function refusedBy(given: readonly unknown[], check: (one: never) => unknown) {
  const byMessage: Record<string, unknown[]> = {}
  for (const one of given) {
    const outcome = outcomeOf(() => check(one as never)) as { thrown?: string }
    const key = outcome.thrown ?? 'taken'
    byMessage[key] = [...(byMessage[key] ?? []), told(one)]
  }
  return byMessage
}

t.test('the table of methods, where they are called, and arguments that they refuse', (t) => {
  const data = [undefined, null, 1, {}, [], [{}], [1]]
  const names = [...six, 'archive']
  const kept = {
    definitions: Object.fromEntries(definitions),
    endpoints: Object.fromEntries([...definitions].map(([name, one]) => [name, endpointsOf(one)])),
    isCustom: [...definitions].filter(([, one]) => one === custom).map(([name]) => name),
    refusals: Object.fromEntries(
      names.map((name) => [
        name,
        refusedBy(idsAndData, (args) => checkArguments(name, definitionOf(name).arguments, args))
      ])
    ),
    data: Object.fromEntries(
      [...names, 'constructor'].map((name) => [name, refusedBy(data, (one) => checkData(name, one))])
    )
  }
  isKept(t, kept, 'test/core/whole-methods-table.txt')
  t.end()
})

const responses: unknown[] = [
  undefined,
  null,
  {},
  { 200: 'a', '2XX': 'b', default: 'c', '4xx': 'd', 599: 'e' },
  { DEFAULT: 'a', '1xx': 'b' },
  { type: 'object' },
  { 200: 'a', type: 'object' },
  { 600: 'a' },
  { '099': 'a' },
  { '2x': 'a' },
  { 2000: 'a' },
  { x200: 'a' },
  { defaults: 'a' },
  { '20x': 'a' },
  'text'
]
const apiKey = { key: { type: 'apiKey' } }
const both = { jwt: { type: 'http', scheme: 'bearer' }, local: { type: 'http' } }
const pass = async () => undefined
const guard = (security: object) =>
  withTraits(async (_: unknown, next: () => Promise<void>) => next(), { security: () => security as never })
const hiding = (...hides: string[]) => withTraits(() => undefined, { hides })
const all = { find: pass, get: pass, create: pass, update: pass, patch: pass, remove: pass, archive: pass }

/** A registered service with what describes it. */
function describable(
  object: object,
  given: { options?: Describable['options']; common?: object; hooks?: object; routes?: object } = {}
): Describable {
  const common = new HookStore()
  common.add((given.common ?? {}) as never)
  const exposed = [...Object.keys(all).filter((name) => name in object)]
  const rest = { methods: exposed, routes: given.routes as never, hooks: given.hooks as never }
  const entry = createService(object, {
    app: 'the app',
    path: 'a/b',
    common,
    observer: neutral,
    onListenerError: () => {},
    ...rest
  })
  return { ...entry, exposed, common, options: given.options ?? {} }
}
const documented = { ...all }
factsOf(documented).document = () => ({
  find: { hasId: true, summary: 's' },
  get: { hasId: false },
  patch: { hasId: true },
  remove: { hasId: false, tags: ['a'] }
})

const described: Record<string, Describable> = {
  bare: describable(all),
  some: describable({ remove: pass, patch: pass }, { routes: { archive: 'POST /:id/archive' } }),
  routed: describable({ archive: pass, find: pass }, { routes: { archive: 'POST /:id/archive' } }),
  documented: describable(documented, {
    options: { schema: { find: { summary: 'given', body: 1 }, get: { tags: [] }, remove: undefined } }
  }),
  'of many': describable({
    ...all,
    options: { multi: true, id: '_id', paginate: { default: 10 } },
    sanitizeQuery: pass
  }),
  'of some': describable({
    ...all,
    options: { multi: ['patch', 'update'], id: '', paginate: { max: 10 } },
    sanitizeQuery: 1
  }),
  'of none': describable({ ...all, options: { multi: false, id: 5, paginate: { default: 0, max: 5 } } }),
  'without pages': describable({ find: pass, options: { paginate: false } }),
  'pages that are null': describable({ find: pass, options: { paginate: null } }),
  'pages without numbers': describable({ find: pass, options: { paginate: {} } }),
  'options that are a text': describable({ find: pass, options: 'text' }),
  guarded: describable(
    { find: pass, get: pass, create: pass, archive: pass },
    {
      common: { around: { all: [guard(apiKey)] }, after: { find: [hiding('pin')], all: hiding('a', 'b') } },
      hooks: { around: { get: [guard(both)], create: [guard({}), pass] }, after: { get: [hiding('b', 'c')] } },
      options: { before: [guard({ more: { type: 'x' } }), [pass, guard(both)]] }
    }
  ),
  'guarded by middleware': describable({ find: pass, get: pass }, { options: { before: guard(both) } })
}

t.test('services as they are described, and responses by status', (t) => {
  const kept = {
    services: Object.fromEntries(Object.entries(described).map(([name, entry]) => [name, told(describe(entry))])),
    traits: [undefined, null, 'text', pass, hiding('a')].map((hook) => told(traitsOf(hook))),
    responses: responses.map((one) => [
      told(one),
      Object.fromEntries([...responsesIn(one)].map(([key, schema]) => [key, told(schema)]))
    ])
  }
  isKept(t, kept, 'test/core/whole-methods-described.txt')
  t.end()
})

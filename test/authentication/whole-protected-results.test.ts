import type { HookContext } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { outcomeOf } from './outcomes.js'
import { fail, getter, hook, own, thrown } from './protected-values.js'

const toOwn = () => own
const loop: Record<string, unknown> = { a: 1 }
loop.self = loop
const secretLoop: Record<string, unknown> = { ...own }
secretLoop.list = [secretLoop]
let deep: unknown = own
for (let level = 0; level < 100_000; level++) deep = [deep]
const values: Record<string, unknown> = {
  deep,
  undefined: undefined,
  null: null,
  zero: 0,
  'a text': 'secret',
  true: true,
  'a function': Math.max,
  'a symbol': Symbol('secret'),
  empty: {},
  'an empty list': [],
  record: own,
  'without fields': { id: 1, a: { b: [1] } },
  'a list': [own, { id: 2 }, 5, null, own],
  nested: { a: [{ b: own }] },
  'a list in a list': [[own], []],
  'twice the same': [own, { own }],
  undefineds: { secret: undefined, b: undefined },
  'a list with holes': [1, undefined, own],
  'dates and bytes': { at: new Date(0), bytes: new Uint8Array(2), secret: 1 },
  date: new Date(0),
  'a view': new DataView(new ArrayBuffer(1)),
  boxed: Object('secret'),
  'boxed in one': { a: Object(5), secret: 1 },
  'a Map': new Map([[1, own]]),
  toJSON: { ...own, toJSON: toOwn },
  'toJSON of a text': { toJSON: () => 'secret' },
  'toJSON of null': { a: { toJSON: () => null } },
  'toJSON of a function': { a: { toJSON: () => Math.max } },
  'toJSON without': { toJSON: () => ({ id: 1 }) },
  'toJSON of a list': { toJSON: () => [own] },
  'toJSON by key': {
    a: { toJSON: (key: string) => ({ key, secret: 1 }) },
    b: [{ toJSON: (key: string) => ({ key }) }]
  },
  'toJSON of toJSON': { a: { toJSON: () => ({ id: 2, toJSON: toOwn }) } },
  'no method': { toJSON: 'x', secret: 1 },
  'no method, no field': { toJSON: 5 },
  'a function with toJSON': { a: thrown(Math.max.bind(null), { toJSON: toOwn }) },
  inherited: Object.create({ secret: 1 }, {}),
  'an own date': thrown(new Date(0), { secret: 1 }),
  proxy: new Proxy({ ...own }, {}),
  'proxy without': new Proxy({ a: 1 }, {}),
  'proxy in a list': [new Proxy({ a: 1 }, {})],
  'a getter': getter('a', () => own),
  'a getter without': getter('a', () => ({ b: 1 })),
  'a getter of the field': getter('secret', fail),
  'a getter that throws': getter('a', fail),
  'a getter in a list': getter('0', () => own, [0]),
  'a getter of no field in a list': getter('0', () => 1, [0]),
  proto: JSON.parse('{"a":{"__proto__":{"secret":1,"b":1}},"secret":1}'),
  'a loop': loop,
  'a loop with fields': secretLoop,
  NaN: Number.NaN,
  'in NaN': { a: Number.NaN, b: -0 },
  big: { a: 1n },
  keyed: { length: 1, secret: 1 }
}

/** A value as JSON, where loops are named. */
function textOf(value: unknown): string {
  const seen = new Set()
  const text = JSON.stringify(value, (_key, part) => {
    if (typeof part !== 'object' || part === null) return typeof part === 'bigint' ? `${part}n` : part
    if (seen.has(part)) return 'again'
    seen.add(part)
    return part
  })
  return text ?? String(value)
}

t.test('what of a result leaves, over HTTP and to listeners', async (t) => {
  const show = async (result: unknown, params: object, more: object = {}) => {
    const context = { params, result, ...more } as unknown as HookContext
    await hook(context, async () => {})
    const is = (part: unknown) => (Object.is(part, result) ? 'the same' : textOf(part))
    const [sent, told] = [is(context.result), is(context.dispatch)]
    return sent === told ? sent : [sent, told]
  }
  const table: Record<string, unknown> = {}
  const params = { provider: 'rest' }
  for (const [name, value] of Object.entries(values)) {
    table[name] = await outcomeOf(() => show(value, params))
    table[`${name}, of the server`] = await outcomeOf(() => show(value, {}))
  }
  for (const dispatch of [null, 0, own, { a: 1 }]) {
    table[`dispatch ${textOf(dispatch)}`] = await show({ id: 7, secret: 1 }, params, { dispatch })
    table[`dispatch ${textOf(dispatch)}, of the server`] = await show({ id: 7, secret: 1 }, {}, { dispatch })
  }
  isKept(t, table, 'test/authentication/whole-protected-results.txt')
})

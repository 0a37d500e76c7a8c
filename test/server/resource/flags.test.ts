import { resource } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'
import { createEcho } from '../../support/resource-app.js'

const text = { type: 'string' }
const hidden = { type: 'string', writeOnly: true }
const Deep = { type: 'object', properties: { a: text, hidden, set: { type: 'string', readOnly: true } } }
const Thing = {
  type: 'object',
  $defs: { Hidden: hidden, Deep },
  properties: {
    name: text,
    yes: { type: 'object', properties: { yes: true } },
    token: { $ref: '#/$defs/Hidden' },
    beside: { $ref: '#/$defs/Deep', writeOnly: true },
    maybe: { anyOf: [hidden, { type: 'integer' }] },
    deep: { $ref: '#/$defs/Deep' },
    list: { type: 'array', items: Deep },
    either: { anyOf: [Deep, { type: 'integer' }] },
    both: { allOf: [Deep, { type: 'object', properties: { b: text } }] },
    any: { type: 'object', additionalProperties: Deep },
    open: { ...Deep, additionalProperties: true },
    ofType: { ...Deep, additionalProperties: { type: 'integer' } }
  }
}
const deep = { a: 'x', hidden: 'h', set: 's' }
const { hidden: _, ...shown } = deep
const { set: __, ...sent } = deep

t.test('what does not leave stays at any depth, and wherever a schema says so', async (t) => {
  const record = {
    name: 'n',
    yes: { yes: [1], no: 1 },
    token: 'h',
    beside: deep,
    maybe: 1,
    deep,
    list: [deep],
    either: deep,
    both: { ...deep, b: 'b', secret: 1 },
    any: { one: deep },
    open: { ...deep, other: 1 },
    ofType: { ...deep, other: 1 }
  }
  const { send } = await createEcho(t, resource(Thing), record)
  t.strictSame(await send({ url: '/1' }), [
    200,
    {
      name: 'n',
      yes: { yes: [1] },
      deep: shown,
      list: [shown],
      either: shown,
      both: { ...shown, b: 'b' },
      any: { one: shown },
      open: { ...shown, other: 1 },
      ofType: { ...shown, other: 1 }
    }
  ])
  const [status] = await createEcho(t, resource(Thing), [record]).then(({ send }) => send({ url: '?token=h' }))
  t.equal(status, 400, 'nor does a query name it')
})

t.test(
  'what a transformation makes of a hidden value is hidden, also in a definition that several fields refer to',
  async (t) => {
    const password = z.string().meta({ writeOnly: true }).transform(String)
    const Account = z.object({ name: z.string(), password }).meta({ id: 'Account' })
    const account = { name: 'n', password: 'p' }
    const record = { first: account, others: [account] }
    const { send } = await createEcho(t, resource(z.object({ first: Account, others: z.array(Account) })), record)
    t.strictSame(await send({ url: '/1' }), [200, { first: { name: 'n' }, others: [{ name: 'n' }] }])
  }
)

t.test('what only the server sets is no part of a body, at any depth', async (t) => {
  const { send, post } = await createEcho(t, resource(Thing))
  for (const [name, value, place] of [
    ['deep', deep, 'deep.set'],
    ['list', [deep], 'list[0].set'],
    ['any', { one: deep }, 'any.one.set'],
    ['both', { ...deep, b: 'b' }, 'both.set'],
    ['ofType', deep, 'ofType.set'],
    ['open', deep, 'open.set']
  ] as const) {
    t.match(await post({ [name]: value }), [400, new RegExp(`^${place.replace(/[[\].]/g, '\\$&')} `)])
    t.match(await send({ method: 'PATCH', url: '/1', payload: { [name]: value } }), [400])
  }
  t.match(await post({ deep: sent, list: [sent], open: { ...sent, other: 1 } }), [201])
})

t.test('the other fields that a record must have stay so, at any depth', async (t) => {
  const inner = { ...Deep, required: ['a', 'set'] }
  const { post } = await createEcho(t, resource({ type: 'object', properties: { deep: inner } }))
  t.strictSame(await post({ deep: {} }), [400, 'deep.a is required'])
  t.strictSame(await post({ deep: { a: 'x' } }), [201, { deep: { a: 'x' } }])
})

t.test('a record with further fields keeps those that do not leave', async (t) => {
  const loose = z.looseObject({ id: z.int(), 'a.b': z.string().optional(), token: z.string().optional() })
  const { send } = await createEcho(t, resource(loose, { readOnly: ['id'], writeOnly: ['token'] }), {
    id: 1,
    'a.b': 'c',
    token: 'h',
    tokens: 2
  })
  t.strictSame(await send({ url: '/1' }), [200, { id: 1, 'a.b': 'c', tokens: 2 }])
})

t.test('a field that one branch of a union names is as that branch says', async (t) => {
  const address = { type: 'object', properties: { street: text } }
  const union = { anyOf: [{ properties: { address } }, { properties: { phone: text } }] }
  const contact = { type: 'object', properties: { id: text }, ...union }
  const { send, post } = await createEcho(t, resource(contact), { id: 'i', address: { street: 's', note: 'n' } })
  t.strictSame(await send({ url: '/1' }), [200, { id: 'i', address: { street: 's' } }])
  t.strictSame(await post({ address: { street: 's', note: 'n' } }), [400, 'address.note is not known'])
  t.strictSame((await post({ address: { street: 's' } }))[0], 201)
  for (const phone of [{ note: 'n' }, ['n']])
    t.strictSame(await post({ phone }), [400, 'phone is not valid'], JSON.stringify(phone))
})

t.test('what is no object has no tag, and is hidden or refused by any branch of a union', async (t) => {
  const branch = (kind: string) => ({ properties: { kind: { const: kind } } })
  const flagged = (flag: string) => ({ anyOf: [{ ...branch('a'), [flag]: true }, branch('b')] })
  const properties = { hidden: flagged('writeOnly'), set: flagged('readOnly') }
  const { send, post } = await createEcho(t, resource({ type: 'object', properties }))
  const answers = async (value: unknown, sent: object) => {
    const { send } = await createEcho(t, resource({ type: 'object', properties }), { hidden: value })
    t.strictSame(await send({ url: '/1' }), [200, sent], JSON.stringify(value))
  }
  await answers({ kind: 'b' }, { hidden: { kind: 'b' } })
  await answers(null, { hidden: null })
  for (const value of ['text', 1, ['item'], { kind: 'a' }, { kind: ['b'] }, {}]) await answers(value, {})
  t.strictSame((await post({ set: { kind: 'b' } }))[0], 201)
  for (const value of ['text', ['item'], null, { kind: 'a' }, {}])
    t.strictSame(await post({ set: value }), [400, 'set can not be set'], JSON.stringify(value))
  const listed = await send({ method: 'PATCH', url: '/1', payload: { set: 1 } })
  t.strictSame(listed, [400, 'set can not be set'])
})

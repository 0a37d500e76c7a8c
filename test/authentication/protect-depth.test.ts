import type { HookContext } from 'fastify-services'
import t from 'tap'
import { without } from '../../lib/authentication/without.js'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

const nested = (depth: number, inner: unknown) => {
  let value = inner
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { in: value } : [value]
  return value
}
const model = (values: object) => ({ toJSON: () => values })
const hides = { id: 1, toJSON: () => ({ id: 1, secret: 's3cret', toJSON: () => record() }) }
const at = new Date(0)

const answers: Record<string, [answer: unknown, expected: unknown]> = {
  'an object in an object': [{ user: record() }, { user: open() }],
  'a list in an object': [{ users: [record(1), record(2)] }, { users: [open(1), open(2)] }],
  'a list in a list': [
    [[record()], [[record(2)]]],
    [[open()], [[open(2)]]]
  ],
  'a further field of a page': [
    { total: 1, data: [open()], first: record(), facets: { by: [record()] } },
    { total: 1, data: [open()], first: open(), facets: { by: [open()] } }
  ],
  'a record in a record': [
    { ...record(), parent: { ...record(2), parent: record(3) } },
    { ...open(), parent: { ...open(2), parent: open(3) } }
  ],
  '500 levels': [nested(500, record()), nested(500, open())],
  'what toJSON gives, in a list in an object': [{ users: [model(record())] }, { users: [open()] }],
  'what toJSON gives, that has records': [
    model({ users: [record()], in: model({ in: model(record()) }) }),
    { users: [open()], in: { in: open() } }
  ],
  'what toJSON gives, that has a toJSON of its own': [{ user: hides }, { user: { id: 1 } }],
  'a function with a toJSON': [{ user: Object.assign(() => 1, model(record())), other: () => 1 }, { user: open() }],
  'one without a prototype': [{ user: Object.assign(Object.create(null), record()) }, { user: open() }],
  'a Proxy': [{ user: new Proxy(record(), {}) }, { user: open() }],
  'a Proxy that hides what it has': [{ user: new Proxy(record(), { has: () => false }) }, { user: open() }],
  'a getter': [
    {
      get user() {
        return record()
      }
    },
    { user: open() }
  ],
  'a getter of the field, that throws': [
    {
      user: {
        id: 1,
        get secret() {
          throw new Error('broken')
        }
      }
    },
    { user: { id: 1 } }
  ],
  'a field named __proto__': [
    JSON.parse('{"user":{"__proto__":{"secret":1,"a":1},"pin":1}}'),
    JSON.parse('{"user":{"__proto__":{"a":1}}}')
  ],
  'dates, bytes, Map and Set': [
    { ...record(), at, bytes: new Uint8Array([1]), map: new Map([[1, record()]]), set: new Set([record()]) },
    { ...open(), at: at.toISOString(), bytes: { 0: 1 }, map: {}, set: {} }
  ],
  'values of all kinds': [
    { user: record(), values: [null, undefined, Number.NaN, true, 'secret'] },
    { user: open(), values: [null, null, null, true, 'secret'] }
  ]
}

for (const [name, [answer, expected]] of Object.entries(answers))
  t.test(`protect: a field is absent in ${name}, of a method and of a custom one`, async (t) => {
    const { send, things } = await createProtected(t, { answer: () => answer })
    for (const [verb, url, custom] of [
      ['GET', '/things'],
      ['PATCH', '/things/1'],
      ['POST', '/things', 'archive']
    ] as const)
      t.strictSame((await send(verb, url, custom)).body, expected, verb)
    t.equal(await things.get(1), answer, 'the server gets what the method gave')
  })

t.test('protect: a shared record, and one within itself', async (t) => {
  const shared = { one: record() }
  t.strictSame(without({ a: shared, b: [shared] }, ['secret', 'pin']), { a: { one: open() }, b: [{ one: open() }] })
  const cycle = { ...record(), list: [] as unknown[], other: {} }
  cycle.list.push(cycle, cycle.list)
  cycle.other = { cycle }
  const cleaned = without({ cycle }, ['secret', 'pin']) as { cycle: typeof cycle }
  t.strictSame(Object.keys(cleaned.cycle), ['id', 'name', 'list', 'other'])
  t.equal(cleaned.cycle.list[0], cleaned.cycle)
  t.equal(cleaned.cycle.list[1], cleaned.cycle.list)
  t.equal((cleaned.cycle.other as typeof cleaned).cycle, cleaned.cycle)
  t.equal(cycle.secret, 's3cret', 'what was given is not changed')
  let laughs: unknown = record()
  for (let level = 0; level < 60; level++) laughs = [laughs, laughs]
  let inner = without(laughs, ['secret', 'pin'])
  while (Array.isArray(inner)) inner = inner[1]
  t.strictSame(inner, open(), 'each is looked at once')
})

t.test('protect: what has none of the fields stays the object that it is', async (t) => {
  const address = { city: 'Lagos', since: at }
  for (const given of [
    open(),
    [open()],
    { data: [open()], at },
    model({ a: { b: 1 } }),
    at,
    Buffer.from('a'),
    'secret',
    null,
    5n,
    Number.NaN
  ])
    t.ok(Object.is(without(given, ['secret']), given))
  const cleaned = without({ ...record(), address, at }, ['secret', 'pin']) as { address: unknown; at: unknown }
  t.equal(cleaned.address, address)
  t.equal(cleaned.at, at)
})

t.test('protect: what JSON can not read is 500 over HTTP, and changes nothing for the server', async (t) => {
  const broken = () => {
    throw new Error('s3cret')
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  for (const answer of [
    nested(50_000, record()),
    {
      user: {
        get name() {
          return broken()
        }
      }
    },
    [{ toJSON: broken }],
    { user: revoked.proxy }
  ]) {
    const { send, things } = await createProtected(t, { answer: () => answer })
    const { status, body } = await send('GET', '/things/1')
    t.match([status, body], [500, { name: 'GeneralError', message: 'The result can not be serialized' }])
    t.equal(await things.get(1), answer)
    t.equal((await send('GET', '/nowhere')).status, 404, 'alive')
  }
})

t.test('protect: the dispatch of a call of the server is made when it is read', async (t) => {
  let reads = 0
  const answer = {
    get user() {
      reads++
      return record()
    }
  }
  const { things } = await createProtected(t, { answer: () => answer })
  const contexts: HookContext[] = []
  things.on('created', (_record, context) => contexts.push(context))
  things.hooks({
    around: {
      create: [
        async (context, next) => {
          await next()
          context.dispatch = context.params.query?.own as never
        }
      ]
    }
  })
  await things.create({})
  t.equal(reads, 0)
  t.strictSame(contexts[0]?.dispatch, { user: open() })
  t.equal(contexts[0]?.dispatch, contexts[0]?.dispatch)
  await things.create({}, { query: { own: [record()] } })
  t.strictSame(contexts[1]?.dispatch, [open()])
  things.hooks({
    around: {
      create: [
        async (context, next) => {
          await next()
          delete (context as Partial<HookContext>).dispatch
        }
      ]
    }
  })
  await things.create({})
  t.strictSame(contexts[2]?.dispatch, { user: open() }, 'a hook has taken it away')
  if (contexts[1]) contexts[1].dispatch = 'mine' as never
  t.equal(contexts[1]?.dispatch, 'mine')
})

import t from 'tap'
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

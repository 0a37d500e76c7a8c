import { PassThrough, Readable } from 'node:stream'
import { memory } from '@feathersjs/memory'
import type { HookContext } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { broken, createProtected, open, record, type Things } from '../support/auth-passwords-protect.js'
import { request } from '../support/host.js'
import { JsonObject } from '../support/json-object.js'
import { createServicesApp } from '../support/users-app.js'

const page = { total: 2, limit: 2, skip: 0 }
const lists: Record<string, [given: unknown, expected: unknown]> = {
  'a record': [record(), open()],
  'a list': [
    [record(1), record(2)],
    [open(1), open(2)]
  ],
  'a page': [
    { ...page, data: [record(1), record(2)] },
    { ...page, data: [open(1), open(2)] }
  ],
  'an empty page': [
    { ...page, total: 0, data: [] },
    { ...page, total: 0, data: [] }
  ],
  'an empty list': [[], []]
}
const calls: [verb: string, url: string, custom?: string][] = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((verb): [string, string] => [verb, '/things']),
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((verb): [string, string] => [verb, '/things/1']),
  ['POST', '/things', 'archive']
]

for (const [name, [answer, expected]] of Object.entries(lists))
  t.test(`protect(...fields) keeps the fields out of ${name}, of every method`, async (t) => {
    const { send, things } = await createProtected(t, { answer: () => answer })
    for (const [verb, url, custom] of calls)
      t.strictSame((await send(verb, url, custom)).body, expected, `${verb} ${url} ${custom ?? ''}`)
    const { find, get, create, update, patch, remove, archive } = things
    const internal = [find(), get(1), create({}), update(1, {}), patch(1, {}), remove(1), archive({}, {})]
    for (const result of await Promise.all(internal)) t.equal(result, answer, 'internal results keep them')
  })

class Plain {
  readonly id = 1
  readonly name = 'Ada'
  readonly secret = 's3cret'
  readonly pin = '1234'
}

const nested = (depth: number, inner: unknown) => {
  let value = inner
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { in: value } : [value]
  return value
}
const model = (values: object) => ({ toJSON: () => values })
const hides = { id: 1, toJSON: () => ({ id: 1, secret: 's3cret', toJSON: () => record() }) }
const at = new Date(0)

const answers: Record<string, [answer: unknown, expected: unknown]> = {
  'a record with toJSON': [new JsonObject(record()), open()],
  'a list of records with toJSON': [
    [new JsonObject(record(1)), new JsonObject(record(2))],
    [open(1), open(2)]
  ],
  'a page of records with toJSON': [
    { total: 1, data: [new JsonObject(record())] },
    { total: 1, data: [open()] }
  ],
  'a page with toJSON': [new JsonObject({ total: 1, data: [record()] }), { total: 1, data: [open()] }],
  'a list with toJSON': [new JsonObject([record()]), [open()]],
  'a record of a class': [new Plain(), open()],
  'a record without a prototype': [Object.assign(Object.create(null), record()), open()],
  'a frozen record': [Object.freeze(record()), open()],
  'a record whose fields are null or empty': [{ ...record(), secret: null, pin: '' }, open()],
  'a record with a list named data': [
    { ...record(), data: [1, 'two'] },
    { ...open(), data: [1, 'two'] }
  ],
  'a list of such records': [[{ ...record(), data: [1] }], [{ ...open(), data: [1] }]],
  'a page that has the field itself': [{ data: [record()], secret: 's3cret' }, { data: [open()] }],
  'a record that has none of the fields': [open(), open()],
  'a list of values': [
    ['secret', 1, null, true],
    ['secret', 1, null, true]
  ],
  'a string': ['secret', 'secret'],
  zero: [0, 0],
  false: [false, false],
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
  'a getter': [Object.defineProperty({}, 'user', { enumerable: true, get: () => record() }), { user: open() }],
  'a getter of the field, that throws': [{ user: broken('secret') }, { user: { id: 1 } }],
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
const textOf = (value: unknown) => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

for (const [name, [answer, expected]] of Object.entries(answers))
  t.test(`protect: a field is absent in ${name}, of a method and of a custom one`, async (t) => {
    const before = textOf(answer)
    const { send, things } = await createProtected(t, { answer: () => answer })
    for (const [verb, url, custom] of [
      ['GET', '/things'],
      ['PATCH', '/things/1'],
      ['POST', '/things', 'archive']
    ] as const)
      t.strictSame((await send(verb, url, custom)).body, expected, verb)
    t.equal((await send('GET', '/things/1')).status, 200)
    t.equal(await things.get(1), answer, 'the server gets what the method gave')
    t.equal(textOf(answer), before, 'and it was not changed')
  })

t.test('protect: what JSON can not read is 500 over HTTP, and changes nothing for the server', async (t) => {
  const toJSON = () => {
    throw new Error('s3cret')
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  for (const answer of [
    nested(50_000, record()),
    { user: broken() },
    [{ toJSON }],
    { ...record(), toJSON },
    { user: revoked.proxy }
  ]) {
    const { send, things } = await createProtected(t, { answer: () => answer })
    const { status, body } = await send('GET', '/things/1')
    t.match([status, body], [500, { name: 'GeneralError', message: 'The result is not JSON (BigInt or a cycle?)' }])
    t.notMatch(JSON.stringify(body), 's3cret')
    t.equal(await things.get(1), answer)
    t.equal((await send('GET', '/nowhere')).status, 404, 'alive')
  }
})

t.test('protect: null and undefined stay 204', async (t) => {
  for (const answer of [null, undefined]) {
    const { send } = await createProtected(t, { answer: () => answer })
    for (const [verb, url] of [
      ['GET', '/things/1'],
      ['POST', '/things'],
      ['DELETE', '/things/1']
    ] as const)
      t.match(await send(verb, url), { status: 204, body: '' }, `${answer} ${verb}`)
  }
})

t.test('protect: Buffers, streams and responses are left as they are', async (t) => {
  const bytes = Buffer.from('{"secret":1}')
  const answers = {
    Buffer: () => bytes,
    Uint8Array: () => new Uint8Array(bytes),
    'a stream': () => Readable.from([bytes], { objectMode: false }),
    'a transform': () => new PassThrough().end(bytes),
    'a web stream': () => new Blob([bytes]).stream(),
    'a Response': () => new Response(bytes),
    'a Blob': () => new Blob([bytes])
  }
  for (const [name, answer] of Object.entries(answers)) {
    const { app } = await createProtected(t, { answer })
    const { statusCode, rawPayload } = await app.inject('/things/1')
    t.equal(statusCode, 200)
    t.strictSame(rawPayload, bytes, name)
  }
})

t.test('protect: a Buffer stays one where a field is named as what its JSON has', async (t) => {
  const { app } = await createProtected(t, {
    answer: () => Buffer.from('bytes'),
    hooks: { around: { all: [protect('data', 'type')] } } as object
  })
  t.equal((await app.inject('/things/1')).body, 'bytes')
})

t.test('protect: a field that a record inherits is not there for a schema or a formatter either', async (t) => {
  const { app, things } = await createProtected(t, {
    answer: () => Object.assign(Object.create({ secret: 's3cret' }), { id: 1 })
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: 1 })
  const result = await things.get(1, { provider: 'rest' })
  t.notOk('secret' in (result as object))
})

t.test('protect(...fields) on a service in memory: batches, and what is stored', async (t) => {
  const app = await createServicesApp(t)
  const dispatched: unknown[] = []
  app.service('things', memory({ startId: 1, multi: true, paginate: { default: 5, max: 5 } }) as object, {
    hooks: {
      around: {
        all: [
          protect('secret'),
          async (context: HookContext, next) => {
            await next()
            dispatched.push(context.dispatch)
          }
        ]
      }
    }
  })
  const things = app.service('things') as unknown as Things
  const batch = [
    { name: 'Ada', secret: 'a' },
    { name: 'Bob', secret: 'b' }
  ]
  const created = await request(app, 'POST', '/things', { payload: batch })
  t.strictSame(created.body, [
    { name: 'Ada', id: 1 },
    { name: 'Bob', id: 2 }
  ])
  const page = await request(app, 'GET', '/things?$limit=1')
  t.strictSame(page.body, { total: 2, limit: 1, skip: 0, data: [{ name: 'Ada', id: 1 }] })
  t.match(await things.get(1), { secret: 'a' }, 'the stored record has it')
  t.match(await things.find(), { data: [{ secret: 'a' }, { secret: 'b' }] })
  t.match(await request(app, 'DELETE', '/things'), { body: { length: 2, 0: { secret: undefined } } })
})

t.test('a field by the name `toJSON` that is no function is a field', async (t) => {
  const app = await createServicesApp(t)
  const find = async () => [{ toJSON: 'a text', password: 'secret' }]
  app.service('things', { find }, { hooks: { around: [protect('password')] } })
  t.strictSame((await app.inject('/things')).json(), [{ toJSON: 'a text' }])
})

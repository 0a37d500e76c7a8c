import { PassThrough, Readable } from 'node:stream'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

class Model {
  readonly #values: object
  constructor(values: object) {
    this.#values = values
  }
  toJSON() {
    return this.#values
  }
}

class Plain {
  readonly id = 1
  readonly name = 'Ada'
  readonly secret = 's3cret'
  readonly pin = '1234'
}

const cases: Record<string, [answer: () => unknown, expected: unknown]> = {
  'a record with toJSON': [() => new Model(record()), open()],
  'a list of records with toJSON': [() => [new Model(record(1)), new Model(record(2))], [open(1), open(2)]],
  'a page of records with toJSON': [() => ({ total: 1, data: [new Model(record())] }), { total: 1, data: [open()] }],
  'a page with toJSON': [() => new Model({ total: 1, data: [record()] }), { total: 1, data: [open()] }],
  'a list with toJSON': [() => new Model([record()]), [open()]],
  'a record of a class': [() => new Plain(), open()],
  'a record without a prototype': [() => Object.assign(Object.create(null), record()), open()],
  'a frozen record': [() => Object.freeze(record()), open()],
  'a record whose fields are null or empty': [() => ({ ...record(), secret: null, pin: '' }), open()],
  'a record with a list named data': [() => ({ ...record(), data: [1, 'two'] }), { ...open(), data: [1, 'two'] }],
  'a list of such records': [() => [{ ...record(), data: [1] }], [{ ...open(), data: [1] }]],
  'a page that has the field itself': [() => ({ data: [record()], secret: 's3cret' }), { data: [open()] }],
  'a record that has none of the fields': [() => open(), open()],
  'a list of values': [() => ['secret', 1, null, true], ['secret', 1, null, true]],
  'a string': [() => 'secret', 'secret'],
  zero: [() => 0, 0],
  false: [() => false, false]
}

for (const [name, [answer, expected]] of Object.entries(cases))
  t.test(`protect: ${name}`, async (t) => {
    const given = answer()
    const before = JSON.stringify(given)
    const { send, things } = await createProtected(t, { answer: () => given })
    const { status, body } = await send('GET', '/things/1')
    t.strictSame([status, body], [200, typeof expected === 'string' ? JSON.stringify(expected) : expected].map(parsed))
    t.equal(await things.get(1), given, 'the internal result is the same object')
    t.equal(JSON.stringify(given), before, 'and was not changed')
  })

// `body` is parsed already, a string among it.
const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)

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
    'a Response': () => new Response(bytes)
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

t.test('protect: a toJSON that throws is a 500, and nothing leaves', async (t) => {
  const toJSON = () => {
    throw new Error('broken')
  }
  const { send } = await createProtected(t, { answer: () => ({ ...record(), toJSON }) })
  const { status, body } = await send('GET', '/things/1')
  t.equal(status, 500)
  t.notMatch(JSON.stringify(body), 's3cret')
})

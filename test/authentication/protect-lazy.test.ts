import { Conflict } from 'fastify-services'
import t, { type Test } from 'tap'
import { createProtected, open, record } from '../support/auth-passwords-protect.js'

/** A relation that is loaded when it is first asked for. */
class Post {
  #author: object | null = null
  get author() {
    const author = this.#author
    this.#author ??= record()
    return author
  }
  toJSON() {
    return { text: 'x', author: this.author }
  }
}

const later = (first: unknown) => {
  let value: unknown = first
  return () => {
    const result = value
    value = record()
    return result
  }
}
const getter = (get: () => unknown) => Object.defineProperty({}, 'user', { get, enumerable: true })
const element = (get: () => unknown) => Object.defineProperty([0], 0, { get })
class Quiet extends Array<unknown> {
  override [Symbol.iterator]() {
    return [].values()
  }
}

const answers: Record<string, [answer: () => unknown, expected: unknown]> = {
  'a relation': [() => ({ post: new Post() }), { post: { text: 'x', author: null } }],
  'a toJSON': [() => [{ toJSON: later('a') }], ['a']],
  'a toJSON that gave nothing': [() => ({ id: 1, user: { toJSON: later(undefined) } }), { id: 1 }],
  'a toJSON that gave a function': [() => ({ id: 1, user: { toJSON: later(() => 1) } }), { id: 1 }],
  'a getter': [() => getter(later('a')), { user: 'a' }],
  'a getter in a list': [() => element(later(1)), [1]],
  'a Proxy': [() => new Proxy({ user: 0 }, { get: (_, key) => (key === 'user' ? user() : undefined) }), { user: 'a' }],
  'a list that iterates otherwise': [() => Quiet.of(record()), [open()]],
  'a toJSON of what a toJSON gives': [() => ({ toJSON: () => ({ id: 1, toJSON: record }) }), { id: 1 }],
  'the same of a class': [() => ({ toJSON: () => Object.create({ toJSON: record }, {}) }), {}]
}
let user = later('a')

for (const [name, [answer, expected]] of Object.entries(answers))
  t.test(`protect: what is asked again does not get the field out: ${name}`, async (t) => {
    user = later('a')
    const result = answer()
    const { send } = await createProtected(t, { answer: () => result })
    t.strictSame((await send('GET', '/things/1')).body, expected)
  })

/** What a call over HTTP gets. */
const clean = async (t: Test, value: unknown) =>
  (await createProtected(t, { answer: () => value })).things.get(1, { provider: 'rest' })

t.test('protect: a toJSON is given its key, at each place where it stands', async (t) => {
  const toJSON = (key: string) => ({ key, secret: 1 })
  const withToJSON = { toJSON }
  t.strictSame(await clean(t, { a: withToJSON, list: [withToJSON, withToJSON], b: { a: withToJSON } }), {
    a: { key: 'a' },
    list: [{ key: '0' }, { key: '1' }],
    b: { a: { key: 'a' } }
  })
  t.strictSame(await clean(t, withToJSON), { key: '' })
})

t.test('protect: a toJSON that gives itself, and one that leads back to it', async (t) => {
  const self = { ...record(), self: {}, toJSON: () => self }
  self.self = self
  const cleaned = (await clean(t, { self })) as { self: typeof self }
  t.strictSame(Object.keys(cleaned.self), ['id', 'name', 'self'])
  t.equal(cleaned.self.self, cleaned.self)
})

t.test('protect: numbers and texts that are objects', async (t) => {
  const boxed = [Object('a'), Object(1), { toJSON: () => Object.assign(Object('b'), record()) }]
  t.equal(JSON.stringify(await clean(t, { ...record(), boxed })), '{"id":1,"name":"Ada","boxed":["a",1,"b"]}')
})

class Lazy extends Conflict {
  readonly #told = later(null)
  override toJSON() {
    return { ...super.toJSON(), user: this.#told() } as never
  }
}

t.test('protect: an error is asked once too', async (t) => {
  const data = () => Object.defineProperty(new Conflict('no'), 'data', { get: later(null) })
  const proxy = () => new Proxy(data(), {})
  const inherited = () =>
    Object.assign(
      Object.create({
        get data() {
          return told()
        }
      }),
      { code: 409, className: 'conflict', message: 'no' }
    )
  let told = later(null)
  for (const error of [() => new Lazy('no'), data, proxy, inherited]) {
    told = later(null)
    const { send } = await createProtected(t, { answer: () => Promise.reject(error()) })
    const { status, body } = await send('GET', '/things/1')
    t.equal(status, 409)
    t.notMatch(JSON.stringify(body), 's3cret')
  }
})

const at = new Date(0)

t.test('protect: a shared record, and one within itself', async (t) => {
  const shared = { one: record() }
  t.strictSame(await clean(t, { a: shared, b: [shared] }), { a: { one: open() }, b: [{ one: open() }] })
  const cycle = { ...record(), list: [] as unknown[], other: {} }
  cycle.list.push(cycle, cycle.list)
  cycle.other = { cycle }
  const cleaned = (await clean(t, { cycle })) as { cycle: typeof cycle }
  t.strictSame(Object.keys(cleaned.cycle), ['id', 'name', 'list', 'other'])
  t.equal(cleaned.cycle.list[0], cleaned.cycle)
  t.equal(cleaned.cycle.list[1], cleaned.cycle.list)
  t.equal((cleaned.cycle.other as typeof cleaned).cycle, cleaned.cycle)
  t.equal(cycle.secret, 's3cret', 'what was given is not changed')
  let laughs: unknown = record()
  for (let level = 0; level < 60; level++) laughs = [laughs, laughs]
  let inner = await clean(t, laughs)
  while (Array.isArray(inner)) inner = inner[1]
  t.strictSame(inner, open(), 'each is looked at once')
})

t.test('protect: what has none of the fields stays the object that it is', async (t) => {
  const address = { city: 'Lagos', since: at }
  for (const result of [open(), [open()], { data: [open()], at }, at, Buffer.from('a'), 'secret', null, 5n, Number.NaN])
    t.ok(Object.is(await clean(t, result), result))
  const cleaned = (await clean(t, { ...record(), address, at })) as { address: unknown; at: unknown }
  t.equal(cleaned.address, address)
  t.equal(cleaned.at, at)
})

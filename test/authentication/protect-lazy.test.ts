import { Conflict } from 'fastify-services'
import t from 'tap'
import { without } from '../../lib/authentication/without.js'
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
    const given = value
    value = record()
    return given
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
    const given = answer()
    const { send } = await createProtected(t, { answer: () => given })
    t.strictSame((await send('GET', '/things/1')).body, expected)
  })

t.test('protect: a toJSON is given its key, at each place where it stands', async (t) => {
  const toJSON = (key: string) => ({ key, secret: 1 })
  const one = { toJSON }
  t.strictSame(without({ a: one, list: [one, one], b: { a: one } }, ['secret']), {
    a: { key: 'a' },
    list: [{ key: '0' }, { key: '1' }],
    b: { a: { key: 'a' } }
  })
  t.strictSame(without(one, ['secret']), { key: '' })
})

t.test('protect: a toJSON that gives itself, and one that leads back to it', async (t) => {
  const self = { ...record(), self: {}, toJSON: () => self }
  self.self = self
  const cleaned = without({ self }, ['secret', 'pin']) as { self: typeof self }
  t.strictSame(Object.keys(cleaned.self), ['id', 'name', 'self'])
  t.equal(cleaned.self.self, cleaned.self)
})

t.test('protect: numbers and texts that are objects', async (t) => {
  const boxed = [Object('a'), Object(1), { toJSON: () => Object.assign(Object('b'), record()) }]
  t.equal(
    JSON.stringify(without({ ...record(), boxed }, ['secret', 'pin'])),
    '{"id":1,"name":"Ada","boxed":["a",1,"b"]}'
  )
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

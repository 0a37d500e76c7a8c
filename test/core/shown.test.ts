import { hashPassword } from 'fastify-services/authentication'
import t from 'tap'

class Users {}

const rows: readonly (readonly [value: unknown, text: string])[] = [
  ['', 'an empty string'],
  [undefined, 'undefined'],
  [null, 'null'],
  [0, '0'],
  [true, 'true'],
  [12n, '12'],
  [{ a: 1 }, 'an object'],
  [new Users(), 'an object'],
  [new Map(), 'an object (Map)'],
  [Promise.resolve({}), 'a promise: await it'],
  [['a'], 'a list'],
  [() => {}, 'a function'],
  [Users, 'the class Users: pass `new Users()`'],
  [class {}, 'a class']
]

for (const [value, text] of rows)
  t.test(`what a message says of ${text}`, async (t) => {
    const message = `hashPassword needs the name of a field: hashPassword('password'), got ${text}`
    t.throws(() => hashPassword(value as string), { message })
  })

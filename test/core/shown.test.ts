import t from 'tap'
import { isClass, shown, shownText } from '../../lib/core/options.js'

class Users {}

const rows: readonly (readonly [value: unknown, text: string])[] = [
  ['key', 'a string'],
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
    t.equal(shown(value), text)
    t.equal(shownText(value), value === 'key' ? "'key'" : text)
    t.equal(isClass(value), text.includes('class'))
  })

t.test('a string that is told is no longer than 40 characters', async (t) => {
  t.equal(shownText('x'.repeat(40)), `'${'x'.repeat(40)}'`)
  t.equal(shownText('x'.repeat(41)), `'${'x'.repeat(40)}'`)
})

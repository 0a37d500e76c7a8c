import { setFlagsFromString } from 'node:v8'
import t from 'tap'
import { merge } from '../../lib/core/objects.js'

class Params {
  query = {}
  provider = 'rest'
}

t.test('the later properties take precedence, and none is taken for the prototype', async (t) => {
  t.strictSame(merge({ a: 1, b: 1 }, { b: 2, c: 2 }), { a: 1, b: 2, c: 2 })
  const merged = merge(JSON.parse('{ "__proto__": { "isAdmin": true } }'), {})
  t.equal(Object(merged).isAdmin, undefined)
  t.ok(Object.hasOwn(merged, '__proto__'))
})

t.test('what is merged shares one hidden class, whatever it is a copy of', async (t) => {
  setFlagsFromString('--allow-natives-syntax')
  const haveSameClass = new Function('one', 'other', 'return %HaveSameMap(one, other)')
  for (const one of [() => new Params(), () => ({ accessToken: 'a' }), () => ({})]) {
    const [first, second] = Array.from({ length: 10 }, (_, user) => merge(one(), { user })).slice(-2)
    t.equal(haveSameClass(first, second), true)
  }
})

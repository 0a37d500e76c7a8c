import type { HookContext } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'
import { traitsOf } from '../../lib/core/hooks.js'
import { isKept } from '../support/kept.js'
import { byOutcome } from './outcomes.js'

const hook = protect('secret', 'PIN', '$own')
const operators =
  `$eq $ne $gt $gte $ge $lt $lte $le $in $nin $all $between $notBetween $like $notLike $iLike $notILike $startsWith
  $endsWith $contains $regex $options $search $and $or $nor $not $elemMatch`.split(/\s+/)
const queries: Record<string, unknown> = {
  ...{ none: undefined, null: null, empty: {}, 'a text': 'secret', 'a number': 5, 'a list of texts': ['secret'] },
  'a field': { secret: 1 },
  'the other one': { a: 1, PIN: 1 },
  'in another case': { SECRET: 1, a: 1 },
  'pin small': { pin: 1 },
  'a longer name': { secrets: 1, pins: 1, mysecret: 1, secret_: 1, $$: 1 },
  'as a value': { a: 'secret', b: ['PIN'], c: { d: 'PIN' } },
  'with a table': { 'users.secret': 1 },
  'before a path': { 'secret.a': 1 },
  'in SQL': { 'lower(secret) = ?': 1 },
  quoted: { '"users"."secret"': 1 },
  'of MongoDB': { $secret: 1 },
  'of MongoDB twice': { $$secret: 1 },
  'with a name like one of MongoDB': { $own: 1 },
  'such a name without its $': { own: 1 },
  'behind a $': { a$secret: 1 },
  'with a hyphen': { 'a-secret': 1 },
  'with other letters': { ésecret: 1, secreté: 1 },
  'with a digit': { secret1: 1 },
  'in an object': { a: { b: { secret: 1 } } },
  'in a list': { $or: [{ a: 1 }, { secret: 1 }] },
  'in the first': { $or: [{ PIN: 1 }, 1] },
  ...{ 'selected alone': { $select: 'secret' }, 'selected in a list': { $select: ['a', 'secret', 'PIN'] } },
  'selected in another case': { $select: ['Secret'] },
  'selected under another name': { $select: ['a', 'secret as a'] },
  'selected in an object': { $select: { secret: 1 } },
  'selected in SQL': { $select: 'lower(PIN)' },
  'selected with a table': { $select: ['t.PIN'] },
  'nothing of it is selected': { $select: ['a', 5, null, {}] },
  'selected, and a field': { $select: ['secret'], secret: 1 },
  'in another operator': { $sort: 'secret' },
  'in a list of one': { $group: ['a', '$secret'] },
  'deeper in one': { $x: { a: { b: 'PIN' } } },
  'a value in one': { $x: { a: 'b', c: 5, d: null } },
  'in a value of a value': { $x: { $eq: 'secret' } },
  'sorted by it': { $sort: { PIN: 1 } },
  ...Object.fromEntries(operators.map((name) => [`a value of ${name}`, { a: { [name]: ['x', 'secret'] } }])),
  ...Object.fromEntries(operators.map((name) => [`a query in ${name}`, { [name]: [{ a: 1 }, { secret: 1 }] }]))
}
const misuses = { none: [], one: ['a'], two: ['a', 'b'] }
const types = { around: 'around', before: 'before', after: 'after', error: 'error', none: undefined }

t.test('queries that name fields, calls and places', async (t) => {
  const ask = (params: object) => async () => {
    const context = { params, result: { secret: 1 } } as unknown as HookContext
    await hook(context, async () => {})
    return JSON.stringify([context.result, context.dispatch])
  }
  const call = (query: unknown) => ask({ provider: 'rest', query })()
  const kept = {
    queries: await byOutcome(queries, call),
    'of the server': await byOutcome({ 'a field': { secret: 1 } }, (query) => ask({ query })()),
    fields: await byOutcome(misuses, (fields) => traitsOf(protect(...fields)).hides?.join()),
    types: await byOutcome(types, (type) => traitsOf(hook).check?.({ app: {}, path: 'here', type: type as 'around' }))
  }
  isKept(t, kept, 'test/authentication/whole-protect.txt')
})

import t from 'tap'
import { operatorNames, toFilterFields, usualOperators } from '../../lib/explorer/model/filter-fields.js'
import { nameOf } from '../../lib/explorer/model/login.js'
import { createFollow } from '../../lib/explorer/model/schema.js'

const follow = createFollow({})
const operatorsOf = (...names: string[]) =>
  toFilterFields(
    names.map((name) => ({ name, in: 'query', schema: { type: 'integer' } })),
    follow
  ).map(({ name, operators }) => [name, ...operators].join(' '))

t.test('operators have names, and an order', async (t) => {
  t.strictSame(Object.fromEntries(operatorNames), {
    '': '=',
    $ne: '≠',
    $lt: '<',
    $lte: '≤',
    $le: '≤',
    $gt: '>',
    $gte: '≥',
    $ge: '≥',
    $in: 'one of',
    $nin: 'none of',
    $like: 'like',
    $ilike: 'like, any case'
  })
  const all = [...operatorNames.keys()].reverse().map((operator) => (operator === '' ? 'a' : `a[${operator}]`))
  const offered = [...operatorNames.keys()].filter((operator) => operator !== '$le' && operator !== '$ge')
  t.strictSame(operatorsOf('a[$own]', ...all), [['a', ...offered, '$own'].join(' ')])
  t.strictSame(usualOperators, ['', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin'])
})

t.test('of two operators that are the same one is offered', async (t) => {
  t.strictSame(operatorsOf('a[$eq]', 'a', 'b[$eq]'), ['a ', 'b $eq'])
  t.strictSame(operatorsOf('a[$le]', 'a[$lte]', 'b[$le]'), ['a $lte', 'b $le'])
  t.strictSame(operatorsOf('a[$ge]', 'a[$gte]', 'b[$ge]'), ['a $gte', 'b $ge'])
})

t.test('parameters that are no fields', async (t) => {
  t.strictSame(operatorsOf('$limit', '$or[$a]', '', 'a[b]', 'a[$in]b'), ['a[b] ', 'a[$in]b '])
})

t.test('a field is what its parameter says, also where an operator comes first', async (t) => {
  const [field] = toFilterFields(
    [
      { name: 'a[$in]', in: 'query' },
      { name: 'a', in: 'query', required: true, description: 'How many', schema: { type: 'integer' } },
      { name: 'a[$gt]', in: 'query' }
    ],
    follow
  )
  t.match(field, { kind: 'number', isRequired: true, description: 'How many', operators: ['', '$gt', '$in'] })
})

t.test('of an object, those fields are operators that look like one', async (t) => {
  const value = { type: 'integer' }
  const schema = { anyOf: [value, { type: 'object', properties: { b: value, $gt: value } }] }
  t.match(toFilterFields([{ name: 'a', in: 'query', schema }], follow), [{ name: 'a', operators: ['', '$gt'] }])
})

t.test('who is logged in, by the first of these that the user has', async (t) => {
  const keys = ['email', 'name', 'username', 'login', 'id', '_id']
  for (const [index, key] of keys.entries()) {
    const others = Object.fromEntries(keys.slice(index + 1).map((other) => [other, `the ${other}`]))
    t.equal(nameOf({ user: { ...others, [key]: `the ${key}` } }), `the ${key}`)
    t.equal(nameOf({ user: { [key]: 7 } }), '7')
    t.equal(nameOf({ user: { [key]: { a: 1 } } }), 'logged in')
  }
  t.equal(nameOf({ authentication: { name: 'no' } }), 'logged in')
})

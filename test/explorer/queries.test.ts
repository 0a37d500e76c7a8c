import t from 'tap'
import {
  type FilterField,
  operatorNames,
  toConditionField,
  toFilterFields
} from '../../lib/explorer/model/filter-fields.js'
import { fromHash, listOfService, type Place, recordAt, toHash } from '../../lib/explorer/model/place.js'
import { type Filter, toConditions, toQuery, toValue } from '../../lib/explorer/model/query.js'
import { createFollow, toField } from '../../lib/explorer/model/schema.js'

const follow = createFollow({})
const field = (name: string, schema: object): FilterField => ({ ...toField(name, schema, follow), operators: [''] })
const fields = [
  field('area', { type: 'number' }),
  field('open', { type: 'boolean' }),
  field('rank', { enum: [1, 2, 'x'] }),
  field('name', { type: 'string' })
]
const filter = (name: string, operator: string, text: string): Filter => ({ field: name, operator, text })
const list = listOfService('posts')
const rules = { query: fields, canJoin: false }
const queryOf = (...filters: Filter[]) => toQuery({ ...list, filters }, rules)

t.test('operators of databases have names for people', async (t) => {
  for (const operator of ['', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin', '$like', '$ilike'])
    t.match(operatorNames.get(operator), /^[a-z ≤≥<>=≠]+/, operator)
})

t.test('conditions as they are typed become a query', async (t) => {
  t.strictSame(queryOf(), {})
  t.strictSame(queryOf(filter('', '', ''), filter('area', '', '')), {}, 'what is not finished is none yet')
  t.strictSame(queryOf(filter('area', '$gt', '5'), filter('area', '$lt', '7.5'), filter('name', '', '5')), {
    area: { $gt: 5, $lt: 7.5 },
    name: '5'
  })
  t.strictSame(queryOf(filter('area', '$in', '1, 2,,x')), { area: { $in: [1, 2, 'x'] } })
  t.strictSame(queryOf(filter('name', '$nin', '["a,b", 7]')), { name: { $nin: ['a,b', '7'] } })
  t.strictSame(queryOf(filter('name', '$in', '{}')), { name: { $in: ['{}'] } })
  t.strictSame(queryOf(filter('other', '$gt', '5')), { other: { $gt: '5' } }, 'of an unknown field nothing is known')
  const hostile = queryOf(filter('__proto__', '$gt', 'a'), filter('constructor', '', 'b'))
  t.strictSame(Object.entries(hostile), [
    ['__proto__', { $gt: 'a' }],
    ['constructor', 'b']
  ])
})

const beside = 'The service takes no such condition beside those above.'
const conflicts: [what: string, filters: Filter[], query: object, joined: object][] = [
  [
    'a value, then an operator',
    [filter('area', '', '1'), filter('area', '$gt', '0')],
    { area: 1 },
    { area: 1, $and: [{ area: { $gt: 0 } }] }
  ],
  [
    'an operator, then a value',
    [filter('area', '$gt', '0'), filter('area', '', '1')],
    { area: { $gt: 0 } },
    { area: { $gt: 0 }, $and: [{ area: 1 }] }
  ],
  [
    'an operator twice',
    [filter('area', '$ne', '1'), filter('area', '$ne', '2')],
    { area: { $ne: 1 } },
    { area: { $ne: 1 }, $and: [{ area: { $ne: 2 } }] }
  ],
  [
    'two values',
    [filter('name', '', 'a'), filter('name', '', 'b')],
    { name: 'a' },
    { name: 'a', $and: [{ name: 'b' }] }
  ],
  [
    'a field of a strange name',
    [filter('__proto__', '', 'a'), filter('__proto__', '$ne', 'b')],
    JSON.parse('{"__proto__":"a"}'),
    JSON.parse('{"__proto__":"a","$and":[{"__proto__":{"$ne":"b"}}]}')
  ]
]

t.test('conditions that can not stand side by side go into `$and`, or are a problem of the later one', async (t) => {
  for (const [what, filters, query, joined] of conflicts) {
    const without = toConditions(filters, rules)
    t.equal(JSON.stringify(without.query), JSON.stringify(query), what)
    t.strictSame([...without.problems], [[1, beside]], what)
    const { query: both, problems } = toConditions(filters, { ...rules, canJoin: true })
    t.equal(JSON.stringify(both), JSON.stringify(joined), what)
    t.equal(problems.size, 0, what)
  }
})

t.test('a condition that says nothing is a problem', async (t) => {
  const filters = [
    filter('area', '$in', ','),
    filter('name', '$nin', '[]'),
    filter('', '', 'a'),
    filter('area', '', '')
  ]
  for (const canJoin of [true, false]) {
    const { query, problems } = toConditions(filters, { ...rules, canJoin })
    t.strictSame(query, {})
    t.strictSame([...problems.keys()], [0, 1, 2])
  }
})

t.test('a condition that is not complete is a problem', async (t) => {
  const filters = [{ ...filter('area', '$gt', ''), problem: 'Not a number.' }]
  const { query, problems } = toConditions(filters, rules)
  t.strictSame([query, [...problems]], [{}, [[0, 'Not a number.']]])
})

t.test('a condition has the input of its field, and a line of text for a list or a pattern', async (t) => {
  const kindOf = (name: string, operator: string) => {
    const { kind, choices } = toConditionField(
      fields.find((item) => item.name === name),
      operator
    )
    return [kind, ...choices]
  }
  t.strictSame(kindOf('area', '$gt'), ['number'])
  t.strictSame(kindOf('open', ''), ['choice', true, false])
  t.strictSame(kindOf('rank', '$in'), ['text'])
  t.strictSame(kindOf('name', '$ilike'), ['text'])
  t.strictSame(kindOf('unknown', ''), ['text'])
})

t.test('a part of a text, and an empty field, are conditions that the server knows', async (t) => {
  const parameter = (name: string, schema: object) => ({ name, in: 'query', schema })
  const text = { type: 'string' }
  const query = toFilterFields(
    [
      parameter('title', text),
      parameter('title[$like]', text),
      parameter('name', text),
      parameter('name[$ilike]', text),
      parameter('due', { type: ['integer', 'null'] }),
      parameter('note', { type: ['string', 'null'] })
    ],
    follow
  )
  t.strictSame(
    query.map(({ operators }) => operators),
    [['', '$like', 'part'], ['', '$ilike', 'part'], ['', 'empty'], ['']],
    'a URL has no null for a text'
  )
  const { query: sent } = toConditions(
    [filter('title', 'part', 'a'), filter('name', 'part', 'b'), filter('due', 'empty', '')],
    { query, canJoin: false }
  )
  t.strictSame(sent, { title: { $like: '%a%' }, name: { $ilike: '%b%' }, due: null })
})

t.test('order, page and columns', async (t) => {
  const query = toQuery(
    { ...list, sort: { field: '__proto__', direction: -1 }, limit: 5, skip: 10, columns: ['a'] },
    { query: [], canJoin: true }
  )
  t.equal(JSON.stringify(query), '{"$sort":{"__proto__":-1},"$limit":5,"$skip":10,"$select":["a"]}')
})

t.test('a text is a value of its type, or stays a text', async (t) => {
  const of = (name: string, text: string) =>
    toValue(
      text,
      fields.find((item) => item.name === name)
    )
  t.strictSame(
    ['5', ' -1.5 ', '1.50', '1e3', '1E-3', '1e999', '1e-999', '012', '12345678901234567890', '1.5.', 'x'].map((text) =>
      of('area', text)
    ),
    [5, -1.5, 1.5, 1000, 0.001, '1e999', '1e-999', '012', '12345678901234567890', '1.5.', 'x']
  )
  t.strictSame(
    ['true', 'false', 'yes', 'trueish', 'untrue'].map((text) => of('open', text)),
    [true, false, 'yes', 'trueish', 'untrue']
  )
  t.strictSame(
    ['1', 'x', '3'].map((text) => of('rank', text)),
    [1, 'x', '3']
  )
  t.equal(toValue('5', undefined), '5')
})

const places: [place: Partial<Place>, hash: string][] = [
  [{}, '#/posts'],
  [{ service: '' }, '#/'],
  [{ service: 'a/:b/c', route: new Map([['b', 'x/y?&']]) }, '#/a/:b/c?%3Ab=x%2Fy%3F%26'],
  [{ call: 'get', id: '#1' }, '#/posts?call=get&id=%231'],
  [{ filters: [filter('a.b', '$gt', '5'), filter('', '', '')] }, '#/posts?.a.b.%24gt=5&..='],
  [{ sort: { field: '-a', direction: 1 }, limit: 5, skip: 10 }, '#/posts?asc=-a&limit=5&skip=10'],
  [{ sort: { field: 'a', direction: -1 }, columns: ['a', '__proto__'] }, '#/posts?desc=a&column=a&column=__proto__'],
  [{ service: 'a?b#c d"<é' }, '#/a%3Fb%23c%20d%22%3C%C3%A9']
]

t.test('a place stands in the address, and is found there again', async (t) => {
  for (const [part, hash] of places) {
    const place = { ...list, ...part }
    t.equal(toHash(place), hash)
    t.strictSame(fromHash(hash), place)
  }
  t.equal(toHash(recordAt({ ...list, limit: 5, route: new Map([['b', 'c']]) }, '7')), '#/posts?call=get&id=7&%3Ab=c')
  t.equal(toHash({ ...list, service: '\ud800' }), '#/%EF%BF%BD')
  for (const hash of ['', '#', '#posts', '#/%', 'javascript:alert(1)']) t.equal(fromHash(hash), undefined)
  t.match(fromHash('#/posts?limit=-1&skip=1e9&limit=x'), { limit: undefined, skip: 0 })
})

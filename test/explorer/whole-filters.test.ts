import t from 'tap'
import { operatorNames, toFilterFields, usualOperators } from '../../lib/explorer/model/filter-fields.js'
import { createFollow } from '../../lib/explorer/model/schema.js'
import { isKept } from '../support/kept.js'
import { toPlain, toShort } from './plain.js'

const [text, number, none] = [{ type: 'string' }, { type: 'integer' }, { type: 'null' }]
const follow = createFollow({ text })
const at = ($ref: string) => ({ $ref })
const list = { type: 'array', items: number }
const operators = { type: 'object', properties: { $gt: number, $in: list } }
type Parameter = readonly [name: unknown, rest?: object]
// biome-ignore format: a table
const known = ['', '$eq', '$ne', '$lt', '$le', '$lte', '$gt', '$ge', '$gte', '$in', '$nin', '$like', '$ilike', '$own', '$other']
// biome-ignore format: a table
const synonyms = ['$eq', '$le', '$ge', '$lte', '$gte', '$eq ', ' $eq', '$le $lte', '$gte $ge', '$in $in', '$le $ge', '$nin  $in']
// biome-ignore format: a table
const names = [
  'a', '', '$limit', '$or[$a]', 'a[b]', 'a[$in]b', 'a[$in]', '[$in]', 'a[$]', 'a[$a-b]', 'a[$in][$gt]', 'a b[$in]', 'a\n[$in]', '$', 7,
  null
]
// biome-ignore format: a table
const queried: unknown[] = [
  ...[
    undefined, {}, number, operators, { anyOf: [number, operators] }, { oneOf: [operators, text] }, { anyOf: [text, number, operators] }
  ],
  ...[
    { anyOf: [operators] }, { anyOf: [operators, operators] }, { anyOf: [text], oneOf: [operators] }, at('#/text'),
    { anyOf: [at('#/text'), operators] }
  ],
  ...[{ type: 'object', properties: { b: number } }, { type: 'object', properties: { b: number, $gt: text } }, { anyOf: [text, number] }],
  ...[
    { ...operators, properties: { $lt: { type: 'boolean' }, $own: {}, $eq: text } }, { anyOf: [text, none] }, { properties: { $gt: 7 } },
    7
  ]
]
const named = (operator: string): Parameter => [operator === '' ? 'a' : `a[${operator}]`]
// biome-ignore format: a table
const parameters: readonly (readonly Parameter[])[] = [
  [],
  ...names.map((name): Parameter[] => [[name, { schema: number }]]),
  [...known].reverse().map(named),
  ...synonyms.map((one) => one.split(' ').map(named)),
  ...queried.map((schema): Parameter[] => [['a', { schema }]]),
  ...[true, false, 'true', undefined].map((required): Parameter[] => [['a', { required, description: 'Words', schema: text }]]),
  [['a', { description: 7 }], ['b', { schema: { ...text, description: 'Inner' } }]],
  [['a[$in]', { schema: list, description: 'List', required: true }], ['b'], ['a', { schema: number, description: 'One' }], ['a[$own]']],
  [['a', { schema: text, required: true }], ['a', { schema: number }]],
  [['__proto__', { schema: text }], ['constructor[$in]'], ['__proto__[$gt]']]
]

t.test('parameters of a query as fields of conditions', async (t) => {
  isKept(
    t,
    {
      names: [...operatorNames],
      usual: usualOperators,
      fields: parameters.map((given) => [
        toPlain(given),
        toFilterFields(
          given.map(([name, rest]) => ({ name, in: 'query', ...rest })),
          follow
        ).map(({ operators, ...field }) => [toShort(field), operators])
      ])
    },
    'test/explorer/whole-filters.txt'
  )
})

import t from 'tap'
import { toQueryParameters } from '../../lib/openapi/query.js'
import { isKept } from '../support/kept.js'

const [text, number, list] = [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }]
const objects = { type: 'array', items: { type: 'object' } }
const operators = { type: 'object', properties: { $gt: number, $in: list } }
const names = [
  '$eq',
  '$ne',
  '$lt',
  '$le',
  '$lte',
  '$gt',
  '$ge',
  '$gte',
  '$like',
  '$ilike',
  '$in',
  '$nin',
  '$own',
  'plain',
  'toString'
]
const all = {
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, /in$/.test(name) ? list : text]))
}
// biome-ignore format: a table
const schemas: object[] = [
  ...[{}, text, number, list, objects, operators, all, { type: ['array', 'null'], items: text }, { type: ['null', 'object'] }, { type: 'array' }, { properties: {} }, { type: 'array', items: list }],
  ...[{ type: 'object', properties: { b: text } }, { type: 'object', properties: { b: list } }, { type: 'object', properties: { b: operators } }, { type: 'object', properties: { b: text, $in: list } }],
  ...['anyOf', 'oneOf', 'allOf'].flatMap((union) =>
    [
      ...[[text, operators], [operators, text], [text, number, operators], [operators], [operators, operators], [text], [list, text], [text, objects]],
      ...[[{ type: 'object', properties: { $in: list } }, text], [{ type: 'object', properties: { $in: list } }, text, number], [{ properties: { $in: list } }]],
      ...[[true, null, text, { type: 'object', properties: { $nin: list, $gt: text } }], [{ anyOf: [text, operators] }, number], [{ type: 'array', items: operators }]]
    ].map((branches) => ({ [union]: branches }))
  ),
  ...[{ ...operators, anyOf: [text, operators], oneOf: [number, operators] }, { type: 'object', properties: { $in: true, $nin: null, $gt: list } }, { type: 'object', properties: { $in: text, b$: list } }],
  ...[{ ...text, description: 'Words.' }, { ...objects, description: 'Words.' }, { ...operators, description: 'Words.' }, { ...text, description: '' }, { anyOf: 7 }, { properties: { a: true, b: 7, c: objects } }],
  ...[{ type: 'object', properties: { $in: { ...list, description: 'Its own.' } } }, { type: 'object', properties: { $in: objects } }, { items: text }, { items: list }, { items: [list] }, { items: { anyOf: [text, list] } }, { items: { allOf: [{ properties: {} }] } }]
]

t.test('parameters of a query, of schemas of all shapes', async (t) => {
  const standard = ['$limit', '$skip', '$sort', '$select', '$or', '$and', '$own', 'a b']
  // How each is written in a URL, its schema where it is another one, and what its words and marks are.
  const parametersOf = (name: string, schema: object, isRequired: boolean) =>
    toQueryParameters(name, schema as never, isRequired).map(
      ({ in: _, name, style, explode, schema: part, ...rest }) => [
        [name, style, explode].join(' ').trim(),
        ...(JSON.stringify(part) === JSON.stringify(schema) ? [] : [part]),
        ...Object.entries(rest).map(([key, value]) => `${key}: ${String(JSON.stringify(value)).slice(0, 70)}`)
      ]
    )
  const kept = {
    schemas: schemas.map((schema) => [schema, ...parametersOf('a', schema, false)]),
    standard: standard.flatMap((name) => [text, objects, operators].map((schema) => parametersOf(name, schema, true)))
  }
  isKept(t, kept, 'test/openapi/whole-queries.txt')
})

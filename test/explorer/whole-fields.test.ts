import t from 'tap'
import { asList, isObject, propertyOf, textOf } from '../../lib/explorer/model/json.js'
import { createFollow, fieldsOf, toField } from '../../lib/explorer/model/schema.js'
import { isKept } from '../support/kept.js'
import { toPlain, toShort } from './plain.js'

const file = { type: 'string', format: 'binary' }
const [text, number, none] = [{ type: 'string' }, { type: 'integer' }, { type: 'null' }]
const [a, b] = [{ const: 'a' }, { enum: ['b', 'c'] }]
const document = {
  ...{
    text,
    file,
    none,
    a,
    b,
    'sl/a~sh': number,
    loop: { $ref: '#/loop' },
    far: { $ref: '#/text' },
    odd: 7,
    list: [text]
  },
  ...{ self: { allOf: [{ $ref: '#/self' }], properties: { x: text } }, '': { type: 'boolean' } },
  // As many references in a row as are followed, and one more.
  ...Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`r${index}`, { $ref: index === 0 ? '#/text' : `#/r${index - 1}` }])
  )
}
const follow = createFollow(document)
const at = (place: unknown) => ({ $ref: place })

// biome-ignore format: a table
const types: unknown[] = [
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'odd', 7, null, [], ['null'], ['string']],
  ...[['string', 'null'], ['null', 'integer'], ['string', 'integer'], ['boolean', 'null', 'number'], ['null', 'null'], {}]
]
// biome-ignore format: a table
const schemas: unknown[] = [
  ...[undefined, null, 7, 'text', [], {}, true],
  ...types.map((type) => ({ type })),
  { type: 'integer', description: 'Words', default: 1 },
  ...[
    'text', 'file', 'sl~1a~0sh', 'loop', 'far', 'odd', 'list', 'nowhere', '', '__proto__', 'list/0', 'text/type'
  ].map((name) => at(`#/${name}`)),
  ...[at('text'), at('te#/xt'), at(7), at('#'), at('##/text'), at('a#/text'), { ...at('#/text'), description: 'Beside', type: 'integer' }],
  ...[17, 18, 19, 20, 21].map((index) => at(`#/r${index}`)),
  ...[
    [1, 'a', true, null], [], [null], [null, 'a'], ['a', null, null], [false, 0, ''], [[1], { a: 1 }], 'a', { 0: 'a' }
  ].map((list) => ({ enum: list })),
  ...['a', null, false, 0, '', undefined, [], {}].map((one) => ({ const: one })),
  ...[{ type: 'string', enum: ['a'] }, { ...a, enum: ['b'] }, { type: 'null', const: 'a' }, { type: 'null', enum: [null] }],
  ...[{ type: 'string', enum: [] }, { type: ['string', 'null'], enum: ['a', null], description: 'One' }],
  ...['anyOf', 'oneOf'].flatMap(
    (union) => [
      ...[[], [a], [a, b], [b, a], [a, text], [text, a], [text, none], [none, text], [none, at('#/text')], [at('#/none'), number]],
      ...[
        [none], [none, none], [none, a, b], [a, { const: null }], [{ const: null }, text], [at('#/a'), at('#/b')],
        [{ type: ['null'] }, text]
      ],
      ...[
        [{ type: ['string', 'null'] }], [{ type: ['string', 'null'] }, number], [{ enum: ['a', null] }, b], [text, number], [file, none]
      ],
      ...[
        [none, { type: 'array', items: file }], [{ type: 'array', items: file }, text], [text, { type: 'array', items: file }], [7, text],
        7
      ],
      ...[[{ ...text, maxLength: 301 }, none], [{ ...text, format: 'password' }, none], [text, { ...text, writeOnly: true }], [{}, {}]]
    ].map((branches) => ({ [union]: branches, description: 'Either', type: 'boolean' }))
  ),
  ...[{ anyOf: [a], oneOf: [b] }, { anyOf: [text], oneOf: [none] }, { allOf: [text] }, { anyOf: text }],
  ...[file, { format: 'binary' }, { ...file, type: ['string', 'null'] }, { type: 'array', items: file }, { items: at('#/file') }],
  ...[{ type: 'array', items: text }, { type: 'array', items: [file] }, { items: { anyOf: [file] } }, { ...file, enum: ['a'] }],
  ...[300, 301, 0, '301', null, Number.POSITIVE_INFINITY].map((maxLength) => ({ ...text, maxLength })),
  ...[
    { ...number, maxLength: 301 }, { ...file, maxLength: 301 }, { ...text, maxLength: 301, enum: ['a'] },
    { ...text, maxLength: 301, writeOnly: true }
  ],
  ...[true, false, 'true', 1].map((writeOnly) => ({ ...text, writeOnly })),
  ...['password', 'PASSWORD', 'email', 'date-time', 'date', 'time', 7].map((format) => ({ ...text, format })),
  ...[{ ...number, writeOnly: true }, { ...number, format: 'password' }, { type: ['null', 'string'], format: 'password' }],
  ...['', 7, null].map((description) => ({ ...text, description }))
]
// biome-ignore format: a table
const objects: unknown[] = [
  ...[undefined, null, 7, [], {}, { properties: 7 }, { properties: [text] }, { required: ['a'] }, { properties: {} }],
  ...[{ properties: { b: text, a: number }, required: ['a', 7, 'c'] }, { properties: { a: text }, required: 'a' }],
  ...[
    { properties: { a: 7, b: null }, required: { 0: 'a' } }, at('#/self'), at('#/loop'),
    JSON.parse('{"properties":{"__proto__":{},"constructor":{}},"required":["__proto__"]}')
  ],
  {
    ...{ properties: { a: text, b: text }, required: ['b'] },
    allOf: [
      { properties: { c: number, a: number }, required: ['c'] }, at('#/self'), { allOf: [{ properties: { d: {} }, required: ['a'] }] }
    ]
  },
  ...[{ allOf: { properties: { a: text } } }, { allOf: [7, null, at('#/nowhere')] }, { anyOf: [{ properties: { a: text } }] }]
]

t.test('schemas as fields of a form', async (t) => {
  const odd = [undefined, null, true, 7, 'a', '', [], ['a'], {}, { a: 1 }]
  isKept(
    t,
    {
      fields: schemas.map((schema) => [toPlain(schema), toShort(toField('f', schema, follow))]),
      required: [toField('f', text, follow, true), toField('f', text, follow, false)].map(toPlain),
      objects: objects.map((one) => [toPlain(one), fieldsOf(one, follow).map(toShort)]),
      parts: odd.map((one) =>
        [one, isObject(one), propertyOf(one, 'a'), propertyOf(one, 'toString'), textOf(one), asList(one)].map(toPlain)
      )
    },
    'test/explorer/whole-fields.txt'
  )
})

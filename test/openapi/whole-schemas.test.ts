import t from 'tap'
import {
  copySchema,
  hasAttachment,
  isEmpty,
  toJsonSchema,
  withDefaults,
  withoutFields
} from '../../lib/openapi/json-schema.js'
import { isKept } from '../support/kept.js'

const text = { type: 'string' }
const old = { type: 'string', nullable: true, transform: ['trim'] }
// biome-ignore format: a table
const keywords = [
  ...['properties', 'patternProperties', 'dependentSchemas', 'anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'additionalProperties', 'additionalItems', 'not', 'if', 'then', 'else', 'contains'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', '$ref', 'type', 'enum', 'const', 'format', 'title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains', 'minProperties'],
  ...['maxProperties', 'required', 'dependentRequired', 'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator', 'externalDocs', 'x-own', 'x-', 'X-own', 'own', '$id', '$defs', 'definitions'],
  ...['$schema', '$comment', 'isFile', 'nullable', 'errorMessage', 'instanceof']
]
const odd = [undefined, null, true, false, 7, 'a', [], [old], [old, text], {}, old, { a: old, b: true }]
// biome-ignore format: a table
const shapes: unknown[] = [
  ...[{ type: 'object' }, { type: 'object', additionalProperties: false }, { type: 'object', properties: {} }, { type: 'object', anyOf: [] }, { type: ['object', 'null'] }, { type: 'object', minProperties: 1 }],
  ...['$ref', 'patternProperties', 'dependentSchemas', 'oneOf', 'allOf', 'prefixItems', 'required', 'not'].map((key) => ({ type: 'object', [key]: key === '$ref' ? '#' : key.endsWith('f') && key !== 'not' ? [text] : {} })),
  ...[{ nullable: true }, { type: 'string', nullable: false }, { type: ['string', 'null'], nullable: true }, { type: ['string', 'integer'], nullable: true }, { type: 'object', nullable: true }, { type: 'string', nullable: 'true' }],
  ...[{ type: 'array', items: [text, old], additionalItems: false }, { type: 'array', items: [text] }, { type: 'array', items: text, additionalItems: false }, { items: [], additionalItems: old }, { items: [old, true], additionalItems: true }],
  ...[{ isFile: true }, { isFile: true, type: 'object', description: 'File' }, { isFile: false, type: 'string' }, { isFile: 'true' }, { properties: { a: { isFile: true } } }],
  ...[{ contentMediaType: 'image/png' }, { type: 'string', format: 'own', contentMediaType: 'a/b' }, { contentMediaType: 'a/b', contentEncoding: 'base64' }, { contentEncoding: 'base64' }, { type: 'object', contentMediaType: 'a/b' }],
  ...[{ properties: { __proto__x: old, type: { type: 'string' }, 'x-a': old, nullable: { nullable: true, type: 'string' } } }, { const: { nullable: true, own: 1 }, enum: [{ own: 1 }], default: { isFile: true } }],
  ...odd
]
// biome-ignore format: a table
const hidden: unknown[] = [
  { type: 'object', title: '', required: ['secret'], properties: { secret: {}, name: { default: '' }, $select: { type: 'array', items: text } } },
  { required: ['secret', 'name', 'pin'], properties: { pin: text, name: { required: ['secret'], properties: { secret: text } }, secret: text } },
  { $defs: { secret: { properties: { secret: text, a: text } } }, definitions: { pin: { required: ['pin'] } }, patternProperties: { secret: { properties: { pin: {} } } }, dependentSchemas: { secret: { required: ['a', 'pin'] } } },
  { anyOf: [{ properties: { secret: {} } }, { required: ['pin', 'b'] }], oneOf: [{ properties: { pin: {} } }, true], allOf: [{ required: [] }], prefixItems: [{ properties: { pin: {} } }, 7] },
  { items: { properties: { secret: {} } }, not: { required: ['secret'] }, additionalProperties: { properties: { pin: {} } }, enum: ['secret'], default: { secret: 1, properties: { secret: 1 } }, const: { required: ['secret'] } },
  { items: [{ properties: { pin: {}, x: {} } }], ...Object.fromEntries(['if', 'then', 'else', 'contains'].map((key) => [key, { properties: { pin: {} } }])), propertyNames: { enum: ['pin'] } },
  { properties: { $select: { items: { enum: ['id', 'secret', 'pin'], type: 'string' }, type: 'array' }, $sort: { properties: { pin: {}, id: {} } }, $or: { items: { properties: { secret: {} } } } } },
  { properties: { $select: true }, required: '' }, { properties: { $select: { items: { enum: 'secret' } } }, required: 'secret' }, { properties: { $select: null }, anyOf: { secret: 1 } }, { properties: [{ secret: 1 }], required: [''] }, {}
]
const defaults: object[] = [
  ...[
    {},
    { required: ['a'] },
    { required: ['a', 'b', 'c'], properties: { a: { default: 0 }, b: {}, c: { default: null }, d: { default: 1 } } }
  ],
  ...[
    { required: [], properties: {} },
    { required: 'a', properties: { a: { default: 1 } } },
    { required: ['a'], properties: { a: { default: undefined } } }
  ],
  ...[
    { required: ['a'], properties: { a: { default: '' } }, type: 'object' },
    { required: ['b'], properties: { b: null } }
  ]
]

t.test('schemas as documents have them', async (t) => {
  const keep = (schema: unknown) =>
    copySchema(schema, (inner) => (inner.title === 'replaced' ? { replaced: true } : undefined))
  const [file, library] = [
    { isFile: true },
    (give: unknown) => ({
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: keep,
        jsonSchema: { input: (options: unknown) => ({ give, options }), output: () => give }
      }
    })
  ]
  const files = [
    {},
    { properties: {} },
    { properties: { a: text, b: file } },
    { properties: { a: { items: file } } },
    { properties: { a: { items: text }, b: null } },
    { properties: { a: { isFile: 'true' } } },
    { properties: [file] }
  ]
  const kept = {
    keywords: Object.fromEntries(
      keywords.map((key) => [key, [7, [old, text], old, { a: old, b: true }].map((value) => keep({ [key]: value }))])
    ),
    shapes: shapes.map((shape) => [shape, keep(shape)]),
    visited: keep({
      title: 'a',
      properties: { b: { title: 'replaced', type: 'string' } },
      items: { title: 'replaced' },
      anyOf: [{ title: 'replaced' }, text]
    }),
    hidden: hidden.map((schema) => withoutFields(schema as never, ['secret', 'pin'])),
    kept: withoutFields(hidden[0] as never, []),
    defaults: defaults.map((schema) => withDefaults(schema as never)),
    files: files.map((schema) => hasAttachment(schema as never)),
    json: [...odd, library({ a: 1 }), library(7), library(null)].map((one) => [
      toJsonSchema(one, 'input'),
      toJsonSchema(one, 'output')
    ]),
    empty: [isEmpty({}), isEmpty({ a: undefined })]
  }
  isKept(t, kept, 'test/openapi/whole-schemas.txt')
})

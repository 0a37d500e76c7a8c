import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, json, type Kinds, scope } from './kind.js'

const id = { zod: z.int(), typebox: Type.Integer(), valibot: v.pipe(v.number(), v.integer()) }
const many = Array.from({ length: 100 }, (_, index) => `f${index}`)
const int = { type: 'integer' }
const raw = (properties: object, more: object = {}) =>
  json({ type: 'object', required: ['id'], properties: { id: int, ...properties }, ...more })

/** Whole records: the values are bodies. */
export const records: Kinds = {
  'record of its id alone': {
    zod: () => z.object({ id: id.zod }),
    typebox: () => Type.Object({ id: id.typebox }),
    arktype: () => ark({ id: 'number.integer' }),
    valibot: () => v.object({ id: id.valibot }),
    valid: [{}],
    unknown: [{ f: 1 }],
    whole: true,
    query: 'none'
  },
  'strict record': {
    zod: () => z.strictObject({ id: id.zod, f: z.string() }),
    typebox: () => Type.Object({ id: id.typebox, f: Type.String() }, { additionalProperties: false }),
    arktype: () => ark({ '+': 'reject', id: 'number.integer', f: 'string' }),
    valibot: () => v.strictObject({ id: id.valibot, f: v.string() }),
    valid: [{ f: 'x' }],
    invalid: [{ f: 1 }, {}],
    unknown: [{ f: 'x', g: 1 }],
    whole: true,
    query: 'value'
  },
  'record that lets more pass': {
    zod: () => z.looseObject({ id: id.zod, f: z.string() }),
    typebox: () => Type.Object({ id: id.typebox, f: Type.String() }, { additionalProperties: true }),
    valid: [{ f: 'x' }, { f: 'x', g: { h: [1] }, 'i-j k': null }],
    invalid: [{ f: 1 }, { g: 1 }],
    whole: true,
    query: 'value'
  },
  'record of two parts': {
    refused: { zod: /it is an intersection/, valibot: /it is an intersection/ },
    zod: () => z.intersection(z.object({ id: id.zod }), z.object({ f: z.string() })),
    typebox: () => Type.Intersect([Type.Object({ id: id.typebox }), Type.Object({ f: Type.String() })]),
    arktype: () => ark([{ id: 'number.integer' }, '&', { f: 'string' }]),
    valibot: () => v.intersect([v.object({ id: id.valibot }), v.object({ f: v.string() })]),
    valid: [{ f: 'x' }],
    invalid: [{ f: 1 }, {}],
    unknown: [{ f: 'x', g: 1 }],
    whole: true,
    query: 'value'
  },
  'record of two parts that share a field': {
    refused: { zod: /it is an intersection/, valibot: /it is an intersection/ },
    zod: () => z.intersection(z.object({ id: id.zod, f: z.number().min(0) }), z.object({ f: z.number().max(150) })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ id: id.typebox, f: Type.Number({ minimum: 0 }) }),
        Type.Object({ f: Type.Number({ maximum: 150 }) })
      ]),
    arktype: () => ark([{ id: 'number.integer', f: 'number >= 0' }, '&', { f: 'number <= 150' }]),
    valibot: () =>
      v.intersect([
        v.object({ id: id.valibot, f: v.pipe(v.number(), v.minValue(0)) }),
        v.object({ f: v.pipe(v.number(), v.maxValue(150)) })
      ]),
    valid: [{ f: 0 }, { f: 150 }],
    invalid: [{ f: -5 }, { f: 151 }, { f: 'x' }],
    unknown: [{ f: 1, g: 1 }],
    whole: true,
    query: 'value'
  },
  'record with names of keywords': {
    zod: () =>
      z.object({ id: id.zod, type: z.string(), properties: z.string(), required: z.boolean(), items: z.int() }),
    typebox: () =>
      Type.Object({
        id: id.typebox,
        type: Type.String(),
        properties: Type.String(),
        required: Type.Boolean(),
        items: Type.Integer()
      }),
    arktype: () =>
      ark({ id: 'number.integer', type: 'string', properties: 'string', required: 'boolean', items: 'number.integer' }),
    valibot: () =>
      v.object({ id: id.valibot, type: v.string(), properties: v.string(), required: v.boolean(), items: v.number() }),
    valid: [{ type: 'a', properties: 'b', required: true, items: 1 }],
    invalid: [{ type: 'a', properties: 'b', required: 'x', items: 1 }, {}],
    unknown: [{ type: 'a', properties: 'b', required: true, items: 1, enum: 1 }],
    whole: true,
    query: 'either'
  },
  'record with odd names': {
    zod: () =>
      z.object({
        id: id.zod,
        'a-b': z.string(),
        'a b': z.string(),
        é: z.string(),
        'a.b': z.string(),
        'a/b': z.string(),
        'a~b': z.string(),
        '50%': z.string(),
        "it's": z.string()
      }),
    typebox: () =>
      Type.Object({
        id: id.typebox,
        'a-b': Type.String(),
        'a b': Type.String(),
        é: Type.String(),
        'a.b': Type.String(),
        'a/b': Type.String(),
        'a~b': Type.String(),
        '50%': Type.String(),
        "it's": Type.String()
      }),
    arktype: () =>
      ark({
        id: 'number.integer',
        'a-b': 'string',
        'a b': 'string',
        é: 'string',
        'a.b': 'string',
        'a/b': 'string',
        'a~b': 'string',
        '50%': 'string',
        "it's": 'string'
      }),
    valibot: () =>
      v.object({
        id: id.valibot,
        'a-b': v.string(),
        'a b': v.string(),
        é: v.string(),
        'a.b': v.string(),
        'a/b': v.string(),
        'a~b': v.string(),
        '50%': v.string(),
        "it's": v.string()
      }),
    valid: [{ 'a-b': 'x', 'a b': 'x', é: 'x', 'a.b': 'x', 'a/b': 'x', 'a~b': 'x', '50%': 'x', "it's": 'x' }],
    invalid: [{ 'a-b': 'x', 'a b': 'x', é: 'x', 'a.b': 'x', 'a/b': 'x', 'a~b': 1, '50%': 'x', "it's": 'x' }],
    whole: true,
    query: 'either'
  },
  'record that refers to itself': {
    refused: { arktype: /\(id\): .+option `create`/ },
    zod: () => {
      const Comment: z.ZodType = z.object({
        id: id.zod,
        f: z.string(),
        get replies() {
          return z.array(Comment.optional() as z.ZodType).optional()
        }
      })
      return Comment
    },
    typebox: () =>
      Type.Cyclic(
        {
          Comment: Type.Object({
            id: Type.Optional(Type.Integer()),
            f: Type.String(),
            replies: Type.Optional(Type.Array(Type.Ref('Comment')))
          })
        },
        'Comment'
      ),
    arktype: () => scope({ Comment: { id: 'number.integer', f: 'string', 'replies?': 'Comment[]' } }, 'Comment'),
    valibot: () => {
      const Comment: v.GenericSchema = v.object({
        id: id.valibot,
        f: v.string(),
        replies: v.optional(v.array(v.lazy(() => Comment)))
      })
      return Comment
    },
    valid: [{ f: 'x' }, { f: 'x', replies: [] }],
    invalid: [{ f: 1 }, { f: 'x', replies: [{ f: 1 }] }],
    unknown: [{ f: 'x', g: 1 }],
    whole: true,
    query: 'value'
  },
  'record that is a union with a tag': {
    zod: () =>
      z.discriminatedUnion('f', [
        z.object({ id: id.zod, f: z.literal('a'), n: z.number() }),
        z.object({ id: id.zod, f: z.literal('b'), s: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ id: id.typebox, f: Type.Literal('a'), n: Type.Number() }),
        Type.Object({ id: id.typebox, f: Type.Literal('b'), s: Type.String() })
      ]),
    arktype: () =>
      ark([{ id: 'number.integer', f: "'a'", n: 'number' }, '|', { id: 'number.integer', f: "'b'", s: 'string' }]),
    valibot: () =>
      v.variant('f', [
        v.object({ id: id.valibot, f: v.literal('a'), n: v.number() }),
        v.object({ id: id.valibot, f: v.literal('b'), s: v.string() })
      ]),
    valid: [
      { f: 'a', n: 1 },
      { s: 'x', f: 'b' }
    ],
    invalid: [{ f: 'a', n: 'x' }, { f: 'c' }, {}],
    unknown: [{ f: 'a', n: 1, g: 1 }],
    beyond: ['zod', 'typebox', 'arktype', 'valibot'],
    // A patch of another tag leaves without the fields of the branch before.
    untyped: true,
    mayBeRefused: /union/,
    whole: true,
    query: 'either'
  },
  'record with a check of its own': {
    refused: { arktype: /\(id\): .+option `create`/ },
    zod: () => z.object({ id: id.zod, f: z.int(), g: z.int() }).refine(({ f, g }) => f <= g),
    arktype: () =>
      ark({ id: 'number.integer', f: 'number', g: 'number' }).narrow(({ f, g }: { f: number; g: number }) => f <= g),
    valibot: () =>
      v.pipe(
        v.object({ id: id.valibot, f: v.number(), g: v.number() }),
        v.check(({ f, g }) => f <= g)
      ),
    valid: [{ f: 1, g: 2 }],
    invalid: [{ f: 2, g: 1 }, { f: 1 }],
    ignores: true,
    beyond: ['zod', 'arktype', 'valibot'],
    whole: true,
    query: 'either'
  },
  'record with if and then': {
    typebox: () =>
      raw(
        { f: { type: 'string' }, g: { type: 'string' } },
        {
          required: ['id', 'f'],
          if: { properties: { f: { const: 'x' } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword
          then: { required: ['g'] }
        }
      ),
    valid: [{ f: 'x', g: 'y' }, { f: 'z' }],
    invalid: [{ f: 'x' }, {}],
    unknown: [{ f: 'z', h: 1 }],
    beyond: ['typebox'],
    whole: true,
    query: 'value'
  },
  'record where one field asks for another': {
    typebox: () => raw({ f: { type: 'string' }, g: { type: 'string' } }, { dependentRequired: { f: ['g'] } }),
    valid: [{}, { g: 'x' }, { f: 'x', g: 'y' }],
    invalid: [{ f: 'x' }],
    beyond: ['typebox'],
    whole: true,
    query: 'value'
  },
  'record with definitions': {
    typebox: () =>
      raw(
        { f: { $ref: '#/$defs/Name' }, g: { $ref: '#/$defs/Place' } },
        {
          $defs: {
            Name: { type: 'string', minLength: 2 },
            Place: { type: 'object', required: ['name'], properties: { name: { $ref: '#/$defs/Name' } } }
          }
        }
      ),
    zod: () => {
      const Name = z.string().min(2).meta({ id: 'KindName' })
      return z.object({
        id: id.zod,
        f: Name.optional(),
        g: z.object({ name: Name }).meta({ id: 'KindPlace' }).optional()
      })
    },
    valid: [{ f: 'ab' }, { g: { name: 'ab' } }],
    invalid: [{ f: 'a' }, { g: { name: 'a' } }, { g: {} }],
    unknown: [{ g: { name: 'ab', other: 1 } }],
    whole: true,
    query: 'value'
  },
  'record with definitions as draft 7 writes them': {
    typebox: () =>
      raw({ f: { $ref: '#/definitions/a b' } }, { definitions: { 'a b': { type: 'integer', minimum: 2 } } }),
    valid: [{ f: 2 }, {}],
    invalid: [{ f: 1 }, { f: 'x' }],
    whole: true,
    query: 'either'
  },
  'record with definitions that have odd names': {
    typebox: () =>
      raw(
        { f: { $ref: '#/$defs/a~1b' }, g: { $ref: '#/$defs/c%20d' } },
        { $defs: { 'a/b': { type: 'string', maxLength: 2 }, 'c d': { type: 'integer' } } }
      ),
    valid: [{ f: 'ab', g: 1 }],
    invalid: [{ f: 'abc' }, { g: 'x' }],
    whole: true,
    query: 'either'
  },
  'record with a reference to a field of it': {
    typebox: () => raw({ f: { type: 'string', maxLength: 2 }, g: { $ref: '#/properties/f' } }),
    valid: [{ f: 'ab', g: 'cd' }],
    invalid: [{ f: 'ab', g: 'cde' }],
    whole: true,
    query: 'value'
  },
  'record with rules beside a reference': {
    typebox: () =>
      raw(
        { f: { $ref: '#/$defs/Text', description: 'Short.', deprecated: true } },
        { $defs: { Text: { type: 'string', maxLength: 2 } } }
      ),
    valid: [{ f: 'ab' }],
    invalid: [{ f: 'abc' }],
    whole: true,
    query: 'value'
  },
  'record with a nullable reference': {
    typebox: () =>
      raw({ f: { $ref: '#/$defs/Text', nullable: true } }, { $defs: { Text: { type: 'string', maxLength: 2 } } }),
    valid: [{ f: 'ab' }, { f: null }],
    invalid: [{ f: 'abc' }, { f: 1 }],
    accepts: (body) => {
      const { f } = body as { f?: unknown }
      return f === undefined || f === null || (typeof f === 'string' && f.length < 3)
    },
    whole: true,
    query: 'value'
  },
  'record with an enum that has a name, as a field and as keys': {
    zod: () => {
      const Language = z.enum(['en', 'de']).meta({ id: 'KindLanguage' })
      return z.object({ id: id.zod, f: Language, titles: z.partialRecord(Language, z.string()) })
    },
    valid: [
      { f: 'en', titles: { en: 'a' } },
      { f: 'de', titles: {} }
    ],
    invalid: [
      { f: 'fr', titles: {} },
      { f: 'en', titles: { en: 1 } }
    ],
    unknown: [{ f: 'en', titles: { fr: 'a' } }],
    whole: true,
    query: 'value'
  },
  'record of parts of TypeBox that have names': {
    typebox: () =>
      Type.Module({
        Name: Type.String({ minLength: 2 }),
        Person: Type.Object({ id: Type.Integer(), f: Type.Ref('Name') })
      }).Person,
    valid: [{ f: 'ab' }],
    invalid: [{ f: 'a' }, {}],
    whole: true,
    query: 'value'
  },
  'record with a field that nothing fits': {
    typebox: () => raw({ f: false, g: true }),
    valid: [{}, { g: 1 }, { g: { h: [1] } }],
    invalid: [{ f: 1 }, { f: null }],
    whole: true,
    query: 'either'
  },
  'record that asks for a field that it does not name': {
    typebox: () => raw({ f: { type: 'string' } }, { required: ['id', 'g'], additionalProperties: true }),
    valid: [{ g: 1 }, { f: 'x', g: null }],
    invalid: [{ f: 'x' }],
    beyond: ['typebox'],
    whole: true,
    query: 'value'
  },
  'record with a schema, a title and an address': {
    typebox: () =>
      raw(
        { f: { type: 'string', $comment: 'x', examples: ['a'] } },
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: 'https://example.com/thing.json',
          title: 'Thing'
        }
      ),
    valid: [{ f: 'x' }],
    invalid: [{ f: 1 }],
    unknown: [{ g: 1 }],
    whole: true,
    query: 'value'
  },
  'record with many fields': {
    zod: () => z.object({ id: id.zod, ...Object.fromEntries(many.map((name) => [name, z.int().optional()])) }),
    typebox: () =>
      Type.Object({ id: id.typebox, ...Object.fromEntries(many.map((name) => [name, Type.Optional(Type.Integer())])) }),
    arktype: () =>
      ark({ id: 'number.integer', ...Object.fromEntries(many.map((name) => [`${name}?`, 'number.integer'])) }),
    valibot: () =>
      v.object({ id: id.valibot, ...Object.fromEntries(many.map((name) => [name, v.optional(v.number())])) }),
    valid: [{}, Object.fromEntries(many.map((name, index) => [name, index]))],
    invalid: [{ f7: 'x' }],
    unknown: [{ f200: 1 }],
    whole: true,
    query: 'either'
  }
}

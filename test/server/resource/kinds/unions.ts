import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { json, type Kinds } from './kind.js'

const shape = {
  circle: { kind: 'circle', r: 1 },
  square: { kind: 'square', side: 2, label: 'x' }
}

/** Unions. */
export const unions: Kinds = {
  'text or number': {
    zod: () => z.union([z.string(), z.number()]),
    typebox: () => Type.Union([Type.String(), Type.Number()]),
    arktype: () => 'string | number',
    valibot: () => v.union([v.string(), v.number()]),
    valid: ['a', 1, '1'],
    invalid: [true, ['a'], null],
    query: 'either'
  },
  'number or boolean': {
    zod: () => z.union([z.number(), z.boolean()]),
    typebox: () => Type.Union([Type.Number(), Type.Boolean()]),
    arktype: () => 'number | boolean',
    valibot: () => v.union([v.number(), v.boolean()]),
    valid: [1, true],
    invalid: ['1', 'true'],
    query: 'value'
  },
  'number or word': {
    zod: () => z.union([z.int(), z.literal('auto')]),
    typebox: () => Type.Union([Type.Integer(), Type.Literal('auto')]),
    arktype: () => "number.integer | 'auto'",
    valibot: () => v.union([v.pipe(v.number(), v.integer()), v.literal('auto')]),
    valid: [1, 'auto'],
    invalid: ['x', 1.5],
    query: 'either'
  },
  'two formats': {
    zod: () => z.union([z.email(), z.uuid()]),
    typebox: () => Type.Union([Type.String({ format: 'email' }), Type.String({ format: 'uuid' })]),
    arktype: () => 'string.email | string.uuid.v4',
    valibot: () => v.union([v.pipe(v.string(), v.email()), v.pipe(v.string(), v.uuid())]),
    valid: ['a@example.com', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    invalid: ['x'],
    query: 'value'
  },
  'two ranges': {
    zod: () => z.union([z.number().max(1), z.number().min(9)]),
    typebox: () => Type.Union([Type.Number({ maximum: 1 }), Type.Number({ minimum: 9 })]),
    arktype: () => 'number <= 1 | number >= 9',
    valibot: () => v.union([v.pipe(v.number(), v.maxValue(1)), v.pipe(v.number(), v.minValue(9))]),
    valid: [0, 10],
    invalid: [5, 'x'],
    query: 'value'
  },
  'text, number or null': {
    zod: () => z.union([z.string(), z.number(), z.null()]),
    typebox: () => Type.Union([Type.String(), Type.Number(), Type.Null()]),
    arktype: () => 'string | number | null',
    valibot: () => v.union([v.string(), v.number(), v.null()]),
    valid: ['a', 1, null],
    invalid: [true, {}],
    query: 'either'
  },
  'text or a list of texts': {
    zod: () => z.union([z.string(), z.array(z.string())]),
    typebox: () => Type.Union([Type.String(), Type.Array(Type.String())]),
    arktype: () => 'string | string[]',
    valibot: () => v.union([v.string(), v.array(v.string())]),
    valid: ['a', ['a', 'b'], []],
    invalid: [1, [1]],
    query: 'either'
  },
  'object or list': {
    zod: () => z.union([z.object({ a: z.string() }), z.array(z.object({ a: z.string() }))]),
    typebox: () => Type.Union([Type.Object({ a: Type.String() }), Type.Array(Type.Object({ a: Type.String() }))]),
    arktype: () => [{ a: 'string' }, '|', [{ a: 'string' }, '[]']],
    valibot: () => v.union([v.object({ a: v.string() }), v.array(v.object({ a: v.string() }))]),
    valid: [{ a: 'x' }, [{ a: 'x' }], []],
    invalid: [{ a: 1 }, [{ a: 1 }], 'a'],
    unknown: [{ a: 'x', b: 1 }, [{ a: 'x', b: 1 }]],
    query: 'none'
  },
  'text or object': {
    zod: () => z.union([z.string(), z.object({ en: z.string(), de: z.string().optional() })]),
    typebox: () => Type.Union([Type.String(), Type.Object({ en: Type.String(), de: Type.Optional(Type.String()) })]),
    arktype: () => ['string', '|', { en: 'string', 'de?': 'string' }],
    valibot: () => v.union([v.string(), v.object({ en: v.string(), de: v.optional(v.string()) })]),
    valid: ['a', { en: 'a' }, { en: 'a', de: 'b' }],
    invalid: [1, { de: 'b' }, { en: 1 }],
    unknown: [{ en: 'a', fr: 'b' }],
    query: 'either'
  },
  'objects with a tag that may be null': {
    zod: () =>
      z.discriminatedUnion('of', [
        z.object({ of: z.null(), a: z.int() }),
        z.object({ of: z.literal('b'), b: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ of: Type.Null(), a: Type.Integer() }),
        Type.Object({ of: Type.Literal('b'), b: Type.String() })
      ]),
    arktype: () => [{ of: 'null', a: 'number.integer' }, '|', { of: "'b'", b: 'string' }],
    valibot: () =>
      v.variant('of', [
        v.object({ of: v.null(), a: v.pipe(v.number(), v.integer()) }),
        v.object({ of: v.literal('b'), b: v.string() })
      ]),
    valid: [
      { of: null, a: 1 },
      { of: 'b', b: 'x' }
    ],
    invalid: [{ of: null, a: 'x' }, { of: 'b' }, {}],
    unknown: [
      { of: null, a: 1, b: 'x' },
      { of: 'b', a: 1, b: 'x' }
    ],
    query: 'none'
  },
  'objects without a tag': {
    zod: () => z.union([z.object({ url: z.url() }), z.object({ path: z.string(), size: z.int() })]),
    typebox: () =>
      Type.Union([
        Type.Object({ url: Type.String({ format: 'uri' }) }),
        Type.Object({ path: Type.String(), size: Type.Integer() })
      ]),
    arktype: () => [{ url: 'string.url' }, '|', { path: 'string', size: 'number.integer' }],
    valibot: () =>
      v.union([
        v.object({ url: v.pipe(v.string(), v.url()) }),
        v.object({ path: v.string(), size: v.pipe(v.number(), v.integer()) })
      ]),
    valid: [{ url: 'https://example.com/' }, { path: 'x', size: 1 }],
    invalid: [{ url: 'x' }, { path: 'x' }, {}],
    unknown: [{ path: 'x', size: 1, other: 1 }],
    query: 'none'
  },
  'objects that share names': {
    zod: () => z.union([z.object({ v: z.string(), unit: z.string() }), z.object({ v: z.number() })]),
    typebox: () =>
      Type.Union([Type.Object({ v: Type.String(), unit: Type.String() }), Type.Object({ v: Type.Number() })]),
    arktype: () => [{ v: 'string', unit: 'string' }, '|', { v: 'number' }],
    valibot: () => v.union([v.object({ v: v.string(), unit: v.string() }), v.object({ v: v.number() })]),
    valid: [{ v: 'x', unit: 'y' }, { v: 1 }],
    invalid: [{ v: 'x' }, { v: true }],
    unknown: [{ v: 1, other: 1 }],
    query: 'none'
  },
  'tagged, the tag first': {
    zod: () =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), r: z.number() }),
        z.object({ kind: z.literal('square'), side: z.number(), label: z.string().optional() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ kind: Type.Literal('circle'), r: Type.Number() }),
        Type.Object({ kind: Type.Literal('square'), side: Type.Number(), label: Type.Optional(Type.String()) })
      ]),
    arktype: () => [{ kind: "'circle'", r: 'number' }, '|', { kind: "'square'", side: 'number', 'label?': 'string' }],
    valibot: () =>
      v.variant('kind', [
        v.object({ kind: v.literal('circle'), r: v.number() }),
        v.object({ kind: v.literal('square'), side: v.number(), label: v.optional(v.string()) })
      ]),
    valid: [shape.circle, shape.square],
    invalid: [{ kind: 'circle' }, { kind: 'oval', r: 1 }, { r: 1 }, { kind: 'square', side: 'x' }],
    unknown: [{ kind: 'circle', r: 1, other: 2 }],
    query: 'none'
  },
  'tagged, the tag last': {
    zod: () =>
      z.discriminatedUnion('kind', [
        z.object({ r: z.number(), kind: z.literal('circle') }),
        z.object({ side: z.number(), label: z.string().optional(), kind: z.literal('square') })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ r: Type.Number(), kind: Type.Literal('circle') }),
        Type.Object({ side: Type.Number(), label: Type.Optional(Type.String()), kind: Type.Literal('square') })
      ]),
    arktype: () => [{ r: 'number', kind: "'circle'" }, '|', { side: 'number', 'label?': 'string', kind: "'square'" }],
    valibot: () =>
      v.variant('kind', [
        v.object({ r: v.number(), kind: v.literal('circle') }),
        v.object({ side: v.number(), label: v.optional(v.string()), kind: v.literal('square') })
      ]),
    valid: [shape.circle, { label: 'x', side: 2, kind: 'square' }],
    invalid: [{ kind: 'circle' }, { kind: 'oval', r: 1 }],
    unknown: [{ other: 2, r: 1, kind: 'circle' }],
    query: 'none'
  },
  'tagged within a tag': {
    zod: () =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('none') }),
        z.discriminatedUnion('unit', [
          z.object({ kind: z.literal('some'), unit: z.literal('m'), m: z.number() }),
          z.object({ kind: z.literal('some'), unit: z.literal('s'), s: z.string() })
        ])
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ kind: Type.Literal('none') }),
        Type.Union([
          Type.Object({ kind: Type.Literal('some'), unit: Type.Literal('m'), m: Type.Number() }),
          Type.Object({ kind: Type.Literal('some'), unit: Type.Literal('s'), s: Type.String() })
        ])
      ]),
    arktype: () => [
      { kind: "'none'" },
      '|',
      [{ kind: "'some'", unit: "'m'", m: 'number' }, '|', { kind: "'some'", unit: "'s'", s: 'string' }]
    ],
    valibot: () =>
      v.variant('kind', [
        v.object({ kind: v.literal('none') }),
        v.variant('unit', [
          v.object({ kind: v.literal('some'), unit: v.literal('m'), m: v.number() }),
          v.object({ kind: v.literal('some'), unit: v.literal('s'), s: v.string() })
        ])
      ]),
    valid: [{ kind: 'none' }, { kind: 'some', unit: 'm', m: 1 }, { s: 'x', unit: 's', kind: 'some' }],
    invalid: [{ kind: 'some' }, { kind: 'some', unit: 'm', m: 'x' }, { kind: 'some', unit: 'q' }],
    unknown: [{ kind: 'some', unit: 'm', m: 1, other: 1 }],
    query: 'none'
  },
  'tagged by numbers': {
    zod: () =>
      z.discriminatedUnion('v', [
        z.object({ v: z.literal(1), a: z.string() }),
        z.object({ v: z.literal(2), b: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ v: Type.Literal(1), a: Type.String() }),
        Type.Object({ v: Type.Literal(2), b: Type.String() })
      ]),
    arktype: () => [{ v: '1', a: 'string' }, '|', { v: '2', b: 'string' }],
    valibot: () =>
      v.variant('v', [v.object({ v: v.literal(1), a: v.string() }), v.object({ v: v.literal(2), b: v.string() })]),
    valid: [
      { v: 1, a: 'x' },
      { v: 2, b: 'x' }
    ],
    invalid: [{ v: '1', a: 'x' }, { v: 3 }],
    unknown: [{ v: 1, a: 'x', c: 1 }],
    query: 'none'
  },
  'tagged by booleans': {
    zod: () =>
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true), data: z.string() }),
        z.object({ ok: z.literal(false), error: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ ok: Type.Literal(true), data: Type.String() }),
        Type.Object({ ok: Type.Literal(false), error: Type.String() })
      ]),
    arktype: () => [{ ok: 'true', data: 'string' }, '|', { ok: 'false', error: 'string' }],
    valibot: () =>
      v.variant('ok', [
        v.object({ ok: v.literal(true), data: v.string() }),
        v.object({ ok: v.literal(false), error: v.string() })
      ]),
    valid: [
      { ok: true, data: 'x' },
      { ok: false, error: 'x' }
    ],
    invalid: [{ ok: true }, { ok: 'true', data: 'x' }],
    unknown: [{ ok: true, data: 'x', other: 1 }],
    query: 'none'
  },
  'tagged by several words': {
    zod: () =>
      z.discriminatedUnion('t', [
        z.object({ t: z.enum(['a', 'b']), n: z.number() }),
        z.object({ t: z.literal('c'), s: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ t: Type.Enum(['a', 'b']), n: Type.Number() }),
        Type.Object({ t: Type.Literal('c'), s: Type.String() })
      ]),
    arktype: () => [{ t: "'a' | 'b'", n: 'number' }, '|', { t: "'c'", s: 'string' }],
    valibot: () =>
      v.variant('t', [
        v.object({ t: v.picklist(['a', 'b']), n: v.number() }),
        v.object({ t: v.literal('c'), s: v.string() })
      ]),
    valid: [
      { t: 'a', n: 1 },
      { t: 'b', n: 2 },
      { t: 'c', s: 'x' }
    ],
    invalid: [{ t: 'a', s: 'x' }, { t: 'd' }],
    unknown: [{ t: 'c', s: 'x', other: 1 }],
    query: 'none'
  },
  'tagged or null': {
    zod: () =>
      z
        .discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })])
        .nullable(),
    typebox: () =>
      Type.Union([
        Type.Object({ k: Type.Literal('a') }),
        Type.Object({ k: Type.Literal('b'), n: Type.Number() }),
        Type.Null()
      ]),
    arktype: () => [[{ k: "'a'" }, '|', { k: "'b'", n: 'number' }], '|', 'null'],
    valibot: () =>
      v.nullable(v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b'), n: v.number() })])),
    valid: [{ k: 'a' }, { k: 'b', n: 1 }, null],
    invalid: [{ k: 'b' }, {}],
    unknown: [{ k: 'a', other: 1 }],
    query: 'none'
  },
  'tagged, one of them open': {
    zod: () =>
      z.discriminatedUnion('k', [z.looseObject({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })]),
    typebox: () =>
      Type.Union([
        Type.Object({ k: Type.Literal('a') }, { additionalProperties: true }),
        Type.Object({ k: Type.Literal('b'), n: Type.Number() })
      ]),
    valid: [
      { k: 'a', any: [1] },
      { k: 'b', n: 1 }
    ],
    invalid: [{ k: 'b' }, { k: 'c' }],
    unknown: [{ k: 'b', n: 1, any: 1 }],
    query: 'none'
  },
  'exactly one': {
    zod: () => z.xor([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    typebox: () =>
      json({
        oneOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] }
        ]
      }),
    valid: [{ a: 'x' }, { b: 'x' }],
    invalid: [{}, { a: 1 }],
    query: 'none'
  },
  'exactly one of two ranges': {
    typebox: () => json({ type: 'number', oneOf: [{ maximum: 5 }, { minimum: 3 }] }),
    zod: () => z.xor([z.number().max(5), z.number().min(3)]),
    valid: [1, 9],
    invalid: [4],
    query: 'either'
  },
  'exactly one, of objects that differ by limits alone': {
    typebox: () =>
      json({
        oneOf: [
          { type: 'object', properties: { n: { type: 'number', maximum: 5 } }, required: ['n'] },
          { type: 'object', properties: { n: { type: 'number', minimum: 10 } }, required: ['n'] }
        ]
      }),
    valid: [{ n: 1 }, { n: 20 }],
    invalid: [{ n: 7 }, {}],
    unknown: [{ n: 1, other: 1 }],
    query: 'none'
  },
  'exactly one, or null': {
    typebox: () =>
      json({
        oneOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'string', maxLength: 3 },
          { type: 'null' }
        ]
      }),
    valid: [{ a: 'x' }, 'abc', null],
    invalid: ['abcd', {}, 1],
    query: 'either'
  },
  'several types in one word': {
    typebox: () => json({ type: ['string', 'integer', 'null'], maxLength: 3, minimum: 0 }),
    valid: ['abc', 5, null],
    invalid: ['abcd', -1, true],
    query: 'either'
  },
  'an object or a list in one word': {
    typebox: () =>
      json({ type: ['object', 'array'], properties: { a: { type: 'string' } }, items: { type: 'integer' } }),
    valid: [{ a: 'x' }, [1]],
    invalid: [{ a: 1 }, ['x'], 'x'],
    query: 'either'
  },
  'nullable as OpenAPI 3.0 has it': {
    typebox: () => json({ type: 'string', nullable: true }),
    valid: ['a', null],
    invalid: [1],
    accepts: (value) => value === null || typeof value === 'string',
    query: 'value'
  },
  'nullable beside an enum': {
    typebox: () => json({ type: 'string', enum: ['a', 'b'], nullable: true }),
    valid: ['a', null],
    invalid: ['c', 1],
    accepts: (value) => [null, 'a', 'b'].includes(value as string),
    query: 'value'
  },
  'an enum without a type': {
    typebox: () => json({ enum: ['a', 1, null] }),
    valid: ['a', 1, null],
    invalid: ['b', 2],
    query: 'either'
  }
}

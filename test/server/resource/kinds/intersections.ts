import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { json, type Kinds } from './kind.js'

/** Intersections. */
export const intersections: Kinds = {
  'intersection of two': {
    zod: () => z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
    typebox: () => Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Integer() })]),
    arktype: () => [{ a: 'string' }, '&', { b: 'number.integer' }],
    valibot: () => v.intersect([v.object({ a: v.string() }), v.object({ b: v.pipe(v.number(), v.integer()) })]),
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ a: 'x' }, { b: 1 }, { a: 1, b: 1 }, { a: 'x', b: 0.5 }],
    unknown: [{ a: 'x', b: 1, c: 1 }],
    query: 'none'
  },
  'intersection of three': {
    zod: () =>
      z
        .object({ a: z.string() })
        .and(z.object({ b: z.int() }))
        .and(z.object({ c: z.boolean() })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String() }),
        Type.Object({ b: Type.Integer() }),
        Type.Object({ c: Type.Boolean() })
      ]),
    arktype: () => [[{ a: 'string' }, '&', { b: 'number.integer' }], '&', { c: 'boolean' }],
    valibot: () =>
      v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() }), v.object({ c: v.boolean() })]),
    valid: [{ a: 'x', b: 1, c: true }],
    invalid: [
      { a: 'x', b: 1 },
      { a: 'x', b: 1, c: 'x' }
    ],
    unknown: [{ a: 'x', b: 1, c: true, d: 1 }],
    query: 'none'
  },
  'intersection that shares a field': {
    zod: () => z.intersection(z.object({ age: z.number().min(0) }), z.object({ age: z.number().max(150) })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ age: Type.Number({ minimum: 0 }) }),
        Type.Object({ age: Type.Number({ maximum: 150 }) })
      ]),
    arktype: () => [{ age: 'number >= 0' }, '&', { age: 'number <= 150' }],
    valibot: () =>
      v.intersect([
        v.object({ age: v.pipe(v.number(), v.minValue(0)) }),
        v.object({ age: v.pipe(v.number(), v.maxValue(150)) })
      ]),
    valid: [{ age: 0 }, { age: 150 }],
    invalid: [{ age: -5 }, { age: 151 }, { age: 'x' }, {}],
    unknown: [{ age: 1, other: 1 }],
    query: 'none'
  },
  'intersection that shares a text': {
    zod: () =>
      z.intersection(z.object({ a: z.string().min(2) }), z.object({ a: z.string().regex(/^[a-z]*$/), b: z.int() })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String({ minLength: 2 }) }),
        Type.Object({ a: Type.String({ pattern: '^[a-z]*$' }), b: Type.Integer() })
      ]),
    arktype: () => [{ a: 'string >= 2' }, '&', { a: /^[a-z]*$/, b: 'number.integer' }],
    valibot: () =>
      v.intersect([
        v.object({ a: v.pipe(v.string(), v.minLength(2)) }),
        v.object({ a: v.pipe(v.string(), v.regex(/^[a-z]*$/)), b: v.number() })
      ]),
    valid: [{ a: 'ab', b: 1 }],
    invalid: [{ a: 'a', b: 1 }, { a: 'AB', b: 1 }, { a: 'ab' }],
    query: 'none'
  },
  'intersection that shares an object': {
    zod: () => z.intersection(z.object({ o: z.object({ a: z.string() }) }), z.object({ o: z.object({ b: z.int() }) })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ o: Type.Object({ a: Type.String() }) }),
        Type.Object({ o: Type.Object({ b: Type.Integer() }) })
      ]),
    arktype: () => [{ o: { a: 'string' } }, '&', { o: { b: 'number.integer' } }],
    valibot: () =>
      v.intersect([v.object({ o: v.object({ a: v.string() }) }), v.object({ o: v.object({ b: v.number() }) })]),
    valid: [{ o: { a: 'x', b: 1 } }],
    invalid: [{ o: { a: 'x' } }, { o: { b: 1 } }],
    unknown: [{ o: { a: 'x', b: 1, c: 1 } }],
    query: 'none'
  },
  'intersection of an object and a union': {
    zod: () =>
      z.intersection(z.object({ id: z.int() }), z.union([z.object({ a: z.string() }), z.object({ b: z.boolean() })])),
    typebox: () =>
      Type.Intersect([
        Type.Object({ id: Type.Integer() }),
        Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Boolean() })])
      ]),
    arktype: () => [{ id: 'number.integer' }, '&', [{ a: 'string' }, '|', { b: 'boolean' }]],
    valibot: () =>
      v.intersect([v.object({ id: v.number() }), v.union([v.object({ a: v.string() }), v.object({ b: v.boolean() })])]),
    valid: [
      { id: 1, a: 'x' },
      { id: 1, b: true }
    ],
    invalid: [{ id: 1 }, { a: 'x' }],
    unknown: [{ id: 1, a: 'x', c: 1 }],
    query: 'none'
  },
  'intersection of an object and a record': {
    zod: () => z.intersection(z.object({ a: z.string() }), z.looseRecord(z.string().regex(/^x-/), z.number())),
    typebox: () =>
      Type.Intersect([Type.Object({ a: Type.String() }), Type.Record(Type.String({ pattern: '^x-' }), Type.Number())]),
    valid: [{ a: 'x' }, { a: 'x', 'x-b': 1 }],
    invalid: [{ 'x-b': 1 }, { a: 'x', 'x-b': 'y' }],
    query: 'none'
  },
  'intersection of open objects': {
    // zod's JSON Schema of it does not say that it is open.
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String() }, { additionalProperties: true }),
        Type.Object({ b: Type.Integer() }, { additionalProperties: true })
      ]),
    valid: [
      { a: 'x', b: 1 },
      { a: 'x', b: 1, c: [2] }
    ],
    invalid: [{ a: 'x' }],
    query: 'none'
  },
  'intersection of texts': {
    zod: () => z.intersection(z.string().min(2), z.string().max(3)),
    typebox: () => Type.Intersect([Type.String({ minLength: 2 }), Type.String({ maxLength: 3 })]),
    arktype: () => 'string >= 2 & string <= 3',
    valibot: () => v.intersect([v.pipe(v.string(), v.minLength(2)), v.pipe(v.string(), v.maxLength(3))]),
    valid: ['ab', 'abc'],
    invalid: ['a', 'abcd', 1],
    query: 'either'
  },
  'rules beside a reference': {
    typebox: () =>
      json({
        $defs: { Short: { type: 'string', maxLength: 3 } },
        allOf: [{ $ref: '#/properties/f/$defs/Short' }],
        minLength: 2
      }),
    valid: ['ab'],
    invalid: ['a', 'abcd'],
    query: 'either'
  }
}

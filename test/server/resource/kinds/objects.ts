import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, json, type Kinds } from './kind.js'

const keyword = {
  type: 'string',
  properties: 'string',
  required: 'string',
  items: 'string',
  enum: 'string',
  default: 'string',
  additionalProperties: 'string',
  allOf: 'string',
  readOnly: 'string',
  format: 'string'
}
const each = <T>(value: T): Record<string, T> => Object.fromEntries(Object.keys(keyword).map((name) => [name, value]))
const odd = ['a-b', 'a b', 'é', "it's", 'a.b', 'a/b', 'a~b', '50%', 'a"b', 'length', '1', '$x', 'ключ']
const eachOdd = <T>(value: T): Record<string, T> => Object.fromEntries(odd.map((name) => [name, value]))

/** Objects and records. */
export const objects: Kinds = {
  object: {
    zod: () => z.object({ a: z.string(), b: z.int().optional() }),
    typebox: () => Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer()) }),
    arktype: () => ({ a: 'string', 'b?': 'number.integer' }),
    valibot: () => v.object({ a: v.string(), b: v.optional(v.pipe(v.number(), v.integer())) }),
    valid: [{ a: 'x' }, { a: 'x', b: 1 }],
    invalid: [{}, { a: 1 }, { a: 'x', b: 1.5 }, 'x', [{ a: 'x' }]],
    unknown: [{ a: 'x', c: 1 }],
    query: 'none'
  },
  'object three deep': {
    zod: () => z.object({ a: z.object({ b: z.object({ c: z.string().min(1), d: z.array(z.int()) }) }) }),
    typebox: () =>
      Type.Object({
        a: Type.Object({ b: Type.Object({ c: Type.String({ minLength: 1 }), d: Type.Array(Type.Integer()) }) })
      }),
    arktype: () => ({ a: { b: { c: 'string >= 1', d: 'number.integer[]' } } }),
    valibot: () =>
      v.object({
        a: v.object({
          b: v.object({
            c: v.pipe(v.string(), v.minLength(1)),
            d: v.array(v.pipe(v.number(), v.integer()))
          })
        })
      }),
    valid: [{ a: { b: { c: 'x', d: [1] } } }],
    invalid: [{ a: { b: { c: '', d: [] } } }, { a: { b: { c: 'x', d: [0.5] } } }, { a: { b: 1 } }, { a: {} }],
    unknown: [{ a: { b: { c: 'x', d: [], e: 1 } } }, { a: { b: { c: 'x', d: [] }, e: 1 } }],
    query: 'none'
  },
  'strict object': {
    zod: () => z.strictObject({ a: z.string() }),
    typebox: () => Type.Object({ a: Type.String() }, { additionalProperties: false }),
    arktype: () => ({ '+': 'reject', a: 'string' }),
    valibot: () => v.strictObject({ a: v.string() }),
    valid: [{ a: 'x' }],
    invalid: [{ a: 1 }, {}],
    unknown: [{ a: 'x', b: 1 }],
    query: 'none'
  },
  'object that lets more pass': {
    zod: () => z.looseObject({ a: z.string() }),
    typebox: () => Type.Object({ a: Type.String() }, { additionalProperties: true }),
    valibot: () => v.looseObject({ a: v.string() }),
    valid: [{ a: 'x' }, { a: 'x', b: { c: [1] }, 'd-e': null, length: 0 }],
    invalid: [{ b: 1 }, { a: 1, b: 1 }],
    query: 'none'
  },
  'object that lets more of a type pass': {
    zod: () => z.object({ a: z.string() }).catchall(z.number()),
    typebox: () => Type.Object({ a: Type.String() }, { additionalProperties: Type.Number() }),
    arktype: () => ({ a: 'string', '[string]': 'string | number' }),
    valibot: () => v.objectWithRest({ a: v.string() }, v.number()),
    valid: [{ a: 'x' }, { a: 'x', b: 1, 'c d': 2 }],
    invalid: [{ b: 1 }, { a: 'x', b: true }],
    query: 'none'
  },
  'empty object': {
    zod: () => z.object({}),
    typebox: () => Type.Object({}),
    valibot: () => v.object({}),
    valid: [{}],
    invalid: ['x', 1],
    unknown: [{ a: 1 }],
    query: 'none'
  },
  'any object': {
    zod: () => z.looseObject({}),
    typebox: () => json({ type: 'object' }),
    valibot: () => v.looseObject({}),
    valid: [{}, { a: { b: [1] } }],
    invalid: ['x'],
    query: 'none'
  },
  'object or null': {
    zod: () => z.object({ a: z.string() }).nullable(),
    typebox: () => Type.Union([Type.Object({ a: Type.String() }), Type.Null()]),
    arktype: () => [{ a: 'string' }, '|', 'null'],
    valibot: () => v.nullable(v.object({ a: v.string() })),
    valid: [{ a: 'x' }, null],
    invalid: [{ a: 1 }, {}, 'null'],
    unknown: [{ a: 'x', b: 1 }],
    query: 'none'
  },
  'object that may be absent': {
    zod: () => z.object({ a: z.string().optional() }).optional(),
    typebox: () => Type.Optional(Type.Object({ a: Type.Optional(Type.String()) })),
    arktype: () => ark({ 'a?': 'string' }).optional(),
    valibot: () => v.optional(v.object({ a: v.optional(v.string()) })),
    valid: [{}, { a: 'x' }],
    invalid: [{ a: 1 }],
    query: 'none'
  },
  'part of an object': {
    zod: () => z.object({ a: z.string(), b: z.int(), c: z.int() }).omit({ c: true }).partial({ b: true }),
    typebox: () =>
      Type.Intersect([
        Type.Pick(Type.Object({ a: Type.String(), b: Type.Integer() }), ['a']),
        Type.Partial(Type.Object({ b: Type.Integer() }))
      ]),
    valibot: () => v.partial(v.omit(v.object({ a: v.string(), b: v.number(), c: v.number() }), ['c']), ['b']),
    valid: [{ a: 'x' }, { a: 'x', b: 1 }],
    invalid: [{ b: 1 }, { a: 'x', b: 'x' }],
    unknown: [{ a: 'x', c: 1 }],
    query: 'none'
  },
  'extended object': {
    zod: () => z.object({ a: z.string() }).extend({ b: z.int() }),
    typebox: () => Type.Interface([Type.Object({ a: Type.String() })], { b: Type.Integer() }),
    arktype: () => ({ '...': { a: 'string' }, b: 'number.integer' }),
    valibot: () => v.object({ ...v.object({ a: v.string() }).entries, b: v.number() }),
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ a: 'x' }, { b: 1 }],
    unknown: [{ a: 'x', b: 1, c: 1 }],
    query: 'none'
  },
  'object with a check of its own': {
    zod: () => z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to, 'ends before it begins'),
    arktype: () =>
      ark({ from: 'number', to: 'number' }).narrow(({ from, to }: { from: number; to: number }) => from <= to),
    valibot: () =>
      v.pipe(
        v.object({ from: v.number(), to: v.number() }),
        v.check(({ from, to }) => from <= to)
      ),
    valid: [{ from: 1, to: 2 }],
    invalid: [{ from: 2, to: 1 }],
    ignores: true,
    beyond: ['zod', 'arktype', 'valibot'],
    query: 'none'
  },
  'names that are keywords': {
    zod: () => z.object(each(z.string())),
    typebox: () => Type.Object(each(Type.String())),
    arktype: () => keyword,
    valibot: () => v.object(each(v.string())),
    valid: [keyword],
    invalid: [{ ...keyword, type: 1 }, {}],
    unknown: [{ ...keyword, $ref: 'x' }],
    query: 'none'
  },
  'odd names': {
    zod: () => z.object(eachOdd(z.int())),
    typebox: () => Type.Object(eachOdd(Type.Integer())),
    arktype: () => eachOdd('number.integer'),
    valibot: () => v.object(eachOdd(v.pipe(v.number(), v.integer()))),
    valid: [eachOdd(1)],
    invalid: [eachOdd('x'), { ...eachOdd(1), 'a~b': 'x' }],
    unknown: [{ ...eachOdd(1), 'b-a': 1 }],
    query: 'none'
  },
  'names of prototypes': {
    zod: () => z.object({ constructor: z.string(), valueOf: z.string() }),
    typebox: () =>
      json({
        type: 'object',
        required: ['constructor', 'valueOf'],
        properties: { constructor: { type: 'string' }, valueOf: { type: 'string' } }
      }),
    valibot: () => v.object({ constructor: v.string(), valueOf: v.string() }),
    valid: [{ constructor: 'x', valueOf: 'y' }],
    invalid: [{ constructor: 1, valueOf: 'y' }, { valueOf: 'y' }],
    query: 'none'
  },
  'record of numbers': {
    zod: () => z.record(z.string(), z.number()),
    typebox: () => Type.Record(Type.String(), Type.Number()),
    arktype: () => 'Record<string, number>',
    valibot: () => v.record(v.string(), v.number()),
    valid: [{}, { a: 1, 'b-c d': 2, é: 3, length: 4 }],
    invalid: [{ a: 'x' }, 'x'],
    query: 'none'
  },
  'record of objects': {
    zod: () => z.record(z.string(), z.object({ a: z.string() })),
    typebox: () => Type.Record(Type.String(), Type.Object({ a: Type.String() })),
    arktype: () => ({ '[string]': { a: 'string' } }),
    valibot: () => v.record(v.string(), v.object({ a: v.string() })),
    valid: [{}, { one: { a: 'x' }, 'the other': { a: 'y' } }],
    invalid: [{ one: {} }, { one: 1 }],
    unknown: [{ one: { a: 'x', b: 1 } }],
    query: 'none'
  },
  'record of records': {
    zod: () => z.record(z.string(), z.record(z.string(), z.array(z.boolean()))),
    typebox: () => Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.Boolean()))),
    arktype: () => 'Record<string, Record<string, boolean[]>>',
    valibot: () => v.record(v.string(), v.record(v.string(), v.array(v.boolean()))),
    valid: [{ a: { b: [true] } }, { a: {} }],
    invalid: [{ a: { b: true } }, { a: 1 }],
    query: 'none'
  },
  'record of anything': {
    zod: () => z.record(z.string(), z.unknown()),
    typebox: () => Type.Record(Type.String(), Type.Unknown()),
    arktype: () => 'Record<string, unknown>',
    valibot: () => v.record(v.string(), v.unknown()),
    valid: [{ a: 1, b: [{ c: null }], d: 'x' }],
    invalid: ['x'],
    query: 'none'
  },
  'record of an enum': {
    zod: () => z.record(z.enum(['a', 'b']), z.number()),
    typebox: () => Type.Record(Type.Enum(['a', 'b']), Type.Number()),
    valid: [{ a: 1, b: 2 }],
    invalid: [{ a: 1 }, { a: 1, b: 'x' }],
    unknown: [{ a: 1, b: 2, c: 3 }],
    query: 'none'
  },
  'record of some of an enum': {
    zod: () => z.partialRecord(z.enum(['a', 'b']), z.number()),
    typebox: () => Type.Partial(Type.Record(Type.Enum(['a', 'b']), Type.Number())),
    arktype: () => ({ 'a?': 'number', 'b?': 'number' }),
    valid: [{}, { a: 1 }, { a: 1, b: 2 }],
    invalid: [{ a: 'x' }],
    unknown: [{ c: 3 }],
    query: 'none'
  },
  'record of names of a pattern': {
    zod: () => z.record(z.string().regex(/^x-/), z.number()),
    typebox: () => Type.Record(Type.String({ pattern: '^x-' }), Type.Number()),
    valibot: () => v.record(v.pipe(v.string(), v.regex(/^x-/)), v.number()),
    valid: [{}, { 'x-a': 1 }],
    invalid: [{ 'x-a': 'b' }],
    query: 'none'
  },
  'record of names of a pattern that lets others pass': {
    zod: () => z.looseRecord(z.string().regex(/^x-/), z.number()),
    valid: [{}, { 'x-a': 1 }, { 'x-a': 1, b: { c: 'd' } }],
    invalid: [{ 'x-a': 'b' }],
    query: 'none'
  },
  'record of numbers as names': {
    zod: () => z.record(z.number(), z.string()),
    typebox: () => Type.Record(Type.Integer(), Type.String()),
    valid: [{}, { 1: 'a', 20: 'b' }],
    invalid: [{ 1: 2 }],
    query: 'none'
  },
  'record of so many': {
    typebox: () =>
      json({ type: 'object', additionalProperties: { type: 'number' }, minProperties: 1, maxProperties: 2 }),
    valibot: () => v.pipe(v.record(v.string(), v.number()), v.minEntries(1), v.maxEntries(2)),
    valid: [{ a: 1 }, { a: 1, b: 2 }],
    invalid: [{}, { a: 1, b: 2, c: 3 }],
    query: 'none'
  },
  'record of names of a length': {
    zod: () => z.record(z.string().max(2), z.number()),
    typebox: () => json({ type: 'object', propertyNames: { maxLength: 2 }, additionalProperties: { type: 'number' } }),
    valibot: () => v.record(v.pipe(v.string(), v.maxLength(2)), v.number()),
    valid: [{ ab: 1 }],
    invalid: [{ abc: 1 }],
    query: 'none'
  },
  'names of a pattern beside others': {
    typebox: () =>
      json({
        type: 'object',
        properties: { a: { type: 'string' } },
        patternProperties: { '^n_': { type: 'number' } },
        additionalProperties: false
      }),
    arktype: () => ({ a: 'string?', '[/^n_/]': 'number' }),
    valid: [{ a: 'x' }, { a: 'x', n_1: 1 }],
    invalid: [{ n_1: 'x' }, { a: 1 }],
    unknown: [{ a: 'x', b: 1 }],
    query: 'none'
  },
  JSON: {
    zod: () => z.json(),
    valid: [{ a: [1, 'x', null, { b: true }] }],
    query: 'either'
  },
  'one field asks for another': {
    typebox: () =>
      json({
        type: 'object',
        properties: { card: { type: 'string' }, address: { type: 'string' } },
        dependentRequired: { card: ['address'] }
      }),
    valid: [{}, { address: 'x' }, { card: '1', address: 'x' }],
    invalid: [{ card: '1' }],
    unknown: [{ other: 1 }],
    query: 'none'
  },
  'one field asks for a schema': {
    typebox: () =>
      json({
        type: 'object',
        properties: { card: { type: 'string' }, address: { type: 'string' } },
        dependentSchemas: { card: { properties: { address: { minLength: 2 } }, required: ['address'] } }
      }),
    valid: [{}, { address: 'x' }, { card: '1', address: 'xy' }],
    invalid: [{ card: '1' }, { card: '1', address: 'x' }],
    query: 'none'
  },
  'if, then and else': {
    typebox: () =>
      json({
        type: 'object',
        properties: { country: { type: 'string' }, code: { type: 'string' } },
        required: ['country'],
        if: { properties: { country: { const: 'CH' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword
        then: { properties: { code: { pattern: '^[0-9]{4}$' } }, required: ['code'] },
        else: { properties: { code: { maxLength: 10 } } }
      }),
    valid: [{ country: 'CH', code: '3000' }, { country: 'DE' }, { country: 'DE', code: '10115' }],
    invalid: [{ country: 'CH' }, { country: 'CH', code: 'x' }, { country: 'DE', code: '12345678901' }],
    unknown: [{ country: 'DE', other: 1 }],
    query: 'none'
  },
  'nothing that is not evaluated': {
    typebox: () =>
      json({
        type: 'object',
        allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'integer' } } }],
        unevaluatedProperties: false
      }),
    valid: [{ a: 'x', b: 1 }, {}],
    invalid: [{ a: 1 }],
    unknown: [{ a: 'x', c: 1 }],
    query: 'none'
  },
  'not another object': {
    typebox: () =>
      json({
        type: 'object',
        properties: { a: { type: 'string' } },
        not: { required: ['a'], properties: { a: { const: 'x' } } }
      }),
    valid: [{}, { a: 'y' }],
    invalid: [{ a: 'x' }],
    query: 'none'
  }
}

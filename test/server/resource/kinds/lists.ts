import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { json, type Kinds } from './kind.js'

/** Lists and tuples. */
export const lists: Kinds = {
  list: {
    zod: () => z.array(z.string()),
    typebox: () => Type.Array(Type.String()),
    arktype: () => 'string[]',
    valibot: () => v.array(v.string()),
    valid: [['a'], [], ['a', 'a', '', 'a b']],
    invalid: ['a', [1], ['a', null], { 0: 'a' }],
    query: 'item'
  },
  'list of numbers': {
    zod: () => z.array(z.int()),
    typebox: () => Type.Array(Type.Integer()),
    arktype: () => 'number.integer[]',
    valibot: () => v.array(v.pipe(v.number(), v.integer())),
    valid: [[1, 2], []],
    invalid: [[1.5], ['1'], 1],
    query: 'item'
  },
  'list of booleans': {
    zod: () => z.array(z.boolean()),
    typebox: () => Type.Array(Type.Boolean()),
    arktype: () => 'boolean[]',
    valibot: () => v.array(v.boolean()),
    valid: [[true, false]],
    invalid: [['true'], true],
    query: 'item'
  },
  'list of an enum': {
    zod: () => z.array(z.enum(['a', 'b'])),
    typebox: () => Type.Array(Type.Enum(['a', 'b'])),
    arktype: () => "('a' | 'b')[]",
    valibot: () => v.array(v.picklist(['a', 'b'])),
    valid: [['a', 'b']],
    invalid: [['c']],
    query: 'item'
  },
  'list of dates': {
    zod: () => z.array(z.iso.date()),
    typebox: () => Type.Array(Type.String({ format: 'date' })),
    valibot: () => v.array(v.pipe(v.string(), v.isoDate())),
    valid: [['2030-01-31']],
    invalid: [['today']],
    query: 'item'
  },
  'list of integers, or null': {
    zod: () => z.array(z.int()).nullable(),
    typebox: () => Type.Union([Type.Array(Type.Integer()), Type.Null()]),
    arktype: () => 'number.integer[] | null',
    valibot: () => v.nullable(v.array(v.pipe(v.number(), v.integer()))),
    valid: [[1, 2], null, []],
    invalid: [['1'], 1],
    query: 'item'
  },
  'list of what may be null': {
    zod: () => z.array(z.number().nullable()),
    typebox: () => Type.Array(Type.Union([Type.Number(), Type.Null()])),
    arktype: () => '(number | null)[]',
    valibot: () => v.array(v.nullable(v.number())),
    valid: [[1, null], [null]],
    invalid: [['1']],
    query: 'either'
  },
  'list that may be null': {
    zod: () => z.array(z.string()).nullable(),
    typebox: () => Type.Union([Type.Array(Type.String()), Type.Null()]),
    arktype: () => 'string[] | null',
    valibot: () => v.nullable(v.array(v.string())),
    valid: [['a'], null],
    invalid: ['a', [null]],
    query: 'either'
  },
  'list that may be absent': {
    zod: () => z.array(z.string()).optional(),
    typebox: () => Type.Optional(Type.Array(Type.String())),
    arktype: () => 'string[]?',
    valibot: () => v.optional(v.array(v.string())),
    valid: [['a']],
    invalid: ['a', null],
    query: 'item'
  },
  'list of at least': {
    zod: () => z.array(z.string()).min(1).max(2),
    typebox: () => Type.Array(Type.String(), { minItems: 1, maxItems: 2 }),
    arktype: () => '1 <= string[] <= 2',
    valibot: () => v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(2)),
    valid: [['a'], ['a', 'b']],
    invalid: [[], ['a', 'b', 'c']],
    query: 'item'
  },
  'list of so many': {
    zod: () => z.array(z.number()).length(2),
    typebox: () => Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
    arktype: () => 'number[] == 2',
    valibot: () => v.pipe(v.array(v.number()), v.length(2)),
    valid: [[1, 2]],
    invalid: [[1], [1, 2, 3]],
    query: 'item'
  },
  'list of different items': {
    zod: () => z.array(z.string()).refine((items) => new Set(items).size === items.length),
    typebox: () => Type.Array(Type.String(), { uniqueItems: true }),
    valibot: () =>
      v.pipe(
        v.array(v.string()),
        v.checkItems((item, index, all) => all.indexOf(item) === index)
      ),
    valid: [['a', 'b'], []],
    invalid: [['a', 'a']],
    ignores: true,
    beyond: ['zod', 'valibot'],
    query: 'item'
  },
  'list of different objects': {
    typebox: () => Type.Array(Type.Object({ a: Type.Integer() }), { uniqueItems: true }),
    valid: [[{ a: 1 }, { a: 2 }]],
    invalid: [[{ a: 1 }, { a: 1 }]],
    query: 'none'
  },
  'list of lists': {
    zod: () => z.array(z.array(z.number())),
    typebox: () => Type.Array(Type.Array(Type.Number())),
    arktype: () => 'number[][]',
    valibot: () => v.array(v.array(v.number())),
    valid: [[[1], []], []],
    invalid: [[1], [['1']]],
    query: 'either'
  },
  'list of lists of objects': {
    zod: () => z.array(z.array(z.object({ a: z.string() }))),
    typebox: () => Type.Array(Type.Array(Type.Object({ a: Type.String() }))),
    arktype: () => [[{ a: 'string' }, '[]'], '[]'],
    valibot: () => v.array(v.array(v.object({ a: v.string() }))),
    valid: [[[{ a: 'x' }], []]],
    invalid: [[{ a: 'x' }], [[{ a: 1 }]]],
    unknown: [[[{ a: 'x', b: 1 }]]],
    query: 'none'
  },
  'list of objects': {
    zod: () => z.array(z.object({ a: z.string(), b: z.int().optional() })),
    typebox: () => Type.Array(Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer()) })),
    arktype: () => [{ a: 'string', 'b?': 'number.integer' }, '[]'],
    valibot: () => v.array(v.object({ a: v.string(), b: v.optional(v.pipe(v.number(), v.integer())) })),
    valid: [[{ a: 'x' }, { a: 'y', b: 1 }], []],
    invalid: [[{}], [{ a: 'x', b: 'y' }], { a: 'x' }],
    unknown: [[{ a: 'x', c: 1 }]],
    query: 'none'
  },
  'list of scalars of two types': {
    zod: () => z.array(z.union([z.string(), z.number()])),
    typebox: () => Type.Array(Type.Union([Type.String(), Type.Number()])),
    arktype: () => '(string | number)[]',
    valibot: () => v.array(v.union([v.string(), v.number()])),
    valid: [['a', 1], ['1']],
    invalid: [[true], [null]],
    query: 'either'
  },
  'list of unions of objects': {
    zod: () =>
      z.array(
        z.discriminatedUnion('k', [
          z.object({ k: z.literal('a'), n: z.number() }),
          z.object({ k: z.literal('b'), s: z.string() })
        ])
      ),
    typebox: () =>
      Type.Array(
        Type.Union([
          Type.Object({ k: Type.Literal('a'), n: Type.Number() }),
          Type.Object({ k: Type.Literal('b'), s: Type.String() })
        ])
      ),
    arktype: () => [[{ k: "'a'", n: 'number' }, '|', { k: "'b'", s: 'string' }], '[]'],
    valibot: () =>
      v.array(
        v.variant('k', [v.object({ k: v.literal('a'), n: v.number() }), v.object({ k: v.literal('b'), s: v.string() })])
      ),
    valid: [
      [
        { k: 'a', n: 1 },
        { k: 'b', s: 'x' }
      ]
    ],
    invalid: [[{ k: 'a', n: 'x' }], [{ k: 'c' }], [{ n: 1 }]],
    unknown: [[{ k: 'a', n: 1, o: 1 }]],
    query: 'none'
  },
  'list of anything': {
    zod: () => z.array(z.unknown()),
    typebox: () => Type.Array(Type.Unknown()),
    arktype: () => 'unknown[]',
    valibot: () => v.array(v.unknown()),
    valid: [['a', 1, null, [1], { a: [] }]],
    invalid: ['a', { 0: 1 }],
    query: 'either'
  },
  'list of items without a type': {
    typebox: () => json({ type: 'array', items: { minLength: 2 } }),
    valid: [['ab', 1, { a: 1 }, [null]]],
    invalid: [['a']],
    query: 'either'
  },
  'list that says nothing of its items': {
    typebox: () => json({ type: 'array' }),
    arktype: () => 'Array',
    valid: [['a', 1, { a: 1 }]],
    invalid: ['a'],
    query: 'either'
  },
  'list that contains one or two of a kind': {
    typebox: () => json({ type: 'array', contains: { type: 'number' }, minContains: 1, maxContains: 2 }),
    valid: [[1], [1, 'a', 2]],
    invalid: [[], ['a'], [1, 2, 3]],
    query: 'either'
  },
  'list that may contain none of a kind': {
    typebox: () => json({ type: 'array', items: { type: 'string' }, contains: { const: 'a' }, minContains: 0 }),
    valid: [['b'], ['a'], []],
    invalid: [[1]],
    query: 'item'
  },
  'list that contains': {
    typebox: () => json({ type: 'array', items: { type: 'number' }, contains: { const: 7 } }),
    valid: [[1, 7]],
    invalid: [[1], []],
    query: 'either'
  },
  'list of itself': {
    typebox: () => json({ $id: 'Nest', type: 'array', items: { $ref: 'Nest' } }),
    zod: () => {
      const Nest: z.ZodType = z.lazy(() => z.array(Nest))
      return Nest
    },
    valibot: () => {
      const Nest: v.GenericSchema = v.array(v.lazy(() => Nest))
      return Nest
    },
    valid: [[], [[], [[]]]],
    invalid: [[1], {}],
    query: 'either'
  },
  tuple: {
    zod: () => z.tuple([z.string(), z.number()]),
    typebox: () => Type.Tuple([Type.String(), Type.Number()]),
    arktype: () => ['string', 'number'],
    valibot: () => v.strictTuple([v.string(), v.number()]),
    valid: [['a', 1]],
    invalid: [['a'], [1, 'a'], ['a', 1, 2], []],
    beyond: ['valibot'],
    query: 'either'
  },
  'tuple of one type': {
    zod: () => z.tuple([z.number(), z.number()]),
    typebox: () => Type.Tuple([Type.Number(), Type.Number()]),
    arktype: () => ['number', 'number'],
    valibot: () => v.strictTuple([v.number(), v.number()]),
    valid: [[47.5, 8.2]],
    invalid: [[1], ['1', 2], { lat: 1 }],
    query: 'either'
  },
  'tuple with a rest': {
    zod: () => z.tuple([z.string()], z.number()),
    typebox: () =>
      json({ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' }, minItems: 1 }),
    arktype: () => ['string', '...', 'number[]'],
    valibot: () => v.tupleWithRest([v.string()], v.number()),
    valid: [['a'], ['a', 1], ['a', 1, 2, 3]],
    invalid: [[], [1], ['a', 'b']],
    query: 'either'
  },
  'tuple with a rest, as newer drafts write it': {
    typebox: () => json({ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 }),
    valid: [['a'], ['a', 1, 2]],
    invalid: [[1], ['a', 'b'], []],
    query: 'either'
  },
  'tuple with items that may be absent': {
    zod: () => z.tuple([z.string(), z.number().optional()]),
    typebox: () =>
      json({ type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false, minItems: 1 }),
    arktype: () => ['string', 'number?'],
    valid: [['a'], ['a', 1]],
    invalid: [[], ['a', 'b'], ['a', 1, 1]],
    query: 'either'
  },
  'tuple of objects': {
    zod: () => z.tuple([z.object({ a: z.string() }), z.object({ b: z.number() })]),
    typebox: () => Type.Tuple([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
    arktype: () => [{ a: 'string' }, { b: 'number' }],
    valibot: () => v.strictTuple([v.object({ a: v.string() }), v.object({ b: v.number() })]),
    valid: [[{ a: 'x' }, { b: 1 }]],
    invalid: [[{ b: 1 }, { a: 'x' }], [{ a: 'x' }]],
    unknown: [[{ a: 'x', c: 1 }, { b: 1 }]],
    query: 'none'
  },
  'tuple that lets more pass': {
    valibot: () => v.looseTuple([v.string()]),
    typebox: () => json({ type: 'array', items: [{ type: 'string' }], minItems: 1 }),
    valid: [['a'], ['a', 1, { b: [2] }]],
    invalid: [[1], []],
    query: 'either'
  },
  'empty tuple': {
    zod: () => z.tuple([]),
    typebox: () => Type.Tuple([]),
    valid: [[]],
    invalid: [[1], {}],
    query: 'either'
  },
  'tuple of a literal and more': {
    zod: () => z.tuple([z.literal('point'), z.number(), z.number()]),
    typebox: () => Type.Tuple([Type.Literal('point'), Type.Number(), Type.Number()]),
    arktype: () => ["'point'", 'number', 'number'],
    valibot: () => v.strictTuple([v.literal('point'), v.number(), v.number()]),
    valid: [['point', 1, 2]],
    invalid: [['line', 1, 2]],
    query: 'either'
  },
  'list of tuples': {
    zod: () => z.array(z.tuple([z.string(), z.number()])),
    typebox: () => Type.Array(Type.Tuple([Type.String(), Type.Number()])),
    arktype: () => [['string', 'number'], '[]'],
    valibot: () => v.array(v.strictTuple([v.string(), v.number()])),
    valid: [
      [],
      [
        ['a', 1],
        ['b', 2]
      ]
    ],
    invalid: [['a', 1], [['a']]],
    query: 'either'
  }
}

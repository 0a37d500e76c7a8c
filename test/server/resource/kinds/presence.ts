import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, json, type Kinds } from './kind.js'

/** Fields that may be absent or null, or get a value by themselves. */
export const presence: Kinds = {
  optional: {
    zod: () => z.string().optional(),
    typebox: () => Type.Optional(Type.String()),
    arktype: () => 'string?',
    valibot: () => v.optional(v.string()),
    valid: ['a'],
    invalid: [1, null],
    query: 'value'
  },
  'exactly optional': {
    zod: () => z.string().exactOptional(),
    valibot: () => v.exactOptional(v.string()),
    valid: ['a'],
    invalid: [1, null],
    query: 'value'
  },
  'required again': {
    zod: () => z.string().optional().nonoptional(),
    typebox: () => Type.Required(Type.Object({ a: Type.Optional(Type.String()) })).properties.a,
    valibot: () => v.nonOptional(v.optional(v.string())),
    valid: ['a'],
    invalid: [1],
    ignores: true,
    beyond: ['valibot'],
    query: 'either'
  },
  nullable: {
    zod: () => z.number().nullable(),
    typebox: () => Type.Union([Type.Number(), Type.Null()]),
    arktype: () => 'number | null',
    valibot: () => v.nullable(v.number()),
    valid: [1, null],
    invalid: ['a', 'null'],
    query: 'value'
  },
  'nullable text': {
    zod: () => z.string().min(2).nullable(),
    typebox: () => Type.Union([Type.String({ minLength: 2 }), Type.Null()]),
    arktype: () => 'string >= 2 | null',
    valibot: () => v.nullable(v.pipe(v.string(), v.minLength(2))),
    valid: ['ab', null, 'null'],
    invalid: ['a', 1],
    query: 'value'
  },
  nullish: {
    zod: () => z.boolean().nullish(),
    typebox: () => Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    arktype: () => ark('boolean | null').optional(),
    valibot: () => v.nullish(v.boolean()),
    valid: [true, null],
    invalid: ['true', 0],
    query: 'value'
  },
  default: {
    zod: () => z.string().min(2).default('free'),
    typebox: () => Type.String({ minLength: 2, default: 'free' }),
    arktype: () => "string = 'free'",
    valibot: () => v.optional(v.string(), 'free'),
    valid: ['ab'],
    invalid: [1],
    query: 'value'
  },
  'default of a list': {
    zod: () => z.array(z.string()).default(['a']),
    typebox: () => Type.Array(Type.String(), { default: ['a'] }),
    arktype: () => ark('string[]').default(() => ['a']),
    valibot: () => v.optional(v.array(v.string()), ['a']),
    valid: [['b'], []],
    invalid: ['b', [1]],
    query: 'item'
  },
  'default of an object': {
    zod: () => z.object({ a: z.int().default(1) }).default({ a: 2 }),
    typebox: () => Type.Object({ a: Type.Integer({ default: 1 }) }, { default: { a: 2 } }),
    valibot: () => v.optional(v.object({ a: v.optional(v.number(), 1) }), { a: 2 }),
    valid: [{ a: 3 }, {}],
    invalid: [{ a: 'x' }, 1],
    query: 'none'
  },
  'default that is made anew': {
    zod: () => z.number().default(() => 5),
    arktype: () => ark('number').default(() => 5),
    valibot: () => v.optional(v.number(), () => 5),
    valid: [6],
    invalid: ['6'],
    query: 'value'
  },
  'default null': {
    zod: () => z.string().nullable().default(null),
    typebox: () => Type.Union([Type.String(), Type.Null()], { default: null }),
    arktype: () => 'string | null = null',
    valibot: () => v.optional(v.nullable(v.string()), null),
    valid: ['a', null],
    invalid: [1],
    query: 'value'
  },
  prefault: {
    zod: () => z.string().trim().min(1).prefault(' a '),
    valid: ['b'],
    invalid: [1, ' '],
    beyond: ['zod'],
    query: 'value'
  },
  'what is put in place of what is wrong': {
    zod: () => z.number().catch(7),
    valibot: () => v.fallback(v.number(), 7),
    valid: [1],
    either: ['x', null],
    beyond: ['zod', 'valibot'],
    query: 'value'
  },
  'readonly to the compiler': {
    typebox: () => Type.Readonly(Type.Array(Type.String())),
    valibot: () => v.pipe(v.array(v.string()), v.readonly()),
    valid: [['a']],
    invalid: ['a', [1]],
    ignores: true,
    query: 'item'
  },
  any: {
    zod: () => z.any(),
    typebox: () => Type.Any(),
    arktype: () => 'unknown.any',
    valibot: () => v.any(),
    valid: ['a', 1, null, [1, [2]], { a: { b: 1 } }, false],
    query: 'either'
  },
  unknown: {
    zod: () => z.unknown(),
    typebox: () => Type.Unknown(),
    arktype: () => 'unknown',
    valibot: () => v.unknown(),
    valid: ['a', 1, null, [1, [2]], { a: { b: 1 } }, false],
    query: 'either'
  },
  'unknown or absent': {
    zod: () => z.unknown().optional(),
    typebox: () => Type.Optional(Type.Unknown()),
    arktype: () => 'unknown?',
    valibot: () => v.optional(v.unknown()),
    valid: [{ a: [1] }, null],
    query: 'either'
  },
  never: {
    zod: () => z.never().optional(),
    typebox: () => Type.Optional(Type.Never()),
    arktype: () => ark('never').optional(),
    valibot: () => v.optional(v.never()),
    invalid: ['a', 1, null, {}],
    query: 'either'
  },
  'a schema that says nothing': { typebox: () => json({}), valid: ['a', { b: [1] }, null], query: 'either' },
  'a schema that only describes': {
    typebox: () => json({ title: 'T', description: 'D', deprecated: true, examples: [1], 'x-own': 1 }),
    zod: () => z.any().meta({ title: 'T', description: 'D', deprecated: true, examples: [1] }),
    valibot: () => v.pipe(v.any(), v.title('T'), v.description('D')),
    valid: ['a', 1, {}],
    query: 'either'
  }
}

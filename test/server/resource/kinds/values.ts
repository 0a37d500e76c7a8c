import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { json, type Kinds } from './kind.js'

enum Level {
  low,
  high
}
enum Colour {
  red = 'RED',
  green = 'GREEN'
}
enum Mixed {
  none = 0,
  some = 'SOME'
}

/** Booleans, null, and lists of values. */
export const values: Kinds = {
  boolean: {
    zod: () => z.boolean(),
    typebox: () => Type.Boolean(),
    arktype: () => 'boolean',
    valibot: () => v.boolean(),
    valid: [true, false],
    invalid: ['true', 1, 0],
    query: 'value'
  },
  null: {
    zod: () => z.null(),
    typebox: () => Type.Null(),
    arktype: () => 'null',
    valibot: () => v.null(),
    valid: [null],
    invalid: ['null', 0, ''],
    query: 'either'
  },
  'one text': {
    zod: () => z.literal('a'),
    typebox: () => Type.Literal('a'),
    arktype: () => "'a'",
    valibot: () => v.literal('a'),
    valid: ['a'],
    invalid: ['b', 'A'],
    query: 'value'
  },
  'one number': {
    zod: () => z.literal(7),
    typebox: () => Type.Literal(7),
    arktype: () => '7',
    valibot: () => v.literal(7),
    valid: [7],
    invalid: [8, '7'],
    query: 'value'
  },
  'one boolean': {
    zod: () => z.literal(true),
    typebox: () => Type.Literal(true),
    arktype: () => 'true',
    valibot: () => v.literal(true),
    valid: [true],
    invalid: [false, 'true'],
    query: 'value'
  },
  'one of several types': {
    zod: () => z.literal(['a', 1, true, null]),
    typebox: () => Type.Union([Type.Literal('a'), Type.Literal(1), Type.Literal(true), Type.Null()]),
    arktype: () => "'a' | 1 | true | null",
    valibot: () => v.union([v.picklist(['a', 1]), v.literal(true), v.null()]),
    valid: ['a', 1, true, null],
    invalid: ['b', 2, false],
    query: 'either'
  },
  enum: {
    zod: () => z.enum(['draft', 'final']),
    typebox: () => Type.Enum(['draft', 'final']),
    arktype: () => "'draft' | 'final'",
    valibot: () => v.picklist(['draft', 'final']),
    valid: ['draft', 'final'],
    invalid: ['x', 'Draft'],
    query: 'value'
  },
  'enum with odd words': {
    zod: () => z.enum(['', 'a b', 'ä', "'", '__proto__', 'null', '1']),
    typebox: () => Type.Enum(['', 'a b', 'ä', "'", '__proto__', 'null', '1']),
    valibot: () => v.picklist(['', 'a b', 'ä', "'", '__proto__', 'null', '1']),
    valid: ['', 'a b', 'ä', "'", '__proto__', 'null', '1'],
    invalid: ['constructor', 1],
    query: 'value'
  },
  'enum of numbers': {
    zod: () => z.literal([1, 2.5]),
    typebox: () => Type.Enum([1, 2.5]),
    arktype: () => '1 | 2.5',
    valibot: () => v.picklist([1, 2.5]),
    valid: [1, 2.5],
    invalid: [2, '1'],
    query: 'value'
  },
  'enum of TypeScript with numbers': {
    zod: () => z.enum(Level),
    typebox: () => Type.Enum(Level),
    arktype: () => ['===', Level.low, Level.high],
    valibot: () => v.enum(Level),
    valid: [0, 1],
    invalid: ['low', 2],
    query: 'value'
  },
  'enum of TypeScript with texts': {
    zod: () => z.enum(Colour),
    typebox: () => Type.Enum(Colour),
    arktype: () => ['===', ...Object.values(Colour)],
    valibot: () => v.enum(Colour),
    valid: ['RED', 'GREEN'],
    invalid: ['red'],
    query: 'value'
  },
  'enum of TypeScript with both': {
    zod: () => z.enum(Mixed),
    typebox: () => Type.Enum(Mixed),
    valibot: () => v.enum(Mixed),
    valid: [0, 'SOME'],
    invalid: ['some', 1, '0'],
    query: 'either'
  },
  'enum or null': {
    zod: () => z.enum(['a', 'b']).nullable(),
    typebox: () => Type.Union([Type.Enum(['a', 'b']), Type.Null()]),
    arktype: () => "'a' | 'b' | null",
    valibot: () => v.nullable(v.picklist(['a', 'b'])),
    valid: ['a', null],
    invalid: ['c', 'null'],
    query: 'value'
  },
  'part of an enum': {
    zod: () => z.enum(['a', 'b', 'c']).exclude(['c']),
    typebox: () => Type.Exclude(Type.Enum(['a', 'b', 'c']), Type.Literal('c')),
    valid: ['a', 'b'],
    invalid: ['c'],
    query: 'value'
  },
  'an object that is one value': {
    typebox: () => json({ const: { a: 1 } }),
    valid: [{ a: 1 }],
    invalid: [{ a: 2 }],
    query: 'none'
  },
  'a list that is one of several': {
    typebox: () => json({ enum: [[1], [2, 3]] }),
    valid: [[1], [2, 3]],
    invalid: [[2]],
    query: 'either'
  }
}

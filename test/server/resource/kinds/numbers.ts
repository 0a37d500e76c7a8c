import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, type Kinds } from './kind.js'

const number = (...actions: unknown[]) => (v.pipe as (...parts: unknown[]) => unknown)(v.number(), ...actions)

/** Numbers. */
export const numbers: Kinds = {
  number: {
    zod: () => z.number(),
    typebox: () => Type.Number(),
    arktype: () => 'number',
    valibot: () => v.number(),
    valid: [1, 1.5, -0.25, 1e21, 5e-324, 2 ** 60, 0.1 + 0.2],
    invalid: ['1', [1], { a: 1 }, true],
    query: 'value'
  },
  integer: {
    zod: () => z.int(),
    typebox: () => Type.Integer(),
    arktype: () => 'number.integer',
    valibot: () => number(v.integer()),
    valid: [1, -7, 1.0, 9007199254740991],
    invalid: [1.5, '1'],
    either: [1e300],
    query: 'either'
  },
  'safe integer': {
    zod: () => z.number().int(),
    arktype: () => 'number.safe',
    valibot: () => number(v.safeInteger()),
    valid: [9007199254740991],
    invalid: [2 ** 60, '1'],
    either: [1.5],
    query: 'value'
  },
  'integer of 32 bits': {
    zod: () => z.int32(),
    typebox: () => Type.Integer({ format: 'int32', minimum: -2147483648, maximum: 2147483647 }),
    valid: [2147483647, -2147483648],
    invalid: [2147483648, 0.5],
    query: 'value'
  },
  'number of 32 bits': { zod: () => z.float32(), valid: [1.5], invalid: [1e39], query: 'value' },
  'number of 64 bits': {
    zod: () => z.float64(),
    typebox: () => Type.Number({ format: 'double' }),
    valid: [1.5, 1e300],
    invalid: ['1'],
    query: 'value'
  },
  positive: {
    zod: () => z.number().positive(),
    typebox: () => Type.Number({ exclusiveMinimum: 0 }),
    arktype: () => 'number > 0',
    valibot: () => number(v.gtValue(0)),
    valid: [0.01, 5],
    invalid: [0, -1],
    query: 'value'
  },
  'not negative': {
    zod: () => z.number().nonnegative(),
    typebox: () => Type.Number({ minimum: 0 }),
    arktype: () => 'number >= 0',
    valibot: () => number(v.minValue(0)),
    valid: [0, 5],
    invalid: [-0.1],
    query: 'value'
  },
  'within limits': {
    zod: () => z.number().min(-5).max(5),
    typebox: () => Type.Number({ minimum: -5, maximum: 5 }),
    arktype: () => '-5 <= number <= 5',
    valibot: () => number(v.minValue(-5), v.maxValue(5)),
    valid: [-5, 0, 5, 4.99],
    invalid: [-5.1, 6],
    query: 'value'
  },
  'between limits': {
    zod: () => z.number().gt(0).lt(1),
    typebox: () => Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    arktype: () => '0 < number < 1',
    valibot: () => number(v.gtValue(0), v.ltValue(1)),
    valid: [0.5],
    invalid: [0, 1],
    query: 'value'
  },
  'multiple of a cent': {
    zod: () => z.number().multipleOf(0.01),
    typebox: () => Type.Number({ multipleOf: 0.01 }),
    valid: [0, 1, 0.5, 1.13, 19.99, 0.07, 4.35, -1.13],
    invalid: ['1.13', 1.005],
    query: 'value'
  },
  'multiple of a tenth': {
    zod: () => z.number().multipleOf(0.1),
    typebox: () => Type.Number({ multipleOf: 0.1 }),
    valid: [0, 1, 0.3, 0.7, 1.1],
    invalid: ['0.3', 0.35],
    query: 'value'
  },
  'multiple of a tenth, by its remainder': {
    valibot: () => number(v.multipleOf(0.1)),
    valid: [0],
    either: [0.1, 0.3, 1],
    beyond: ['valibot'],
    query: 'value'
  },
  'multiple of five': {
    zod: () => z.number().multipleOf(5),
    typebox: () => Type.Number({ multipleOf: 5 }),
    arktype: () => 'number % 5',
    valibot: () => number(v.multipleOf(5)),
    valid: [0, 10, -5],
    invalid: [3],
    query: 'value'
  },
  'an even number within limits': {
    zod: () => z.int().multipleOf(2).min(2).max(10),
    typebox: () => Type.Integer({ multipleOf: 2, minimum: 2, maximum: 10 }),
    arktype: () => '2 <= (number % 2) <= 10',
    valibot: () => number(v.integer(), v.multipleOf(2), v.minValue(2), v.maxValue(10)),
    valid: [2, 10],
    invalid: [3, 0, 12],
    query: 'value'
  },
  epoch: { arktype: () => 'number.epoch', valid: [0, 1893456000000], invalid: [1.5, 9e15], query: 'value' },
  'number with a check of its own': {
    zod: () => z.number().refine((value) => value !== 13),
    arktype: () => ark('number').narrow((value) => value !== 13),
    valibot: () => number(v.check((value: number) => value !== 13)),
    valid: [12],
    invalid: [13],
    ignores: true,
    beyond: ['zod', 'arktype', 'valibot'],
    query: 'value'
  }
}

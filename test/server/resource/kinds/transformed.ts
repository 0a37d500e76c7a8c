import * as v from 'valibot'
import * as z from 'zod'
import { ark, type Kinds } from './kind.js'

/** Fields of which the library makes something else. */
export const transformed: Kinds = {
  'trimmed text': {
    zod: () => z.string().trim().min(1),
    arktype: () => 'string.trim',
    valibot: () => v.pipe(v.string(), v.trim(), v.minLength(1)),
    valid: ['a', ' a '],
    either: [' '],
    ignores: true,
    beyond: ['zod', 'arktype', 'valibot'],
    query: 'either'
  },
  'text in small letters': {
    zod: () => z.string().toLowerCase(),
    arktype: () => 'string.lower',
    valibot: () => v.pipe(v.string(), v.toLowerCase()),
    valid: ['ABC', 'abc'],
    invalid: [1],
    ignores: true,
    query: 'either'
  },
  'email in small letters': {
    zod: () => z.string().trim().toLowerCase().pipe(z.email()),
    valibot: () => v.pipe(v.string(), v.trim(), v.toLowerCase(), v.email()),
    valid: [' Ada@Example.com '],
    invalid: ['ada'],
    ignores: true,
    beyond: ['zod', 'valibot'],
    query: 'either'
  },
  'normalised text': {
    zod: () => z.string().normalize(),
    arktype: () => 'string.normalize',
    valibot: () => v.pipe(v.string(), v.normalize()),
    valid: ['é', 'e\u0301'],
    ignores: true,
    query: 'either'
  },
  'coerced number': { zod: () => z.coerce.number(), valid: [1, '1'], invalid: ['x'], beyond: ['zod'], query: 'value' },
  'coerced boolean': { zod: () => z.coerce.boolean(), valid: [true, '', 'x', 0], beyond: ['zod'], query: 'value' },
  'coerced text': { zod: () => z.coerce.string(), valid: ['a', 1, true], beyond: ['zod'], query: 'value' },
  'text that becomes a number': {
    zod: () => z.string().transform((text) => text.length),
    arktype: () => ark('string').pipe((text: string) => text.length),
    valibot: () =>
      v.pipe(
        v.string(),
        v.transform((text) => text.length)
      ),
    valid: ['abc'],
    invalid: [1],
    untyped: true,
    query: 'either'
  },
  'text that becomes a number, and is one then': {
    zod: () => z.string().transform(Number).pipe(z.number().min(5)),
    arktype: () => 'string.numeric.parse',
    valibot: () => v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(5)),
    valid: ['7'],
    invalid: [7, 'x'],
    either: ['3'],
    untyped: true,
    ignores: true,
    beyond: ['zod', 'valibot'],
    query: 'either'
  },
  'list that is made of a text': {
    zod: () =>
      z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.string())),
    valid: ['a,b', ''],
    invalid: [['a'], 1],
    untyped: true,
    beyond: ['zod'],
    query: 'either'
  },
  'text that is read as JSON': {
    arktype: () => 'string.json.parse',
    valibot: () => v.pipe(v.string(), v.parseJson()),
    valid: ['{"a":1}'],
    invalid: ['{', 1],
    untyped: true,
    beyond: ['arktype', 'valibot'],
    query: 'either'
  },
  'date of a text': {
    zod: () =>
      z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
    arktype: () => 'string.date.iso.parse',
    valibot: () =>
      v.pipe(
        v.string(),
        v.isoTimestamp(),
        v.transform((text) => new Date(text))
      ),
    valid: ['2030-01-31T12:00:00.000Z'],
    invalid: ['x', 0],
    query: 'either'
  },
  'yes or no': {
    zod: () => z.stringbool(),
    valid: ['true', 'no', '1'],
    invalid: ['maybe', true],
    // It leaves as the first text of each.
    untyped: true,
    beyond: ['zod'],
    query: 'either'
  },
  'text before it is checked': {
    zod: () => z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string()),
    valid: ['a'],
    either: [1],
    invalid: [true],
    beyond: ['zod'],
    query: 'either'
  },
  'objects with another field': {
    zod: () => z.object({ a: z.string() }).transform(({ a }) => ({ b: a })),
    valid: [{ a: 'x' }],
    invalid: [{ b: 'x' }, {}],
    untyped: true,
    beyond: ['zod'],
    query: 'either'
  },
  'a list whose items change': {
    zod: () => z.array(z.string().trim()),
    arktype: () => 'string.trim[]',
    valibot: () => v.array(v.pipe(v.string(), v.trim())),
    valid: [[' a ', 'b']],
    invalid: [[1]],
    ignores: true,
    query: 'either'
  },
  'what is sent before it is there': {
    zod: () => z.lazy(() => z.string().min(2)),
    valibot: () => v.lazy(() => v.pipe(v.string(), v.minLength(2))),
    valid: ['ab'],
    invalid: ['a'],
    query: 'either'
  }
}

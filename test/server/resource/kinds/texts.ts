import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, type Kinds } from './kind.js'

const text = (...actions: unknown[]) => (v.pipe as (...parts: unknown[]) => unknown)(v.string(), ...actions)
// A user who writes more escapes than are needed.
const old = /^-[^_] x$/
const long = 'a'.repeat(5000)

/** Texts, by their lengths, patterns and other rules. */
export const texts: Kinds = {
  text: {
    zod: () => z.string(),
    typebox: () => Type.String(),
    arktype: () => 'string',
    valibot: () => v.string(),
    valid: ['a', 'a\nb', ' ', '0', 'null', 'true', '1e3', '😀', '{"a":1}', 'a&b=c', '%', '__proto__', 'é', '"', long],
    invalid: [1, ['a'], { a: 'a' }, false],
    query: 'value'
  },
  'text of a length': {
    zod: () => z.string().min(2).max(4),
    typebox: () => Type.String({ minLength: 2, maxLength: 4 }),
    arktype: () => '2 <= string <= 4',
    valibot: () => text(v.minLength(2), v.maxLength(4)),
    valid: ['ab', 'abcd'],
    invalid: ['a', 'abcde', ''],
    either: ['😀', '😀😀', '😀😀😀', 'e\u0301e\u0301'],
    query: 'value'
  },
  'text of one length': {
    zod: () => z.string().length(3),
    typebox: () => Type.String({ minLength: 3, maxLength: 3 }),
    arktype: () => 'string == 3',
    valibot: () => text(v.length(3)),
    valid: ['abc'],
    invalid: ['ab', 'abcd'],
    query: 'value'
  },
  pattern: {
    zod: () => z.string().regex(/^[A-Z]{2}-\d+$/),
    typebox: () => Type.String({ pattern: /^[A-Z]{2}-\d+$/ }),
    arktype: () => /^[A-Z]{2}-\d+$/,
    valibot: () => text(v.regex(/^[A-Z]{2}-\d+$/)),
    valid: ['CH-1'],
    invalid: ['ch-1', 'CH1', 'CH-1 '],
    query: 'value'
  },
  'pattern with flags': {
    zod: () => z.string().regex(/^[a-z]+$/i),
    valibot: () => text(v.regex(/^[a-z]+$/i)),
    valid: ['abc', 'ABC'],
    invalid: ['a1'],
    beyond: ['valibot'],
    query: 'value'
  },
  // ArkType gives JSON Schema the pattern without its flags.
  'pattern with flags, of ArkType': {
    arktype: () => /^[a-z]+$/i,
    valid: ['abc', 'ABC'],
    invalid: ['a1'],
    query: 'either'
  },
  'pattern of letters': {
    zod: () => z.string().regex(/^\p{L}+$/u),
    typebox: () => Type.String({ pattern: /^\p{L}+$/u }),
    valibot: () => text(v.regex(/^\p{L}+$/u)),
    valid: ['Zoë', '東京'],
    invalid: ['a1', '-'],
    ignores: true,
    beyond: ['valibot'],
    query: 'value'
  },
  'pattern with escapes that Unicode does not know': {
    zod: () => z.string().regex(/^[\w\-/.]+$/),
    typebox: () => Type.String({ pattern: '^[\\w\\-\\/\\.]+$' }),
    arktype: () => /^[\w\-/.]+$/,
    valibot: () => text(v.regex(/^[\w\-/.]+$/)),
    valid: ['a-b/c.d'],
    invalid: ['a b'],
    query: 'value'
  },
  'pattern that only the old syntax knows': {
    zod: () => z.string().regex(old),
    valibot: () => text(v.regex(old)),
    valid: ['-a x'],
    invalid: ['-_ x'],
    query: 'either'
  },
  'two patterns': {
    zod: () => z.string().regex(/^a/).regex(/z$/),
    arktype: () => [/^a/, '&', /z$/],
    valibot: () => text(v.regex(/^a/), v.regex(/z$/)),
    valid: ['az', 'abz'],
    invalid: ['a', 'z', 'bz'],
    ignores: true,
    beyond: ['valibot'],
    query: 'value'
  },
  'begins with': {
    zod: () => z.string().startsWith('a.'),
    typebox: () => Type.String({ pattern: '^a\\.' }),
    arktype: () => /^a\./,
    valibot: () => text(v.startsWith('a.')),
    valid: ['a.b'],
    invalid: ['ab', 'b.a.'],
    query: 'value'
  },
  'ends with': {
    zod: () => z.string().endsWith('.z'),
    valibot: () => text(v.endsWith('.z')),
    valid: ['a.z'],
    invalid: ['az', '.za'],
    query: 'value'
  },
  includes: {
    zod: () => z.string().includes('+-'),
    valibot: () => text(v.includes('+-')),
    valid: ['a+-b'],
    invalid: ['a+b', '-+'],
    query: 'value'
  },
  'begins, ends and includes': {
    zod: () => z.string().startsWith('a').endsWith('z').includes('m'),
    valibot: () => text(v.startsWith('a'), v.endsWith('z'), v.includes('m')),
    valid: ['amz'],
    invalid: ['az', 'am', 'mz'],
    ignores: true,
    beyond: ['valibot'],
    query: 'value'
  },
  'a format and a length': {
    zod: () => z.email().max(12),
    typebox: () => Type.String({ format: 'email', maxLength: 12 }),
    arktype: () => 'string.email <= 12',
    valibot: () => text(v.email(), v.maxLength(12)),
    valid: ['a@b.example'],
    invalid: ['ada@example.com', 'ada'],
    query: 'value'
  },
  'small letters': {
    zod: () => z.string().lowercase(),
    arktype: () => 'string.lower.preformatted',
    valid: ['abc'],
    invalid: ['Abc'],
    query: 'value'
  },
  'great letters': {
    zod: () => z.string().uppercase(),
    arktype: () => 'string.upper.preformatted',
    valid: ['ABC'],
    invalid: ['Abc'],
    query: 'value'
  },
  digits: {
    zod: () => z.string().regex(/^\d+$/),
    arktype: () => 'string.digits',
    valibot: () => text(v.digits()),
    valid: ['007'],
    invalid: ['1.5', 'a'],
    query: 'value'
  },
  slug: {
    valibot: () => text(v.slug()),
    arktype: () => 'string.alphanumeric',
    valid: ['abc1'],
    invalid: ['a b', '!'],
    query: 'value'
  },
  'credit card': {
    arktype: () => 'string.creditCard',
    valibot: () => text(v.creditCard()),
    valid: ['4111111111111111'],
    invalid: ['4111111111111112', '1'],
    ignores: true,
    beyond: ['arktype', 'valibot'],
    query: 'either'
  },
  'template literal': {
    zod: () => z.templateLiteral(['v', z.int(), '-', z.enum(['a', 'b'])]),
    typebox: () => Type.TemplateLiteral([Type.Literal('v'), Type.Integer(), Type.Literal('-'), Type.Enum(['a', 'b'])]),
    valid: ['v1-a', 'v22-b'],
    invalid: ['v1', 'va-a', 'v1-c'],
    query: 'value'
  },
  'a text that is JSON': {
    arktype: () => 'string.json',
    valid: ['{"a":1}', '[]'],
    invalid: ['{', 'a'],
    beyond: ['arktype'],
    query: 'either'
  },
  'a format that nobody knows': {
    typebox: () => Type.String({ format: 'currency' }),
    valid: ['CHF', 'x'],
    invalid: [1],
    query: 'value'
  },
  'a format of OpenAPI': {
    typebox: () => Type.String({ format: 'password', minLength: 2 }),
    valid: ['ab'],
    invalid: ['a'],
    query: 'value'
  },
  'a format of texts that are not for people': {
    typebox: () => Type.String({ format: 'json-pointer' }),
    valid: ['/a/b'],
    invalid: ['a'],
    query: 'value'
  },
  'branded text': {
    zod: () => z.string().min(2).brand('Code'),
    arktype: () => 'string >= 2#Code',
    valibot: () => text(v.minLength(2), v.brand('Code')),
    valid: ['ab'],
    invalid: ['a', 1],
    ignores: true,
    query: 'value'
  },
  'text with a check of its own': {
    zod: () => z.string().refine((value) => value !== 'taken', 'is taken'),
    typebox: () =>
      Type.Refine(
        Type.String(),
        (value) => value !== 'taken',
        () => 'is taken'
      ),
    arktype: () => ark('string').narrow((value) => value !== 'taken'),
    valibot: () => text(v.check((value: string) => value !== 'taken', 'is taken')),
    valid: ['free'],
    invalid: ['taken'],
    ignores: true,
    beyond: ['zod', 'typebox', 'arktype', 'valibot'],
    // The check is no part of the JSON Schema that TypeBox makes.
    mayBeRefused: /[Rr]efine/,
    query: 'value'
  },
  'text with several checks of its own': {
    zod: () =>
      z.string().superRefine((value, context) => {
        if (value.length > 3) context.addIssue({ code: 'custom', message: 'is long' })
        if (value.includes(' ')) context.addIssue({ code: 'custom', message: 'has a space' })
      }),
    valibot: () =>
      text(
        v.rawCheck(({ dataset, addIssue }) => {
          if (dataset.typed && String(dataset.value).length > 3) addIssue({ message: 'is long' })
        })
      ),
    valid: ['abc'],
    invalid: ['abcd e'],
    ignores: true,
    beyond: ['zod', 'valibot'],
    query: 'value'
  },
  'text that must not be another': {
    zod: () => z.string().refine((value) => value !== 'root'),
    typebox: () => Type.Unsafe({ type: 'string', not: { const: 'root' } }),
    valibot: () => text(v.notValue('root')),
    valid: ['ada'],
    invalid: ['root'],
    beyond: ['zod'],
    query: 'either'
  },
  'text of so many bytes': {
    valibot: () => text(v.maxBytes(3)),
    valid: ['abc'],
    invalid: ['éé'],
    ignores: true,
    beyond: ['valibot'],
    query: 'value'
  }
}

import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { records } from '../../support/resource-libraries.js'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const int = { type: 'integer' }
const text = { type: 'string' }
const set = { type: 'string', readOnly: true }
const hidden = { type: 'string', writeOnly: true }
const a = object({ a: int }, { required: ['a'] })
const b = object({ b: text }, { required: ['b'] })
const Node = z.object({
  a: z.int(),
  get next() {
    return z.array(Node).optional()
  }
})
const Chain = z.object({
  a: z.int(),
  pin: z.string().meta({ writeOnly: true }),
  get next() {
    return Chain.optional()
  },
  get noted() {
    return Chain.optional().describe('N')
  }
})
const Endless = z.object({
  get both() {
    return z.intersection(Endless, z.object({ b: z.int() })).optional()
  }
})
const deep = object({ set, hidden, 'x.y': text }, { required: ['set', 'hidden', 'x.y'] })

/** A schema, and options of `resource()`. */
export const rows: Readonly<Record<string, readonly [schema: unknown, options?: object]>> = {
  ...Object.fromEntries(
    Object.entries(records).map(([name, schema]) => [name, [schema, { readOnly: ['id'], writeOnly: ['secret'] }]])
  ),
  nothing: [object({})],
  required: [
    object({ b: int, a: int }, { required: ['b', 'a'], title: 'T', description: 'D', $id: 'x', $schema: 'y' })
  ],
  open: [object({ a: int }, { additionalProperties: true })],
  openOf: [object({ a: int }, { additionalProperties: object({ c: set, d: hidden }) })],
  noType: [{ type: 'object', properties: { a: {}, b: { description: 'B' } } }],
  values: [
    object({
      const: { const: 1 },
      constNull: { const: null },
      enum: { enum: ['a', null] },
      consts: { anyOf: [{ const: 1 }, { const: 'a' }, { const: 1 }] },
      oneOf: { oneOf: [{ const: 'a' }, { const: 'b' }], title: 'O' },
      constsOrNull: { anyOf: [{ const: 'a' }, { type: 'null' }], description: 'C' },
      nulls: { anyOf: [{ type: 'null' }, { type: 'null' }] },
      null: { anyOf: [{ type: 'null' }] },
      mixed: { anyOf: [{ const: 'a' }, text] },
      enums: { anyOf: [{ enum: [1, 2] }, { enum: ['a'] }, { type: 'null' }] },
      true: { const: true },
      objects: { enum: [{ a: 1 }, [1]] }
    })
  ],
  nullable: [
    object({
      a: { type: 'integer', nullable: true },
      b: { type: 'integer', nullable: false },
      c: { type: ['integer', 'null'] },
      d: { type: ['integer', 'string'], nullable: true },
      e: { type: 'string', enum: ['x'], nullable: true },
      f: { type: 'string', enum: ['x', null], nullable: true },
      g: { anyOf: [int, { type: 'null' }], description: 'G', default: 1 },
      h: { anyOf: [{ type: 'null' }, { ...int, description: 'inner' }], description: 'outer' },
      i: { anyOf: [int, text] },
      j: { anyOf: [int, text, { type: 'null' }] },
      k: { anyOf: [{ type: ['integer', 'string'] }, { type: 'null' }] },
      l: { anyOf: [object({ x: int }), { type: 'null' }] },
      m: { nullable: true },
      n: { anyOf: [{}, { type: 'null' }] },
      o: { oneOf: [int, { type: 'null' }] },
      p: { anyOf: [{ type: 'null' }, int, { type: 'null' }] },
      q: { const: 'x', nullable: true },
      r: { anyOf: [{ enum: ['x'], type: 'string' }, int], nullable: true },
      s: { type: 'array', items: int, nullable: true }
    })
  ],
  joined: [{ allOf: [a, b], properties: { c: int }, required: ['c'], title: 'T' }],
  joinedRefs: [
    { $ref: '#/$defs/ab', $defs: { a, b, ab: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } }, title: 'T' }
  ],
  intersections: [
    object(
      {
        both: { allOf: [a, b], description: 'B' },
        withOwn: { allOf: [a], properties: { c: int } },
        same: { allOf: [a, a] },
        ref: { allOf: [{ $ref: '#/$defs/a' }, b] },
        open: { allOf: [a, { ...b, patternProperties: { '^x': int } }] },
        some: { allOf: [a, { ...b, anyOf: [{ required: ['b'] }] }] },
        one: { allOf: [a, { ...b, oneOf: [{ required: ['b'] }] }] },
        least: { allOf: [a, { minProperties: 1 }] },
        numbers: { allOf: [int, { minimum: 1 }] },
        closed: { allOf: [{ ...a, additionalProperties: false }, b] },
        opened: { allOf: [{ ...a, additionalProperties: true }, b] },
        none: { allOf: [] }
      },
      { $defs: { a } }
    )
  ],
  definitions: [
    {
      ...object({ a: { $ref: '#/definitions/a' }, b: { $ref: 'the-b' } }),
      definitions: { a: int, b: { $id: 'the-b', ...text } }
    }
  ],
  ofFields: [
    object({
      a: { $ref: '#/$defs/x', $defs: { x: int } },
      b: { $ref: '#/$defs/x', $defs: { x: int } },
      c: { definitions: { y: text }, $ref: '#/definitions/y' }
    })
  ],
  root: [object({ a: int, next: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } } }, { required: ['a'] })],
  unknownRef: [object({ a: { $ref: 'elsewhere#' }, b: { $ref: '#/$defs/none' } })],
  recursive: [Node],
  chain: [Chain],
  'a reference in an intersection, and more': [
    object(
      {
        one: { allOf: [{ $ref: '#/$defs/a' }], minProperties: 1 },
        two: { allOf: [{ $ref: '#/$defs/a', title: 'T' }] }
      },
      { $defs: { a } }
    )
  ],
  cyclic: [
    Type.Object({
      tree: Type.Cyclic({ Tree: Type.Object({ id: Type.Integer(), kids: Type.Array(Type.Ref('Tree')) }) }, 'Tree')
    })
  ],
  patterns: [
    object({
      a: object({ b: int }, { patternProperties: { '^x': deep } }),
      c: { type: 'object', patternProperties: { '^y': int } }
    })
  ],
  parts: [
    object({
      list: { type: 'array', items: deep },
      tuple: { type: 'array', items: [deep, int] },
      not: { not: deep },
      contains: { type: 'array', contains: deep },
      map: { type: 'object', additionalProperties: deep },
      anyOf: { anyOf: [deep, int] },
      one: { oneOf: [deep, int] },
      all: { allOf: [deep, { minProperties: 1 }] },
      yes: { type: 'array', items: true },
      plain: object({ yes: true, no: false }),
      either: { anyOf: [true, false, int] },
      whole: { type: 'object' },
      closed: { type: 'object', additionalProperties: false },
      wholes: { type: 'array', items: { type: 'object' } },
      any: { type: 'object', additionalProperties: true }
    })
  ],
  flags: [
    object(
      {
        id: set,
        token: hidden,
        both: { type: 'string', readOnly: true, writeOnly: true },
        no: { type: 'string', readOnly: false, writeOnly: false },
        word: { type: 'string', readOnly: 'yes' },
        ref: { $ref: '#/$defs/set' },
        hiddenRef: { $ref: '#/$defs/hidden' },
        branch: { anyOf: [set, int] },
        oneBranch: { oneOf: [int, hidden] },
        allBranch: { allOf: [{ $ref: '#/$defs/hidden' }, {}] },
        deep,
        open: { ...deep, additionalProperties: true },
        openOf: { ...deep, additionalProperties: set },
        closed: { ...deep, additionalProperties: false },
        patterned: { ...deep, patternProperties: { '^p': int }, additionalProperties: true },
        loose: object({ set })
      },
      { required: ['id', 'token', 'ref', 'deep'], $defs: { set, hidden, deep } }
    )
  ],
  named: [
    object({ a: int, b: object({ c: int }), d: int }, { required: ['a', 'b'] }),
    { readOnly: ['a'], writeOnly: ['b'] }
  ],
  namedBoth: [
    object({ a: int, b: int }, { required: ['a', 'b'], additionalProperties: true }),
    { readOnly: ['a', 'b'], writeOnly: ['a', 'b'] }
  ],
  defaults: [
    object({
      a: { ...int, default: 1 },
      b: { ...int, default: null },
      c: object({ d: { ...int, default: 2 } }, { default: {} }),
      e: int
    })
  ],
  ownBodies: [
    object({ a: int }),
    {
      create: object({ c: { ...int, default: 1 } }),
      update: Type.Object({ u: Type.Integer() }),
      patch: object({ p: { ...int, default: 1 } })
    }
  ],
  ownCreate: [object({ a: set }), { create: object({ a: text }) }],
  ownResponse: [object({ a: int, b: hidden }), { response: object({ a: text, x: hidden, y: int }) }],
  ownQuery: [object({ a: int }), { query: object({ q: { $ref: '#/$defs/q' }, a: text }, { $defs: { q: int } }) }],
  ownQueryPlain: [object({ a: int }), { query: object({ q: int }) }],
  operators: [
    object({ a: int, b: text, c: { type: 'array', items: text } }),
    { operators: { $like: text, $all: { type: 'array', items: text }, $lt: false } }
  ],
  filterAndSort: [object({ c: int, b: int, a: int }), { filter: ['a', 'c'], sort: ['b', 'c'] }],
  files: [
    object({
      one: { type: 'string', format: 'binary' },
      many: { type: 'array', items: { type: 'string', contentMediaType: 'image/png' } },
      encoded: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
      maybe: { anyOf: [{ type: 'string', format: 'binary', contentEncoding: 'binary' }, { type: 'null' }] }
    })
  ],
  zodFlags: [
    z.object({
      id: z.int().readonly(),
      at: z.string().meta({ readOnly: true }),
      p: z.string().meta({ writeOnly: true }),
      n: z.string().nullable().default(null)
    })
  ],
  zodTransform: [
    z.object({
      n: z.string().transform(Number),
      t: z.string().trim(),
      c: z.codec(z.string(), z.int(), { decode: Number, encode: String })
    })
  ],
  valibotNull: [
    toStandardJsonSchema(
      v.object({ a: v.nullish(v.string()), b: v.optional(v.number(), 1), c: v.picklist(['x', 'y']) })
    )
  ],
  arkNull: [ark({ a: 'string | null', 'b?': "'x' | 'y' | null", c: 'number = 1' })]
}

class Foreign {
  readonly '~standard' = { version: 1, vendor: 'foreign' }
}
const failing = { version: 1, vendor: 'mine', jsonSchema: { input: () => JSON.parse(''), output: () => ({}) } }
const input = () => {
  throw new Error('No schema.')
}
const bad = (vendor: string) => ({ '~standard': { version: 1, vendor, jsonSchema: { input, output: input } } })

/** What `resource()` refuses. */
export const refused: Readonly<Record<string, readonly [schema: unknown, options?: unknown]>> = {
  'an intersection within itself': [Endless],
  ...Object.fromEntries(
    [undefined, null, 1, 'x', true, [], [object({})], Object].map((one) => [
      `a ${typeof one} ${one}`.slice(0, 20),
      [one]
    ])
  ),
  'no properties': [{ type: 'object' }],
  'no object': [text],
  'no type': [{ properties: {} }],
  empty: [{}],
  list: [{ type: 'array', items: object({}) }],
  'a library without JSON Schema': [new Foreign()],
  'valibot as it is': [v.object({ a: v.string() })],
  'a library that fails': [bad('mine')],
  'valibot that fails': [bad('valibot')],
  'a date of zod': [z.object({ at: z.date() })],
  'an option': [object({}), { readonly: [] }],
  'another option': [object({}), { colour: [] }],
  'two options': [object({}), { sorts: [], filtr: [] }],
  ...Object.fromEntries(
    ['readOnly', 'writeOnly', 'filter', 'sort'].flatMap((name) => [
      [`a field of ${name}`, [object({ a: int, b: int }), { [name]: ['a', 'c'] }]],
      [`a first field of ${name}`, [object({ a: int, b: int }), { [name]: ['d', 'c'] }]]
    ])
  ),
  'a field of the response alone': [object({ a: int }), { response: object({ b: int }), readOnly: ['b', 'x'] }],
  ...Object.fromEntries(
    ['$a', '$', 'a$', 'a[', 'a]', '[', 'constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) => [
      `the name ${name}`,
      [JSON.parse(`{"type":"object","properties":{"b":{},"${name}":{}}}`)]
    ])
  ),
  'a query with a name': [object({ a: int }), { query: text }],
  'a body that is none': [object({ a: int }), { create: text }],
  'an update that is none': [object({ a: int }), { update: 1 }],
  'a patch that is none': [object({ a: int }), { patch: null }],
  'a response that is none': [object({ a: int }), { response: text }],
  'two definitions': [
    object({ a: { $ref: '#/$defs/x', $defs: { x: int } }, b: { $ref: '#/$defs/x', $defs: { x: text } } })
  ],
  'what no value stands for': [
    z.object({ a: z.string(), id: z.string().regex(/^\d{4}$/), b: z.string() }),
    { readOnly: ['id'] }
  ],
  'the second of two': [
    z.object({ x: z.string(), y: z.string().regex(/^\d{4}$/), z: z.string().regex(/^\d$/) }),
    { readOnly: ['x', 'y', 'z'] }
  ]
}
export const outputFails = {
  '~standard': { ...failing, jsonSchema: { input: () => object({ a: int }), output: input } }
}

const whole = { type: 'object' }
const branch = { ...a, enum: [{ a: 1 }], minProperties: 1, title: 'T' }

/** Schemas of answers as somebody may write them in place of those of a resource. */
export const answers: readonly unknown[] = [
  true,
  int,
  { type: ['integer', 'string'], nullable: true },
  { anyOf: [int, text], nullable: true },
  { nullable: true },
  { type: 'integer', nullable: false, minimum: 1, default: 1 },
  { type: ['integer', 'null'], enum: [1, null] },
  { type: ['null'] },
  { type: 'null' },
  { type: ['integer'] },
  whole,
  { ...whole, nullable: true },
  { ...whole, additionalProperties: false },
  { ...whole, additionalProperties: true },
  ...['properties', 'patternProperties'].map((key) => ({ ...whole, [key]: { '^a': whole } })),
  ...['anyOf', 'oneOf', 'allOf'].map((key) => ({ ...whole, [key]: [branch, whole, true] })),
  { ...whole, $ref: '#/$defs/x', $defs: { x: branch, y: whole } },
  { type: 'array', items: branch, minItems: 1 },
  { type: 'array', items: [branch, whole] },
  object({
    list: { type: 'array', items: { anyOf: [branch, object({ deep: branch })] } },
    map: { ...whole, additionalProperties: branch }
  }),
  { type: 'string', format: 'date', pattern: '^a', description: 'D', enum: ['a'] },
  { allOf: [{ $ref: '#/$defs/x' }, b], $defs: { x: a } },
  { allOf: [{ $ref: '#/$defs/none' }, b] },
  { not: branch, contains: branch, type: 'array' }
]

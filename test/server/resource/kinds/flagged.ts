import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { ark, type Columns, json, type Library, scope } from './kind.js'

/**
 * Records with fields that only the server sets (`'SET'`) or that do not leave (`'HIDDEN'`), as a database holds them. What may be sent, and what leaves, is a
 * record without the ones or the others. A list or an object of nothing else is such a value itself.
 */
export interface Flagged extends Columns {
  readonly records: readonly Readonly<Record<string, unknown>>[]
  /** Bodies that must be refused for another reason: the other rules still hold. */
  readonly invalid?: readonly object[]
  /** Whether the columns are schemas of whole records. */
  readonly whole?: true
  readonly readOnly?: readonly string[]
  readonly writeOnly?: readonly string[]
  /** Schemas that the application has. */
  /** What the error at the start says, by the library that can't leave out what only the server sets. */
  readonly refused?: { readonly [Name in Library]?: RegExp }
  /** Fields of the record that no query names. */
  readonly unasked?: readonly string[]
}

/** Texts of each flag. */
const flags = {
  zod: { set: () => z.string().meta({ readOnly: true }), hidden: () => z.string().meta({ writeOnly: true }) },
  typebox: { set: () => Type.String({ readOnly: true }), hidden: () => Type.String({ writeOnly: true }) },
  arktype: {
    set: () => ark('string').configure({ readOnly: true }),
    hidden: () => ark('string').configure({ writeOnly: true })
  },
  valibot: {
    set: () => v.pipe(v.string(), v.metadata({ readOnly: true })),
    hidden: () => v.pipe(v.string(), v.metadata({ writeOnly: true }))
  },
  json: { set: { type: 'string', readOnly: true }, hidden: { type: 'string', writeOnly: true } }
}

/** An object with a field of its own, and one of each flag, all of which it must have. */
const both = {
  zod: () => z.object({ a: z.string(), set: flags.zod.set(), hidden: flags.zod.hidden() }),
  typebox: () => Type.Object({ a: Type.String(), set: flags.typebox.set(), hidden: flags.typebox.hidden() }),
  arktype: () => ({ a: 'string', set: flags.arktype.set(), hidden: flags.arktype.hidden() }),
  valibot: () => v.object({ a: v.string(), set: flags.valibot.set(), hidden: flags.valibot.hidden() }),
  json: {
    type: 'object',
    required: ['a', 'set', 'hidden'],
    properties: { a: { type: 'string' }, ...flags.json }
  }
}
const inner = { a: 'x', set: 'SET', hidden: 'HIDDEN' }
const odd = ['a-b', 'a b', 'é', "it's", 'a.b', 'a/b', 'a~b', '50%', 'a"b', 'length', 'x-y z']
const oddly = <T>(value: T): Record<string, T> => Object.fromEntries(odd.map((name) => [name, value]))

/** ArkType leaves fields out of plain objects and lists only. */
const arkTypeCannot = { arktype: /\(id, set\): .+option `create`/ }

export const flagged: Readonly<Record<string, Flagged>> = {
  'in the record': {
    zod: () => z.object({ id: z.int(), f: flags.zod.set(), g: flags.zod.hidden(), h: z.string() }),
    typebox: () =>
      Type.Object({ id: Type.Integer(), f: flags.typebox.set(), g: flags.typebox.hidden(), h: Type.String() }),
    arktype: () => ark({ id: 'number.integer', f: flags.arktype.set(), g: flags.arktype.hidden(), h: 'string' }),
    valibot: () => v.object({ id: v.number(), f: flags.valibot.set(), g: flags.valibot.hidden(), h: v.string() }),
    whole: true,
    records: [{ f: 'SET', g: 'HIDDEN', h: 'x' }],
    invalid: [{}, { h: 1, g: 'x' }],
    unasked: ['g']
  },
  'by options': {
    zod: () => z.object({ id: z.int(), f: z.string(), g: z.string(), h: z.string() }),
    typebox: () => Type.Object({ id: Type.Integer(), f: Type.String(), g: Type.String(), h: Type.String() }),
    arktype: () => ark({ id: 'number.integer', f: 'string', g: 'string', h: 'string' }),
    valibot: () => v.object({ id: v.number(), f: v.string(), g: v.string(), h: v.string() }),
    whole: true,
    readOnly: ['f'],
    writeOnly: ['g'],
    records: [{ f: 'SET', g: 'HIDDEN', h: 'x' }],
    unasked: ['g']
  },
  'by options, in a record of two parts': {
    refused: { zod: /it is an intersection/, valibot: /it is an intersection/ },
    zod: () => z.intersection(z.object({ id: z.int(), f: z.string() }), z.object({ g: z.string(), h: z.string() })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ id: Type.Integer(), f: Type.String() }),
        Type.Object({ g: Type.String(), h: Type.String() })
      ]),
    arktype: () => ark([{ id: 'number.integer', f: 'string' }, '&', { g: 'string', h: 'string' }]),
    valibot: () =>
      v.intersect([v.object({ id: v.number(), f: v.string() }), v.object({ g: v.string(), h: v.string() })]),
    whole: true,
    readOnly: ['f'],
    writeOnly: ['g'],
    records: [{ f: 'SET', g: 'HIDDEN', h: 'x' }],
    unasked: ['g']
  },
  'by options, in a record that lets more pass': {
    zod: () => z.looseObject({ id: z.int(), f: z.string(), g: z.string() }),
    typebox: () =>
      Type.Object({ id: Type.Integer(), f: Type.String(), g: Type.String() }, { additionalProperties: true }),
    whole: true,
    readOnly: ['f'],
    writeOnly: ['g'],
    records: [{ f: 'SET', g: 'HIDDEN', 'h-i': { j: [1] } }],
    unasked: ['g']
  },
  'by options, in a record that refers to itself': {
    zod: () => {
      const Comment: z.ZodType = z.object({
        id: z.int().optional(),
        f: z.string().optional(),
        g: z.string().optional(),
        h: z.string(),
        get kids() {
          return z.array(Comment).optional()
        }
      })
      return Comment
    },
    typebox: () =>
      Type.Cyclic(
        {
          Comment: Type.Object({
            id: Type.Optional(Type.Integer()),
            f: Type.Optional(Type.String()),
            g: Type.Optional(Type.String()),
            h: Type.String(),
            kids: Type.Optional(Type.Array(Type.Ref('Comment')))
          })
        },
        'Comment'
      ),
    arktype: () =>
      scope(
        { Comment: { 'id?': 'number.integer', 'f?': 'string', 'g?': 'string', h: 'string', 'kids?': 'Comment[]' } },
        'Comment'
      ),
    valibot: () => {
      const Comment: v.GenericSchema = v.object({
        id: v.optional(v.number()),
        f: v.optional(v.string()),
        g: v.optional(v.string()),
        h: v.string(),
        kids: v.optional(v.array(v.lazy(() => Comment)))
      })
      return Comment
    },
    whole: true,
    readOnly: ['f'],
    writeOnly: ['g'],
    records: [{ f: 'SET', g: 'HIDDEN', h: 'x', kids: [{ f: 'SET', g: 'HIDDEN', h: 'y', kids: [] }] }],
    unasked: ['g']
  },
  'odd names in the record': {
    zod: () => z.object({ id: z.int(), h: z.string(), ...oddly(flags.zod.hidden()) }),
    typebox: () => Type.Object({ id: Type.Integer(), h: Type.String(), ...oddly(flags.typebox.hidden()) }),
    arktype: () => ark({ id: 'number.integer', h: 'string', ...oddly(flags.arktype.hidden()) }),
    valibot: () => v.object({ id: v.number(), h: v.string(), ...oddly(flags.valibot.hidden()) }),
    whole: true,
    records: [{ h: 'x', ...oddly('HIDDEN') }],
    unasked: ['a-b']
  },
  'in an object': {
    ...both,
    records: [{ f: inner }],
    invalid: [{ f: { hidden: 'x' } }, { f: { a: 1, hidden: 'x' } }, { f: { a: 'x', hidden: 'x', b: 1 } }]
  },
  'in an object three deep': {
    zod: () => z.object({ b: z.object({ c: both.zod() }) }),
    typebox: () => Type.Object({ b: Type.Object({ c: both.typebox() }) }),
    arktype: () => ({ b: { c: both.arktype() } }),
    valibot: () => v.object({ b: v.object({ c: both.valibot() }) }),
    records: [{ f: { b: { c: inner } } }],
    invalid: [{ f: { b: { c: { hidden: 'x' } } } }]
  },
  'in an object that may be absent': {
    zod: () => both.zod().optional(),
    typebox: () => Type.Optional(both.typebox()),
    arktype: () => ark(both.arktype()).optional(),
    valibot: () => v.optional(both.valibot()),
    records: [{ f: inner }, {}]
  },
  'in an object or null': {
    refused: arkTypeCannot,
    zod: () => both.zod().nullable(),
    typebox: () => Type.Union([both.typebox(), Type.Null()]),
    arktype: () => [both.arktype(), '|', 'null'],
    valibot: () => v.nullable(both.valibot()),
    records: [{ f: inner }, { f: null }],
    invalid: [{ f: { hidden: 'x' } }]
  },
  'in an object that lets more pass': {
    zod: () => z.looseObject({ a: z.string(), set: flags.zod.set(), hidden: flags.zod.hidden() }),
    typebox: () =>
      Type.Object(
        { a: Type.String(), set: flags.typebox.set(), hidden: flags.typebox.hidden() },
        { additionalProperties: true }
      ),
    records: [{ f: { ...inner, more: { a: [1] }, 'm-n': 1, 'm n': null } }]
  },
  'in an object that lets more of a type pass': {
    zod: () => z.object({ a: z.string(), set: flags.zod.set(), hidden: flags.zod.hidden() }).catchall(z.number()),
    typebox: () =>
      Type.Object(
        { a: Type.String(), set: flags.typebox.set(), hidden: flags.typebox.hidden() },
        { additionalProperties: Type.Number() }
      ),
    valibot: () =>
      v.objectWithRest({ a: v.string(), set: flags.valibot.set(), hidden: flags.valibot.hidden() }, v.number()),
    records: [{ f: { ...inner, more: 1, 'm-n': 2 } }]
  },
  'beside odd names, in an object that lets more pass': {
    zod: () => z.looseObject({ ...oddly(z.int()), hidden: flags.zod.hidden(), set: flags.zod.set() }),
    typebox: () =>
      Type.Object(
        { ...oddly(Type.Integer()), hidden: flags.typebox.hidden(), set: flags.typebox.set() },
        { additionalProperties: true }
      ),
    records: [{ f: { ...oddly(1), hidden: 'HIDDEN', set: 'SET', 'other name': 1 } }]
  },
  'odd names, in an object that lets more pass': {
    zod: () => z.looseObject({ a: z.string(), ...oddly(flags.zod.hidden()) }),
    typebox: () => Type.Object({ a: Type.String(), ...oddly(flags.typebox.hidden()) }, { additionalProperties: true }),
    records: [{ f: { a: 'x', ...oddly('HIDDEN'), 'b-c': 1 } }]
  },
  'odd names, set by the server': {
    zod: () => z.object({ a: z.string(), ...oddly(flags.zod.set()) }),
    typebox: () => Type.Object({ a: Type.String(), ...oddly(flags.typebox.set()) }),
    arktype: () => ({ a: 'string', ...oddly(flags.arktype.set()) }),
    valibot: () => v.object({ a: v.string(), ...oddly(flags.valibot.set()) }),
    records: [{ f: { a: 'x', ...oddly('SET') } }]
  },
  'in the items of a list': {
    zod: () => z.array(both.zod()),
    typebox: () => Type.Array(both.typebox()),
    arktype: () => [both.arktype(), '[]'],
    valibot: () => v.array(both.valibot()),
    records: [{ f: [inner, inner] }, { f: [] }],
    invalid: [{ f: [{ hidden: 'x' }] }]
  },
  'in lists of lists': {
    zod: () => z.array(z.array(both.zod())),
    typebox: () => Type.Array(Type.Array(both.typebox())),
    arktype: () => [[both.arktype(), '[]'], '[]'],
    valibot: () => v.array(v.array(both.valibot())),
    records: [{ f: [[inner], []] }]
  },
  'in a tuple': {
    refused: arkTypeCannot,
    zod: () => z.tuple([z.string(), both.zod()]),
    typebox: () => Type.Tuple([Type.String(), both.typebox()]),
    arktype: () => ['string', both.arktype()],
    valibot: () => v.strictTuple([v.string(), both.valibot()]),
    records: [{ f: ['x', inner] }]
  },
  'in the rest of a tuple': {
    refused: arkTypeCannot,
    zod: () => z.tuple([z.string()], both.zod()),
    typebox: () => json({ type: 'array', items: [{ type: 'string' }], additionalItems: both.json }),
    arktype: () => ['string', '...', [both.arktype(), '[]']],
    valibot: () => v.tupleWithRest([v.string()], both.valibot()),
    records: [{ f: ['x', inner, inner] }, { f: ['x'] }]
  },
  'in the rest of a tuple, as newer drafts write it': {
    typebox: () => json({ type: 'array', prefixItems: [both.json], items: both.json }),
    records: [{ f: [inner] }, { f: [inner, inner] }]
  },
  'in the values of a record': {
    refused: arkTypeCannot,
    zod: () => z.record(z.string(), both.zod()),
    typebox: () => Type.Record(Type.String(), both.typebox()),
    arktype: () => ({ '[string]': both.arktype() }),
    valibot: () => v.record(v.string(), both.valibot()),
    records: [{ f: { one: inner, 'the other': inner } }, { f: {} }],
    invalid: [{ f: { one: { hidden: 'x' } } }]
  },
  'in the values of a record of an enum': {
    zod: () => z.partialRecord(z.enum(['en', 'de']), both.zod()),
    typebox: () => Type.Partial(Type.Record(Type.Enum(['en', 'de']), both.typebox())),
    arktype: () => ({ 'en?': both.arktype(), 'de?': both.arktype() }),
    records: [{ f: { en: inner } }]
  },
  'values of a pattern': {
    typebox: () =>
      json({
        type: 'object',
        properties: { a: { type: 'string' } },
        patternProperties: { '^h_': flags.json.hidden, '^s_': flags.json.set },
        additionalProperties: false
      }),
    records: [{ f: { a: 'x', h_1: 'HIDDEN', s_1: 'SET' } }]
  },
  'values of any name': {
    typebox: () =>
      json({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: flags.json.hidden }),
    zod: () => z.object({ a: z.string() }).catchall(flags.zod.hidden()),
    records: [{ f: { a: 'x', b: 'HIDDEN', 'c d': 'HIDDEN' } }]
  },
  'a field of an object, beside a pattern': {
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String(), set: flags.typebox.set(), hidden: flags.typebox.hidden() }),
        Type.Record(Type.String({ pattern: '^x_' }), Type.Number())
      ]),
    zod: () =>
      z.intersection(
        z.object({ a: z.string(), set: flags.zod.set(), hidden: flags.zod.hidden() }),
        z.looseRecord(z.string().regex(/^x_/), z.number())
      ),
    records: [{ f: { ...inner, x_1: 1 } }]
  },
  'a field of an object, in a record of anything': {
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String(), set: flags.typebox.set(), hidden: flags.typebox.hidden() }),
        Type.Record(Type.String(), Type.Unknown())
      ]),
    records: [{ f: { ...inner, other: [1] } }]
  },
  'in a definition': {
    zod: () => {
      const Part = both.zod().meta({ id: 'FlaggedPart' })
      return z.object({ one: Part, two: Part.optional() })
    },
    typebox: () =>
      Type.Cyclic(
        { Whole: Type.Object({ one: Type.Ref('Part'), two: Type.Optional(Type.Ref('Part')) }), Part: both.typebox() },
        'Whole'
      ),
    arktype: () => scope({ Whole: { one: 'Part', 'two?': 'Part' }, Part: both.arktype() }, 'Whole'),
    valibot: () => {
      const Part: v.GenericSchema = both.valibot()
      return v.object({ one: v.lazy(() => Part), two: v.optional(v.lazy(() => Part)) })
    },
    records: [{ f: { one: inner, two: inner } }, { f: { one: inner } }],
    invalid: [{ f: { one: { hidden: 'x' } } }]
  },
  'a definition': {
    zod: () => {
      const Secret = flags.zod.hidden().meta({ id: 'FlaggedSecret', writeOnly: true })
      return z.object({ a: z.string(), one: Secret, two: Secret.optional() })
    },
    typebox: () =>
      Type.Cyclic(
        {
          Whole: Type.Object({ a: Type.String(), one: Type.Ref('Secret'), two: Type.Optional(Type.Ref('Secret')) }),
          Secret: flags.typebox.hidden()
        },
        'Whole'
      ),
    records: [{ f: { a: 'x', one: 'HIDDEN', two: 'HIDDEN' } }, { f: { a: 'x', one: 'HIDDEN' } }]
  },
  'beside a reference': {
    typebox: () =>
      json({
        type: 'object',
        required: ['id'],
        $defs: { Text: { type: 'string' }, Part: both.json },
        properties: {
          id: { type: 'integer' },
          f: { $ref: '#/$defs/Text', readOnly: true },
          g: { $ref: '#/$defs/Text', writeOnly: true },
          h: { $ref: '#/$defs/Part', description: 'A part.' },
          i: { allOf: [{ $ref: '#/$defs/Part' }], title: 'Another' }
        }
      }),
    whole: true,
    records: [{ f: 'SET', g: 'HIDDEN', h: inner, i: inner }, { h: inner }],
    unasked: ['g']
  },
  'in a schema of the application': {
    typebox: () =>
      json({
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          f: { $ref: 'https://example.com/part.json#' },
          g: { type: 'array', items: { $ref: 'https://example.com/part.json#' } }
        },
        $defs: { part: { $id: 'https://example.com/part.json', ...both.json } }
      }),
    whole: true,
    records: [{ f: inner, g: [inner] }]
  },
  'in a tree': {
    refused: arkTypeCannot,
    zod: () => {
      const Tree: z.ZodType = z.object({
        a: z.string(),
        set: flags.zod.set(),
        hidden: flags.zod.hidden(),
        get nodes() {
          return z.array(Tree)
        }
      })
      return Tree
    },
    typebox: () =>
      Type.Cyclic(
        {
          Tree: Type.Object({
            a: Type.String(),
            set: flags.typebox.set(),
            hidden: flags.typebox.hidden(),
            nodes: Type.Array(Type.Ref('Tree'))
          })
        },
        'Tree'
      ),
    arktype: () => scope({ Tree: { ...both.arktype(), nodes: 'Tree[]' } }, 'Tree'),
    valibot: () => {
      const Tree: v.GenericSchema = v.object({ ...both.valibot().entries, nodes: v.array(v.lazy(() => Tree)) })
      return Tree
    },
    records: [
      {
        f: {
          ...inner,
          nodes: [
            { ...inner, nodes: [] },
            { ...inner, nodes: [{ ...inner, nodes: [] }] }
          ]
        }
      }
    ],
    invalid: [{ f: { a: 'x', hidden: 'x', nodes: [{ hidden: 'x', nodes: [] }] } }]
  },
  'in two that refer to each other': {
    refused: arkTypeCannot,
    zod: () => {
      const Person: z.ZodType = z.object({
        ...both.zod().shape,
        get home() {
          return Place.optional()
        }
      })
      const Place: z.ZodType = z.object({ ...both.zod().shape, people: z.array(Person) })
      return Person
    },
    typebox: () => {
      const { properties } = both.typebox()
      return Type.Cyclic(
        {
          Person: Type.Object({ ...properties, home: Type.Optional(Type.Ref('Place')) }),
          Place: Type.Object({ ...properties, people: Type.Array(Type.Ref('Person')) })
        },
        'Person'
      )
    },
    arktype: () =>
      scope(
        { Person: { ...both.arktype(), 'home?': 'Place' }, Place: { ...both.arktype(), people: 'Person[]' } },
        'Person'
      ),
    valibot: () => {
      const { entries } = both.valibot()
      const Person: v.GenericSchema = v.object({ ...entries, home: v.optional(v.lazy(() => Place)) })
      const Place: v.GenericSchema = v.object({ ...entries, people: v.array(v.lazy(() => Person)) })
      return Person
    },
    records: [{ f: { ...inner, home: { ...inner, people: [inner] } } }]
  },
  'in a branch, the tag first': {
    refused: arkTypeCannot,
    zod: () =>
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a'), ...both.zod().shape }),
        z.object({ k: z.literal('b'), b: z.string() })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ k: Type.Literal('a'), ...both.typebox().properties }),
        Type.Object({ k: Type.Literal('b'), b: Type.String() })
      ]),
    arktype: () => [{ k: "'a'", ...both.arktype() }, '|', { k: "'b'", b: 'string' }],
    valibot: () =>
      v.variant('k', [
        v.object({ k: v.literal('a'), ...both.valibot().entries }),
        v.object({ k: v.literal('b'), b: v.string() })
      ]),
    records: [{ f: { k: 'a', ...inner } }, { f: { k: 'b', b: 'x' } }],
    invalid: [{ f: { k: 'a', hidden: 'x' } }, { f: { k: 'b' } }]
  },
  'in a branch, the tag last': {
    refused: arkTypeCannot,
    zod: () =>
      z.union([
        z.object({ ...both.zod().shape, k: z.literal('a') }),
        z.object({ set: z.string(), hidden: z.string(), k: z.literal('b') })
      ]),
    typebox: () =>
      Type.Union([
        Type.Object({ ...both.typebox().properties, k: Type.Literal('a') }),
        Type.Object({ set: Type.String(), hidden: Type.String(), k: Type.Literal('b') })
      ]),
    arktype: () => [{ ...both.arktype(), k: "'a'" }, '|', { set: 'string', hidden: 'string', k: "'b'" }],
    valibot: () =>
      v.union([
        v.object({ ...both.valibot().entries, k: v.literal('a') }),
        v.object({ set: v.string(), hidden: v.string(), k: v.literal('b') })
      ]),
    records: [{ f: { ...inner, k: 'a' } }, { f: { set: 'free', hidden: 'seen', k: 'b' } }]
  },
  'in a union without a tag': {
    refused: arkTypeCannot,
    zod: () => z.union([both.zod(), z.object({ b: z.int() })]),
    typebox: () => Type.Union([both.typebox(), Type.Object({ b: Type.Integer() })]),
    arktype: () => [both.arktype(), '|', { b: 'number.integer' }],
    valibot: () => v.union([both.valibot(), v.object({ b: v.number() })]),
    records: [{ f: inner }, { f: { b: 1 } }]
  },
  'in a union with a text': {
    refused: arkTypeCannot,
    zod: () => z.union([z.string(), both.zod()]),
    typebox: () => Type.Union([Type.String(), both.typebox()]),
    arktype: () => ['string', '|', both.arktype()],
    valibot: () => v.union([v.string(), both.valibot()]),
    records: [{ f: inner }, { f: 'x' }]
  },
  'in the items of a union with a list': {
    refused: arkTypeCannot,
    zod: () => z.union([both.zod(), z.array(both.zod())]),
    typebox: () => Type.Union([both.typebox(), Type.Array(both.typebox())]),
    arktype: () => [both.arktype(), '|', [both.arktype(), '[]']],
    valibot: () => v.union([both.valibot(), v.array(both.valibot())]),
    records: [{ f: inner }, { f: [inner] }]
  },
  'in one part of an intersection': {
    zod: () => z.intersection(both.zod(), z.object({ b: z.int() })),
    typebox: () => Type.Intersect([both.typebox(), Type.Object({ b: Type.Integer() })]),
    arktype: () => [both.arktype(), '&', { b: 'number.integer' }],
    valibot: () => v.intersect([both.valibot(), v.object({ b: v.number() })]),
    records: [{ f: { ...inner, b: 1 } }],
    invalid: [{ f: { b: 1, hidden: 'x' } }, { f: { a: 'x', hidden: 'x', b: 'y' } }]
  },
  'of one part alone, in an intersection that shares the field': {
    zod: () =>
      z.intersection(z.object({ a: z.string(), hidden: flags.zod.hidden() }), z.object({ hidden: z.string().min(2) })),
    typebox: () =>
      Type.Intersect([
        Type.Object({ a: Type.String(), hidden: flags.typebox.hidden() }),
        Type.Object({ hidden: Type.String({ minLength: 2 }) })
      ]),
    valibot: () =>
      v.intersect([
        v.object({ a: v.string(), hidden: flags.valibot.hidden() }),
        v.object({ hidden: v.pipe(v.string(), v.minLength(2)) })
      ]),
    records: [{ f: { a: 'x', hidden: 'HIDDEN' } }],
    invalid: [{ f: { a: 'x', hidden: 'y' } }]
  },
  'in an intersection that shares an object': {
    zod: () => z.intersection(z.object({ o: both.zod() }), z.object({ o: z.object({ b: z.int() }) })),
    typebox: () =>
      Type.Intersect([Type.Object({ o: both.typebox() }), Type.Object({ o: Type.Object({ b: Type.Integer() }) })]),
    arktype: () => [{ o: both.arktype() }, '&', { o: { b: 'number.integer' } }],
    valibot: () => v.intersect([v.object({ o: both.valibot() }), v.object({ o: v.object({ b: v.number() }) })]),
    records: [{ f: { o: { ...inner, b: 1 } } }]
  },
  'a list': {
    zod: () =>
      z.object({
        a: z.string(),
        l: z.array(z.string()).meta({ writeOnly: true }),
        s: z.array(z.string()).meta({ readOnly: true })
      }),
    typebox: () =>
      Type.Object({
        a: Type.String(),
        l: Type.Array(Type.String(), { writeOnly: true }),
        s: Type.Array(Type.String(), { readOnly: true })
      }),
    valibot: () =>
      v.object({
        a: v.string(),
        l: v.pipe(v.array(v.string()), v.metadata({ writeOnly: true })),
        s: v.pipe(v.array(v.string()), v.metadata({ readOnly: true }))
      }),
    records: [{ f: { a: 'x', l: ['HIDDEN', 'HIDDEN'], s: ['SET'] } }]
  },
  'an object': {
    zod: () =>
      z.object({
        a: z.string(),
        o: z.object({ b: z.string() }).meta({ writeOnly: true }),
        s: z.object({ b: z.string() }).meta({ readOnly: true })
      }),
    typebox: () =>
      Type.Object({
        a: Type.String(),
        o: Type.Object({ b: Type.String() }, { writeOnly: true }),
        s: Type.Object({ b: Type.String() }, { readOnly: true })
      }),
    arktype: () => ({
      a: 'string',
      o: ark({ b: 'string' }).configure({ writeOnly: true }),
      s: ark({ b: 'string' }).configure({ readOnly: true })
    }),
    valibot: () =>
      v.object({
        a: v.string(),
        o: v.pipe(v.object({ b: v.string() }), v.metadata({ writeOnly: true })),
        s: v.pipe(v.object({ b: v.string() }), v.metadata({ readOnly: true }))
      }),
    records: [{ f: { a: 'x', o: { b: 'HIDDEN' }, s: { b: 'SET' } } }]
  },
  'with rules of its own': {
    zod: () =>
      z.object({
        a: z.string(),
        set: z
          .string()
          .regex(/^S[A-Z]{2}$/)
          .meta({ readOnly: true }),
        when: z.iso.date().meta({ readOnly: true }).optional()
      }),
    typebox: () => Type.Object({ a: Type.String(), set: Type.String({ pattern: '^S[A-Z]{2}$', readOnly: true }) }),
    valibot: () =>
      v.object({
        a: v.string(),
        set: v.pipe(v.string(), v.regex(/^S[A-Z]{2}$/), v.metadata({ readOnly: true }))
      }),
    records: [{ f: { a: 'x', set: 'SET' } }]
  },
  'that may be null or absent': {
    zod: () =>
      z.object({
        a: z.string(),
        set: flags.zod.set().nullable().meta({ readOnly: true }),
        hidden: flags.zod.hidden().nullish().meta({ writeOnly: true })
      }),
    typebox: () =>
      Type.Object({
        a: Type.String(),
        set: Type.Union([Type.String(), Type.Null()], { readOnly: true }),
        hidden: Type.Optional(Type.Union([Type.String(), Type.Null()], { writeOnly: true }))
      }),
    records: [{ f: { a: 'x', set: 'SET', hidden: 'HIDDEN' } }, { f: { a: 'x', set: 'SET' } }]
  }
}

import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'
import { type Kinds, scope } from './kind.js'

const tree = {
  name: 'a',
  nodes: [
    { name: 'b', nodes: [] },
    { name: 'c', nodes: [{ name: 'd', nodes: [] }] }
  ]
}
const chain = { v: 1, next: { v: 2, next: { v: 3 } } }
const person = {
  name: 'a',
  home: { city: 'x', people: [{ name: 'b' }, { name: 'c', home: { city: 'y', people: [] } }] }
}
const one = { n: 1, op: 'n' }
const sum = { op: '+', left: { op: '-', left: one, right: one }, right: one }

/** Records that refer to themselves, and to each other. */
export const recursions: Kinds = {
  tree: {
    zod: () => {
      const Tree: z.ZodType = z.object({
        name: z.string(),
        get nodes() {
          return z.array(Tree)
        }
      })
      return Tree
    },
    typebox: () =>
      Type.Cyclic({ Tree: Type.Object({ name: Type.String(), nodes: Type.Array(Type.Ref('Tree')) }) }, 'Tree'),
    arktype: () => scope({ Tree: { name: 'string', nodes: 'Tree[]' } }, 'Tree'),
    valibot: () => {
      const Tree: v.GenericSchema = v.object({ name: v.string(), nodes: v.array(v.lazy(() => Tree)) })
      return Tree
    },
    valid: [tree, { name: 'a', nodes: [] }],
    invalid: [{ name: 'a' }, { name: 'a', nodes: [{ name: 1, nodes: [] }] }],
    unknown: [{ name: 'a', nodes: [{ name: 'b', nodes: [], other: 1 }] }],
    query: 'none'
  },
  chain: {
    zod: () => {
      const Link: z.ZodType = z.object({
        v: z.int(),
        get next() {
          return Link.optional()
        }
      })
      return Link
    },
    typebox: () =>
      Type.Cyclic({ Link: Type.Object({ v: Type.Integer(), next: Type.Optional(Type.Ref('Link')) }) }, 'Link'),
    arktype: () => scope({ Link: { v: 'number.integer', 'next?': 'Link' } }, 'Link'),
    valibot: () => {
      const Link: v.GenericSchema = v.object({
        v: v.pipe(v.number(), v.integer()),
        next: v.optional(v.lazy(() => Link))
      })
      return Link
    },
    valid: [chain, { v: 1 }],
    invalid: [
      { v: 1, next: { v: 'x' } },
      { v: 1, next: 1 }
    ],
    unknown: [{ v: 1, next: { v: 2, other: 1 } }],
    query: 'none'
  },
  'chain that ends with null': {
    zod: () => {
      const Link: z.ZodType = z.object({
        v: z.int(),
        get next() {
          return Link.nullable()
        }
      })
      return Link
    },
    typebox: () =>
      Type.Cyclic(
        { Link: Type.Object({ v: Type.Integer(), next: Type.Union([Type.Ref('Link'), Type.Null()]) }) },
        'Link'
      ),
    arktype: () => scope({ Link: { v: 'number.integer', next: 'Link | null' } }, 'Link'),
    valibot: () => {
      const Link: v.GenericSchema = v.object({ v: v.number(), next: v.nullable(v.lazy(() => Link)) })
      return Link
    },
    valid: [
      { v: 1, next: null },
      { v: 1, next: { v: 2, next: null } }
    ],
    invalid: [{ v: 1 }, { v: 1, next: { v: 2 } }],
    query: 'none'
  },
  'two that refer to each other': {
    zod: () => {
      const Person: z.ZodType = z.object({
        name: z.string(),
        get home() {
          return Place.optional()
        }
      })
      const Place: z.ZodType = z.object({ city: z.string(), people: z.array(Person) })
      return Person
    },
    typebox: () =>
      Type.Cyclic(
        {
          Person: Type.Object({ name: Type.String(), home: Type.Optional(Type.Ref('Place')) }),
          Place: Type.Object({ city: Type.String(), people: Type.Array(Type.Ref('Person')) })
        },
        'Person'
      ),
    arktype: () =>
      scope({ Person: { name: 'string', 'home?': 'Place' }, Place: { city: 'string', people: 'Person[]' } }, 'Person'),
    valibot: () => {
      const Person: v.GenericSchema = v.object({ name: v.string(), home: v.optional(v.lazy(() => Place)) })
      const Place: v.GenericSchema = v.object({ city: v.string(), people: v.array(v.lazy(() => Person)) })
      return Person
    },
    valid: [person, { name: 'a' }],
    invalid: [
      { name: 'a', home: { city: 'x' } },
      { name: 'a', home: { city: 'x', people: [{}] } }
    ],
    unknown: [{ name: 'a', home: { city: 'x', people: [], other: 1 } }],
    query: 'none'
  },
  'record of itself': {
    zod: () => {
      const Folder: z.ZodType = z.object({
        size: z.int(),
        get files() {
          return z.record(z.string(), Folder).optional()
        }
      })
      return Folder
    },
    typebox: () =>
      Type.Cyclic(
        {
          Folder: Type.Object({
            size: Type.Integer(),
            files: Type.Optional(Type.Record(Type.String(), Type.Ref('Folder')))
          })
        },
        'Folder'
      ),
    arktype: () => scope({ Folder: { size: 'number.integer', 'files?': { '[string]': 'Folder' } } }, 'Folder'),
    valibot: () => {
      const Folder: v.GenericSchema = v.object({
        size: v.number(),
        files: v.optional(
          v.record(
            v.string(),
            v.lazy(() => Folder)
          )
        )
      })
      return Folder
    },
    valid: [{ size: 1 }, { size: 1, files: { 'a.txt': { size: 2 }, 'b c': { size: 3, files: {} } } }],
    invalid: [{ size: 1, files: { a: 1 } }],
    unknown: [{ size: 1, files: { a: { size: 1, other: 1 } } }],
    query: 'none'
  },
  'union within itself, its tag last': {
    zod: () => {
      const Term: z.ZodType = z.lazy(() =>
        z.discriminatedUnion('op', [
          z.object({ left: Term, right: Term, op: z.literal('+') }),
          z.object({ left: Term, right: Term, op: z.literal('-') }),
          z.object({ n: z.number(), op: z.literal('n') })
        ])
      )
      return Term
    },
    typebox: () => {
      const both = (op: string) =>
        Type.Object({ left: Type.Ref('Term'), right: Type.Ref('Term'), op: Type.Literal(op) })
      return Type.Cyclic(
        { Term: Type.Union([both('+'), both('-'), Type.Object({ n: Type.Number(), op: Type.Literal('n') })]) },
        'Term'
      )
    },
    arktype: () =>
      scope(
        {
          Term: 'Sum | Difference | Value',
          Sum: { left: 'Term', right: 'Term', op: "'+'" },
          Difference: { left: 'Term', right: 'Term', op: "'-'" },
          Value: { n: 'number', op: "'n'" }
        },
        'Term'
      ),
    valibot: () => {
      const Term: v.GenericSchema = v.lazy(() =>
        v.variant('op', [
          v.object({ left: Term, right: Term, op: v.literal('+') }),
          v.object({ left: Term, right: Term, op: v.literal('-') }),
          v.object({ n: v.number(), op: v.literal('n') })
        ])
      )
      return Term
    },
    valid: [sum, one],
    invalid: [
      { op: '+', left: one },
      { ...one, n: 'x' },
      { op: '*', left: one, right: one }
    ],
    unknown: [{ op: '+', left: { ...one, other: 1 }, right: one }],
    query: 'none'
  },
  'lists or texts, at any depth': {
    zod: () => {
      const Words: z.ZodType = z.lazy(() => z.union([z.string(), z.array(Words)]))
      return Words
    },
    typebox: () => Type.Cyclic({ Words: Type.Union([Type.String(), Type.Array(Type.Ref('Words'))]) }, 'Words'),
    arktype: () => scope({ Words: 'string | Words[]' }, 'Words'),
    valibot: () => {
      const Words: v.GenericSchema = v.lazy(() => v.union([v.string(), v.array(Words)]))
      return Words
    },
    valid: ['a', ['a', ['b', []]]],
    invalid: [1, ['a', 1]],
    query: 'either'
  }
}

import type { JsonSchema, ResourceOptions, SchemaMap } from '../../../types/resource.js'
import type { Codec } from '../../schema/codec.js'
import { noNames, scalarDocument, WrittenSchema } from '../../schema/documents.js'
import { isSchema } from '../../schema/keywords.js'
import { kindBits } from '../../schema/reader.js'
import type { Shape, ShapeMember } from '../../schema/shape.js'
import { type ReadText, readerBesideTexts, textReader } from '../../schema/text.js'
import type { StandardValidate } from './validate.js'

/** A value of a query: how its text is read, and the schema that it is held to. */
export interface Operand {
  readonly schema: JsonSchema
  readonly read: ReadText
  /** How a text is read that is none of the texts that the schema lets pass. */
  readonly readOther?: ReadText | undefined
  /** The kinds of values that it may be, or the items of a list of them, as bits. */
  readonly kinds: number
  /** Convert what was sent into what the service compares with. */
  readonly codecs?: readonly Codec[]
  /** Whether a value that no codec takes is one of another branch of a union. */
  readonly hasPlainBranch?: boolean
  /** What each item is held to, where a field is compared with each of a list. */
  readonly item?: Operand
  /** Whether a record has the value, or has not, so that the empty text is `null` where it can be nothing else. */
  readonly isEquality?: boolean
}

/** What a query may say of one field: its value, and operators with theirs. */
export interface FieldFilter {
  readonly value: Operand
  readonly operators: ReadonlyMap<string, Operand>
}

/** The parameters of a query that an option has the schema of. */
export interface QueryParameters {
  readonly operands: ReadonlyMap<string, Operand>
  /** The names of those that must be there. */
  readonly required: readonly string[]
  /** The check of all of them by the library of the schema. */
  readonly validate?: StandardValidate | undefined
  /** The JSON Schema of all of them, where it says more than that of each one. */
  readonly whole?: JsonSchema | undefined
}

/** What a query may say. */
export interface QueryRules {
  readonly filters: ReadonlyMap<string, FieldFilter>
  readonly sort: readonly string[]
  readonly select: readonly string[]
  /** Further parameters. */
  readonly more: QueryParameters
}

/** The largest number that databases take for a count. */
export const maxCount = 2 ** 31 - 1

const equalityOperators = ['$eq', '$ne']
const listOperators = ['$in', '$nin']
const orderOperators = ['$lt', '$le', '$lte', '$gt', '$ge', '$gte']

/** Makes an operand from the schema that an option has for it. */
export function toOperand(schema: JsonSchema): Operand {
  const { root } = new WrittenSchema(schema, { flagged: noNames, ignoresFlags: true }).shapes
  const isList = (root.kinds & kindBits.array) !== 0 && root.kinds !== kindBits.all
  const kinds = isList ? root.of({}).item(0).shape.kinds : root.kinds
  return { schema, read: textReader(root), readOther: readerBesideTexts(root), kinds }
}

const listOperand = (item: Operand): Operand => ({ ...item, schema: { type: 'array', items: item.schema }, item })

/** Whether a query can have a parameter for a field: names of parameters have no brackets, and `$limit` is an operator. */
export const isQueryable = (name: string): boolean => !/^\$|[[\]]/.test(name)

/**
 * Reads out of the schema of a record what a query may say.
 * @param more further parameters, by their names
 */
export function toQueryRules(
  record: Shape,
  { operators = {}, filter, sort }: Pick<ResourceOptions, 'operators' | 'filter' | 'sort'>,
  more: QueryParameters
): QueryRules {
  const fields = record.names.map((name) => ({ name, member: certain(record.field(name)) }))
  const readable = fields.filter(({ member }) => isReadable(member))
  const furtherOperators = Object.entries(operators).map(
    ([name, schema]) => [name, schema && toOperand(schema)] as const
  )
  const filters = readable.flatMap(({ name, member }): [string, FieldFilter][] => {
    const shape =
      isQueryable(name) && (filter === undefined || filter.includes(name)) ? comparedShape(member.shape) : undefined
    return shape === undefined ? [] : [[name, filterBy(shape, new Map(furtherOperators))]]
  })
  const sortable = readable
    .filter(({ name, member }) => isQueryable(name) && isScalar(member.shape))
    .map(({ name }) => name)
  return {
    filters: new Map(filters),
    sort: sortable.filter((name) => sort === undefined || sort.includes(name)),
    select: readable.map(({ name }) => name),
    more
  }
}

/** The rules without the fields that a record hides: with schemas that the application shares, there may be more than `resource()` has seen. */
export function shownRules({ filters, sort, select, more }: QueryRules, record: Shape): QueryRules {
  const isShown = (name: string) => {
    const { shape, ...member } = certain(record.field(name))
    const isList = (shape.kinds & kindBits.array) !== 0 && shape.kinds !== kindBits.all
    return isReadable({ shape, ...member }) && (!isList || isReadable(shape.of({}).item(0)))
  }
  return {
    filters: new Map([...filters].filter(([name]) => isShown(name))),
    sort: sort.filter(isShown),
    select: select.filter(isShown),
    more
  }
}

/** A field that only some branches of a union have, as if each record had it. */
export function certain(member: ShapeMember): ShapeMember {
  const { shapes, schemas } = member.shape
  const branches = schemas.map((schema) =>
    isSchema(schema) && schema.anyOf?.includes(true) ? schema.anyOf : undefined
  )
  if (schemas.length === 0 || branches.includes(undefined)) return member
  const named = branches.map((list = []) =>
    shapes.alternatives.union(list.filter((branch) => branch !== true).map((branch) => [branch]))
  )
  return { ...member, shape: shapes.of(named) }
}

/** Whether a value may stand there, and leave. */
const isReadable = ({ isKnown, writeOnly, shape }: ShapeMember) => isKnown && !writeOnly && !shape.mayHave('writeOnly')

const isScalar = (shape: Shape) =>
  (shape.kinds & ~kindBits.scalar) === 0 || (shape.kinds === kindBits.all && shape.isSilent)

/** The shape of what a field is compared with: of a list one of its items. Objects and tuples can't be compared. */
function comparedShape(shape: Shape): Shape | undefined {
  if (shape.codecs.some(({ isComparable }) => !isComparable)) return undefined
  if (isScalar(shape)) return shape
  const list = shape.of({})
  if ((shape.kinds & kindBits.array) === 0 || (shape.kinds & kindBits.object) !== 0 || list.isTuple) return undefined
  const member = list.item(0)
  const { shape: item } = member
  // What is hidden must not be found out by asking, either.
  if (shape.codecs.length > 0 || !isReadable(member) || !isScalar(item)) return undefined
  if (item.codecs.some(({ isComparable }) => !isComparable)) return undefined
  const { shapes, kinds } = shape
  return (kinds & kindBits.null) === 0 ? item : shapes.of([shapes.alternatives.union([item.schemas, [nothing]])])
}

/** What a field is compared with that may be `null` in place of a list. */
const nothing: JsonSchema = { type: 'null' }

/** A value that a record is found by; none where it may be more than a scalar. */
export function operandOf(shape: Shape): Operand | undefined {
  if (!isScalar(shape)) return undefined
  const { kinds, codecs } = shape
  const operand = { schema: scalarDocument(shape), read: textReader(shape), readOther: readerBesideTexts(shape), kinds }
  if (codecs.length === 0) return operand
  return { ...operand, codecs, hasPlainBranch: shape.hasPlainBranch(kindBits.all & ~kindBits.null) }
}

/** Whether an entry of a keyword lets `null` pass. */
const isOfNull: Readonly<Record<string, (entry: unknown) => boolean>> = {
  type: (entry) => entry === 'null',
  enum: (entry) => entry === null,
  anyOf: (entry) => Object(entry).type === 'null',
  oneOf: (entry) => Object(entry).type === 'null'
}

/** A schema without `null`, which has no order. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = { ...schema, ...(schema.allOf && { not: nothing }) }
  for (const [keyword, isNull] of Object.entries(isOfNull)) {
    const list = copy[keyword]
    if (!Array.isArray(list)) continue
    const others = list.filter((entry) => !isNull(entry))
    copy[keyword] = keyword === 'type' && others.length === 1 ? others[0] : others
  }
  return copy
}

function filterBy(shape: Shape, furtherOperators: ReadonlyMap<string, Operand | false>): FieldFilter {
  const compared = operandOf(shape) as Operand
  const value: Operand = { ...compared, isEquality: true }
  // A field that may hold anything has no order.
  const isOrdered = shape.kinds !== kindBits.all && (shape.kinds & (kindBits.string | kindBits.number)) !== 0
  const operators = new Map<string, Operand>(equalityOperators.map((name) => [name, value]))
  const ordered = (shape.kinds & kindBits.null) === 0 ? compared : { ...compared, schema: withoutNull(compared.schema) }
  if (isOrdered) for (const name of orderOperators) operators.set(name, ordered)
  for (const name of listOperators) operators.set(name, listOperand(value))
  for (const [name, operand] of furtherOperators) {
    if (operand === false) operators.delete(name)
    // A further operator applies to the fields that share a type with its operand.
    else if ((operand.kinds & shape.kinds) !== 0) operators.set(name, operand)
  }
  return { value, operators }
}

const objectSchema = (properties: object): JsonSchema => ({
  type: 'object',
  properties: properties as SchemaMap,
  additionalProperties: false
})
const schemasOf = (operands: ReadonlyMap<string, Operand>) =>
  Object.fromEntries([...operands].map(([name, { schema }]) => [name, schema]))

/** Makes the function that gives the JSON Schema of the queries of a method that documents show. What those of all methods have in common is made once. */
export function querystringsOf({ filters, sort, select, more }: QueryRules): (method: string) => JsonSchema {
  const fields = Object.fromEntries(
    [...filters].map(([name, { value, operators }]) => [
      name,
      { anyOf: [value.schema, { ...objectSchema(schemasOf(operators)), minProperties: 1 }] }
    ])
  )
  const group = { type: 'array', items: { type: 'object' } }
  const count = { type: 'integer', minimum: 0, maximum: maxCount }
  const name = { type: 'string', enum: select }
  const parameters = { $select: { type: 'array', items: name }, ...schemasOf(more.operands) }
  return (method) =>
    objectSchema({
      ...(method !== 'create' && { ...fields, $or: group, $and: group }),
      ...(method === 'find' && {
        $limit: count,
        $skip: count,
        $sort: objectSchema(Object.fromEntries(sort.map((field) => [field, { type: 'integer', enum: [1, -1] }])))
      }),
      ...parameters
    })
}

import type { JsonSchema, ResourceOptions, SchemaMap, SchemaValue } from '../../../types/resource.js'
import { scalarDocument } from '../../schema/document-writer.js'
import { noNames } from '../../schema/flagged-names.js'
import { isSchema, mapSubschemas, separateKeywords } from '../../schema/keywords.js'
import { parseDefinitionReference } from '../../schema/pointer.js'
import { kindBits } from '../../schema/reader.js'
import type { Shape, ShapeMember } from '../../schema/shape.js'
import { WrittenSchema } from '../../schema/written-schema.js'
import { assertHasFields, readJsonSchema } from './json-schema.js'
import { immediateValidateOf, type StandardValidate } from './standard-schema.js'

/** A value that a query may have. */
export interface Operand {
  readonly schema: JsonSchema
  /** Decides how a text is read, and which codecs convert the value for the service. */
  readonly shape: Shape
  /** The operand of each item, if the operator takes a list. */
  readonly item?: Operand
  /** Whether it is compared for equality. Then an empty text is `null` if nothing else is valid. */
  readonly isEquality?: boolean
}

/** The value that a query may give a field, and the operands of its operators. */
export interface FieldFilter {
  readonly value: Operand
  readonly operators: ReadonlyMap<string, Operand>
}

/** The parameters that the option `query` declares. */
export interface QueryParameters {
  readonly operands: ReadonlyMap<string, Operand>
  readonly required: readonly string[]
  /** Checks all parameters together with the library of the schema. */
  readonly validate?: StandardValidate | undefined
  /** The JSON Schema of all parameters, if it says more than the schemas of each. */
  readonly whole?: JsonSchema | undefined
}

/** The filters, fields and parameters that the queries of a resource may have. */
export interface QueryRules {
  readonly filters: ReadonlyMap<string, FieldFilter>
  readonly sort: readonly string[]
  readonly select: readonly string[]
  readonly more: QueryParameters
}

/** The largest count that databases accept. */
export const maxCount = 2 ** 31 - 1

const equalityOperators = ['$eq', '$ne']
const listOperators = ['$in', '$nin']
const orderOperators = ['$lt', '$le', '$lte', '$gt', '$ge', '$gte']

/** Creates an operand from a schema that an option gives. */
function toOperand(schema: JsonSchema): Operand {
  return { schema, shape: new WrittenSchema(schema, { flagged: noNames, ignoresFlags: true }).shapes.root }
}

/** Returns whether a parameter may have this name: brackets nest, and `$limit` is an operator. */
export const isQueryable = (name: string): boolean => !/^\$|[[\]]/.test(name)

/**
 * Reads the schema of the option `query`.
 * @throws {TypeError} if it is not of an object with fields, or if its check is asynchronous
 */
export function readParameters(schema: unknown): QueryParameters {
  if (schema === undefined) return { operands: new Map(), required: [] }
  const { document } = readJsonSchema(schema, 'input')
  const written = new WrittenSchema(document, { flagged: noNames, ignoresFlags: true })
  assertHasFields(written)
  const { root, reader } = written.shapes
  const [missing] = reader.bundle.missing
  if (missing !== undefined)
    throw new TypeError(
      `The parameters of a query can't refer to '${missing}'. Put the schema itself in its place: those of app.addSchema are for routes`
    )
  const validate = immediateValidateOf(schema)
  if (isPromised(validate?.({}))) throw new TypeError(asynchronous)
  const properties = separateProperties(written.documentWithout(undefined))
  const shape = root.narrow({})
  const operands = new Map(
    shape.names.map((name) => {
      const property = properties.get(name) ?? scalarDocument(certain(shape.field(name)).shape)
      return [name, { ...toOperand(property), isEquality: true }] as const
    })
  )
  const required = root.required.filter((name) => operands.get(name)?.schema.default === undefined)
  const saysMore = validate === undefined && Object.keys(document).some((keyword) => !separateKeywords.has(keyword))
  return { operands, required, validate, whole: saysMore ? document : undefined }
}

export const asynchronous = 'The parameters of a query are checked at once: their schema can not be asynchronous'

/**
 * Returns whether a check returned a promise. Ignores its rejection, which would end the process.
 */
export function isPromised(result: unknown): result is Promise<unknown> {
  if (!(result instanceof Promise)) return false
  result.catch(() => {})
  return true
}

/** Returns the properties of a schema, each as a schema of its own with the definitions. */
function separateProperties(document: JsonSchema): ReadonlyMap<string, JsonSchema> {
  // A reference to the whole query, or into it, needs a definition to point to.
  let refersToRoot = false as boolean
  const pointToDefinition = (part: SchemaValue): SchemaValue => {
    if (!isSchema(part)) return part
    const copy = mapSubschemas(part, pointToDefinition)
    const isOfRoot = /^#(\/|$)/.test(String(copy.$ref)) && parseDefinitionReference(copy.$ref) === undefined
    if (!isOfRoot) return copy
    refersToRoot = true
    return { ...copy, $ref: `#/$defs/query${copy.$ref?.slice(1)}` }
  }
  const { properties = {}, definitions, $defs } = mapSubschemas(document, pointToDefinition)
  const all = { ...$defs, ...(refersToRoot && { query: { type: 'object', properties } }) }
  const shared = { ...(definitions && { definitions }), ...(Object.keys(all).length > 0 && { $defs: all }) }
  const toSchema = (property: SchemaValue) => (isSchema(property) ? property : property ? {} : { not: {} })
  return new Map(Object.entries(properties).map(([name, property]) => [name, { ...toSchema(property), ...shared }]))
}

/**
 * Derives the rules of queries from the shape of a record.
 * @param more the parameters of the option `query`
 */
export function toQueryRules(
  record: Shape,
  { operators = {}, filter, sort }: Pick<ResourceOptions, 'operators' | 'filter' | 'sort'>,
  more: QueryParameters
): QueryRules {
  const ownOperators = Object.entries(operators).map(
    ([name, schema]) => [name, schema === false ? undefined : toOperand(schema)] as const
  )
  const filters = new Map<string, FieldFilter>()
  const readable = record.names.filter((name) => isReadable(record, name))
  const queryable = readable.filter(isQueryable)
  for (const name of queryable) {
    const value = filter?.includes(name) === false ? undefined : comparedOperand(shapeOf(record, name))
    if (value !== undefined) filters.set(name, toFilter(value, ownOperators))
  }
  const sortable = queryable.filter((name) => isScalar(shapeOf(record, name)) && sort?.includes(name) !== false)
  return { filters, sort: sortable, select: readable, more }
}

/** Returns a field that only some branches of a union have as if all of them had it. */
export function certain(member: ShapeMember): ShapeMember {
  const { shapes, schemas } = member.shape
  const branches = schemas.map((schema) =>
    isSchema(schema) && schema.anyOf?.includes(true) ? schema.anyOf : undefined
  )
  if (schemas.length === 0 || branches.includes(undefined)) return member
  const named = branches.map((list = []) =>
    shapes.unionCache.unionOf(list.filter((branch) => branch !== true).map((branch) => [branch]))
  )
  return { ...member, shape: shapes.of(named) }
}

const shapeOf = (record: Shape, name: string) => certain(record.field(name)).shape

/** Returns whether a field is known, and neither it nor the items of its list are hidden. */
function isReadable(record: Shape, name: string): boolean {
  const field = certain(record.field(name))
  return isShownMember(field) && (!mayBeList(field.shape) || isShownMember(field.shape.narrow({}).item(0)))
}

const isShownMember = ({ isKnown, writeOnly, shape }: ShapeMember) =>
  isKnown && !writeOnly && !shape.mayHave('writeOnly')

const mayBeList = ({ kinds }: Shape) => (kinds & kindBits.array) !== 0 && kinds !== kindBits.all

const isScalar = (shape: Shape) =>
  (shape.kinds & ~kindBits.scalar) === 0 || (shape.kinds === kindBits.all && shape.acceptsAnyMembers)

/** Returns the operand of a record's scalar; `undefined` if it may be a list or an object. */
export const operandOf = (shape: Shape): Operand | undefined =>
  isScalar(shape) ? { schema: scalarDocument(shape), shape } : undefined

/** Returns the operand to compare a field with: for a list, the operand of its items. */
function comparedOperand(shape: Shape): Operand | undefined {
  const scalar = isScalar(shape) ? shape : itemShape(shape)
  return scalar?.codecs.every(({ isComparable }) => isComparable) ? operandOf(scalar) : undefined
}

const nullSchema: JsonSchema = { type: 'null' }

/** Returns the shape of the items of a list of scalars, or of `null` instead of the list. */
function itemShape(list: Shape): Shape | undefined {
  const { shapes, kinds, codecs } = list
  const chosen = list.narrow({})
  if (!mayBeList(list) || (kinds & kindBits.object) !== 0 || chosen.isTuple || codecs.length > 0) return undefined
  const item = chosen.item(0).shape
  if (!isScalar(item) || (kinds & kindBits.null) === 0) return isScalar(item) ? item : undefined
  return shapes.of([shapes.unionCache.unionOf([item.schemas, [nullSchema]])])
}

/** @param ownOperators operands of the option `operators`; `undefined` removes an operator */
function toFilter(
  operand: Operand,
  ownOperators: readonly (readonly [name: string, operand: Operand | undefined])[]
): FieldFilter {
  const { kinds } = operand.shape
  const value: Operand = { ...operand, isEquality: true }
  const operators = new Map(equalityOperators.map((name) => [name, value]))
  // A field of any type has no order.
  if (kinds !== kindBits.all && (kinds & (kindBits.string | kindBits.number)) !== 0) {
    const ordered = (kinds & kindBits.null) === 0 ? operand : { ...operand, schema: withoutNull(operand.schema) }
    for (const name of orderOperators) operators.set(name, ordered)
  }
  const list: Operand = { ...value, schema: { type: 'array', items: value.schema }, item: value }
  for (const name of listOperators) operators.set(name, list)
  for (const [name, own] of ownOperators) {
    if (own === undefined) operators.delete(name)
    else if ((comparedKinds(own.shape) & kinds) !== 0) operators.set(name, own)
  }
  return { value, operators }
}

/** Returns the kinds of fields that an operator of the option `operators` applies to. */
const comparedKinds = (shape: Shape): number => (mayBeList(shape) ? shape.narrow({}).item(0).shape : shape).kinds

/** Returns a schema that refuses `null`, which has no order. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, oneOf, allOf } = schema
  const isOther = (branch: unknown) => Object(branch).type !== 'null'
  const types = [type ?? []].flat().filter((name) => name !== 'null')
  return {
    ...schema,
    ...(Array.isArray(type) && { type: types.length === 1 ? types[0] : types }),
    ...(values && { enum: values.filter((value) => value !== null) }),
    ...(anyOf && { anyOf: anyOf.filter(isOther) }),
    ...(oneOf && { oneOf: oneOf.filter(isOther) }),
    ...(allOf && { not: nullSchema })
  }
}

const closedObject = (properties: Readonly<Record<string, unknown>>): JsonSchema => ({
  type: 'object',
  properties: properties as SchemaMap,
  additionalProperties: false
})

const schemasOf = (operands: ReadonlyMap<string, Operand>): SchemaMap =>
  Object.fromEntries([...operands].map(([name, { schema }]) => [name, schema]))

/**
 * Returns the function that creates the JSON Schema of a method's query. All methods share its
 * parts.
 */
export function querystringsOf({ filters, sort, select, more }: QueryRules): (method: string) => JsonSchema {
  const fields = Object.fromEntries(
    [...filters].map(([name, { value, operators }]) => [
      name,
      { anyOf: [value.schema, { ...closedObject(schemasOf(operators)), minProperties: 1 }] }
    ])
  )
  const group = { type: 'array', items: { type: 'object' } }
  const count = { type: 'integer', minimum: 0, maximum: maxCount }
  const direction = { type: 'integer', enum: [1, -1] }
  const $sort = closedObject(Object.fromEntries(sort.map((field) => [field, direction])))
  const $select = { type: 'array', items: { type: 'string', enum: select } }
  return (method) =>
    closedObject({
      ...(method !== 'create' && { ...fields, $or: group, $and: group }),
      ...(method === 'find' && { $limit: count, $skip: count, $sort }),
      $select,
      ...schemasOf(more.operands)
    })
}

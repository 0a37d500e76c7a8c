import type { JsonSchema, ResourceOptions } from '../../../types/resource.js'
import type { RecordSchema } from './normal-form.js'
import { resolve, typesOf } from './text.js'

/** What a query may say of one field: its value, and operators with theirs. */
export interface Filter {
  readonly value: JsonSchema
  readonly operators: ReadonlyMap<string, JsonSchema>
}

/** What a query may say. */
export interface QueryRules {
  readonly filters: ReadonlyMap<string, Filter>
  readonly sort: readonly string[]
  readonly select: readonly string[]
  /** Further parameters. */
  readonly more: ReadonlyMap<string, JsonSchema>
}

/** The largest number that databases take for a count. */
export const maxCount = 2 ** 31 - 1

const equality = ['$eq', '$ne']
const lists = ['$in', '$nin']
const order = ['$lt', '$le', '$lte', '$gt', '$ge', '$gte']
const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Reads out of the schema of a record what a query may say. */
export function toQueryRules(
  record: RecordSchema,
  { operators = {}, filter, sort }: Pick<ResourceOptions, 'operators' | 'filter' | 'sort'>,
  more: Record<string, JsonSchema>
): QueryRules {
  const defs = (record.$defs ?? {}) as Record<string, JsonSchema>
  const readable = Object.entries(record.properties).filter(([, schema]) => schema.writeOnly !== true)
  const filters = readable.flatMap(([name, schema]) => {
    const value = filter === undefined || filter.includes(name) ? toValue(schema, defs) : undefined
    return value === undefined ? [] : [[name, { value, operators: operatorsOf(value, operators) }] as const]
  })
  const sortable = readable.filter(([, schema]) => isScalar(resolve(schema, defs))).map(([name]) => name)
  return {
    filters: new Map(filters),
    sort: sortable.filter((name) => sort === undefined || sort.includes(name)),
    select: readable.map(([name]) => name),
    more: new Map(Object.entries(more))
  }
}

const isScalar = (schema: JsonSchema) => [...typesOf(schema)].every((type) => scalars.has(type))

/** The schema of a value that a field is compared with: of a list one of its items. Objects can't be compared. */
function toValue(schema: JsonSchema, defs: Record<string, JsonSchema>): JsonSchema | undefined {
  const { default: _, readOnly, ...value } = resolve(schema, defs)
  if (value.items !== undefined) {
    const item = resolve(value.items as JsonSchema, defs)
    return isScalar(item) ? item : undefined
  }
  return isScalar(value) ? value : undefined
}

function operatorsOf(value: JsonSchema, own: NonNullable<ResourceOptions['operators']>): Map<string, JsonSchema> {
  const types = typesOf(value)
  const isOrdered = types.has('string') || types.has('number') || types.has('integer')
  const found = new Map<string, JsonSchema>([...equality, ...(isOrdered ? order : [])].map((name) => [name, value]))
  for (const name of lists) found.set(name, { type: 'array', items: value })
  for (const [name, operand] of Object.entries(own)) {
    if (operand === false) found.delete(name)
    // An operator with a text is one of texts.
    else if ([...typesOf((operand.items ?? operand) as JsonSchema)].some((type) => types.has(type)))
      found.set(name, operand)
  }
  return found
}

const object = (properties: object): JsonSchema => ({ type: 'object', properties, additionalProperties: false })

/** The JSON Schema of the queries of a method, for those who read it. */
export function toQuerystring({ filters, sort, select, more }: QueryRules, method: string): JsonSchema {
  const fields = Object.fromEntries(
    [...filters].map(([name, { value, operators }]) => [
      name,
      { anyOf: [value, { ...object(Object.fromEntries(operators)), minProperties: 1 }] }
    ])
  )
  const group = { type: 'array', items: { type: 'object' } }
  const count = { type: 'integer', minimum: 0, maximum: maxCount }
  const name = { type: 'string', enum: select }
  return object({
    ...(method !== 'create' && { ...fields, $or: group, $and: group }),
    ...(method === 'find' && {
      $limit: count,
      $skip: count,
      $sort: object(Object.fromEntries(sort.map((field) => [field, { type: 'integer', enum: [1, -1] }])))
    }),
    $select: { type: 'array', items: name },
    ...Object.fromEntries(more)
  })
}

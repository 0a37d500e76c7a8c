import type { HookContext } from 'fastify-services'

/** What a query may name, with the types that the strings of the URL are turned into. */
export type Columns = Readonly<Record<string, 'string' | 'number' | 'integer' | 'boolean'>>

// PostgreSQL stores no NUL character, and answers one with an error.
export const text = { type: 'string', pattern: '^[^\\u0000]*$' }
// And its integers end here.
const maximum = 2 ** 31 - 1
const integer = whole(-maximum - 1)
// No column has a longer text. To look for a pattern takes time for each character of it.
const string = { ...text, maxLength: 2000 }
// It ends with no half of an escape.
const pattern = { type: 'string', maxLength: 200, pattern: '^([^\\\\\\u0000]|\\\\[^\\u0000])*$' }

/**
 * The JSON schema of a query over `columns`. Fastify holds what `qs` parsed to it: `'true'` becomes `true`, `area[$gt]=abc` is
 * refused, and so is a name that is no column, which would otherwise select more records than was meant.
 *
 * @param columns what records may be selected and sorted by
 * @param more further columns that `$select` may name
 */
export function querySchema(columns: Columns, more: readonly string[] = []) {
  const filters = mapValues(columns, filter)
  const count = whole(0)
  return object({
    ...filters,
    $or: { type: 'array', items: object(filters) },
    $limit: count,
    $skip: count,
    $sort: object(mapValues(columns, () => ({ type: 'integer', enum: [1, -1] }))),
    $select: { type: 'array', items: { type: 'string', enum: [...Object.keys(columns), ...more] } }
  })
}

/** `region=Africa`, `area[$gt]=1000`, `region[$in][]=Africa&region[$in][]=Asia`, `name[$ilike]=%land` */
function filter(type: Columns[string]) {
  const value = { string, integer, number: { type }, boolean: { type } }[type]
  const list = { type: 'array', items: value }
  const compare = mapValues({ $eq: 0, $ne: 0, $lt: 0, $le: 0, $lte: 0, $gt: 0, $ge: 0, $gte: 0 }, () => value)
  const operators = object({
    ...compare,
    $in: list,
    $nin: list,
    ...(type === 'string' && { $like: pattern, $ilike: pattern })
  })
  return { anyOf: [value, { ...operators, minProperties: 1 }] }
}

/** A hook: without an order of its own a database may give each page of a list in another one. */
export function sortBy(column: string) {
  return (context: HookContext): void => {
    context.params = { ...context.params, query: { $sort: { [column]: 1 }, ...context.params.query } }
  }
}

// Ajv takes `1e400` for a whole number, and holds it to no maximum.
function whole(minimum: number) {
  return {
    allOf: [
      { type: 'string', pattern: '^-?\\d{1,10}$' },
      { type: 'integer', minimum, maximum }
    ]
  }
}

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties, additionalProperties: false })

function mapValues<V, W>(record: Readonly<Record<string, V>>, toValue: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, toValue(value)]))
}

import type { JsonSchema } from '../../../types/resource.js'
import { type Check, type Compile, refusal, toRefusal } from './problem.js'
import { type Filter, maxCount, type QueryRules } from './query-rules.js'
import { createRead, toList } from './text.js'

type Query = Record<string, unknown>
type Path = readonly (string | number)[]
type ReadAt = (value: unknown, path: Path) => unknown

/** How deep `$or` and `$and` may stand in each other. */
const maxDepth = 5

/**
 * Makes what reads the query of a method as it came from the URL: it converts the values, and refuses what the rules do not name. Nothing is dropped, since a query
 * with less in it selects more.
 *
 * @throws {BadRequest} which names the place, and says what must stand there
 */
export function createQueryReader(rules: QueryRules, method: string, compile: Compile): (query: Query) => Query {
  const held = new Map<JsonSchema, ReadAt>()
  // The same schema stands under several operators.
  const hold = (schema: JsonSchema): ReadAt => {
    const found = held.get(schema) ?? holdTo(schema, compile)
    held.set(schema, found)
    return found
  }
  const filters = new Map([...rules.filters].map(([name, filter]) => [name, readFilter(filter, hold)]))
  const inGroup = new Map([...filters, ['$or', readGroup], ['$and', readGroup]])
  const known = new Map<string, ReadAt>(method === 'create' ? [] : inGroup)
  if (method === 'find') {
    known.set('$limit', readCount).set('$skip', readCount)
    known.set('$sort', readSort(new Set(rules.sort)))
  }
  known.set('$select', readSelect(new Set(rules.select)))
  for (const [name, schema] of rules.more) known.set(name, hold(schema))
  const filterable = method === 'create' ? '' : sorted(filters.keys())
  const hint = filterable === '' ? '' : `: a query filters by ${filterable}`

  function readFields(query: Query, path: Path, readers: ReadonlyMap<string, ReadAt>): Query {
    const typed: Query = {}
    for (const name of Object.keys(query)) {
      const read = readers.get(name)
      if (read === undefined) throw refusal('query', [...path, name], `is not known${hint}`, 'additionalProperties')
      typed[name] = read(query[name], path.length === 0 ? [name] : [...path, name])
    }
    return typed
  }

  function readGroup(value: unknown, path: Path): unknown {
    const list = toList(value)
    if (!Array.isArray(list) || list.length === 0 || !list.every(isQuery))
      throw refusal('query', path, 'must be a list of queries', 'type')
    // Two keys for each level: the name of the group, and the index in it.
    if (path.length > 2 * maxDepth)
      throw refusal('query', path, `must stand at most ${maxDepth} deep in others of its kind`, 'maxDepth')
    return list.map((query, index) => readFields(query, [...path, index], inGroup))
  }

  return (query) => readFields(query, [], known)
}

// The libraries give the fields in different orders.
const sorted = (names: Iterable<string>) => [...names].sort().join(', ')

const isQuery = (value: unknown): value is Query => typeof value === 'object' && value !== null && !Array.isArray(value)

// Compiled with the first value: a record has many fields, and few of them are asked for.
function holdTo(schema: JsonSchema, compile: Compile): ReadAt {
  const read = createRead(schema, schema.$defs as Record<string, JsonSchema>)
  let check: Check | undefined
  return (text, path) => {
    check ??= compile(schema)
    const value = read(text)
    const problems = check(value)
    if (problems !== undefined) throw toRefusal('query', path, problems)
    return value
  }
}

function readFilter({ value, operators }: Filter, hold: (schema: JsonSchema) => ReadAt): ReadAt {
  const readValue = hold(value)
  const readers = new Map([...operators].map(([name, schema]) => [name, hold(schema)]))
  return (text, path) => {
    if (Array.isArray(text)) throw refusal('query', path, 'must be one value: $in takes several', 'type')
    if (!isQuery(text)) return readValue(text, path)
    const typed: Query = {}
    const names = Object.keys(text)
    if (names.length === 0) throw refusal('query', path, 'must have a value', 'minProperties')
    for (const name of names) {
      const read = readers.get(name)
      if (read === undefined)
        throw refusal(
          'query',
          [...path, name],
          `is not known: there are ${sorted(readers.keys())}`,
          'additionalProperties'
        )
      typed[name] = read(text[name], [...path, name])
    }
    return typed
  }
}

function readCount(text: unknown, path: Path): number {
  const count = typeof text === 'string' && /^\d{1,10}$/.test(text) ? Number(text) : text
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > maxCount)
    throw refusal('query', path, `must be an integer from 0 to ${maxCount}`, 'type')
  return count
}

const readSort =
  (names: ReadonlySet<string>): ReadAt =>
  (value, path) => {
    if (!isQuery(value)) throw refusal('query', path, 'must name fields, as in $sort[name]=1', 'type')
    const typed: Query = {}
    for (const name of Object.keys(value)) {
      if (!names.has(name))
        throw refusal('query', [...path, name], `is not known: a query sorts by ${sorted(names)}`, 'enum')
      const direction = String(value[name])
      if (direction !== '1' && direction !== '-1') throw refusal('query', [...path, name], 'must be 1 or -1', 'enum')
      typed[name] = Number(direction)
    }
    return typed
  }

const readSelect =
  (names: ReadonlySet<string>): ReadAt =>
  (value, path) => {
    const list = toList(value)
    if (!Array.isArray(list)) throw refusal('query', path, 'must be a list of fields', 'type')
    for (const name of list)
      if (!names.has(name)) throw refusal('query', path, `must name fields: ${sorted(names)}`, 'enum')
    return list
  }

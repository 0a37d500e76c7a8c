import { toList } from '../../schema/text.js'
import { isObject } from '../plain.js'
import { type Check, type Compile, refusal, toError, toFault } from './problem.js'
import { type Filter, maxCount, type Operand, type QueryRules } from './query-rules.js'

type Query = Record<string, unknown>
/** Where a value stands. Most are right, so its path is made for an error alone. */
interface Place {
  readonly name: string | number
  readonly within: Place | undefined
}
type ReadAt = (value: unknown, place: Place) => unknown

/** How deep `$or` and `$and` may stand in each other. */
const maxDepth = 5

/**
 * Makes what reads the query of a method as it came from the URL: it converts the values, and refuses what the rules do not name. Nothing is dropped, since a query
 * with less in it selects more.
 *
 * @throws {BadRequest} which names the place, and says what must stand there
 */
export function createQueryReader(rules: QueryRules, method: string, compile: Compile): (query: Query) => Query {
  const readers = new Map<Operand, ReadAt>()
  // The same operand stands under several operators.
  const hold = (operand: Operand): ReadAt => {
    const reader = readers.get(operand) ?? holdTo(operand, compile)
    readers.set(operand, reader)
    return reader
  }
  const filters = new Map([...rules.filters].map(([name, filter]) => [name, readFilter(filter, hold)]))
  const inGroup = new Map([...filters, ['$or', readGroup], ['$and', readGroup]])
  const known = new Map<string, ReadAt>(method === 'create' ? [] : inGroup)
  if (method === 'find') {
    known.set('$limit', readCount).set('$skip', readCount)
    known.set('$sort', readSort(rules.sort))
  }
  known.set('$select', readSelect(new Set(rules.select)))
  for (const [name, operand] of rules.more) known.set(name, hold(operand))
  const isNotKnown = notKnown('a query filters by', method === 'create' ? [] : filters.keys())

  function readGroup(value: unknown, place: Place): unknown {
    const list = toList(value)
    if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
      throw wrong(place, 'must be a list of queries')
    // Two keys for each level: the name of the group, and the index in it.
    if (pathOf(place).length > 2 * maxDepth)
      throw wrong(place, `must stand at most ${maxDepth} deep in others of its kind`, 'maxDepth')
    return list.map((query, index) => readEach(query, { name: index, within: place }, inGroup, isNotKnown))
  }

  return (query) => readEach(query, undefined, known, isNotKnown)
}

/**
 * Makes what reads the query of a custom method: its parameters alone.
 * @param required the names of those that must be there
 */
export function createParameterReader(
  parameters: ReadonlyMap<string, Operand>,
  required: readonly string[],
  compile: Compile
): (query: Query) => Query {
  const readers = new Map([...parameters].map(([name, operand]) => [name, holdTo(operand, compile)]))
  const isNotKnown = notKnown('there are', readers.keys())
  return (query) => {
    const read = readEach(query, undefined, readers, isNotKnown)
    const missing = required.find((name) => !Object.hasOwn(read, name))
    if (missing !== undefined) throw wrong({ name: missing, within: undefined }, 'is required', 'required')
    return read
  }
}

/** Reads each value of a query in its place: the query is that of one request. */
function readEach(
  query: Query,
  within: Place | undefined,
  readers: ReadonlyMap<string, ReadAt>,
  isNotKnown: string
): Query {
  for (const name of Object.keys(query)) {
    const place = { name, within }
    const read = readers.get(name)
    if (read === undefined) throw wrong(place, isNotKnown, 'additionalProperties')
    const text = query[name]
    const value = read(text, place)
    if (value !== text) query[name] = value
  }
  return query
}

const pathOf = (place: Place | undefined): Place['name'][] =>
  place === undefined ? [] : [...pathOf(place.within), place.name]

const wrong = (place: Place, must: string, keyword = 'type') => refusal('query', pathOf(place), must, keyword)

// The libraries give the fields in different orders.
const sorted = (names: Iterable<string>) => [...names].sort().join(', ')

/** Says that a name is not known, and which are, if there are any. */
function notKnown(say: string, names: Iterable<string>): string {
  const list = sorted(names)
  return list === '' ? 'is not known' : `is not known: ${say} ${list}`
}

// Compiled with the first value: a record has many fields, and few of them are asked for.
function holdTo({ schema, read }: Operand, compile: Compile): ReadAt {
  let check: Check | undefined
  return (text, place) => {
    check ??= compile(schema)
    const value = read(text)
    const problems = check(value)
    if (problems !== undefined) throw toError('query', [toFault(pathOf(place), problems)])
    return value
  }
}

function readFilter({ value, operators }: Filter, hold: (operand: Operand) => ReadAt): ReadAt {
  const readValue = hold(value)
  const readers = new Map([...operators].map(([name, operand]) => [name, hold(operand)]))
  const isNotKnown = notKnown('there are', readers.keys())
  return (text, place) => {
    if (Array.isArray(text)) throw wrong(place, 'must be one value: $in takes several')
    if (!isObject(text)) return readValue(text, place)
    if (Object.keys(text).length === 0) throw wrong(place, 'must have a value', 'minProperties')
    return readEach(text, place, readers, isNotKnown)
  }
}

function readCount(text: unknown, place: Place): number {
  const count = typeof text === 'string' && /^\d{1,10}$/.test(text) ? Number(text) : text
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > maxCount)
    throw wrong(place, `must be an integer from 0 to ${maxCount}`)
  return count
}

function readSort(names: readonly string[]): ReadAt {
  const readers = new Map(names.map((name) => [name, readDirection]))
  const isNotKnown = notKnown('a query sorts by', names)
  return (value, place) => {
    if (!isObject(value)) throw wrong(place, 'must name fields, as in $sort[name]=1')
    return readEach(value, place, readers, isNotKnown)
  }
}

function readDirection(text: unknown, place: Place): number {
  if (text === '1' || text === 1) return 1
  if (text === '-1' || text === -1) return -1
  throw wrong(place, 'must be 1 or -1', 'enum')
}

function readSelect(names: ReadonlySet<unknown>): ReadAt {
  const isNotKnown = `must name fields: ${sorted(names as ReadonlySet<string>)}`
  return (value, place) => {
    const list = toList(value)
    if (!Array.isArray(list)) throw wrong(place, 'must be a list of fields')
    if (!list.every((name) => names.has(name))) throw wrong(place, isNotKnown, 'enum')
    return list
  }
}

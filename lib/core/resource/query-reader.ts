import { type Fault, maxFaults } from '../../schema/incoming.js'
import { toList } from '../../schema/text.js'
import { isObject } from '../objects.js'
import { type Check, type Compile, type Problem, toError, toFault } from './problem.js'
import { type Filter, maxCount, type Operand, type QueryRules } from './query-rules.js'

type Query = Record<string, unknown>
/** Where a value stands. Most are right, so its path is made for an error alone. */
interface Place {
  readonly name: string | number
  readonly within: Place | undefined
}
/** Reads a value. What is wrong with it is told, and what it returns then is not used. */
type ReadAt = (value: unknown, place: Place, faults: Faults) => unknown

/** How deep `$or` and `$and` may stand in each other. */
const maxDepth = 5

/** What is wrong with a query. */
class Faults {
  readonly #all: Fault[] = []

  get areMany(): boolean {
    return this.#all.length >= maxFaults
  }

  tell(place: Place, must: string, keyword = 'type'): void {
    this.#all.push({ path: pathOf(place), must, keyword })
  }

  /** @param list which names there are; it may be long, and is told once */
  tellUnknown(place: Place, list: string): void {
    const isToldBefore = this.#all.some(({ must }) => must.endsWith(list))
    this.tell(place, list === '' || isToldBefore ? 'is not known' : `is not known: ${list}`, 'additionalProperties')
  }

  tellProblems(place: Place, problems: readonly Problem[]): void {
    this.#all.push(toFault(pathOf(place), problems))
  }

  /** @throws {BadRequest} when there are some */
  end(): void {
    if (this.#all.length > 0) throw toError('query', this.#all)
  }
}

/**
 * Makes what reads the query of a method as it came from the URL: it converts the values, and refuses what the rules do not name. Nothing is dropped, since a query
 * with less in it selects more.
 *
 * @throws {BadRequest} which names each place, up to 20, and says what must stand there
 */
export function createQueryReader(rules: QueryRules, method: string, compile: Compile): (query: Query) => Query {
  const readers = new Map<Operand, ReadAt>()
  // The same operand stands under several operators.
  const hold = (operand: Operand): ReadAt => {
    const reader = readers.get(operand) ?? holdTo(operand, compile, hold)
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
  const names = listed('a query filters by', method === 'create' ? [] : filters.keys())

  function readGroup(value: unknown, place: Place, faults: Faults): unknown {
    const list = toList(value)
    if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
      return faults.tell(place, 'must be a list of queries')
    // Two keys for each level: the name of the group, and the index in it.
    if (pathOf(place).length > 2 * maxDepth)
      return faults.tell(place, `must stand at most ${maxDepth} deep in others of its kind`, 'maxDepth')
    return list.map((query, index) => readEach(query, { name: index, within: place }, inGroup, names, faults))
  }

  return (query) => {
    const faults = new Faults()
    readEach(query, undefined, known, names, faults)
    faults.end()
    return query
  }
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
  const names = listed('there are', readers.keys())
  return (query) => {
    const faults = new Faults()
    readEach(query, undefined, readers, names, faults)
    for (const name of required)
      if (!Object.hasOwn(query, name) && !faults.areMany)
        faults.tell({ name, within: undefined }, 'is required', 'required')
    faults.end()
    return query
  }
}

/** Reads each value of a query in its place: the query is that of one request. */
function readEach(
  query: Query,
  within: Place | undefined,
  readers: ReadonlyMap<string, ReadAt>,
  names: string,
  faults: Faults
): Query {
  for (const name of Object.keys(query)) {
    if (faults.areMany) break
    const place = { name, within }
    const read = readers.get(name)
    if (read === undefined) {
      faults.tellUnknown(place, names)
      continue
    }
    const text = query[name]
    const value = read(text, place, faults)
    if (value !== text) query[name] = value
  }
  return query
}

const pathOf = (place: Place | undefined): Place['name'][] =>
  place === undefined ? [] : [...pathOf(place.within), place.name]

// The libraries give the fields in different orders.
const sorted = (names: Iterable<string>) => [...names].sort().join(', ')

/** Says which names there are, if there are any. */
function listed(say: string, names: Iterable<string>): string {
  const list = sorted(names)
  return list === '' ? '' : `${say} ${list}`
}

// Compiled with the first value: a record has many fields, and few of them are asked for.
function holdTo(
  { schema, read, item, isEquality }: Operand,
  compile: Compile,
  hold = (operand: Operand) => holdTo(operand, compile)
): ReadAt {
  if (item !== undefined) return readList(hold(item))
  let check: Check | undefined
  return (text, place, faults) => {
    check ??= compile(schema)
    const value = read(text)
    const problems = check(value)
    if (problems === undefined) return value
    // Clients of Feathers send `null` as the empty text.
    if (isEquality && text === '' && check(null) === undefined) return null
    return faults.tellProblems(place, problems)
  }
}

function readList(readItem: ReadAt): ReadAt {
  return (value, place, faults) => {
    const list = toList(value)
    if (!Array.isArray(list)) return faults.tell(place, 'must be a list')
    return list.map((item, index) => (faults.areMany ? item : readItem(item, { name: index, within: place }, faults)))
  }
}

function readFilter({ value, operators }: Filter, hold: (operand: Operand) => ReadAt): ReadAt {
  const readValue = hold(value)
  const readers = new Map([...operators].map(([name, operand]) => [name, hold(operand)]))
  const names = listed('there are', readers.keys())
  return (text, place, faults) => {
    if (Array.isArray(text)) return faults.tell(place, 'must be one value: $in takes several')
    if (!isObject(text)) return readValue(text, place, faults)
    if (Object.keys(text).length === 0) return faults.tell(place, 'must have a value', 'minProperties')
    return readEach(text, place, readers, names, faults)
  }
}

function readCount(text: unknown, place: Place, faults: Faults): unknown {
  const count = typeof text === 'string' && /^\d{1,10}$/.test(text) ? Number(text) : text
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxCount
  return isCount ? count : faults.tell(place, `must be an integer from 0 to ${maxCount}`)
}

function readSort(fields: readonly string[]): ReadAt {
  const readers = new Map(fields.map((name) => [name, readDirection]))
  const names = listed('a query sorts by', fields)
  return (value, place, faults) =>
    isObject(value)
      ? readEach(value, place, readers, names, faults)
      : faults.tell(place, 'must name fields, as in $sort[name]=1')
}

function readDirection(text: unknown, place: Place, faults: Faults): unknown {
  if (text === '1' || text === 1) return 1
  if (text === '-1' || text === -1) return -1
  return faults.tell(place, 'must be 1 or -1', 'enum')
}

function readSelect(fields: ReadonlySet<unknown>): ReadAt {
  const must = `must name fields: ${sorted(fields as ReadonlySet<string>)}`
  return (value, place, faults) => {
    const list = toList(value)
    if (!Array.isArray(list)) return faults.tell(place, 'must be a list of fields')
    return list.every((name) => fields.has(name)) ? list : faults.tell(place, must, 'enum')
  }
}

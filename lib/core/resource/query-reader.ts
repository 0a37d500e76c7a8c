import type { Query } from '../../../types/service.js'
import { type Fault, maxFaults, type Place, pathOfPlace } from '../../schema/fault.js'
import { parseList } from '../../schema/text.js'
import { isObject, isPlain } from '../objects.js'
import { createParameterJudge } from './parameters.js'
import { type Check, type Compile, ofLibrary, type SchemaProblem, toBadRequest, toFault } from './problem.js'
import { type FieldFilter, maxCount, type Operand, type QueryParameters, type QueryRules } from './query-rules.js'

/** Reads a value and returns it converted. It reports what is wrong to `faults`; its result is not used then. */
type ReadAt = (value: unknown, place: Place, faults: Faults) => unknown

/** How the values of a query are read. */
export interface Conversion {
  /** Reads a value that is held to an operand. */
  value(value: unknown, operand: Operand): unknown
  /** Reads one that does not fit as what it may mean besides. */
  other(value: unknown, operand: Operand): unknown
  list(value: unknown): unknown
  /** Reads what must be a whole number. */
  count(value: unknown): unknown
  /** Whether a value may stand for `null`. */
  isNull(value: unknown): boolean
}

/** The values of a URL are texts. */
export const ofTexts: Conversion = {
  value: (text, { read }) => read(text),
  other: (text, { readOther }) => (readOther === undefined ? text : readOther(text)),
  list: parseList,
  count: (text) => (typeof text === 'string' && /^(\d{1,10}|-1)$/.test(text) ? Number(text) : text),
  isNull: (text) => text === ''
}

const untouched = (value: unknown) => value

/** The values of JSON have their types: none is converted. */
export const ofValues: Conversion = {
  value: untouched,
  other: untouched,
  list: untouched,
  count: untouched,
  isNull: () => false
}

/** How deep `$or` and `$and` may stand in each other. */
const maxGroupDepth = 5

/** What is wrong with a query. */
class Faults {
  readonly #all: Fault[] = []

  get areMany(): boolean {
    return this.#all.length >= maxFaults
  }

  tell(place: Place, must: string, keyword = 'type'): void {
    this.#all.push({ path: pathOfPlace(place), must, keyword })
  }

  /** @param list the names that exist. It may be long, so only the first fault has it */
  tellUnknown(place: Place, list: string): void {
    const isToldBefore = this.#all.some(({ must }) => must.endsWith(list))
    this.tell(place, list === '' || isToldBefore ? 'is not known' : `is not known: ${list}`, 'additionalProperties')
  }

  tellProblems(place: Place, problems: readonly SchemaProblem[]): void {
    this.#all.push(toFault(pathOfPlace(place), problems))
  }

  /**
   * @param judge says what is wrong with the whole, where nothing else is
   * @throws {BadRequest} when something is wrong
   */
  endWith(judge: () => readonly Fault[]): void {
    const faults = this.#all.length > 0 ? this.#all : judge()
    if (faults.length > 0) throw toBadRequest('query', faults)
  }
}

/**
 * Makes what reads the query of a method: it converts the values of a URL, and refuses what the rules do not name. Nothing is dropped, since a query
 * with less in it selects more.
 *
 * @throws {BadRequest} which names each place, up to 20, and says what must stand there
 */
export function createQueryReader(
  rules: QueryRules,
  method: string,
  compile: Compile,
  conversion: Conversion
): (query: Query) => Query {
  const hold = createHold(compile, conversion)
  const filters = new Map([...rules.filters].map(([name, filter]) => [name, readFilter(filter, hold)]))
  const inGroup = new Map([...filters, ['$or', readGroup], ['$and', readGroup]])
  const parameterReaders = new Map<string, ReadAt>(method === 'create' ? [] : inGroup)
  if (method === 'find') {
    const readCount = countReader(conversion)
    parameterReaders.set('$limit', readCount).set('$skip', readCount)
    parameterReaders.set('$sort', readSort(rules.sort, conversion))
  }
  parameterReaders.set('$select', readSelect(new Set(rules.select), conversion))
  const { more } = rules
  const judge = createParameterJudge(more, false, compile)
  for (const [name, operand] of more.operands) parameterReaders.set(name, hold(operand))
  const names = listNames('a query filters by', method === 'create' ? [] : filters.keys())

  function readGroup(value: unknown, place: Place, faults: Faults): unknown {
    const list = conversion.list(value)
    if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
      return faults.tell(place, 'must be a list of queries')
    // Two keys for each level: the name of the group, and the index in it.
    if (pathOfPlace(place).length > 2 * maxGroupDepth)
      return faults.tell(place, `must stand at most ${maxGroupDepth} deep in others of its kind`, 'maxDepth')
    return list.map((query, index) => readEach(query, { key: index, within: place }, inGroup, names, faults))
  }

  return (query) => {
    const faults = new Faults()
    readEach(query, undefined, parameterReaders, names, faults)
    faults.endWith(() => judge(query))
    return query
  }
}

/**
 * Makes what reads the query of a custom method: its parameters alone.
 * @throws {BadRequest} as `createQueryReader` does
 */
export function createParameterReader(
  parameters: QueryParameters,
  compile: Compile,
  conversion: Conversion
): (query: Query) => Query {
  const hold = createHold(compile, conversion)
  const readers = new Map([...parameters.operands].map(([name, operand]) => [name, hold(operand)]))
  const names = listNames('there are', readers.keys())
  const judge = createParameterJudge(parameters, true, compile)
  const defaults = [...parameters.operands].filter(([, { schema }]) => schema.default !== undefined)
  return (query) => {
    const faults = new Faults()
    readEach(query, undefined, readers, names, faults)
    for (const name of parameters.required)
      if (!Object.hasOwn(query, name) && !faults.areMany)
        faults.tell({ key: name, within: undefined }, 'is required', 'required')
    for (const [name, { schema }] of defaults)
      if (!Object.hasOwn(query, name)) query[name] = structuredClone(schema.default)
    faults.endWith(() => judge(query))
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
    const place = { key: name, within }
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

// Sorted, since schema libraries list the same fields in different orders.
const sortedNames = (names: Iterable<string>) => [...names].sort().join(', ')

/** Says which names there are, if there are any. */
function listNames(say: string, names: Iterable<string>): string {
  const list = sortedNames(names)
  return list === '' ? '' : `${say} ${list}`
}

/** Makes what holds values to operands. The same operand stands under several operators, and in lists. */
function createHold(compile: Compile, conversion: Conversion): (operand: Operand) => ReadAt {
  const readers = new Map<Operand, ReadAt>()
  return function hold(operand: Operand): ReadAt {
    const { item } = operand
    const reader =
      readers.get(operand) ??
      (item === undefined ? holdTo(operand, compile, conversion) : readList(hold(item), conversion))
    readers.set(operand, reader)
    return reader
  }
}

// Compiled with the first value: of the many fields of a record, queries use few.
function holdTo(operand: Operand, compile: Compile, conversion: Conversion): ReadAt {
  const { schema, isEquality } = operand
  let check: Check | undefined
  return (text, place, faults) => {
    check ??= compile(schema)
    const value = conversion.value(text, operand)
    const problems = check(value)
    if (problems === undefined) return decodeOperand(value, operand, place, faults)
    const other = conversion.other(text, operand)
    if (other !== value && check(other) === undefined) return decodeOperand(other, operand, place, faults)
    // Clients of Feathers send `null` as the empty text.
    if (isEquality && conversion.isNull(text) && check(null) === undefined) return null
    return faults.tellProblems(place, problems)
  }
}

/** Returns the value that the service compares with: what a codec of the field makes of the one that was sent. */
function decodeOperand(
  value: unknown,
  { codecs = [], hasPlainBranch }: Operand,
  place: Place,
  faults: Faults
): unknown {
  let problem: string | undefined
  for (const codec of codecs) {
    const result = codec.decode(value)
    if ('message' in result) problem ??= result.message
    else if (!isComparable(result.value)) problem ??= 'can not be compared'
    else return result.value
  }
  if (problem === undefined || value === null || hasPlainBranch) return value
  return faults.tell(place, problem, ofLibrary)
}

/**
 * Returns whether records can be compared with a decoded value. An adapter may take an object or a list for operators, so that
 * a client could write `{ "$ne": null }`. A filter by `undefined` may be dropped, which selects all records.
 */
function isComparable(value: unknown): boolean {
  if (value === undefined) return false
  if (typeof value !== 'object' || value === null) return true
  return !Array.isArray(value) && !isPlain(value) && !Object.keys(value).some((name) => name.startsWith('$'))
}

function readList(readItem: ReadAt, conversion: Conversion): ReadAt {
  return (value, place, faults) => {
    const list = conversion.list(value)
    if (!Array.isArray(list)) return faults.tell(place, 'must be a list')
    return list.map((item, index) => (faults.areMany ? item : readItem(item, { key: index, within: place }, faults)))
  }
}

function readFilter({ value, operators }: FieldFilter, hold: (operand: Operand) => ReadAt): ReadAt {
  const readValue = hold(value)
  const readers = new Map([...operators].map(([name, operand]) => [name, hold(operand)]))
  const names = listNames('there are', readers.keys())
  return (text, place, faults) => {
    if (Array.isArray(text)) return faults.tell(place, 'must be one value: $in takes several')
    if (!isObject(text)) return readValue(text, place, faults)
    if (Object.keys(text).length === 0) return faults.tell(place, 'must have a value', 'minProperties')
    return readEach(text, place, readers, names, faults)
  }
}

function countReader({ count: toCount }: Conversion): ReadAt {
  return (value, place, faults) => {
    const count = toCount(value)
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxCount
    return isCount ? count : faults.tell(place, `must be an integer from 0 to ${maxCount}`)
  }
}

function readSort(fields: readonly string[], { count }: Conversion): ReadAt {
  const readDirection: ReadAt = (value, place, faults) => {
    const direction = count(value)
    return direction === 1 || direction === -1 ? direction : faults.tell(place, 'must be 1 or -1', 'enum')
  }
  const readers = new Map(fields.map((name) => [name, readDirection]))
  const names = listNames('a query sorts by', fields)
  return (value, place, faults) =>
    isObject(value)
      ? readEach(value, place, readers, names, faults)
      : faults.tell(place, 'must name fields, as in $sort[name]=1')
}

function readSelect(fields: ReadonlySet<unknown>, conversion: Conversion): ReadAt {
  const must = `must name fields: ${sortedNames(fields as ReadonlySet<string>)}`
  return (value, place, faults) => {
    const list = conversion.list(value)
    if (!Array.isArray(list)) return faults.tell(place, 'must be a list of fields')
    return list.every((name) => fields.has(name)) ? list : faults.tell(place, must, 'enum')
  }
}

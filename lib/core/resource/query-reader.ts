import type { Query } from '../../../types/service.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import { type Issue, maxIssues } from '../../schema/issue.js'
import { kindBits } from '../../schema/reader.js'
import type { Shape } from '../../schema/shape.js'
import { nonStringReader, parseList, textReader } from '../../schema/text.js'
import { isObject, isPlain } from '../objects.js'
import { type Check, type Compile, issuePath, libraryKeyword, toBadRequest, toIssue } from './issues.js'
import type { MethodRules } from './method-rules.js'
import {
  asynchronous,
  type FieldFilter,
  isPromised,
  maxCount,
  type Operand,
  type QueryParameters,
  type QueryRules
} from './query-rules.js'

/** Returns the converted value. If it is invalid, adds issues instead, and the result is unused. */
type Read = (value: unknown, issues: QueryIssues) => unknown

type Readers = ReadonlyMap<string, Read>

/** The issues of one query, and the path of the value that is being read. */
class QueryIssues {
  readonly faults: Issue[] = []
  readonly path: (string | number)[] = []

  get areMany(): boolean {
    return this.faults.length >= maxIssues
  }

  add(must: string, keyword = 'type'): void {
    this.faults.push({ path: [...this.path], must, keyword })
  }

  /** Adds an unknown name. The list of known ones may be long, so only the first issue has it. */
  addUnknown(known: string): void {
    const isRepeated = known === '' || this.faults.some(({ must }) => must.endsWith(known))
    this.add(isRepeated ? 'is not known' : `is not known: ${known}`, 'additionalProperties')
  }

  readAt(key: string | number, value: unknown, read: Read): unknown {
    this.path.push(key)
    const result = read(value, this)
    this.path.pop()
    return result
  }
}

/**
 * Creates the reader for the queries of a method. It converts texts, in place, and refuses
 * everything that the rules don't name: without a filter, a query selects more records.
 *
 * @param record the shape of the record
 * @param isTyped whether values have their types, as in JSON. Otherwise they are texts of a URL
 * @param added parameters that hooks check
 * @throws {BadRequest} with up to 20 issues if the query is invalid
 */
export function createQueryReader(
  { query: rules, method, custom }: MethodRules,
  record: Shape,
  compile: Compile,
  isTyped: boolean,
  added: readonly string[]
): (query: Query) => Query {
  // Methods share the readers of fields, so that each schema is compiled once.
  const values = record.remember(`query ${isTyped}`, () => new ValueReaders(compile, isTyped))
  const readers = custom === undefined ? createRecordReaders(rules, method, values) : new Map<string, Read>()
  const parameters = custom?.parameters ?? rules.more
  for (const [name, operand] of parameters.operands) readers.set(name, values.operand(operand))
  for (const name of added) readers.set(name, (value) => value)
  const known = custom === undefined ? knownFilters(rules, method) : listNames('there are', readers.keys())
  // Only a custom method demands parameters, and sets their defaults.
  const required = custom?.parameters.required ?? []
  const defaults = [...(custom?.parameters.operands ?? [])].filter(([, { schema }]) => schema.default !== undefined)
  const checkParameters = createParameterCheck(parameters, custom !== undefined, compile)
  return (query) => {
    const issues = new QueryIssues()
    readFields(query, readers, known, issues)
    for (const name of required)
      if (!Object.hasOwn(query, name) && !issues.areMany) issues.readAt(name, undefined, refuseMissing)
    for (const [name, { schema }] of defaults)
      if (!Object.hasOwn(query, name)) query[name] = structuredClone(schema.default)
    const faults = issues.faults.length > 0 ? issues.faults : checkParameters(query)
    if (faults.length > 0) throw toBadRequest('query', faults)
    return query
  }
}

const refuseMissing: Read = (_value, issues) => issues.add('is required', 'required')

function createRecordReaders(rules: QueryRules, method: string, values: ValueReaders): Map<string, Read> {
  const readers = new Map<string, Read>()
  if (method !== 'create') {
    for (const [name, filter] of rules.filters) readers.set(name, values.filter(filter))
    const inGroup = new Map(readers)
    const readGroup = values.group(inGroup, knownFilters(rules, method))
    for (const map of [readers, inGroup]) map.set('$or', readGroup).set('$and', readGroup)
  }
  if (method === 'find')
    readers.set('$limit', values.count).set('$skip', values.count).set('$sort', values.sort(rules.sort))
  return readers.set('$select', values.select(rules.select))
}

const knownFilters = ({ filters }: QueryRules, method: string) =>
  method === 'create' ? '' : listNames('a query filters by', filters.keys())

/** Lists names in order: schema libraries list the same fields in different orders. */
function listNames(prefix: string, names: Iterable<string>): string {
  const list = [...names].sort().join(', ')
  return list === '' ? '' : `${prefix} ${list}`
}

function readFields(fields: Query, readers: Readers, known: string, issues: QueryIssues): Query {
  for (const name of Object.keys(fields)) {
    if (issues.areMany) break
    const value = fields[name]
    const read = readers.get(name) ?? (() => issues.addUnknown(known))
    const converted = issues.readAt(name, value, read)
    if (converted !== value) fields[name] = converted
  }
  return fields
}

/** How deep `$or` and `$and` may be nested. */
const maxGroupDepth = 5

/** Creates the readers for the values of queries. */
class ValueReaders {
  readonly #compile: Compile
  readonly #isTyped: boolean
  readonly #ready = new Map<Operand, Read>()
  readonly #toList: (value: unknown) => unknown

  constructor(compile: Compile, isTyped: boolean) {
    this.#compile = compile
    this.#isTyped = isTyped
    this.#toList = isTyped ? (value) => value : parseList
  }

  /** Operators share operands, and so do methods. */
  operand(operand: Operand): Read {
    const { item } = operand
    const read = this.#ready.get(operand) ?? (item === undefined ? this.#value(operand) : this.#list(item))
    this.#ready.set(operand, read)
    return read
  }

  #value({ schema, shape, isEquality }: Operand): Read {
    const readText = this.#isTyped ? (value: unknown) => value : textReader(shape)
    const readOther = this.#isTyped ? readText : nonStringReader(shape)
    const mayBeNull = isEquality && !this.#isTyped
    const decode = createDecode(shape)
    const check = createLazyCheck(this.#compile, schema)
    return (text, issues) => {
      const value = readText(text)
      const problems = check(value)
      if (problems === undefined) return decode(value, issues)
      const other = readOther(text)
      if (other !== value && check(other) === undefined) return decode(other, issues)
      // Clients of Feathers send `null` as the empty text.
      if (mayBeNull && text === '' && check(null) === undefined) return null
      issues.faults.push(toIssue([...issues.path], problems))
      return undefined
    }
  }

  #list(item: Operand): Read {
    const readItem = this.operand(item)
    return (value, issues) => {
      const list = this.#toList(value)
      if (!Array.isArray(list)) return issues.add('must be a list')
      return list.map((item, index) => (issues.areMany ? item : issues.readAt(index, item, readItem)))
    }
  }

  filter({ value, operators }: FieldFilter): Read {
    const readValue = this.operand(value)
    const readers = new Map([...operators].map(([name, operand]) => [name, this.operand(operand)]))
    const known = listNames('there are', readers.keys())
    return (value, issues) => {
      if (typeof value !== 'object' || value === null) return readValue(value, issues)
      if (Array.isArray(value)) return issues.add('must be one value: $in takes several')
      if (Object.keys(value).length === 0) return issues.add('must have a value', 'minProperties')
      return readFields(value as Query, readers, known, issues)
    }
  }

  group(readers: Readers, known: string): Read {
    const readQuery: Read = (query, issues) => readFields(query as Query, readers, known, issues)
    return (value, issues) => {
      const list = this.#toList(value)
      if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
        return issues.add('must be a list of queries')
      // Each level has two keys: the name of the group, and an index.
      if (issues.path.length > 2 * maxGroupDepth)
        return issues.add(`must stand at most ${maxGroupDepth} deep in others of its kind`, 'maxDepth')
      return list.map((query, index) => issues.readAt(index, query, readQuery))
    }
  }

  #integer(value: unknown): unknown {
    return !this.#isTyped && typeof value === 'string' && /^(\d{1,10}|-1)$/.test(value) ? Number(value) : value
  }

  readonly count: Read = (value, issues) => {
    const count = this.#integer(value)
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxCount
    return isCount ? count : issues.add(`must be an integer from 0 to ${maxCount}`)
  }

  readonly #direction: Read = (value, issues) => {
    const direction = this.#integer(value)
    return direction === 1 || direction === -1 ? direction : issues.add('must be 1 or -1', 'enum')
  }

  sort(fields: readonly string[]): Read {
    const readers = new Map(fields.map((name) => [name, this.#direction]))
    const known = listNames('a query sorts by', fields)
    return (value, issues) =>
      isObject(value) ? readFields(value, readers, known, issues) : issues.add('must name fields, as in $sort[name]=1')
  }

  select(fields: readonly string[]): Read {
    const names = new Set<unknown>(fields)
    const must = `must name fields: ${[...fields].sort().join(', ')}`
    return (value, issues) => {
      const list = this.#toList(value)
      if (!Array.isArray(list)) return issues.add('must be a list of fields')
      return list.every((name) => names.has(name)) ? list : issues.add(must, 'enum')
    }
  }
}

/** Creates the function that converts a value with the codecs of a field for the service. */
function createDecode(shape: Shape): Read {
  const { codecs } = shape
  if (codecs.length === 0) return (value) => value
  const hasPlainBranch = shape.hasPlainBranch(kindBits.all & ~kindBits.null)
  return (value, issues) => {
    let problem = ''
    for (const codec of codecs) {
      const result = codec.decode(value)
      if ('message' in result) problem ||= result.message
      else if (!isComparable(result.value)) problem ||= 'can not be compared'
      else return result.value
    }
    return value === null || hasPlainBranch ? value : issues.add(problem, libraryKeyword)
  }
}

/**
 * Returns whether records can be compared with a decoded value. An adapter may take an object or a
 * list for operators, so that a client could write `{ "$ne": null }`. It may also drop a filter by
 * `undefined`, which then selects all records.
 */
function isComparable(value: unknown): boolean {
  if (value === undefined) return false
  if (typeof value !== 'object' || value === null) return true
  return !Array.isArray(value) && !isPlain(value) && !Object.keys(value).some((name) => name.startsWith('$'))
}

const typeTests = new Map<unknown, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', Number.isInteger],
  ['number', Number.isFinite]
])

/**
 * Creates a check that is compiled with the first value that needs it: queries use few of the
 * fields of a record, and a schema of nothing but one type only compiles for an invalid value.
 */
export function createLazyCheck(compile: Compile, schema: JsonSchema): Check {
  const { type, ...others } = schema
  const isOfType = Object.keys(others).length === 0 ? typeTests.get(type) : undefined
  let check: Check | undefined
  return (value) => {
    if (isOfType?.(value)) return undefined
    check ??= compile(schema)
    return check(value)
  }
}

/**
 * Creates the check of all parameters together, by their library or by the JSON Schema. A query
 * keeps the values that it was sent with: the results of the library are not used.
 *
 * @param isWhole whether required parameters must be there
 */
export function createParameterCheck(
  { operands, required, validate, whole }: QueryParameters,
  isWhole: boolean,
  compile: Compile
): (query: object) => readonly Issue[] {
  if (whole === undefined && validate === undefined) return () => []
  const { required: names, ...others } = whole ?? {}
  const checkWhole = createLazyCheck(compile, { ...others, ...(isWhole && names && { required: names }) })
  return (query) => {
    const sent = Object.fromEntries(Object.entries(query).filter(([name]) => operands.has(name)))
    if (!isWhole && Object.keys(sent).length === 0) return []
    if (whole !== undefined) {
      const problems = checkWhole(sent)
      return problems === undefined ? [] : [toIssue([], problems, 'The query')]
    }
    const result = validate?.(sent)
    if (isPromised(result)) return [{ path: [], keyword: libraryKeyword, must: asynchronous }]
    const issues = (result?.issues ?? []).map(
      ({ path, message }): Issue => ({ path: issuePath(path), keyword: libraryKeyword, must: message })
    )
    const isAsked = ({ path: [name, ...within] }: Issue) =>
      isWhole || within.length > 0 || Object.hasOwn(sent, String(name)) || !required.includes(String(name))
    return issues.filter(isAsked)
  }
}

import type { FastifyRequest } from 'fastify'
import qs from 'qs'
import type { QueryOptions, QueryParser } from '../../../types/fastify.js'
import { BadRequest, ServiceError } from '../../core/errors.js'
import { refusal } from '../../core/resource/issues.js'
import type { Router } from './router.js'

/**
 * Parses a text into nested values. For a text that is refused it returns the error, and never
 * throws.
 */
export type Parse = (text: string) => Record<string, unknown> | BadRequest

/**
 * Makes the parser of query strings and of urlencoded bodies (docs/http.md#queries): what passes a
 * limit is refused, never cut, since a filter that is cut selects more records.
 *
 * @param refusesInherited whether names of `Object.prototype` are refused. `qs` drops them
 * @throws for an option that `qs` can't use
 */
export function createParser(options: QueryParser = {}, refusesInherited = false): Parse {
  if (typeof options === 'function') return (text) => parseSafely(() => options(text) ?? {})
  const parameterLimit = options.parameterLimit ?? 1000
  const settings: qs.IParseOptions = {
    ...options,
    parameterLimit,
    strictDepth: true,
    plainObjects: false,
    allowPrototypes: false,
    ...(refusesInherited && { decoder: refuseInherited(options) })
  }
  checkSettings(settings)
  const parsePlain = createPlainParser(options)
  return (text) => {
    if (text === '') return {}
    // A text that is not longer than the limit can't hold more parameters than it.
    if (text.length > parameterLimit && text.split('&').length > parameterLimit) {
      return new BadRequest(`There are more than ${parameterLimit} parameters`)
    }
    return parsePlain(text) ?? parseSafely(() => qs.parse(text, settings))
  }
}

/** Asks `qs`, which says only of a text that it can't use its options. */
function checkSettings(settings: qs.IParseOptions): void {
  try {
    qs.parse('', settings)
  } catch (cause) {
    throw new TypeError(
      `The parser of queries can't use the option \`query\` of fastify-services: ${(cause as Error).message}`,
      { cause }
    )
  }
}

/** Makes a decoder that refuses parameters with a name of `Object.prototype`, at any depth. */
function refuseInherited({
  decoder,
  allowDots
}: QueryOptions & qs.IParseOptions): NonNullable<qs.IParseOptions['decoder']> {
  const separator = allowDots ? /[.[\]]/ : /[[\]]/
  return (text, fallback, charset, type) => {
    const decoded: unknown = (decoder ?? fallback)(text, fallback, charset, type)
    const path =
      type === 'key'
        ? String(decoded)
            .split(separator)
            .filter((name) => name !== '')
        : []
    if (path.some((name) => name in Object.prototype))
      throw refusal('query', path, 'is not known', 'additionalProperties')
    return decoded
  }
}

function parseSafely(parse: () => Record<string, unknown>): Record<string, unknown> | BadRequest {
  try {
    return parse()
  } catch (error) {
    if (error instanceof BadRequest) return error
    return new BadRequest(error instanceof RangeError ? error.message : "The query can't be parsed", undefined, {
      cause: error
    })
  }
}

/**
 * Parses the query of a request again, since a plugin can't set the parser of an instance. This
 * comes before validation, so that schemas validate and coerce the result.
 *
 * @throws {BadRequest} when the query passes a limit
 */
export function readQuery(request: FastifyRequest, parse: Parse, router: Router): void {
  const query = parse(router.query(request.url))
  if (query instanceof ServiceError) throw query
  request.query = query
}

const operatorsOfLists = new Set(['$in', '$nin', '$or', '$and'])

/**
 * Checks that the operators of a query that take lists have lists. A list over `arrayLimit` has
 * become an object, by which adapters select all records: `$nin` of an object excludes nothing.
 *
 * @param isRead whether the call changes nothing. Then a single value is passed on: some clients
 * send a list of one item like that
 * @throws {BadRequest} at any depth of the query
 */
export function checkLists(query: unknown, isRead: boolean): void {
  if (typeof query !== 'object' || query === null) return
  for (const [name, value] of Object.entries(query)) {
    const isOne = typeof value !== 'object' || value === null
    if (operatorsOfLists.has(name) && !Array.isArray(value) && !(isRead && isOne))
      throw new BadRequest(
        `'${name}' must be a list. In a URL, a list with more items than the option \`query.arrayLimit\` of the server becomes an object: send fewer items, raise that option, or send a find as a QUERY with a JSON body`
      )
    checkLists(value, isRead)
  }
}

/**
 * Where the value of a parameter belongs: `$or[0][a]` → `['$or', 0, 'a']`. `a[]` is the first item
 * of a list.
 */
interface Target {
  readonly path: readonly (string | number)[]
  readonly isList: boolean
}

type Container = Record<string | number, unknown>

/** Parses a query of a plain form as `qs` does. For any other text it returns `undefined`. */
export type ParsePlain = (text: string) => Record<string, unknown> | undefined

const honoured = ['arrayLimit', 'depth', 'parameterLimit'] satisfies (keyof QueryOptions)[]

/**
 * Makes a parser for the queries that clients send: `a=1`, `a[$gt]=1`, `$or[0][a]=1`, `$in[]=1`,
 * encoded or not. It takes a text only if each name is set once and the items of a list stand in
 * order. Whatever else `qs` knows, from limits to duplicates, is left to it, as is every text where
 * another option is set than those three.
 */
export function createPlainParser(options: QueryOptions): ParsePlain {
  const isHonoured = ([name, value]: [string, unknown]) =>
    value === undefined || ((honoured as string[]).includes(name) && Number.isInteger(value))
  if (!Object.entries(options).every(isHonoured)) return () => undefined
  const { arrayLimit = 20, depth = 5 } = options
  const targetOf = remember((key) => toTarget(key, arrayLimit, Number(depth)))

  return (text) => {
    const query: Container = {}
    let list: string[] = []
    let keyOfList: string | undefined
    let equals = text.indexOf('=')
    for (let start = 0; start <= text.length; ) {
      const ampersand = text.indexOf('&', start)
      const end = ampersand === -1 ? text.length : ampersand
      const next = text.indexOf('=', equals + 1)
      // Without `=`, or with a further one, it depends on the brackets where the value begins.
      if (equals === -1 || equals > end || (next !== -1 && next < end)) return undefined
      const key = text.slice(start, equals)
      const value = decode(text.slice(equals + 1, end))
      const target = targetOf(key)
      if (value === undefined || target === undefined) return undefined
      if (key === keyOfList) {
        if (list.push(value) > arrayLimit) return undefined
      } else {
        const container = put(query, target.path, value)
        if (container === undefined) return undefined
        keyOfList = target.isList ? key : undefined
        list = container as unknown as string[]
      }
      start = end + 1
      equals = next
    }
    return query
  }
}

/**
 * The names of an application's queries are few: what was found for one is kept, as long as they do
 * not become many.
 */
function remember<T>(find: (key: string) => T | undefined): (key: string) => T | undefined {
  const cache = new Map<string, T>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined || key.length > 100) return cached
    // A part of a text holds the whole text in memory, this copy of it does not.
    const copy = key.split('').join('')
    const value = find(copy)
    if (cache.size === 500) cache.clear()
    if (value !== undefined) cache.set(copy, value)
    return value
  }
}

function toTarget(key: string, arrayLimit: number, depth: number): Target | undefined {
  const name = decode(key.replace(/%5B/gi, '[').replace(/%5D/gi, ']')) ?? ''
  if (!/^[^[\]]+(\[[^[\]]*\])*$/.test(name)) return undefined
  const segments = name.replaceAll(']', '').split('[')
  const isList = segments.at(-1) === ''
  if (isList) segments[segments.length - 1] = '0'
  const path = segments.map((segment, i) => (i > 0 && isIndex(segment) ? Number(segment) : segment))
  const isPlain = path.every((key, i) => (typeof key === 'number' ? key < arrayLimit : i === 0 || /^\D/.test(key)))
  // `qs` drops the names of `Object.prototype`.
  const isKept = segments.every((segment) => !(segment in Object.prototype))
  return isPlain && isKept && path.length <= depth + 1 ? { path, isList } : undefined
}

const isIndex = (segment: string) => /^(0|[1-9]\d*)$/.test(segment)

/** As `qs` decodes; `undefined` for what can't be decoded. */
function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

/**
 * Puts a value where it belongs.
 * @returns what holds it, `undefined` where something else stands in the way
 */
function put(query: Container, path: Target['path'], value: string): Container | undefined {
  const last = path.length - 1
  let container = query
  for (let i = 0; i < last; i++) {
    const name = path[i] as string | number
    const next = path[i + 1] as string | number
    if (container[name] === undefined) container[name] = typeof next === 'number' ? [] : {}
    const inner = container[name]
    if (typeof next === 'number' ? !(Array.isArray(inner) && next <= inner.length) : !isObject(inner)) return undefined
    container = inner as Container
  }
  const name = path[last] as string | number
  if (container[name] !== undefined) return undefined
  container[name] = value
  return container
}

const isObject = (value: unknown) => typeof value === 'object' && !Array.isArray(value)

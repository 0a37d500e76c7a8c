import type { FastifyRequest } from 'fastify'
import type { IParseOptions } from 'qs'
import type { QueryOptions, QueryParser } from '../../../types/fastify.js'
import { BadRequest, ServiceError } from '../../core/errors.js'
import { once } from '../../core/objects.js'
import { queryOf } from '../../core/request-state.js'
import { refusal } from '../../core/resource/issues.js'
import packages from './packages.cjs'
import type { Router } from './router.js'

const qs = once(packages.qs)

/**
 * Parses a text into nested values. It never throws: if it refuses a text, it returns the error.
 */
export type Parse = (text: string) => Record<string, unknown> | BadRequest

/**
 * Creates the parser of query strings and of urlencoded bodies (docs/http.md#queries). It refuses a
 * text beyond a limit and never cuts it, since a filter that is cut selects more records.
 *
 * @param refusesInherited whether names of `Object.prototype` are refused. `qs` drops them
 * @throws if `qs` can't use an option
 */
export function createParser(options: QueryParser = {}, refusesInherited = false): Parse {
  if (typeof options === 'function') return (text) => parseSafely(() => options(text) ?? {})
  const parameterLimit = options.parameterLimit ?? 1000
  const settings: IParseOptions = {
    ...options,
    parameterLimit,
    strictDepth: true,
    plainObjects: false,
    allowPrototypes: false,
    ...(refusesInherited && { decoder: refuseInherited(options) })
  }
  if (Object.keys(options).length > 0) checkSettings(settings)
  const parsePlain = createPlainParser(options)
  return (text) => {
    if (text === '') return {}
    // A text can't have more parameters than characters.
    if (text.length > parameterLimit && text.split('&').length > parameterLimit) {
      return new BadRequest(`There are more than ${parameterLimit} parameters`)
    }
    return parsePlain(text) ?? parseSafely(() => qs().parse(text, settings))
  }
}

/** Checks the options by parsing a text: `qs` has no other check. */
function checkSettings(settings: IParseOptions): void {
  try {
    qs().parse('', settings)
  } catch (cause) {
    throw new TypeError(
      `The parser of queries can't use the option \`query\` of fastify-services: ${(cause as Error).message}`,
      { cause }
    )
  }
}

/** Creates a decoder that refuses parameters with a name of `Object.prototype`, at any depth. */
function refuseInherited({ decoder, allowDots }: QueryOptions & IParseOptions): NonNullable<IParseOptions['decoder']> {
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
 * Parses the query of a request again, since a plugin can't set the parser of an instance. Call it
 * before validation, so that schemas validate and coerce the result.
 *
 * A request of the server itself may have another query.
 *
 * @throws {BadRequest} if the query passes a limit
 */
export function readQuery(request: FastifyRequest, parse: Parse, router: Router): void {
  const query = queryOf(request.raw) ?? parse(router.query(request.url))
  if (query instanceof ServiceError) throw query
  request.query = query
}

const listOperators = new Set(['$in', '$nin', '$or', '$and'])

/**
 * Checks that list operators have lists, at any depth of a query. `qs` turns a list over
 * `arrayLimit` into an object, for which adapters may select all records: `$nin` of an object
 * excludes nothing.
 *
 * @param isRead whether the call only reads. Then a single value is accepted: some clients send a
 * list of one item so
 * @throws {BadRequest} if one has no list
 */
export function checkLists(query: unknown, isRead: boolean): void {
  if (typeof query !== 'object' || query === null) return
  for (const [name, value] of Object.entries(query)) {
    const isOne = typeof value !== 'object' || value === null
    if (listOperators.has(name) && !Array.isArray(value) && !(isRead && isOne))
      throw new BadRequest(
        `'${name}' must be a list. In a URL, a list with more items than the option \`query.arrayLimit\` of the server becomes an object: send fewer items, raise that option, or send a find as a QUERY with a JSON body`
      )
    checkLists(value, isRead)
  }
}

/** The path of a parameter: `$or[0][a]` → `['$or', 0, 'a']`. `a[]` is the first item of a list. */
interface Target {
  readonly path: readonly (string | number)[]
  readonly isList: boolean
}

type Container = Record<string | number, unknown>

/** Parses a simple query as `qs` does. Returns `undefined` for any other text. */
type ParsePlain = (text: string) => Record<string, unknown> | undefined

const supported = ['arrayLimit', 'depth', 'parameterLimit'] satisfies (keyof QueryOptions)[]

/**
 * Creates a parser for the queries that clients send: `a=1`, `a[$gt]=1`, `$or[0][a]=1`, `$in[]=1`,
 * encoded or not. It is faster than `qs`. It parses a text only if each name is set once and lists
 * are in order. It leaves everything else to `qs`: limits, duplicates, and all texts if an option
 * other than those three is set.
 */
export function createPlainParser(options: QueryOptions): ParsePlain {
  const isSupported = ([name, value]: [string, unknown]) =>
    value === undefined || ((supported as string[]).includes(name) && Number.isInteger(value))
  if (!Object.entries(options).every(isSupported)) return () => undefined
  const { arrayLimit = 20, depth = 5 } = options
  const targetOf = cacheFew((key) => toTarget(key, arrayLimit, Number(depth)))

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

/** Caches the results of a function, while there are few keys: an application has few names. */
function cacheFew<T>(find: (key: string) => T | undefined): (key: string) => T | undefined {
  const cache = new Map<string, T>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined || key.length > 100) return cached
    // A substring would keep the whole text in memory, but this copy does not.
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

/** Decodes a text as `qs` does; `undefined` if that fails. */
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
 * Sets the value at a path.
 * @returns the object or the list that has it; `undefined` if the path has another value
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

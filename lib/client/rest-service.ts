import type { ClientParams, HeadersLike } from '../../types/client.js'
import type { NullableId, Query } from '../../types/service.js'
import { streamOf } from '../core/content.js'
import { BadRequest, type ServiceError } from '../core/errors.js'
import { custom, definitionOf, type MethodDefinition, methods, nameError } from '../core/methods.js'
import { isPlain } from '../core/objects.js'
import { encodeSegment, fillPath, stripSlashes } from '../core/path.js'
import { type ClientRequest, type ClientResponse, headerOf, mergeHeaders, settle } from './message.js'
import { blank, idle, leftOut, longestURL, misread, unsendable, vanishing } from './query-flaws.js'

/** The internals of a service. A copy of this library can use the services of another copy. */
export interface Transport {
  send(request: ClientRequest): Promise<ClientResponse>
  /** Whether the server takes queries as a body. `undefined` until it has said so. */
  takesBody?: boolean | undefined
}

/** Options of an adapter. */
export interface AdapterOptions {
  /** Headers for all calls. */
  headers?: HeadersLike
  /**
   * How queries of `find`, and of custom methods whose route is a `GET`, are sent: in the URL, or
   * as the body of a `QUERY` (docs/http.md#query). Default: as a body if a URL can't express a
   * value, such as `null`, `[]` or a list of more than 20 items, or if the URL would have more than
   * 2,000 characters and the server has said that it takes a `QUERY`. After a server has answered a
   * `QUERY` with 405 or 501, and accepted the same query in the URL, only queries that a URL can't
   * express are sent as a body. With `'url'`, `null` is sent as an empty text and a long list as it
   * is, and `[]` is refused.
   */
  query?: 'body' | 'url'
}

/** The settings of a service of the client. */
export interface RestServiceSettings {
  readonly name: string
  readonly base: string
  /** The HTTP library. */
  readonly connection: unknown
  readonly options: AdapterOptions
  /** State of the client itself. The key can't be the name of a custom method. */
  readonly '~client': Transport
}

/** A class of services: one of ours, or one that extends it. */
export type RestServiceClass = new (settings: RestServiceSettings) => RestService

/** The six methods. Each makes one HTTP request (docs/http.md#requests-and-calls). */
export interface RestService {
  find(params?: ClientParams): Promise<unknown>
  get(id: string | number, params?: ClientParams): Promise<unknown>
  create(data: unknown, params?: ClientParams): Promise<unknown>
  update(id: NullableId, data: unknown, params?: ClientParams): Promise<unknown>
  patch(id: NullableId, data: unknown, params?: ClientParams): Promise<unknown>
  remove(id: NullableId, params?: ClientParams): Promise<unknown>
}

/**
 * A service on a server. `FetchClient`, `AxiosClient` and so on are names of this class, to extend.
 * It has no private fields, since Feathers calls it through proxies.
 *
 * @example
 * class Compact extends FetchClient {
 *   getQuery (query) { return `?q=${encodeURIComponent(JSON.stringify(query))}` }
 * }
 * app.configure(rest(address).fetch(fetch, Compact))
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: methods are made from the table
export class RestService {
  declare readonly name: string
  /**
   * The address of the server, without a slash at its end. That of the service is
   * `${base}/${name}`.
   */
  declare readonly base: string
  declare readonly connection: unknown
  declare readonly options: AdapterOptions
  declare readonly '~client': Transport

  constructor(settings: RestServiceSettings) {
    Object.assign(this, settings, { name: stripSlashes(settings.name) })
  }

  /**
   * Returns the query string with `?`, or an empty string for an empty query. Override it to write
   * queries in another form.
   */
  getQuery(query: Query): string {
    const text = stringify(query)
    return text && `?${text}`
  }

  /**
   * Adds custom methods. Each is a POST that names the method in `X-Service-Method`. Methods that
   * the service has already stay as they are.
   * @throws if the service has another member of that name
   */
  methods(...names: string[]): this {
    for (const name of names) addMethod(this, name)
    return this
  }
}

const members = /^(base|connection|getQuery|methods|name|options)$/

for (const [name, definition] of methods) addMethod(RestService.prototype, name, definition)

/**
 * Adds a method to a service, unless it has that method already.
 * @throws if the service has another member of that name
 */
export function addMethod(service: object, name: string, definition = definitionOf(name)): void {
  if (members.test(name)) throw nameError(name, (service as RestService).name)
  ;(service as RestService)[name as 'find'] ??= async function (
    this: RestService,
    ...args: unknown[]
  ): Promise<unknown> {
    const [request, inexpressible] = toRequest(this, name, definition, args)
    const transport = this['~client']
    try {
      let response = await transport.send(request)
      if (request.method === 'QUERY' && !inexpressible && isRefused(response)) {
        response = await transport.send(toRequest(this, name, definition, args, 'url')[0])
        // A method that is refused as a GET too says nothing of other queries. All services of the
        // server have these options.
        if (!isRefused(response)) {
          delete this.options.query
          transport.takesBody = false
        }
      }
      transport.takesBody ??= /\/json\b/.test(headerOf(response, 'accept-query') as string) || undefined
      return settle(response)
    } catch (error) {
      // Servers, proxies and CORS rules that do not know QUERY refuse it in many ways.
      if (inexpressible && !transport.takesBody && (error as ServiceError).code >= 400)
        (error as Error).message += ` (A URL can't express ${inexpressible})`
      throw error
    }
  }
}

const isRefused = ({ status }: ClientResponse) => [405, 501].includes(status)

function toRequest(
  service: RestService,
  name: string,
  definition: MethodDefinition,
  args: unknown[],
  sentIn = service.options.query
): [request: ClientRequest, inexpressible: string | false | undefined] {
  const { verb, id: hasId, path: template, arguments: names, event } = definition
  const ofCall = `of ${service.name}.${name}`
  const customName = definition === custom ? name : undefined
  if (customName && args.length > 2) throw new Error(`There is no route ${ofCall} in routes`)
  const [id, data, params] = (['id', 'data', 'params'] as const).map((argument) => args[names.indexOf(argument)])
  const { headers, route, query, connection, ifMatch, ...local } = (params ?? {}) as ClientParams &
    Record<string, unknown>
  const { headers: connectionHeaders, signal, ...options } = connection ?? {}
  const conditions = query ?? {}
  if (!isPlain(conditions)) throw new BadRequest(`The query ${ofCall} must be an object`)
  const isMulti = id === null && hasId !== true
  // A query string of another form may express more.
  const isOwnForm = service.getQuery !== RestService.prototype.getQuery
  const takesQuery = verb === 'GET' && name !== 'get' && sentIn !== 'url'
  const refusedFlaws = isMulti
    ? unsendable | vanishing | leftOut | idle | (isOwnForm || sentIn ? 0 : misread | blank)
    : unsendable | (isOwnForm || takesQuery ? 0 : vanishing)
  // A param that the client does not know may be a condition outside of `query`. Clients of
  // Feathers put their login into the params of all calls.
  const [lost] = isMulti && !query && !local.accessToken ? Object.keys(local) : []
  const refused = (lost && `params.${lost}`) || findFlaw(conditions, refusedFlaws)
  if (refused) throw new BadRequest(`A URL can't express ${refused} ${ofCall}`)
  const rest = isMulti ? '' : fillPath(toURL(template), { ...route, id }, ofCall)
  const path = [fillPath(toURL(service.name), route), rest].filter(Boolean).join('/')
  const search = service.getQuery(conditions)
  const json = JSON.stringify(conditions, toSayable)
  const takesBoth = takesQuery && !isOwnForm
  const inexpressible = takesBoth && findFlaw(conditions, vanishing | misread | blank)
  const isBetter = takesBoth && service['~client'].takesBody && search.length > longestURL
  const isQuery = inexpressible || isBetter || (takesQuery && sentIn && json !== '{}')
  const body = isQuery ? json : bodyOf(data)
  // A missing body is an empty object for some servers, and would replace a record. Other data is
  // checked by the server.
  if (event && names.includes('data') && body === undefined) throw new BadRequest('No data provided')
  // Feathers gives a custom method `{}` if the content type is JSON, and `undefined` without one.
  const standard = {
    Accept: 'application/json',
    'Content-Type': typeof (body ?? customName) === 'string' ? 'application/json' : undefined
  }
  const named = {
    'X-Service-Method': customName,
    // Servers remove suffixes that proxies add to tags, such as `-gzip`.
    'If-Match': ifMatch === undefined ? undefined : `"${encode(ifMatch).replace(/-/g, '%2D')}"`
  }
  const request = {
    service: service.name,
    call: name,
    method: isQuery ? 'QUERY' : verb,
    url: `${service.base}/${path}${isQuery ? '' : search}`,
    headers: mergeHeaders(standard, service.options.headers, connectionHeaders, headers, named),
    body,
    options,
    signal
  }
  return [request, inexpressible]
}

/** Converts a number that JSON lacks to text, as in a URL. */
export const toSayable = (_name: string, value: unknown) =>
  /number|bigint/.test(typeof value) && !Number.isFinite(value) ? String(value) : value

/**
 * Encodes the characters that have a meaning in a URL, or that libraries change: browsers read a
 * backslash as a slash, and request takes only ASCII.
 */
export const toURL = (path: string) =>
  path.replace(/[^!"$&->@-[\]-~]+|(^|\/)\.\.?(?=\/|$)/g, (text) => encodeSegment(text.replace('/', ''), 'A path'))

/** Returns data as JSON. Forms, files, bytes and streams are returned as they are. */
function bodyOf(data: unknown): unknown {
  // Only its methods identify the form of React Native.
  if (typeof Object(data).getAll === 'function' || streamOf(data) || raw.test({}.toString.call(data))) return data
  if (!ArrayBuffer.isView(data)) return JSON.stringify(data)
  // For a view, libraries send its whole buffer, or one byte for each of its numbers: they get a
  // copy of its bytes. All can send a Buffer.
  return 'toJSON' in data ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
}

const raw = / (Blob|File|ArrayBuffer)]$/

/**
 * Returns the JSON value of an object with a `toJSON`, such as a date or an id of MongoDB.
 * @throws {RangeError} for an invalid date
 */
function toPlain(value: unknown): unknown {
  const { toJSON, toISOString = toJSON } = Object(value)
  return typeof toISOString === 'function' ? toISOString.call(value) : value
}

/**
 * `name=value` pairs of a value, in the form and the order of `qs.stringify`. The query itself has
 * no name.
 */
function pairs(input: unknown, name?: string): string[] {
  const value = toPlain(input)
  if (value === undefined) return []
  if (!isObject(value)) return [`${encode(name)}=${encode(value ?? '')}`]
  return Object.entries(value).flatMap(([key, inner]) => pairs(inner, name === undefined ? key : `${name}[${key}]`))
}

const isObject = (value: unknown): value is object => Object(value) === value

// `qs` encodes more characters than encodeURIComponent, and replaces halves of surrogate pairs, at
// which encodeURIComponent throws.
const encode = (value: unknown) =>
  encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** A query as a string, byte for byte as `qs.stringify(query)` prints it. */
export const stringify = (query: object): string => pairs(query).join('&')

/**
 * Finds a value, at any depth, that has one of these flaws in a query string, and returns it with
 * its place: `id.$in: []`.
 */
export function findFlaw(input: unknown, flaws: number, path = '', place = leftOut): string | undefined {
  const value = toPlain(input)
  const isList = Array.isArray(value)
  let flaw = 0
  if (place === unsendable || /fu|sy/.test(typeof value)) flaw = unsendable
  else if (value === undefined) flaw = place
  else if (value === null) flaw = /\$n(e|in)\b/.test(path) ? misread : blank
  else if (path && isObject(value) && !Object.keys(value).length)
    flaw = /\$(nin|sort)$/.test(path) ? idle : isList || isPlain(value) ? vanishing : unsendable
  else if (isList && value.length > 20) flaw = misread
  if (flaws & flaw) return `${path}: ${JSON.stringify(value, toSayable)}`.slice(1, 60)
  for (const key of isObject(value) ? Reflect.ownKeys(value) : []) {
    // `qs` does not parse an empty name, and drops names that every object has.
    const isUnread = typeof key === 'symbol' || !key || key in {}
    const within = isUnread ? unsendable : isList ? vanishing : leftOut
    const deeper = findFlaw((value as Record<PropertyKey, unknown>)[key], flaws, `${path}.${String(key)}`, within)
    if (deeper) return deeper
  }
  return undefined
}

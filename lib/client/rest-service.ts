import type { ClientParams, HeadersLike } from '../../types/client.js'
import type { NullableId, Query } from '../../types/service.js'
import { BadRequest } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import { encodeSegment, fillPath, stripSlashes } from '../core/path.js'
import { mergeHeaders } from './headers.js'
import { type ClientRequest, type ClientResponse, streamOf } from './message.js'
import { findVanishing, stringify } from './query.js'
import { settle } from './settle.js'

export const transport = Symbol()

/** Options of an adapter. */
export interface AdapterOptions {
  /** Headers of all calls. */
  headers?: HeadersLike
}

/** What a service of the client is made of. */
export interface RestServiceSettings {
  readonly name: string
  readonly base: string
  /** The HTTP library. */
  readonly connection: unknown
  readonly options: AdapterOptions
  /** Sends a request. It is no member by name: a custom method may be called `send`. */
  [transport](request: ClientRequest): Promise<ClientResponse>
}

/** The six methods; each is one HTTP request (specification: "Endpoints"). */
export interface RestService {
  find(params?: ClientParams): Promise<unknown>
  get(id: string | number, params?: ClientParams): Promise<unknown>
  create(data: unknown, params?: ClientParams): Promise<unknown>
  update(id: NullableId, data: unknown, params?: ClientParams): Promise<unknown>
  patch(id: NullableId, data: unknown, params?: ClientParams): Promise<unknown>
  remove(id: NullableId, params?: ClientParams): Promise<unknown>
}

/** A service on a server. Its subclasses, one for each adapter, may be extended. No private fields: Feathers calls it through proxies. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are made from the table, below
export class RestService {
  declare readonly name: string
  /** The address of the service. */
  declare readonly base: string
  declare readonly connection: unknown
  declare readonly options: AdapterOptions
  declare readonly [transport]: RestServiceSettings[typeof transport]

  constructor(settings: RestServiceSettings) {
    Object.assign(this, settings, { name: stripSlashes(settings.name) })
  }

  /** The query string, with `?`, or an empty string where there is none. Override it for another form. */
  getQuery(query: Query): string {
    const text = stringify(query)
    return text && `?${text}`
  }

  /**
   * Adds custom methods: each is a POST that names it in `X-Service-Method`. Those that the service has stay as they are.
   * @throws when a name is that of another member
   */
  methods(...names: string[]): this {
    for (const name of names) {
      if (members.test(name))
        throw new Error(`'${name}' can't be a method of the service '${this.name}': choose another name`)
      if (!(name in this)) Object.assign(this, { [name]: (...args: unknown[]) => call(this, name, args) })
    }
    return this
  }
}

const members = /^(base|connection|getQuery|methods|name|options)$/

for (const name of methods.keys())
  Object.assign(RestService.prototype, {
    [name](this: RestService, ...args: unknown[]) {
      return call(this, name, args)
    }
  })

async function call(service: RestService, name: string, args: unknown[]): Promise<unknown> {
  return settle(await service[transport](toRequest(service, name, args)))
}

function toRequest(service: RestService, name: string, args: unknown[]): ClientRequest {
  const { verb, id: hasId, arguments: names } = definitionOf(name)
  const of = (argument: (typeof names)[number]) => args[names.indexOf(argument)]
  const [id, data] = [of('id'), of('data')]
  const { headers, route, ...params } = (of('params') ?? {}) as ClientParams
  const { headers: own, signal, ...options } = params.connection ?? {}
  const query = params.query ?? {}
  if (!isPlain(query)) throw new BadRequest(`The query of ${service.name}.${name} must be a plain object`)
  const isMulti = hasId === 'optional' && id === null
  const lost = isMulti ? findVanishing(query) : undefined
  if (lost !== undefined)
    throw new BadRequest(`The condition '${String(lost)}' of ${name}(null) would not reach the server`)
  const segment = hasId && !isMulti ? `/${encodeSegment(id, `The id of ${service.name}.${name}`)}` : ''
  // Where a browser reads a URL, a backslash is a slash, and a tab or a line break is nothing; request takes ASCII alone.
  const path = fillPath(service.name, route).replace(/[^!-[\]-~]+/g, encodeURIComponent)
  const body = bodyOf(data)
  const isJSON = typeof body === 'string'
  const standard = { Accept: 'application/json', 'Content-Type': isJSON ? 'application/json' : undefined }
  const custom = { 'X-Service-Method': methods.has(name) ? undefined : name }
  return {
    service: service.name,
    call: name,
    method: verb,
    url: `${service.base}/${path}${path === '' ? segment.slice(1) : segment}${service.getQuery(query)}`,
    headers: mergeHeaders(standard, service.options.headers, own, headers, custom),
    body,
    options,
    signal
  }
}

const prototypeOf = (value: object) => Object.getPrototypeOf(value)
const isPlain = (value: object) => prototypeOf(prototypeOf(value) ?? value) === null

/** Data as JSON, or as it is when it is a body in itself: a form, a file, bytes, a stream. */
function bodyOf(data: unknown): unknown {
  if (streamOf(data) || raw.test(Object.prototype.toString.call(data))) return data
  if (!ArrayBuffer.isView(data)) return JSON.stringify(data)
  // Libraries send the whole buffer that a view shows a part of, or one byte for each of its numbers. All know a Buffer.
  return 'toJSON' in data ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
}

const raw = / (FormData|Blob|File|URLSearchParams|ArrayBuffer)]$/

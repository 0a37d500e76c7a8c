import type { ClientParams, HeadersLike } from '../../types/client.js'
import type { NullableId, Query } from '../../types/service.js'
import { BadRequest, Unavailable } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import { encodeSegment, fillPath, stripSlashes } from '../core/path.js'
import { hasHeader, mergeHeaders } from './headers.js'
import { type ClientRequest, type ClientResponse, isStream } from './message.js'
import { findVanishing, stringify } from './query.js'
import { settle } from './settle.js'

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
  send(request: ClientRequest): Promise<ClientResponse>
}

type Call<A extends unknown[]> = (...args: A) => Promise<unknown>

/** The six methods; each is one HTTP request (specification: "Endpoints"). */
export interface RestService {
  find: Call<[params?: ClientParams]>
  get: Call<[id: string | number, params?: ClientParams]>
  create: Call<[data: unknown, params?: ClientParams]>
  update: Call<[id: NullableId, data: unknown, params?: ClientParams]>
  patch: Call<[id: NullableId, data: unknown, params?: ClientParams]>
  remove: Call<[id: NullableId, params?: ClientParams]>
}

/** A service on a server. Its subclasses, one for each adapter, may be extended. No private fields: Feathers calls it through proxies. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are made from the table, below
export class RestService {
  declare readonly name: string
  /** The address of the service. */
  declare readonly base: string
  declare readonly connection: unknown
  declare readonly options: AdapterOptions
  declare readonly send: RestServiceSettings['send']

  constructor(settings: RestServiceSettings) {
    Object.assign(this, settings, { name: stripSlashes(settings.name) })
  }

  /** The query string, with `?`, or an empty string where there is none. Override it for another form. */
  getQuery(query: Query): string {
    const text = stringify(query)
    return text && `?${text}`
  }

  /** Adds custom methods: each is a POST that names it in `X-Service-Method`. */
  methods(...names: string[]): this {
    for (const name of names) Object.assign(this, { [name]: (...args: unknown[]) => call(this, name, args) })
    return this
  }
}

for (const name of methods.keys())
  Object.assign(RestService.prototype, {
    [name](this: RestService, ...args: unknown[]) {
      return call(this, name, args)
    }
  })

async function call(service: RestService, name: string, args: unknown[]): Promise<unknown> {
  const request = toRequest(service, name, args)
  const { signal } = request
  signal?.throwIfAborted()
  let response: ClientResponse
  try {
    response = await service.send(request)
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new Unavailable(`${request.method} ${request.url} got no answer`, undefined, { cause })
  }
  return settle(response)
}

function toRequest(service: RestService, name: string, args: unknown[]): ClientRequest {
  const { verb, id: hasId, arguments: names } = definitionOf(name)
  const of = (argument: (typeof names)[number]) => args[names.indexOf(argument)]
  const [id, data] = [of('id'), of('data')]
  const { query = {}, headers, route, connection = {} } = (of('params') ?? {}) as ClientParams
  const { headers: own, signal, ...options } = connection
  const isMulti = hasId === 'optional' && id === null
  const lost = isMulti ? findVanishing(query) : undefined
  if (lost !== undefined)
    throw new BadRequest(
      `The condition '${lost}' of ${name}(null) would not reach the server, which would then change more records`
    )
  const segment = hasId && !isMulti ? `/${encodeSegment(id, `The id of ${service.name}.${name}`)}` : ''
  const path = fillPath(service.name, route)
  const isJSON = data !== undefined && !isRaw(data)
  const merged = mergeHeaders({ Accept: 'application/json' }, service.options.headers, own, headers, {
    'X-Service-Method': methods.has(name) ? undefined : name
  })
  return {
    service: service.name,
    call: name,
    method: verb,
    url: `${service.base}/${path}${path === '' ? segment.slice(1) : segment}${service.getQuery(query)}`,
    headers: isJSON && !hasHeader(merged, 'content-type') ? { ...merged, 'Content-Type': 'application/json' } : merged,
    body: isJSON ? JSON.stringify(data) : data,
    options,
    signal
  }
}

/** Whether data is a body in itself: a form, a file, bytes, a stream. */
function isRaw(data: unknown): boolean {
  const tag = Object.prototype.toString.call(data).slice(8, -1)
  return isStream(data) || ArrayBuffer.isView(data) || raw.has(tag)
}

const raw = new Set(['FormData', 'Blob', 'File', 'URLSearchParams', 'ArrayBuffer'])

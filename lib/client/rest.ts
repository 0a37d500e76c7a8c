import { streamOf } from '../core/content.js'
import { Unavailable } from '../core/errors.js'
import type { Library } from './library.js'
import { type ClientRequest, type ClientResponse, mergeHeaders } from './message.js'
import { checkAddress, following, isPage } from './redirect.js'
import { type AdapterOptions, RestService, type RestServiceClass } from './rest-service.js'
import { axiosLibrary } from './transports/axios.js'
import { fetchLibrary } from './transports/fetch.js'
import { jqueryLibrary } from './transports/jquery.js'
import { requestLibrary } from './transports/request.js'
import { superagentLibrary } from './transports/superagent.js'

/** The HTTP libraries that the client can send requests with. */
export const libraries = [fetchLibrary, axiosLibrary, superagentLibrary, jqueryLibrary, requestLibrary] as const

/**
 * An application that takes a connection: one of `createClient()`, or one of @feathersjs/feathers.
 */
export interface Connectable {
  rest?: unknown
  connection?: Connection
  defaultService?: unknown
  /** The functions that Feathers calls with each service. */
  mixins?: unknown[]
}

/**
 * A server, reached by one HTTP library. `app.configure(connection)` makes it the default:
 * `app.service(name)` finds services there.
 */
export interface Connection {
  (app: Connectable): void
  /** Creates a service of that server, for `app.use`. */
  service(name: string): RestService
  /** The class of its services. */
  readonly Service: RestServiceClass
  /** Sends a request. Replace it to see every request of the connection. */
  send(request: ClientRequest): Promise<ClientResponse>
}

/** An adapter. It takes the library, then options, a class of services, or both. */
export interface Adapter<L, Options = AdapterOptions> {
  (library: L, options?: Options, Class?: RestServiceClass): Connection
  (library: L, Class: RestServiceClass): Connection
}

type AnyLibrary = (typeof libraries)[number]
type AdapterOf<D> = D extends Library<string, infer L, infer Options> ? Adapter<L, Options> : never

/** The adapters for a server, by the name of their library. */
export type Rest = { readonly [Name in AnyLibrary['name']]: AdapterOf<Extract<AnyLibrary, { name: Name }>> }

/**
 * Connects the client with a server by its address (docs/client.md).
 *
 * @param base its address, with a prefix where the services have one. Default: the origin of the
 * page
 * @param options `headers` for all calls
 * @throws when the address has a query or a fragment; outside a browser, when there is none, or it
 * lacks its scheme. The adapters throw when they are given no library.
 * @example
 * app.configure(rest('https://api.example.com').fetch(fetch))
 */
export function rest(base: string | URL = '', options: AdapterOptions = {}): Rest {
  checkAddress(base)
  const address = String(base).replace(/\/+$/, '')
  if (/[?#]/.test(address)) throw new Error('rest(address) takes no ? or #: give the query to each call')
  const adapter =
    ({ name, streams = [], isXHR, send: sendBy, check }: Library<string, unknown>) =>
    (library: unknown, second: AdapterOptions | RestServiceClass = {}, Class: RestServiceClass = RestService) => {
      if (!library) throw new Error(`rest(address).${name}(${name}) needs the library`)
      const [adapterOptions, Chosen] = typeof second === 'function' ? [{}, second] : [second, Class]
      const merged = { ...options, ...adapterOptions, headers: mergeHeaders(options.headers, adapterOptions.headers) }
      check?.(merged)
      const request = following(async (request: ClientRequest) => {
        try {
          const stream = streamOf(request.body)
          if (stream && !streams.includes(stream)) throw new Error(`${name} can't send this: fetch sends streams`)
          const { send } = request.options['~client'] ?? {}
          const isByFetch = request.isSecret && isXHR && isPage()
          return await (send ? send(request) : isByFetch ? fetchLibrary.send(fetch, request) : sendBy(library, request))
        } catch (cause) {
          request.signal?.throwIfAborted?.()
          throw new Unavailable(`${request.method} ${request.url} got no answer`, undefined, { cause })
        }
      })
      const service = (name: string) =>
        new Chosen({
          name,
          base: address,
          connection: library,
          options: merged,
          '~client': { send: (request) => connection.send(request) }
        })
      let isUsed: boolean | undefined
      const configure = (app: Connectable) => {
        if (app.rest || isUsed) throw new Error('There is a connection already: call use() first')
        isUsed = true
        Object.assign(app, { rest: library, connection, defaultService: service })
        app.mixins?.unshift(addMethods)
      }
      const connection: Connection = Object.assign(configure, { Service: Chosen, send: request, service })
      return connection
    }
  return Object.fromEntries(libraries.map((library) => [library.name, adapter(library)])) as unknown as Rest
}

/** Adds the custom methods that a registration in Feathers names to a service of ours. */
function addMethods(service: object, _path: string, { methods }: { methods: readonly string[] }): void {
  if ('~client' in service) (service as RestService).methods(...methods)
}

import { streamOf } from '../core/content.js'
import { Unavailable } from '../core/errors.js'
import { type Connection, createConnection } from './connection.js'
import { type Library, sendInstead } from './library.js'
import { type ClientRequest, mergeHeaders } from './message.js'
import { checkAddress, following, isPage } from './redirect.js'
import type { Send } from './redirect-page.js'
import { type AdapterOptions, RestService, type RestServiceClass } from './rest-service.js'
import { axiosLibrary } from './transports/axios.js'
import { fetchLibrary } from './transports/fetch.js'
import { jqueryLibrary } from './transports/jquery.js'
import { requestLibrary } from './transports/request.js'
import { superagentLibrary } from './transports/superagent.js'

/** The HTTP libraries that the client can send requests with. */
export const libraries = [fetchLibrary, axiosLibrary, superagentLibrary, jqueryLibrary, requestLibrary] as const

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
 * A server by its address (docs/client.md).
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
      const send = async (request: ClientRequest) => {
        try {
          const stream = streamOf(request.body)
          if (stream && !streams.includes(stream)) throw new Error(`${name} can't send this: fetch sends streams`)
          const send = (request.options as { [sendInstead]?: Send })[sendInstead]
          if (send) return await send(request)
          const isByFetch = request.isSecret && isXHR && isPage()
          return await (isByFetch ? fetchLibrary.send(fetch, request) : sendBy(library, request))
        } catch (cause) {
          request.signal?.throwIfAborted?.()
          throw new Unavailable(`${request.method} ${request.url} got no answer`, undefined, { cause })
        }
      }
      return createConnection(Chosen, following(send), { base: address, connection: library, options: merged })
    }
  return Object.fromEntries(libraries.map((library) => [library.name, adapter(library)])) as unknown as Rest
}

import { Unavailable } from '../core/errors.js'
import { type Connection, createConnection, mergeOptions, type RestServiceClass } from './connection.js'
import { streamOf, type Transport } from './message.js'
import { type AdapterOptions, RestService } from './rest-service.js'
import { type Axios, axiosTransport } from './transports/axios.js'
import { type Fetch, fetchTransport } from './transports/fetch.js'
import { type JQuery, jqueryTransport } from './transports/jquery.js'
import { type RequestLibrary, requestTransport } from './transports/request.js'
import { type Superagent, superagentTransport } from './transports/superagent.js'

declare const location: unknown

/** A service over `fetch`. Extend it to override `getQuery`. */
export class FetchClient extends RestService {}
/** A service over axios. Extend it to override `getQuery`. */
export class AxiosClient extends RestService {}
/** A service over superagent. Extend it to override `getQuery`. */
export class SuperagentClient extends RestService {}
/** A service over jQuery. Extend it to override `getQuery`. */
export class JqueryClient extends RestService {}
/** A service over request. Extend it to override `getQuery`. */
export class RequestClient extends RestService {}

/** An adapter: `(library, options?, Class?)` or `(library, Class)`. */
export interface Adapter<Library, Options = AdapterOptions> {
  (library: Library, options?: Options, Class?: RestServiceClass): Connection
  (library: Library, Class: RestServiceClass): Connection
}

/** The adapters for a server. */
export interface Rest {
  fetch: Adapter<Fetch>
  axios: Adapter<Axios>
  superagent: Adapter<Superagent>
  jquery: Adapter<JQuery>
  /** The library has its own way to what holds for all calls: `request.defaults({ headers, auth })`. */
  request: Adapter<RequestLibrary, { headers?: never }>
}

/**
 * A server by its address (specification: "Client behaviour").
 *
 * @param base its address, with a prefix where services stand under one. Default: that of the page
 * @param options `headers` for all calls
 * @throws outside a browser, when there is no address; its adapters, when they are handed no library
 * @example
 * app.configure(rest('https://api.example.com').fetch(fetch))
 */
export function rest(base = '', options: AdapterOptions = {}): Rest {
  if (base === '' && typeof location === 'undefined')
    throw new Error('rest(address) needs an address outside a browser')
  const address = base.replace(/\/+$/, '')
  const adapter =
    <Library>(name: string, Class: RestServiceClass, transport: Transport<Library>, ...streams: string[]) =>
    (library: Library, given: AdapterOptions | RestServiceClass = {}, Own = Class) => {
      if (!library) throw new Error(`rest(address).${name}(${name}) needs the library`)
      const [own, Chosen] = typeof given === 'function' ? [{}, given] : [given, Own]
      const merged = mergeOptions(options, own)
      if (name === 'request' && Object.keys(merged.headers).length > 0)
        throw new Error('Headers for request are those of request.defaults({ headers })')
      return createConnection({
        base: address,
        library,
        options: merged,
        Class: Chosen,
        send: async (request) => {
          try {
            const stream = streamOf(request.body)
            if (stream && !streams.includes(stream)) throw new Error(`${name} can not send it`)
            return await transport(library, request)
          } catch (cause) {
            if (request.signal?.aborted) throw request.signal.reason
            throw new Unavailable(`${request.method} ${request.url} got no answer`, undefined, { cause })
          }
        }
      })
    }
  return {
    fetch: adapter('fetch', FetchClient, fetchTransport, 'pipe', 'getReader'),
    axios: adapter('axios', AxiosClient, axiosTransport, 'pipe'),
    superagent: adapter('superagent', SuperagentClient, superagentTransport),
    jquery: adapter('jquery', JqueryClient, jqueryTransport),
    request: adapter('request', RequestClient, requestTransport) as Rest['request']
  }
}

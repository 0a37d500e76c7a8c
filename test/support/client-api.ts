import * as door from 'fastify-services/client'
import type { RemoteApp } from './client-contract.js'

/** The name of an adapter. */
export type AdapterName = 'fetch' | 'axios' | 'superagent' | 'jquery' | 'request'

/** What a scenario works with, in Node or in a page. A scenario is sent to the page as text: it knows nothing else. */
export interface Api {
  readonly door: typeof door
  readonly adapter: AdapterName
  /** The connection of the adapter to a server. */
  connect(base: string, options?: object): door.Connection
  /** A client of that server. */
  client(base: string, options?: object, routes?: door.ClientOptions['routes']): door.ClientApplication
  /** A client of one of the servers of `interop-servers.ts`, which have a custom method. */
  app(base: string): RemoteApp
  /** What can be told of an error through JSON. */
  tell(error: unknown): Told
  /** What a call gives: its result, or what is told of its error. */
  outcome(call: () => Promise<unknown>): Promise<unknown>
}

export interface Told {
  name: string
  isServiceError: boolean
  classOf: string
  code: number | undefined
  className: string | undefined
  message: string
  data: unknown
  errors: unknown
  hasCause: boolean
  keys: string[]
}

/** Makes the api of an adapter over its library. */
export function createApi(adapter: AdapterName, library: unknown): Api {
  const connect: Api['connect'] = (base, options) =>
    (door.rest(base)[adapter] as (library: unknown, options?: object) => door.Connection)(library, options)
  const client: Api['client'] = (base, options, routes) =>
    door.createClient({ logger: false, ...(routes && { routes }) }).configure(connect(base, options))
  const app: Api['app'] = (base) => {
    const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
    const options = { headers: { 'X-App': 'of the adapter' } }
    const app = client(base, adapter === 'request' ? undefined : options)
    app.use('things', connect(base, adapter === 'request' ? undefined : options).service('things'), { methods })
    return Object.assign(app, {
      iterate: (path: string, params?: door.ClientParams) => door.iterate(app.service(path), params)
    }) as never
  }
  const tell: Api['tell'] = (thrown) => {
    const error = thrown as door.ServiceError
    const { name, code, className, message, data, errors, cause } = error
    const classOf = Object.entries(door).find(([, Class]) => error.constructor === Class)?.[0] ?? error.constructor.name
    const keys = Object.keys(error).sort()
    const isServiceError = error instanceof door.ServiceError
    return {
      name,
      isServiceError,
      classOf,
      code,
      className,
      message,
      data,
      errors,
      hasCause: cause !== undefined,
      keys
    }
  }
  return {
    door,
    adapter,
    connect,
    client,
    app,
    tell,
    outcome: (call) => call().then((value) => value ?? null, tell)
  }
}

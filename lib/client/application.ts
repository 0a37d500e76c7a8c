import { EventEmitter } from 'eventemitter3'
import type { AuthenticationRequest, AuthenticationResult } from '../../types/authentication.js'
import type { AnyService, ClientParams, ClientService, ClientServiceOptions } from '../../types/client.js'
import type { HookOptions } from '../../types/hooks.js'
import { define } from '../core/facade.js'
import { HookStore } from '../core/hooks.js'
import { stripSlashes } from '../core/path.js'
import { createService, type ServiceEntry } from '../core/service.js'
import { addMethods, type Connection } from './connection.js'
import { iterate } from './iterate.js'

/** Options of a client. */
export interface ClientOptions {
  /** Told of listeners that threw. Default: the console. `false`: nobody is. */
  logger?: { error(error: unknown): unknown } | false
}

/** A client application: the services of a server, called as in the server (specification: "Client behaviour"). */
export class ClientApplication<Services = Record<string, AnyService>> extends EventEmitter {
  /** The HTTP library of the default connection. */
  rest?: unknown
  connection?: Connection
  defaultService?: (name: string) => object
  readonly #logger: ClientOptions['logger']
  readonly #entries = new Map<string, ServiceEntry>()
  readonly #common = new HookStore()
  readonly #settings = new Map<string, unknown>()

  constructor({ logger = console }: ClientOptions = {}) {
    super()
    this.#logger = logger
  }

  /** Hands the application to a function: a connection, `authentication(…)`, one of your own. */
  configure(setup: (app: this) => unknown): this {
    setup(this)
    return this
  }

  /**
   * Registers a service: one of another server, one with custom methods, or any object with methods.
   * @throws when the path is taken
   */
  use<P extends keyof Services & string>(path: P | `/${P}`, service: object, options: ClientServiceOptions = {}): this {
    const name = stripSlashes(path)
    if (this.#entries.has(name))
      throw new Error(`There is a service '${name}' already: call app.use('${name}', …) before app.service('${name}')`)
    addMethods(service, name, options)
    const onListenerError = (error: unknown) => (this.#logger ? this.#logger.error(error) : undefined)
    const entry = createService(service, { ...options, app: this, path: name, common: this.#common, onListenerError })
    const registered = entry.service as unknown as AnyService
    define(registered as never, 'iterate', (params?: ClientParams) => iterate(registered, params))
    this.#entries.set(name, entry)
    return this
  }

  /**
   * The service of a path. One that was not registered is a service of the default connection.
   * @throws when there is no such connection
   */
  service<P extends keyof Services & string>(path: P): ClientService<Services[P], this>
  service<S = AnyService>(path: string): ClientService<S, this>
  service(path: string): unknown {
    const name = stripSlashes(path)
    const entry = this.#entries.get(name)
    if (entry !== undefined) return entry.service
    if (this.defaultService === undefined)
      throw new Error(
        `There is no server to look for '${name}' on: app.configure(rest('https://api.example.com').fetch(fetch)) first`
      )
    this.use(name as keyof Services & string, this.defaultService(name))
    return this.service(name)
  }

  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this {
    this.#common.add(options)
    for (const { service } of this.#entries.values()) service.hooks({})
    return this
  }

  /** What was set under a name. `'authentication'` is a promise of the result of the login, or `null`. */
  get(name: 'authentication'): Promise<AuthenticationResult> | null | undefined
  get(name: string): unknown
  get(name: string): unknown {
    return this.#settings.get(name)
  }

  set(name: string, value: unknown): this {
    this.#settings.set(name, value)
    return this
  }

  /** Logs in. Without a request it goes on with the stored token, as `reAuthenticate` does. See `authentication`. */
  authenticate(_request?: AuthenticationRequest, _params?: ClientParams): Promise<AuthenticationResult> {
    return notConfigured()
  }

  /** Goes on with the stored token. See `authentication`. */
  reAuthenticate(_force?: boolean): Promise<AuthenticationResult> {
    return notConfigured()
  }

  /** Logs out. See `authentication`. */
  logout(): Promise<AuthenticationResult | null> {
    return notConfigured()
  }
}

const notConfigured = () => Promise.reject(new Error('There is no authentication yet: app.configure(authentication())'))

/**
 * Makes a client application. `Services` are those of the server: paths, methods, data and results are typed by it.
 *
 * @example
 * const app = createClient<Services>()
 * app.configure(rest('https://api.example.com').fetch(fetch))
 * await app.service('messages').find({ query: { $limit: 5 } })
 */
export const createClient = <Services = Record<string, AnyService>>(
  options?: ClientOptions
): ClientApplication<Services> => new ClientApplication<Services>(options)

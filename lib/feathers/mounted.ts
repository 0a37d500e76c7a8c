import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SettingsStore } from './settings.js'

/**
 * The parts of an application of Feathers 5 that are read: one of `feathers()`, `koa(feathers())`
 * or `express(feathers())`.
 */
export interface FeathersApplication {
  readonly services: object
  readonly mixins: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: the server is that of whatever framework it was made for
  setup(server: any): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  teardown(server: any): Promise<unknown>
}

/** The rest of it, which its types leave out or other packages add. */
export interface Mounted extends FeathersApplication, SettingsStore {
  readonly services: Readonly<Record<string, FeathersService>>
  readonly mixins: Mixin[]
  /** Whether it has been set up, by whomever. */
  readonly _isSetup: boolean
  /** Of `@feathersjs/authentication`. */
  defaultAuthentication?(service?: string): AuthenticationService | null
  /** Of `@feathersjs/transport-commons`: there where it has a real-time transport. */
  readonly channel?: unknown
  /** Of `@feathersjs/socketio`, from the set-up on. */
  readonly io?: Sockets
  /** Of `@feathersjs/koa`. */
  readonly middleware?: readonly unknown[]
  /** Of `@feathersjs/express`. */
  readonly _router?: { readonly stack: readonly ExpressLayer[] }
  /** Of `@feathersjs/koa`: makes the listener of a server. */
  readonly callback?: () => Listener
  /** Of `@feathersjs/koa` and `@feathersjs/express`: the service at a path, as they find it. */
  lookup?(path: string): { readonly service: unknown } | null
}

/** A layer of Express 4. */
export interface ExpressLayer {
  readonly handle: unknown
  readonly regexp: RegExp & { readonly fast_slash?: boolean }
  readonly route?: { readonly path: unknown }
}

/** Answers a request. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** A service of it, with the hooks that its application has given it. */
export interface FeathersService {
  readonly [options]?: ServiceOptions
  readonly [name: string]: unknown
}

export interface Method {
  // biome-ignore lint/suspicious/noExplicitAny: it is whatever the service takes
  (...args: any[]): Promise<unknown>
  createContext(data: object): Context
}

/** The part of a context that is read here when the call is over. */
export interface Context {
  readonly arguments: unknown[]
  result: unknown
  dispatch: unknown
  readonly http: object
}

/**
 * `getServiceOptions` of `@feathersjs/feathers` reads it, which is not imported: nobody needs that
 * package for the rest of this door.
 */
const options: unique symbol = Symbol.for('@feathersjs/service') as never

/**
 * The symbol under which a service has its options. Each copy of `@feathersjs/commons` 5.0.0 has
 * its own.
 */
export function optionsMarkOf(service: FeathersService): typeof options {
  if (service[options] !== undefined) return options
  for (let object: object = service; object !== null; object = Object.getPrototypeOf(object)) {
    const symbols = Object.getOwnPropertySymbols(object) as (typeof options)[]
    const symbol = symbols.find(
      (candidate) => candidate.description === options.description && service[candidate] !== undefined
    )
    if (symbol !== undefined) return symbol
  }
  throw new Error(
    'The Feathers application has a service that its version has not marked as one: install @feathersjs/feathers 5.0.1 or later'
  )
}

export interface ServiceOptions {
  /** What clients may call. */
  readonly methods: readonly string[]
  readonly routeParams?: Readonly<Record<string, string>>
  readonly koa?: Around
  readonly express?: Around
}

/** The middleware around a service. */
interface Around {
  readonly before?: unknown
  readonly after?: unknown
  /** What its framework calls: the middleware, and the service between. */
  composed?: (...args: unknown[]) => unknown
}

export const optionsOf = (service: FeathersService): ServiceOptions => service[optionsMarkOf(service)] as ServiceOptions

/**
 * Whether it is a service of `@feathersjs/authentication-oauth`: one that has a `grant`, or its
 * callback. They need the sessions of Koa or Express.
 */
export const isOAuth = (service: FeathersService): boolean => hasGrant(service) || hasGrant(Object(service.service))

const hasGrant = (service: FeathersService): boolean => typeof service.grant === 'function' && 'handler' in service

export type Mixin = (service: FeathersService, path: string, options: ServiceOptions) => void

export interface AuthenticationService {
  readonly configuration: { readonly parseStrategies?: readonly string[]; readonly authStrategies?: readonly string[] }
  parse(request: IncomingMessage, response: ServerResponse, ...strategies: readonly string[]): Promise<object | null>
}

export interface Sockets {
  readonly httpServer: unknown
  path(): string
  readonly engine: { close(): unknown }
}

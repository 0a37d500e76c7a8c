import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SettingsStore } from './settings.js'

/** An application of Feathers 5: `feathers()`, `koa(feathers())` or `express(feathers())`. */
export interface FeathersApplication {
  readonly services: object
  readonly mixins: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: the server is of any framework
  setup(server: any): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  teardown(server: any): Promise<unknown>
}

/** The members of it that its types leave out, or that other packages add. */
export interface MountedApplication extends FeathersApplication, SettingsStore {
  readonly services: Readonly<Record<string, FeathersService>>
  readonly mixins: ServiceMixin[]
  /** Whether it has been set up, here or elsewhere. */
  readonly _isSetup: boolean
  /** Of `@feathersjs/authentication`. */
  defaultAuthentication?(service?: string): MountedAuthentication | null
  /** Of `@feathersjs/transport-commons`: exists if the application has a real-time transport. */
  readonly channel?: unknown
  /** Of `@feathersjs/socketio`: exists after the setup. */
  readonly io?: Sockets
  /** Of `@feathersjs/koa`. */
  readonly middleware?: readonly unknown[]
  /** Of `@feathersjs/express`. */
  readonly _router?: { readonly stack: readonly ExpressLayer[] }
  /** Of `@feathersjs/koa`: creates the listener of a server. */
  readonly callback?: () => RequestListener
  /** Of `@feathersjs/koa` and `@feathersjs/express`: finds the service at a path. */
  lookup?(path: string): { readonly service: unknown } | null
}

/** A layer of Express 4. */
export interface ExpressLayer {
  readonly handle: unknown
  readonly route?: { readonly path: unknown }
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => unknown

/** A service of the application, with its hooks. */
export interface FeathersService {
  readonly [optionsSymbol]?: ServiceOptions
  readonly [name: string]: unknown
}

export interface Method {
  // biome-ignore lint/suspicious/noExplicitAny: the service declares its arguments
  (...args: any[]): Promise<unknown>
  createContext(data: object): Context
}

/** The members of a context that are read after the call. */
export interface Context {
  readonly arguments: unknown[]
  result: unknown
  dispatch: unknown
  readonly http: object
}

/**
 * The property of the options of a service. `getServiceOptions` of `@feathersjs/feathers` reads it,
 * but importing that would require the package for the rest of this door.
 */
export const optionsSymbol: unique symbol = Symbol.for('@feathersjs/service') as never

export interface ServiceOptions {
  /** The methods that clients may call. */
  readonly methods: readonly string[]
  readonly routeParams?: Readonly<Record<string, string>>
  readonly koa?: MiddlewareChain
  readonly express?: MiddlewareChain
}

/** The middleware around a service. */
interface MiddlewareChain {
  readonly before?: unknown
  readonly after?: unknown
  /** The function that its framework calls: the middleware with the service in between. */
  readonly composed?: (...args: unknown[]) => unknown
}

/** @throws if the service is of the first release of Feathers 5, which had another property */
export function serviceOptions(service: FeathersService): ServiceOptions {
  const options = service[optionsSymbol]
  if (options !== undefined) return options
  throw new Error(
    'The Feathers application has a service that its version has not marked as one: install @feathersjs/feathers 5.0.1 or later'
  )
}

/**
 * Returns whether a service is of `@feathersjs/authentication-oauth`: it has a `grant`, or it is
 * the callback of one that has. Both need the sessions of Koa or Express.
 */
export const isOAuth = (service: FeathersService): boolean => hasGrant(service) || hasGrant(Object(service.service))

const hasGrant = (service: FeathersService): boolean => typeof service.grant === 'function' && 'handler' in service

type ServiceMixin = (service: FeathersService, path: string, options: ServiceOptions) => void

export interface MountedAuthentication {
  readonly configuration: { readonly parseStrategies?: readonly string[]; readonly authStrategies?: readonly string[] }
  parse(request: IncomingMessage, response: ServerResponse, ...strategies: readonly string[]): Promise<object | null>
}

interface Sockets {
  readonly httpServer: unknown
  path(): string
  readonly engine: { close(): unknown }
}

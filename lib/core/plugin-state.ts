import type { AroundHook, HookOptions, Listener } from '../../types/hooks.js'
import type { Describable } from './description.js'
import type { Forwarder } from './service-meta.js'

/** Route `config` key that marks a catch-all route. */
export const fallbackMark: unique symbol = Symbol('fallback')

/** The services of one registration of the plugin, for plugins that are registered later. */
export interface ServiceHost {
  /** The services, in the order of registration. */
  readonly entries: readonly Describable[]
  /** Returns the service at a whole path, with its prefix. */
  entryAt(path: string): Describable | undefined
  /** Returns the service that `app.service(path)` of an instance with this prefix returns. */
  find(prefix: string, path: string): Describable | undefined
  /** Whether the server is ready: no service can be registered any more. */
  readonly isReady: boolean
  /** Adds hooks for all services, at any time. @throws when a hook type is not known */
  addHooks(options: HookOptions): void
  /**
   * Returns the error hooks of all services as one around hook, for a guard, which runs outside of
   * them.
   */
  errorHooks(method: string): AroundHook
  /** Whether there are hooks for all services. */
  readonly hasHooks: boolean
  /** Returns the most specific service at a URL, and the part of the URL's pattern below its path. */
  serviceAt(url: string): { readonly entry: Describable; readonly path: string } | undefined
  /** Forwards requests without a route, below the prefix of an instance, to another framework. */
  addFallback(instance: never, forwarder: Forwarder): void
  /** Answers an error as the routes of services do. */
  answerError(error: unknown, request: never, reply: never): void
  /** Ends an answer that waits behind others on its connection when that closes. */
  endWithConnection(request: never, reply: never): void
  /** Are called with each service that is registered from now on. */
  readonly onService: ((entry: Describable) => void)[]
}

interface CredentialsReader {
  /**
   * Reads the credentials of a request before a service is called, so that hooks find them in
   * `params.authentication`.
   * @returns a promise only if it has to wait
   */
  readCredentials(request: unknown, reply: unknown): Promise<void> | undefined
}

/** An authentication service of an application, as the transport and helpers of Feathers use it. */
export interface Authentication extends CredentialsReader {
  /** The instance on which it was registered. */
  readonly app: unknown
  /** What `app.service(path)` returns for it. */
  readonly service: unknown
  readonly strategyNames: readonly string[]
  readonly users: {
    /** @throws when there is none */
    readonly service: { on(event: string, listener: Listener): unknown }
    /** @throws when the user has none */
    idOf(user: unknown): unknown
  }
  /**
   * The hash of a password in the data of a call with these params: the password itself where it is
   * a hash already.
   */
  hashPassword(password: string, params: object): Promise<string>
}

/** A reader of credentials that belongs to another framework. */
export interface MountedReader extends CredentialsReader {
  /** Whether that framework has an authentication. */
  isThere(): boolean
}

/** Creates the object that hooks get as `context.app` in place of an instance. */
export type ToApplication = (instance: object) => object

/** State of the plugin on one instance of the application. */
interface PluginState {
  services?: ServiceHost
  /** The authentication services, in the order of registration. */
  authentications?: Authentication[]
  /** Reads credentials where the application has no authentication service of this package. */
  mountedReader?: MountedReader | undefined
  /** Set if hooks get another object as `context.app`. */
  toHookApplication?: ToApplication
  /**
   * Of the outermost instance, one for each registration of the plugin. It corrects a URL of a
   * service that has a slash too many.
   */
  slashRewrites?: ((url: string, verb: string) => string | undefined)[]
  /** Of the outermost instance: the path of the tools for agents, with a leading slash. */
  mcpPath?: string
  /** Of the outermost instance: whether a warning of its timeouts was logged. */
  hasWarnedOfTimeouts?: boolean
}

const state = Symbol('plugin state')

/** Returns the state of an instance, or of the nearest one around it. */
export const pluginState = (instance: unknown): PluginState =>
  (Object(instance) as { [state]?: PluginState })[state] ?? {}

/** Returns the state of an instance to write to. Instances inside it inherit each property. */
export function ownPluginState(instance: object): PluginState {
  if (!Object.hasOwn(instance, state)) Object.assign(instance, { [state]: Object.create(pluginState(instance)) })
  return pluginState(instance)
}

/** Returns the services of the plugin that an instance uses. */
export const serviceHostOf = (instance: unknown): ServiceHost => pluginState(instance).services as ServiceHost

/**
 * Returns the service of a call or of a hook. `undefined` for a service of another framework, where
 * nothing is declared.
 */
export function entryOf({ app, path }: { readonly app: unknown; readonly path: string }): Describable | undefined {
  const host: ServiceHost | undefined = serviceHostOf(app)
  return host?.entryAt(path)
}

/**
 * The outermost instance of an application. A request that finds no route runs its hooks, wherever
 * a plugin was registered.
 */
export function rootOf<T extends object>(app: T): T {
  let root = app
  while (!Object.hasOwn(root, 'routing')) root = Object.getPrototypeOf(root)
  return root
}

/** The property of an object in place of an instance that holds the instance. */
export const instance: unique symbol = Symbol('instance')

/** Returns the instance of a `context.app`, which may be an object in its place. */
const instanceOf = <A extends object>(app: A): A => (app as { [instance]?: A })[instance] ?? app

/**
 * Whether hooks of the services of this instance itself, not of one around it, get something else
 * in its place.
 */
export const hasHookApplication = (app: object): boolean =>
  Object.hasOwn(app, state) && Object.hasOwn(pluginState(app), 'toHookApplication')

/** Returns what hooks get as `context.app`: the instance, or the object in its place. */
export const hookApplicationOf = (app: unknown): unknown => pluginState(app).toHookApplication?.(app as object) ?? app

/**
 * Advice about the guard of @feathersjs/authentication, which does not know the services of
 * this package.
 */
export const guardAdvice = "Replace its import by: import { authenticate } from 'fastify-services/authentication'"

/**
 * The authentication service that is responsible for an instance: the only one of the application;
 * or, of several, the first one that was registered on this instance or on the nearest instance
 * around it.
 */
export function authenticationFor(instance: object): Authentication | undefined {
  const all = pluginState(instance).authentications ?? []
  if (all.length < 2) return all[0]
  for (let around: object | null = instanceOf(instance); around !== null; around = Object.getPrototypeOf(around)) {
    const nearest = all.find(({ app }) => app === around)
    if (nearest !== undefined) return nearest
  }
  return undefined
}

function mountedReaderFor(instance: object): MountedReader | undefined {
  const { authentications, mountedReader } = pluginState(instance)
  return authentications?.length ? undefined : mountedReader
}

/** The reader of credentials for requests to the services of an instance. */
export const readerFor = (instance: object): CredentialsReader | undefined =>
  authenticationFor(instance) ?? mountedReaderFor(instance)

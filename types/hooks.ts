import type {
  CallArguments,
  InternalMethod,
  Like,
  Placeholder,
  ResultAt,
  RoutedMethod,
  RoutedName,
  StoredIn
} from './call.js'
import type { Callable, EventRecord, HookName, Untyped } from './method.js'
import type { Service } from './service.js'

/** When a hook runs. */
export type HookType = 'around' | 'before' | 'after' | 'error'

/** The HTTP answer, as hooks may change it. It is `{}` at the start of every call. */
export interface Http {
  /** The status code of the answer. */
  status?: number
  headers?: Record<string, string | string[]>
  /**
   * The URL of a redirect: sets an encoded `Location` header, and status 303 unless `status` is
   * set.
   */
  location?: string
}

/** The members of the contexts of all methods. */
export interface CallContext<S, M extends string, App> {
  /** The instance that the service was registered on. */
  readonly app: App
  readonly service: unknown extends S ? Untyped : ServiceMethods<S> & ServiceAddons
  /** Another name of `service`. */
  readonly self: this['service']
  /** The path of the service, without slashes at its ends. */
  readonly path: string
  readonly method: M
  type: HookType
  /** The event that will be emitted after the call, `null` for none. */
  event: string | null
  /** The arguments of the method call. `id`, `data` and `params` read and write them. */
  arguments: Untyped[]
  /** The value that the server sends instead of `result`, unless it is `undefined`. */
  dispatch?: Untyped
  /** The error, in error hooks. */
  error?: Untyped
  http: Http
  /** Short for `http.status`. */
  statusCode?: number
  /**
   * Returns the call as an object for logs, with its arguments and the members that hooks have
   * added, without `app` and `service`.
   */
  toJSON(): this
}

/**
 * The context of a call, which hooks may change. With a method, `id`, `data`, `params` and `result`
 * have its types: `HookContext<Messages, 'create'>`. Without a service they are `any`, as in
 * Feathers.
 *
 * `id` may also be `null`, for a call about many records, and can be set to it if the method is
 * known. Its type does not say so, as in Feathers, whose hooks would not fit otherwise.
 */
export type HookContext<S = unknown, M extends string = string, App = unknown> = CallContext<S, M, App> &
  CallArguments<S, M> &
  Added<S> & {
    /**
     * The result of the method. If a hook sets it before the method runs, even to `undefined`, the
     * method is not called.
     */
    result?: ResultAt<S, M>
  }

/**
 * Members that hooks may add to the context. If the service is known, an unknown name is an error,
 * since it may be misspelt.
 */
type Added<S> = unknown extends S ? { [name: string]: Untyped } : unknown

/** The context of a hook that runs after the method. */
type AfterContext<S, M extends string, App> = CallContext<S, M, App> &
  CallArguments<S, M> &
  Added<S> & { result: ResultAt<S, M> }

/** Runs the rest of the call: the other hooks and the method. */
export type NextFunction = () => Promise<void>

/** A hook around the call: it calls `await next()` to run the rest of the call. */
export type AroundHook<C = HookContext> = (context: C, next: NextFunction) => unknown

/** A before, after or error hook. An object that it returns is merged into the context. */
export type Hook<C = HookContext> = (context: C) => unknown

type OneOrMore<H> = H | readonly H[]
type MethodOf<Name> = Name extends 'all' ? string : Name & string
type HookOf<S, M extends string, Type, App> = Type extends 'around'
  ? AroundHook<HookContext<S, M, App>>
  : Type extends 'after'
    ? Hook<AfterContext<S, M, App>>
    : Hook<HookContext<S, M, App>>

/**
 * Hooks of one type by method. `all`, or a function or list instead of the object, is for every
 * method.
 */
export type HookMap<S = unknown, Type extends HookType = HookType, App = unknown> =
  | OneOrMore<HookOf<S, string, Type, App>>
  | { readonly [Name in HookName<S>]?: OneOrMore<HookOf<S, MethodOf<Name>, Type, App>> }

/** The argument of `hooks()`: hooks by type and method. */
export interface HookOptions<S = unknown, App = unknown> {
  around?: HookMap<S, 'around', App>
  before?: HookMap<S, 'before', App>
  after?: HookMap<S, 'after', App>
  error?: HookMap<S, 'error', App>
}

/**
 * A listener, which declares the types of its arguments. It gets the record and the context of the
 * call, or the arguments that a custom event was emitted with.
 */
export type Listener = { listen(...args: unknown[]): unknown }['listen']

/** The events that a service emits for its methods. */
export type StandardEvent = 'created' | 'updated' | 'patched' | 'removed'

/** A listener of a standard event: it gets the record and the context of the call. */
export type RecordListener<S = unknown, App = unknown> = {
  listen(record: EventRecord<S>, context: HookContext<S, string, App>): unknown
}['listen']

/** The members of a registered service besides its methods (docs/hooks.md#events). */
export interface ServiceAddons<S = unknown, App = unknown> {
  /** Adds hooks to the service, at any time. @throws if a hook type or a method is unknown */
  hooks(options: HookOptions<S, App>): this
  on(event: StandardEvent, listener: RecordListener<S, App>): this
  on(event: string, listener: Listener): this
  once(event: StandardEvent, listener: RecordListener<S, App>): this
  once(event: string, listener: Listener): this
  off(event: string, listener: Listener): this
  addListener(event: string, listener: Listener): this
  removeListener(event: string, listener: Listener): this
  removeAllListeners(event?: string): this
  /** Calls each listener. If one fails, the error is logged, and the others are still called. */
  emit(event: string, ...args: unknown[]): boolean
  listeners(event: string): Listener[]
  listenerCount(event: string): number
}

type Asynchronous<F> = F extends (...args: infer A) => infer R
  ? R extends Promise<unknown>
    ? F
    : (...args: A) => Promise<R>
  : F

type ServiceMethods<S, M extends string = never, Stored = StoredIn<S>> = {
  [K in keyof S]: K extends keyof Service | M ? Asynchronous<InternalMethod<S[K], K, Stored>> : S[K]
}

/**
 * A service as `app.service(path)` returns it: your methods with hooks and events. Each returns a
 * promise.
 */
export type RegisteredService<S = unknown, App = unknown, M extends string = never, P = unknown> = ([
  Placeholder<P>
] extends [never]
  ? ServiceMethods<S, M>
  : RoutedMethods<ServiceMethods<S, M>, M, Placeholder<P>>) &
  ServiceAddons<S, App>

type RoutedMethods<S, M, Name extends string> = {
  [K in keyof S]: K extends keyof Service | M | RoutedName<S> ? RoutedMethod<S[K], Like<S, K>, Name> : S[K]
}

/**
 * A call of a service, as `diagnostics_channel.tracingChannel('fastify-services:call')` publishes
 * it: one object for all events of a call. A subscriber may add properties, such as a span.
 */
export interface TracedCall {
  readonly path: string
  readonly method: string
  /** `'rest'` for a call over HTTP, `undefined` for one from the server itself. */
  readonly provider: string | undefined
  readonly context: HookContext
  /** The result, at the end of the call. */
  result?: unknown
  /** The error, if the call failed. */
  error?: unknown
}

// biome-ignore lint/suspicious/noTsIgnore: fails only without the package; kept in declarations
/** @ts-ignore The optional peer: if it is not installed, the type is `any`. */
type PeerApplication = import('@feathersjs/feathers').Application

/**
 * The members of `context.app` besides those of the instance, if `fastify-services/feathers` is
 * imported.
 */
// biome-ignore lint/suspicious/noEmptyInterface: that door fills it
export interface HookMembers {}

type Uncallable = (first: never, ...rest: never[]) => never

/**
 * The members of a Feathers application that ours lacks. They can't be used, but hooks that are
 * typed for Feathers fit.
 */
export type FeathersMembers<App> = string extends keyof PeerApplication
  ? unknown
  : {
      readonly [K in keyof PeerApplication]: K extends keyof App
        ? App[K] extends Callable
          ? Uncallable
          : unknown
        : never
    }

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

export type HookType = 'around' | 'before' | 'after' | 'error'

/** What a hook may say about the HTTP answer. It is `{}` at the start of every call. */
export interface Http {
  /** The status code to answer with. */
  status?: number
  headers?: Record<string, string | string[]>
  /**
   * Where to redirect to: becomes an encoded `Location` header, and status 303 unless `status` is
   * set.
   */
  location?: string
}

/** What the contexts of all methods have. */
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
  /** What the server sends instead of `result`, unless it is `undefined`. */
  dispatch?: Untyped
  /** What was thrown, in error hooks. */
  error?: Untyped
  http: Http
  /** Short for `http.status`. */
  statusCode?: number
  /**
   * The call as an object for logs: with its arguments and what hooks have added, without `app` and
   * `service`.
   */
  toJSON(): this
}

/**
 * What every hook of a call gets, and may change. With a method, `id`, `data`, `params` and
 * `result` have its types: `HookContext<Messages, 'create'>`. Without a service they are `any`, as
 * in Feathers.
 *
 * `id` may be `null` too, for a call that stands for many records, and can be set to it where the
 * method is known. Its type does not say so, as in Feathers, whose hooks would not fit otherwise.
 */
export type HookContext<S = unknown, M extends string = string, App = unknown> = CallContext<S, M, App> &
  CallArguments<S, M> &
  Added<S> & {
    /**
     * The result of the method. If a hook sets it before the method runs, to `undefined` too, the
     * method is not called.
     */
    result?: ResultAt<S, M>
  }

/**
 * What hooks of any service may add to the context. Where the service is named, a name that is
 * misspelt is a mistake.
 */
type Added<S> = unknown extends S ? { [name: string]: Untyped } : unknown

/** The context of a hook that runs after the method. */
type AfterContext<S, M extends string, App> = CallContext<S, M, App> &
  CallArguments<S, M> &
  Added<S> & { result: ResultAt<S, M> }

export type NextFunction = () => Promise<void>

/** Wraps the call: code before `await next()` runs before it, code after it runs after it. */
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
 * Hooks of one type by method; `all` is for every method. A function or a list alone is for every
 * method too.
 */
export type HookMap<S = unknown, Type extends HookType = HookType, App = unknown> =
  | OneOrMore<HookOf<S, string, Type, App>>
  | { readonly [Name in HookName<S>]?: OneOrMore<HookOf<S, MethodOf<Name>, Type, App>> }

/** What `hooks()` takes: hooks by type and method. */
export interface HookOptions<S = unknown, App = unknown> {
  around?: HookMap<S, 'around', App>
  before?: HookMap<S, 'before', App>
  after?: HookMap<S, 'after', App>
  error?: HookMap<S, 'error', App>
}

/**
 * A listener. It gets the record and the context of the call, or whatever a custom event was
 * emitted with, and names their types.
 */
export type Listener = { listen(...args: unknown[]): unknown }['listen']

/** The events that a service emits for its methods. */
export type StandardEvent = 'created' | 'updated' | 'patched' | 'removed'

/**
 * A listener of the four events that a service emits for its methods: it gets the record and the
 * context of the call.
 */
export type RecordListener<S = unknown, App = unknown> = {
  listen(record: EventRecord<S>, context: HookContext<S, string, App>): unknown
}['listen']

/** What a registered service has besides its own methods (docs/hooks-and-events.md#events). */
export interface ServiceAddons<S = unknown, App = unknown> {
  /** Adds hooks to the service, at any time. @throws when a hook type or a method is not known. */
  hooks(options: HookOptions<S, App>): this
  on(event: StandardEvent, listener: RecordListener<S, App>): this
  on(event: string, listener: Listener): this
  once(event: StandardEvent, listener: RecordListener<S, App>): this
  once(event: string, listener: Listener): this
  off(event: string, listener: Listener): this
  addListener(event: string, listener: Listener): this
  removeListener(event: string, listener: Listener): this
  removeAllListeners(event?: string): this
  /**
   * Calls each listener. One that throws or rejects is logged, the others are called all the same.
   */
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
 * A service as `app.service(path)` returns it: the user's methods with hooks and events. Calling
 * one gives a promise.
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
 * it: one object for all events of a call. A subscriber may keep what it needs on it, a span for
 * example.
 */
export interface TracedCall {
  readonly path: string
  readonly method: string
  /** `'rest'` for a call over HTTP, `undefined` for one from the server itself. */
  readonly provider: string | undefined
  readonly context: HookContext
  /** What the call gave, at its end. */
  result?: unknown
  /** What it threw. */
  error?: unknown
}

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where the package is not installed; the comment below stands in the declarations
/** @ts-ignore The optional peer: where it is not installed, the type is `any`. */
type PeerApplication = import('@feathersjs/feathers').Application

/**
 * What `context.app` has besides the members of the instance, where `fastify-services/feathers` is
 * imported.
 */
// biome-ignore lint/suspicious/noEmptyInterface: that door fills it
export interface HookMembers {}

type Uncallable = (first: never, ...rest: never[]) => never

/**
 * What makes an application one of Feathers to the compiler, so that hooks which are typed for
 * Feathers fit: the members that ours lacks, which can't be used.
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

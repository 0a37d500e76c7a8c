import type { Params, Service } from './service.js'

export type HookType = 'around' | 'before' | 'after' | 'error'

/** What a hook may say about the HTTP answer. It is `{}` at the start of every call. */
export interface Http {
  /** The status code to answer with. */
  status?: number
  headers?: Record<string, string | string[]>
  /** Where to redirect to: becomes an encoded `Location` header, and status 303 unless `status` is set. */
  location?: string
}

type First<S, M extends string> = S extends Record<M, (data: infer D, ...rest: never[]) => unknown> ? D : never
type Second<S, M extends string> =
  S extends Record<M, (id: never, data: infer D, ...rest: never[]) => unknown> ? D : never
type Answer<S, M extends string> = S extends Record<M, (...args: never[]) => infer R> ? Awaited<R> : never
type Or<T, Default> = [T] extends [never] ? Default : T

/** What `context.data` holds for a service of type `S`; `unknown` if it can't be told. */
export type ServiceData<S> = Or<First<S, 'create'> | Second<S, 'update'> | Second<S, 'patch'>, unknown>

/** What `context.result` holds for a service of type `S`; `unknown` if it can't be told. */
export type ServiceResult<S> = Or<{ [M in keyof Service]-?: Answer<S, M> }[keyof Service], unknown>

/** What every hook of a call gets, and may change. */
export interface HookContext<S = unknown, App = unknown> {
  /** The instance that the service was registered on. */
  readonly app: App
  readonly service: RegisteredService<S>
  /** The path of the service, without slashes at its ends. */
  readonly path: string
  readonly method: string
  type: HookType
  /** The event that will be emitted after the call, `null` for none. */
  event: string | null
  id?: string | number | null
  data?: ServiceData<S>
  params: Params
  /** The arguments of the method call. `id`, `data` and `params` read and write them. */
  arguments: unknown[]
  /** The result of the method. If a hook sets it before the method runs, the method is not called. */
  result?: ServiceResult<S>
  /** What the server sends instead of `result`, unless it is `undefined`. */
  dispatch?: unknown
  /** What was thrown, in error hooks. */
  error?: unknown
  http: Http
  /** Short for `http.status`. */
  statusCode: number | undefined
  /** The call as an object for logs: with its arguments and what hooks have added, without `app` and `service`. */
  toJSON(): Record<string, unknown>
}

export type NextFunction = () => Promise<void>

/** Wraps the call: code before `await next()` runs before it, code after it runs after it. */
export type AroundHook<C = HookContext> = (context: C, next: NextFunction) => unknown

/** A before, after or error hook. An object that it returns is merged into the context. */
export type Hook<C = HookContext> = (context: C) => unknown

/** Hooks by method; `all` is for every method. A function or a list alone is for every method too. */
export type HookMap<H> = H | readonly H[] | { readonly [method: string]: H | readonly H[] }

/** What `hooks()` takes: hooks by type and method. */
export interface HookOptions<C = HookContext> {
  around?: HookMap<AroundHook<C>>
  before?: HookMap<Hook<C>>
  after?: HookMap<Hook<C>>
  error?: HookMap<Hook<C>>
}

/**
 * A listener. It gets the record and the context of the call, or whatever a custom event was emitted with, and names
 * their types.
 */
export type Listener = { listen(...args: unknown[]): unknown }['listen']

/** The events that a service emits for its methods. */
export type StandardEvent = 'created' | 'updated' | 'patched' | 'removed'

/** A listener of the four events that a service emits for its methods: it gets the record and the context of the call. */
export type RecordListener<S = unknown, App = unknown> = {
  listen(record: Or<Answer<S, 'get'> | Answer<S, 'create'>, unknown>, context: HookContext<S, App>): unknown
}['listen']

/** What a registered service has besides its own methods (specification: "Events"). */
export interface ServiceAddons<S = unknown, App = unknown> {
  /** Adds hooks to the service, at any time. @throws when a hook type or a method is not known. */
  hooks(options: HookOptions<HookContext<S, App>>): this
  on(event: StandardEvent, listener: RecordListener<S, App>): this
  on(event: string, listener: Listener): this
  once(event: StandardEvent, listener: RecordListener<S, App>): this
  once(event: string, listener: Listener): this
  off(event: string, listener: Listener): this
  addListener(event: string, listener: Listener): this
  removeListener(event: string, listener: Listener): this
  removeAllListeners(event?: string): this
  /** Calls each listener. One that throws or rejects is logged, the others are called all the same. */
  emit(event: string, ...args: unknown[]): boolean
  listeners(event: string): Listener[]
  listenerCount(event: string): number
}

type Asynchronous<F> = F extends (...args: infer A) => infer R
  ? R extends Promise<unknown>
    ? F
    : (...args: A) => Promise<R>
  : F

/** A service as `app.service(path)` returns it: the user's methods with hooks and events. Calling one gives a promise. */
export type RegisteredService<S = unknown, App = unknown, M extends string = never> = {
  [K in keyof S]: K extends keyof Service | M ? Asynchronous<S[K]> : S[K]
} & ServiceAddons<S, App>

import type { AuthenticationRequest, AuthenticationResult } from './authentication.js'
import type { Like, Placeholder, Routed, RoutedName, RoutePlaceholder, RoutesAt, StoresRecord } from './call.js'
import type { HookOptions, Listener, ServiceAddons } from './hooks.js'
import type { Identity } from './identity.js'
import type { ClientResult, Jsonify } from './json.js'
import type { Listing, PathOf, ServiceAt } from './listing.js'
import type { Callable, OfferedName, ParamsQuery, Reserved, ResultOf, Signatures } from './method.js'
import type { Query, Service } from './service.js'

type ListedIn<R> = R extends readonly (infer E)[] ? E : R extends { data: readonly (infer E)[] } ? E : never
type FindSignature<S> = S extends { find?: infer F } ? Signatures<NonNullable<F>>[number] : never

/** The records that a walk through a service gives. */
export type IteratedRecord<S> = ListedIn<ResultOf<S extends { find?: infer F } ? NonNullable<F> : never>>

type FindParams<S> =
  FindSignature<S> extends infer F ? (F extends [infer A extends readonly unknown[], unknown] ? A[0] : never) : never

/**
 * Arguments of a walk besides the service: the params of `find`, required where its path has
 * placeholders, and options.
 */
export type IterateArguments<S> = [NonNullable<FindParams<S>>] extends [never]
  ? [params?: ClientParams, options?: IterateOptions]
  : undefined extends FindParams<S>
    ? [params?: FindParams<S>, options?: IterateOptions]
    : [params: FindParams<S>, options?: IterateOptions]

/** Options of a walk. */
export interface IterateOptions {
  /**
   * The name of the field that identifies records. Default: `'id'` or `'_id'`, whichever the
   * records have.
   */
  id?: string
}

/**
 * A service of the client: the methods of the server's class `S`, with results as they are after
 * JSON. A custom method may have any name.
 */
export type ClientService<S, App = unknown, P = unknown> = {
  [K in keyof S as K extends Reserved
    ? never
    : NonNullable<S[K]> extends Callable
      ? K & OfferedName<S>
      : never]-?: ClientMethod<NonNullable<S[K]>, Like<S, K>, Placeholder<P> | RoutePlaceholder<S, K>>
} & ServiceAddons<Received<S>, App> &
  ListMembers<S, P>

/** Additions to a service of the client, if `fastify-services/client/events` is imported. */
// biome-ignore lint/suspicious/noEmptyInterface: that door fills it
export interface ListMembers<_S, _P> {}

/** Additions to a client, if `fastify-services/client/events` is imported. */
// biome-ignore lint/suspicious/noEmptyInterface: that door fills it
export interface ClientMembers {}

type FindOf<S> = S extends { find?: infer F extends Callable | undefined } ? NonNullable<F> : never

/** The arguments of `find` of a service at a path, for clients. */
export type FindArguments<S, P> = Arguments<Parameters<FindOf<S>>[0], Placeholder<P>>

/** The result of `find` of a service, for clients. */
export type FindResult<S> = Jsonify<Awaited<ReturnType<FindOf<S>>>>

// The methods with results as hooks and listeners of the client get them, whose data has what
// clients may send.
type Received<S> = {
  [K in keyof S as Exclude<K, keyof StoresRecord<unknown>>]: S[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<ClientResult<Awaited<R>>>
    : S[K]
}

/** A service without types of its own. */
export type AnyService = Required<Service<Record<string, unknown>>>

/** Options of a service of the client. */
export interface ClientServiceOptions {
  /**
   * The methods of the service. An object of your own names its custom methods here, so that they
   * have hooks. Default: the six.
   */
  methods?: readonly string[]
  /** The events that the service emits by itself. */
  events?: readonly string[]
  hooks?: HookOptions
}

/** The user of a login: by `Identity`, or else the result of the service `users`. */
type UserOf<Services> = Identity extends { user: infer U }
  ? Jsonify<U>
  : Services extends { users: { get: infer F } }
    ? Exclude<ClientResult<ResultOf<F>>, null>
    : unknown

/** The paths of services with routes of custom methods. */
type RoutedPath<Services> = {
  [P in keyof Services]: [RoutedName<Services[P]>] extends [never] ? never : P
}[keyof Services]

/**
 * The routes of custom methods by the paths of their services: the routes in the types of the
 * services, or any.
 */
export type ClientRoutes<Services> = { readonly [P in RoutedPath<Services>]: RoutesAt<Services[P]> } & {
  readonly [P in Exclude<keyof Services, RoutedPath<Services>>]?: RoutesAt<Services[P]>
}

/** Options of a client. */
export interface ClientOptions<Services = Record<string, AnyService>> {
  /**
   * The routes of custom methods by service: `{ posts: { publish: 'POST /:id/publish' } }`. Methods
   * without a route are called by the header `X-Service-Method`.
   */
  routes?: ClientRoutes<Services>
  /** Logs the errors of listeners. Default: the console. `false` turns it off. */
  logger?: { error(error: unknown): unknown } | false
}

/** The events of a client after a login, by two names. */
type LoginEvent = 'login' | 'authenticated'
type ResultListener<Result> = { listen(result: Result): unknown }['listen']
type LoginResult<Services> = AuthenticationResult<UserOf<Services>>

/**
 * A client application. Its services are called as on the server. It emits `login` and `logout`.
 */
export interface ClientApplication<Services = Record<string, AnyService>>
  extends Omit<ServiceAddons, 'hooks' | 'on' | 'once'>,
    ClientMembers {
  /** The HTTP library of the default connection. */
  readonly rest?: unknown
  /**
   * Calls a function with the application: a connection, `authentication(…)`, or one of your own.
   */
  configure(setup: (app: this) => unknown): this
  /**
   * Registers a service: one of another server, one with custom methods, or any object with
   * methods.
   * @throws if there is a service at the path already
   */
  use<P extends keyof Services & string>(path: P | `/${P}`, service: object, options?: ClientServiceOptions): this
  /**
   * Returns the service at a path. If none was registered there, it is a service of the default
   * connection. With a type, `app.service<Messages>(path)`, the path need not be in `Services`.
   * @throws if there is no default connection
   */
  service<S = Listing, P extends PathOf<S, Services> = PathOf<S, Services>>(
    path: P
  ): ClientService<ServiceAt<P, S, Services>, this, P>
  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this
  /**
   * Adds a listener: of a login, with its result, or of a logout, whose result is `null` where the
   * server refuses to renew the token.
   */
  on(event: LoginEvent, listener: ResultListener<LoginResult<Services>>): this
  on(event: 'logout', listener: ResultListener<LoginResult<Services> | null>): this
  on(event: string, listener: Listener): this
  /** Adds a listener of the next event alone. */
  once(event: LoginEvent, listener: ResultListener<LoginResult<Services>>): this
  once(event: 'logout', listener: ResultListener<LoginResult<Services> | null>): this
  once(event: string, listener: Listener): this
  /** Returns a setting. `'authentication'` is a promise of the result of the login, or `null`. */
  get(name: 'authentication'): Promise<LoginResult<Services>> | null | undefined
  get(name: string): unknown
  set(name: string, value: unknown): this
  /**
   * Logs in. Without a request it continues with the stored token, as `reAuthenticate` does.
   * @throws if `authentication` is not configured
   */
  authenticate(request?: AuthenticationRequest, params?: ClientParams): Promise<LoginResult<Services>>
  /** Continues with the stored token. The server is asked once; with `force`, each time. */
  reAuthenticate(force?: boolean): Promise<LoginResult<Services>>
  /** Logs out, and removes the tokens. The result is `null` if the server knew of no login. */
  logout(): Promise<LoginResult<Services> | null>
}

/** The headers of a call. Case does not matter in their names. */
export type HeadersLike =
  | Readonly<Record<string, string | number | null | undefined>>
  | Iterable<readonly [string, string]>

/**
 * Params that stay in the client, for its hooks. Augment it to say which there are: calls take
 * these, and no others.
 *
 * @example
 * declare module 'fastify-services/client' {
 *   interface LocalParams { quiet?: boolean }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the applications that augment it
export interface LocalParams {}

/**
 * The params of a call of the client (docs/client.md). Only `query` is sent to the server as
 * params.
 */
export interface ClientParams<Q = Query> extends LocalParams {
  query?: Q
  /**
   * Headers of this call. They win over `connection.headers` and over the headers of the adapter.
   */
  headers?: HeadersLike
  /**
   * Options of this call for the HTTP library. `headers` are merged, and `signal` aborts the call
   * with every library.
   */
  connection?: { headers?: HeadersLike | undefined; signal?: AbortSignal | undefined; [option: string]: unknown }
  /**
   * The version that the record must have to be written (docs/writes.md): `note.updatedAt`. It is
   * sent as the header `If-Match`.
   */
  ifMatch?: string | number
  /** The values for the placeholders of the path: `userId` for `users/:userId/messages`. */
  route?: Readonly<Record<string, string | number>>
}

/** Data that is sent as it is, if the library can do it: a form, a file, bytes or a stream. */
export type Sendable =
  | { append(name: string, value: string): unknown; getAll(name: string): unknown[] }
  | { arrayBuffer(): Promise<ArrayBuffer> }
  | ArrayBuffer
  | ArrayBufferView
  | { getReader(): unknown }
  | { pipe(to: never): unknown }

// A path with placeholders makes the params required, with values for the placeholders.
type Arguments<P, Route extends string> = [Route] extends [never]
  ? [params?: ClientParams<ParamsQuery<P>>]
  : [params: ClientParams<ParamsQuery<P>> & Routed<Route, string | number>]
type Signature<A extends unknown[], R, K, Route extends string> = K extends 'find'
  ? (...args: Arguments<A[0], Route>) => Promise<ClientResult<Awaited<R>>>
  : K extends 'get' | 'remove'
    ? (id: A[0], ...args: Arguments<A[1], Route>) => Promise<ClientResult<Awaited<R>>>
    : K extends 'update' | 'patch'
      ? (id: A[0], data: A[1] | Sendable, ...args: Arguments<A[2], Route>) => Promise<ClientResult<Awaited<R>>>
      : K extends ':id'
        ? Act<A, R, Route>
        : [] extends A
          ? [Route] extends [never]
            ? (data?: A[0] | Sendable, params?: ClientParams<ParamsQuery<A[1]>>) => Promise<ClientResult<Awaited<R>>>
            : (data: A[0] | Sendable | undefined, ...args: Arguments<A[1], Route>) => Promise<ClientResult<Awaited<R>>>
          : (data: A[0] | Sendable, ...args: Arguments<A[1], Route>) => Promise<ClientResult<Awaited<R>>>

// A method with a route that has an id may be called without data.
type Act<A extends unknown[], R, Route extends string> = A extends [unknown, unknown, ...unknown[]]
  ? (id: A[0], data: A[1] | Sendable, ...args: Arguments<A[2], Route>) => Promise<ClientResult<Awaited<R>>>
  : [Route] extends [never]
    ? (id: A[0], data?: A[1] | Sendable, params?: ClientParams<ParamsQuery<A[2]>>) => Promise<ClientResult<Awaited<R>>>
    : (id: A[0], data: A[1] | Sendable, ...args: Arguments<A[2], Route>) => Promise<ClientResult<Awaited<R>>>

type Overloads<All, K, Route extends string> = All extends [[infer A extends unknown[], infer R], ...infer Others]
  ? Signature<A, R, K, Route> & Overloads<Others, K, Route>
  : unknown

/** A method as clients call it, with its overloads. */
type ClientMethod<F, K, Route extends string> = Overloads<Signatures<F>, K, Route>

import type { AuthenticationRequest, AuthenticationResult } from './authentication.js'
import type { HookOptions, ServiceAddons } from './hooks.js'
import type { ClientResult, Jsonify } from './json.js'
import type { Query, Service } from './service.js'

/** Headers of a call: names in any case. */
export type HeadersLike =
  | Readonly<Record<string, string | number | null | undefined>>
  | Iterable<readonly [string, string]>

/** What a call of a client service takes (specification: "Client behaviour"). Only `query` reaches the server as params. */
export interface ClientParams<Q = Query> {
  query?: Q
  /** Headers of this call. They win over those of `connection` and of the adapter. */
  headers?: HeadersLike
  /** Options of this call for the HTTP library: what it takes, `headers`, and `signal`, which aborts the call. */
  connection?: { headers?: HeadersLike; signal?: AbortSignal; [option: string]: unknown }
  /** Values for the placeholders of the path: `userId` for `users/:userId/messages`. */
  route?: Readonly<Record<string, string | number>>
  [key: string]: unknown
}

type Callable = (...args: never[]) => unknown
type QueryOf<P> = [NonNullable<P>] extends [never]
  ? Query
  : NonNullable<P> extends { query?: infer Q }
    ? unknown extends Q
      ? Query
      : NonNullable<Q>
    : Query
type Item<R> = R extends readonly (infer E)[] ? E : R extends { data: readonly (infer E)[] } ? E : never
type Found<F> = F extends (...args: never[]) => infer R ? Jsonify<Awaited<R>> : never
type FirstArgument<F> = F extends (...args: infer A) => unknown ? A[0] : never

// What a class may have beside its methods, and what is no method of HTTP.
type Reserved =
  | keyof ServiceAddons
  | 'setup'
  | 'teardown'
  | 'prependListener'
  | 'prependOnceListener'
  | 'rawListeners'
  | 'eventNames'
  | 'setMaxListeners'
  | 'getMaxListeners'

type Signature<A extends unknown[], R, K> = K extends 'find'
  ? (params?: ClientParams<QueryOf<A[0]>>) => Promise<ClientResult<Awaited<R>>>
  : K extends 'get' | 'remove'
    ? (id: A[0], params?: ClientParams<QueryOf<A[1]>>) => Promise<ClientResult<Awaited<R>>>
    : K extends 'update' | 'patch'
      ? (id: A[0], data: A[1], params?: ClientParams<QueryOf<A[2]>>) => Promise<ClientResult<Awaited<R>>>
      : [] extends A
        ? (data?: A[0], params?: ClientParams<QueryOf<A[1]>>) => Promise<ClientResult<Awaited<R>>>
        : (data: A[0], params?: ClientParams<QueryOf<A[1]>>) => Promise<ClientResult<Awaited<R>>>

// Where a function has fewer signatures than the pattern, TypeScript infers `unknown` for the others.
type Overload<A extends unknown[], R, K> = unknown extends R ? unknown : Signature<A, R, K>

/** A method for clients, with its overloads: up to three. */
type Method<F, K> = F extends {
  (...args: infer A1): infer R1
  (...args: infer A2): infer R2
  (...args: infer A3): infer R3
}
  ? Overload<A1, R1, K> & Overload<A2, R2, K> & Signature<A3, R3, K>
  : F extends { (...args: infer A1): infer R1; (...args: infer A2): infer R2 }
    ? Overload<A1, R1, K> & Signature<A2, R2, K>
    : F extends (...args: infer A) => infer R
      ? Signature<A, R, K>
      : never

/**
 * A service of the client: the methods of the server's class `S`, with results as they come through JSON. Custom methods are those that
 * `app.use` names.
 */
export type ClientService<S, App = unknown> = {
  [K in keyof S as K extends Reserved ? never : NonNullable<S[K]> extends Callable ? K : never]-?: Method<
    NonNullable<S[K]>,
    K
  >
} & (S extends { find?: infer F }
  ? {
      /** Walks all records that a query selects, page by page. It asks for the next page when it is needed, and stops when the loop is left. */
      iterate(
        params?: ClientParams<QueryOf<FirstArgument<NonNullable<F>>>>
      ): AsyncGenerator<Item<Found<NonNullable<F>>>, void, void>
    }
  : unknown) &
  ServiceAddons<Received<S>, App>

// What hooks and listeners of the client see.
type Received<S> = {
  [K in keyof S]: S[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<ClientResult<Awaited<R>>> : S[K]
}

/** A service that is not typed. */
export type AnyService = Required<Service<Record<string, unknown>>>

/** Options of a service of the client. */
export interface ClientServiceOptions {
  /** The methods of the service, custom ones among them. Default: the six. */
  methods?: readonly string[]
  /** The events that the service emits itself. */
  events?: readonly string[]
  hooks?: HookOptions
}

/** Options of a client. */
export interface ClientOptions {
  /** Told of listeners that throw. Default: the console. `false`: nobody is. */
  logger?: { error(error: unknown): unknown } | false
}

/** A client application: the services of a server, called as in the server. Its own events are `login` and `logout`. */
export interface ClientApplication<Services = Record<string, AnyService>> extends Omit<ServiceAddons, 'hooks'> {
  /** The HTTP library of the default connection. */
  readonly rest?: unknown
  /** Hands the application to a function: a connection, `authentication(…)`, one of your own. */
  configure(setup: (app: this) => unknown): this
  /**
   * Registers a service: one of another server, one with custom methods, or any object with methods.
   * @throws when the path is taken
   */
  use(
    path: (keyof Services & string) | `/${keyof Services & string}`,
    service: object,
    options?: ClientServiceOptions
  ): this
  /**
   * The service of a path. One that was not registered is a service of the default connection.
   * @throws when there is no such connection
   */
  service<P extends keyof Services & string>(path: P | `/${P}`): ClientService<Services[P], this>
  service<S = undefined>(path: S extends undefined ? keyof Services & string : string): ClientService<S, this>
  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this
  /** What was set under a name. `'authentication'` is a promise of the result of the login, or `null`. */
  get(name: 'authentication'): Promise<AuthenticationResult> | null | undefined
  get(name: string): unknown
  set(name: string, value: unknown): this
  /** Logs in. Without a request it goes on with the stored token, as `reAuthenticate` does. @throws when `authentication` is not configured */
  authenticate(request?: AuthenticationRequest, params?: ClientParams): Promise<AuthenticationResult>
  /** Goes on with the stored token: asks the server once, unless `force` is set. */
  reAuthenticate(force?: boolean): Promise<AuthenticationResult>
  /** Logs out, and forgets the tokens. `null` when the server knew of no login. */
  logout(): Promise<AuthenticationResult | null>
}

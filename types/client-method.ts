import type { ClientResult } from './json.js'
import type { QueryOf, Signatures } from './method.js'
import type { Routed } from './route.js'
import type { Query } from './service.js'

/** The headers of a call. Case does not matter in their names. */
export type HeadersLike =
  | Readonly<Record<string, string | number | null | undefined>>
  | Iterable<readonly [string, string]>

/** The params of a call of the client (docs/client.md). Only `query` is sent to the server as params. */
export interface ClientParams<Q = Query> {
  query?: Q
  /** Headers of this call. They win over `connection.headers` and over the headers of the adapter. */
  headers?: HeadersLike
  /** Options of this call for the HTTP library. `headers` are merged, and `signal` aborts the call with every library. */
  connection?: { headers?: HeadersLike; signal?: AbortSignal; [option: string]: unknown }
  /** The values for the placeholders of the path: `userId` for `users/:userId/messages`. */
  route?: Readonly<Record<string, string | number>>
  [key: string]: unknown
}

/** Data that is sent as it is, if the library can do it: a form, a file, bytes or a stream. */
export type Sendable =
  | { append(name: string, value: string): unknown; getAll(name: string): unknown[] }
  | { arrayBuffer(): Promise<ArrayBuffer> }
  | ArrayBuffer
  | ArrayBufferView
  | { getReader(): unknown }
  | { pipe(to: never): unknown }

// Where the path has placeholders, the params are there, with values for them.
export type Arguments<P, Route extends string> = [Route] extends [never]
  ? [params?: ClientParams<QueryOf<P>>]
  : [params: ClientParams<QueryOf<P>> & Routed<Route, string | number>]
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
            ? (data?: A[0] | Sendable, params?: ClientParams<QueryOf<A[1]>>) => Promise<ClientResult<Awaited<R>>>
            : (data: A[0] | Sendable | undefined, ...args: Arguments<A[1], Route>) => Promise<ClientResult<Awaited<R>>>
          : (data: A[0] | Sendable, ...args: Arguments<A[1], Route>) => Promise<ClientResult<Awaited<R>>>

// An action needs no data.
type Act<A extends unknown[], R, Route extends string> = A extends [unknown, unknown, ...unknown[]]
  ? (id: A[0], data: A[1] | Sendable, ...args: Arguments<A[2], Route>) => Promise<ClientResult<Awaited<R>>>
  : [Route] extends [never]
    ? (id: A[0], data?: A[1] | Sendable, params?: ClientParams<QueryOf<A[2]>>) => Promise<ClientResult<Awaited<R>>>
    : (id: A[0], data: A[1] | Sendable, ...args: Arguments<A[2], Route>) => Promise<ClientResult<Awaited<R>>>

type Overloads<All, K, Route extends string> = All extends [[infer A extends unknown[], infer R], ...infer Others]
  ? Signature<A, R, K, Route> & Overloads<Others, K, Route>
  : unknown

/** A method as clients call it, with its overloads. */
export type Method<F, K, Route extends string> = Overloads<Signatures<F>, K, Route>

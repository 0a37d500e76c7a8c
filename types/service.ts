import type { Identified } from './identity.js'

/** The id of a record. Over HTTP it is always a string. */
export type Id = string | number

/** The id of a call. `null` means all records that the query selects. */
export type NullableId = Id | null

/** The query of a call. Over HTTP every value is a string until a schema or a hook converts it. */
export type Query = Record<string, unknown>

/**
 * The last argument of every service method (docs/http.md#params).
 *
 * Over HTTP it has exactly `query`, `headers`, `route`, `provider`, `signal` and the properties
 * that middleware put on `request.feathers`. A call of the server may pass anything.
 */
export interface Params<Q = Query> extends Identified {
  query?: Q
  /** `'rest'` for a call over HTTP, `undefined` for one from the server itself. */
  provider?: string
  /**
   * The decoded placeholders of the service path: `userId` for a service at
   * `users/:userId/messages`.
   */
  route?: Record<string, string>
  headers?: Record<string, string | string[] | undefined>
  /**
   * In a call of the server: the version that the record must have, or a record with that version
   * (`version`). Over HTTP it is the header `If-Match`.
   */
  ifMatch?: unknown
  /**
   * Over HTTP it aborts when the client has left, or after `handlerTimeout`: pass it to `fetch` or
   * a database. A call of the server may pass one. If it is aborted before the method runs, the
   * method is not called.
   */
  signal?: AbortSignal
  /** Set if an agent makes the call by `fastify-services/mcp`. Clients can't set it themselves. */
  mcp?: McpCall
  [key: string]: unknown
}

/** The call of a tool by an agent. */
export interface McpCall {
  /** The name of the tool: `books_remove`. */
  readonly tool: string
}

/** A page of records, the result of `find` of database adapters with pagination. */
export interface Paginated<Result> {
  /** How many records the query selects. */
  total: number
  /** The maximum number of records of a page. */
  limit: number
  /** How many records were skipped before this page. */
  skip: number
  data: Result[]
}

type Find<S> = S extends { find(...args: infer A): Promise<infer R> } ? [A, R] : never
type FoundRecord<R> = R extends { data: (infer Item)[] } ? Item : R extends (infer Item)[] ? Item : never

/** A service of an adapter with pagination: its `find` returns a page. */
export type Paged<S> = Omit<S, 'find'> & { find(...args: Find<S>[0]): Promise<Paginated<FoundRecord<Find<S>[1]>>> }

/** A service of an adapter without pagination: its `find` returns a list. */
export type Unpaged<S> = Omit<S, 'find'> & { find(...args: Find<S>[0]): Promise<FoundRecord<Find<S>[1]>[]> } & {
  readonly '~listed'?: FoundRecord<Find<S>[1]>
}

/**
 * The type that a registered object must have. `find` of adapters has one signature for pages and
 * another for lists, with `paginate: false`. An object is `Unpaged` if it has the second, although
 * its params differ from those of other calls.
 */
export type Registrable<S> = S extends { readonly '~object'?: infer O; readonly '~listed'?: infer R }
  ? unknown extends O
    ? unknown extends R
      ? S
      : Omit<S, 'find'> & { find: S['find' & keyof S] | GivesList<R> }
    : NonNullable<O>
  : S

// With two signatures that differ in type parameters, TypeScript takes the types of a literal's
// arguments and result from the service.
type GivesList<R> = { (): Promise<R[]>; <_>(): Promise<R[]> }

/**
 * A service of an adapter with the option `multi`: `create` also takes a list, and `patch` and
 * `remove` take `null` instead of an id, for all records that the query selects. They return a list
 * then.
 */
export type Multi<S> = S & CreatesLists<S> & PatchesLists<S> & RemovesLists<S>
type CreatesLists<S> = S extends { create(data: infer Data, params?: infer P): Promise<infer Result> }
  ? { create(data: Data[], params?: P): Promise<Result[]> }
  : unknown
type PatchesLists<S> = S extends { patch(id: Id, data: infer Data, params?: infer P): Promise<infer Result> }
  ? { patch(id: null, data: Data, params?: P): Promise<Result[]> }
  : unknown
type RemovesLists<S> = S extends { remove(id: Id, params?: infer P): Promise<infer Result> }
  ? { remove(id: null, params?: P): Promise<Result[]> }
  : unknown

/**
 * The shape of a service: an object with any of the six methods (docs/http.md#requests-and-calls).
 * Use it with `implements` to have the signatures checked; it is not needed otherwise.
 *
 * @example
 * class MessageService implements Service<Message> {
 *   async get (id: Id) { return { id, text: 'hello' } }
 * }
 */
export interface Service<Result = unknown, Data = Partial<Result>, P = Params> {
  find?(params?: P): Promise<Result[] | Paginated<Result>>
  get?(id: Id, params?: P): Promise<Result>
  create?(data: Data | Data[], params?: P): Promise<Result | Result[]>
  update?(id: NullableId, data: Data, params?: P): Promise<Result | Result[]>
  patch?(id: NullableId, data: Partial<Data>, params?: P): Promise<Result | Result[]>
  remove?(id: NullableId, params?: P): Promise<Result | Result[]>
}

/**
 * A service that is written as an object literal. It gives the arguments of its methods their
 * types.
 */
export interface ServiceObject {
  find?(params: Params): unknown
  get?(id: string, params: Params): unknown
  create?(data: Record<string, unknown>, params: Params): unknown
  update?(id: string | null, data: Record<string, unknown>, params: Params): unknown
  patch?(id: string | null, data: Record<string, unknown>, params: Params): unknown
  remove?(id: string | null, params: Params): unknown
}

/**
 * The services of an application by path. Augment it to type `app.service('messages')`, on the
 * server and in the client.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { messages: MessageService }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications augment it
export interface Services {}

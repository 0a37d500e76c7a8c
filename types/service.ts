import type { Identified } from './identity.js'

/** What identifies a record. Over HTTP it is always a string. */
export type Id = string | number

/** The id of a call that may stand for many records: `null` means "all that the query selects". */
export type NullableId = Id | null

/**
 * A query as a service sees it. Over HTTP every leaf is a string until a schema or a hook converts
 * it.
 */
export type Query = Record<string, unknown>

/**
 * The last argument of every service method (docs/http.md#params).
 *
 * Over HTTP it holds exactly `query`, `headers`, `route`, `provider`, `signal` and what middleware
 * put on `request.feathers`. A call from the server itself passes what it likes.
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
   * In a call of the server: the version that the record must have, or a record of that version
   * (`version`). Over HTTP it is the header `If-Match`.
   */
  ifMatch?: unknown
  /**
   * Over HTTP it aborts when the client has left, or `handlerTimeout` has passed: hand it on to
   * `fetch` or a database. A call of the server may pass one. A call whose signal is aborted before
   * its method runs does not run it.
   */
  signal?: AbortSignal
  [key: string]: unknown
}

/** A page of records, as database adapters answer `find` when pagination is on. */
export interface Paginated<Result> {
  /** How many records the query selects in all. */
  total: number
  /** The most records that one page holds. */
  limit: number
  /** How many records were skipped before this page. */
  skip: number
  data: Result[]
}

type Find<S> = S extends { find(...args: infer A): Promise<infer R> } ? [A, R] : never
type FoundRecord<R> = R extends { data: (infer Item)[] } ? Item : R extends (infer Item)[] ? Item : never

/** A service of an adapter that pages: its `find` gives a page. */
export type Paged<S> = Omit<S, 'find'> & { find(...args: Find<S>[0]): Promise<Paginated<FoundRecord<Find<S>[1]>>> }

/** A service of an adapter that does not page: its `find` gives a list. */
export type Unpaged<S> = Omit<S, 'find'> & { find(...args: Find<S>[0]): Promise<FoundRecord<Find<S>[1]>[]> } & {
  readonly '~listed'?: FoundRecord<Find<S>[1]>
}

/**
 * What an object is compared with where it is registered. Adapters have one signature of `find` for
 * pages and another for lists, with `paginate: false`: an object is `Unpaged` by that one, though
 * its params are not what all calls pass.
 */
export type Registrable<S> = S extends { readonly '~listed'?: infer R }
  ? unknown extends R
    ? S
    : Omit<S, 'find'> & { find: S['find' & keyof S] | GivesList<R> }
  : S

// Two signatures that differ in type parameters give a literal no types: its arguments and its
// result have those of the service.
type GivesList<R> = { (): Promise<R[]>; <_>(): Promise<R[]> }

/**
 * A service of an adapter with the option `multi`: `create` takes a list too, `patch` and `remove`
 * take `null` in the place of an id, for all records that the query selects. All of them give a
 * list then.
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
 * The shape of a service that is written as an object literal: it gives the arguments of its
 * methods their types.
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
 * The services of an application by path. Augment it, and `app.service('messages')` is typed, on
 * the server and in the client.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { messages: MessageService }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the applications that augment it
export interface Services {}

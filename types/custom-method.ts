import type { MethodRoute, Takes, WithRoutes } from './call.js'
import type { NoParams } from './method.js'
import type { Option } from './resource-query.js'
import type { Id, Params, Service } from './service.js'
import type { InputOf, WireOf } from './standard-schema.js'

/** A custom method of a resource. Schemas are of the same kinds as that of the record. */
export interface CustomMethod {
  /**
   * The verb and the path of the method, as `'POST /:id/publish'`. Default: `POST` with the header
   * `X-Service-Method`.
   */
  readonly route?: MethodRoute
  /**
   * The schema of the data, which is an object. Default: the data is `{}`. The method has the
   * argument all the same, if its verb is `POST`, `PUT` or `PATCH`.
   */
  readonly body?: unknown
  /** Fields of the record that are `readOnly`, and that the body of this method may set. */
  readonly settable?: readonly string[]
  /** The schema of an object: the parameters that its query may have. Default: none. */
  readonly query?: unknown
  /** The schema of the result. Default: that of the record. */
  readonly response?: unknown
  /**
   * The types of content that the method answers, for documents: `['text/csv']` of one that returns
   * bytes, a stream or a `Response`. Default: JSON.
   */
  readonly produces?: readonly string[]
}

/** Custom methods by name: none is one of the six. */
export type CustomMethods = { readonly [name: string]: CustomMethod } & { readonly [Name in keyof Service]?: never }

/**
 * An object without fields. A method that says nothing of its data or its query (`data: object`,
 * `params: Params`) can take it, unlike a `Record<string, never>`.
 */
type Empty = {
  readonly '~empty'?: never
}

type CustomData<C> = [Option<C, 'body'>] extends [never] ? Empty : InputOf<Option<C, 'body'>>
type CustomQuery<C> = [Option<C, 'query'>] extends [never] ? Empty : InputOf<Option<C, 'query'>>

/** The types of a custom method that options declare, for a record `R`. */
interface CustomTypes<Route, D, Q, R> {
  readonly route: Route
  readonly data: D
  readonly query: Q
  readonly result: R
}

/**
 * The types of the custom methods that the options `O` declare. `S` is the type of the record by
 * its schema, `R` as it leaves.
 */
export type CustomIn<O, S, R> = [Option<O, 'methods'>] extends [never]
  ? Record<never, never>
  : {
      [Name in keyof Option<O, 'methods'>]: CustomTypes<
        Option<Option<O, 'methods'>[Name], 'route'>,
        CustomData<Option<O, 'methods'>[Name]>,
        CustomQuery<Option<O, 'methods'>[Name]>,
        [Option<Option<O, 'methods'>[Name], 'response'>] extends [never]
          ? R
          : Left<WireOf<Option<Option<O, 'methods'>[Name], 'response'>>, S, R>
      >
    }

/**
 * A result as clients get it: where it has the type of the record, the record without hidden
 * fields.
 */
type Left<T, S, R> = T extends readonly (infer I)[] ? Left<I, S, R>[] : [T] extends [S] ? ([S] extends [T] ? R : T) : T

/**
 * Data that no method can take for params: `publish(id, params)` is none with data, where the call
 * is `(id, data, params)`.
 */
type NotParams<D> = 'provider' extends keyof D ? D : D & NoParams

// Written as methods, so that a class may declare narrower arguments: an id that is a string, or a
// number.
type CustomCall<Kind, D, P, R> = Kind extends 'find'
  ? { call(params?: P): R }['call']
  : Kind extends 'get'
    ? { call(id: Id, params?: P): R }['call']
    : Kind extends ':id'
      ? Record<never, never> extends D
        ? { call(id: Id, data?: NotParams<D>, params?: P): R }['call']
        : { call(id: Id, data: NotParams<D>, params?: P): R }['call']
      : Record<never, never> extends D
        ? { call(data?: NotParams<D>, params?: P): R }['call']
        : { call(data: NotParams<D>, params?: P): R }['call']

/** The type that a custom method must have on the object of a service. */
type Serve<Kind, D, P, R> = Kind extends 'find'
  ? { call(params: P): R }['call']
  : Kind extends 'get'
    ? { call(id: Id, params: P): R }['call']
    : Kind extends ':id'
      ? { call(id: Id, data: NotParams<D>, params: P): R }['call']
      : { call(data: NotParams<D>, params: P): R }['call']

type RouteIn<C> = C extends { readonly route: infer Route } ? Route : never

/** The methods of an object, by the types of custom methods. */
export type ServedCustom<M> = {
  [Name in keyof M]: M[Name] extends CustomTypes<infer _Route, infer D, infer Q, infer R>
    ? Serve<Takes<RouteIn<M[Name]>, 'custom'>, D, Params<Q>, CustomAnswer<R>>
    : never
}

/** What a custom method may return: the result, or nothing, or a stream. */
type CustomAnswer<R> = Plain<R> | PromiseLike<Plain<R>>
// biome-ignore lint/suspicious/noConfusingVoidType: a method that gives nothing has this type
type Plain<R> = Loose<R> | AsyncIterable<unknown> | null | undefined | void

/**
 * A value as a service may hold it: a type that JSON does not have, such as a date, becomes a text
 * in the response.
 */
type Loose<T> = T extends readonly (infer I)[]
  ? readonly Loose<I>[]
  : T extends Date
    ? T | string
    : T extends object
      ? { readonly [K in keyof T]: Loose<T[K]> | (undefined extends T[K] ? null : never) }
      : T extends string
        ? T | Date
        : T

type CustomCalls<M> = {
  [Name in keyof M]: M[Name] extends CustomTypes<infer _Route, infer D, infer Q, infer R>
    ? CustomCall<Takes<RouteIn<M[Name]>, 'custom'>, D, Params<Q>, Promise<R>>
    : never
}

type RoutesIn<M> = { readonly [Name in keyof M as [RouteIn<M[Name]>] extends [never] ? never : Name]: RouteIn<M[Name]> }

/** A service with the custom methods of its resource, which have their routes. */
export type WithCustom<S, M> = [keyof M] extends [never]
  ? S
  : [keyof RoutesIn<M>] extends [never]
    ? S & CustomCalls<M>
    : WithRoutes<S & CustomCalls<M>, RoutesIn<M>>

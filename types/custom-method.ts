import type { MethodRoute, Takes, WithRoutes } from './call.js'
import type { StandardEvent } from './hooks.js'
import type { NoParams } from './method.js'
import type { Option } from './resource-query.js'
import type { Id, Params, Service } from './service.js'
import type { InputOf, WireOf } from './standard-schema.js'

/** A custom method of a resource. Its schemas are of the same kinds as the record's schema. */
export interface CustomMethod {
  /**
   * The verb and the path, such as `'POST /:id/publish'`. Default: `POST` with the header
   * `X-Service-Method`.
   */
  readonly route?: MethodRoute
  /**
   * The schema of the data, an object. Default: the data is `{}`. With `POST`, `PUT` and `PATCH`
   * the method always has the argument.
   */
  readonly body?: unknown
  /** The `readOnly` fields of the record that the body of this method may set. */
  readonly settable?: readonly string[]
  /** The schema of the query, an object. Default: no parameters. */
  readonly query?: unknown
  /** The schema of the result. Default: the schema of the record. */
  readonly response?: unknown
  /**
   * The content types of the answer for OpenAPI, such as `['text/csv']` of a method that returns
   * bytes, a stream or a `Response`. Default: JSON.
   */
  readonly produces?: readonly string[]
  /**
   * The event that a call emits with its result, which must be the record then: `'patched'` if the
   * method changes it. Default: none.
   */
  readonly event?: StandardEvent
  /**
   * The roles that may call the method: those whose permissions in `allow()` don't name it. The
   * service needs such a hook. Default: the roles whose permissions name it.
   */
  readonly allow?: readonly string[]
  /**
   * Whether the method takes an `Idempotency-Key`, or even needs one. With `true` and `'required'`
   * the service needs the hook `idempotency()`. Default: as the hook's options say.
   */
  readonly idempotency?: boolean | 'required'
}

/** Custom methods by name, and `false` for standard methods that clients may not call. */
export type CustomMethods = { readonly [name: string]: CustomMethod | false } & {
  readonly [Name in keyof Service]?: false
}

/** The standard methods that the options close. */
export type ClosedIn<O> = keyof Service & KeysWith<Option<O, 'methods'>, false>
type KeysWith<T, V> = [T] extends [never] ? never : { [K in keyof T]: T[K] extends V ? K : never }[keyof T]

/**
 * An object without fields. A method without types for its data or query (`data: object`, `params:
 * Params`) accepts it, unlike a `Record<string, never>`.
 */
type Empty = {
  readonly '~empty'?: never
}

type CustomData<C> = [Option<C, 'body'>] extends [never] ? Empty : InputOf<Option<C, 'body'>>
type CustomQuery<C> = [Option<C, 'query'>] extends [never] ? Empty : InputOf<Option<C, 'query'>>

/** The types of a custom method, for a record `R`. */
interface CustomTypes<Route, D, Q, R> {
  readonly route: Route
  readonly data: D
  readonly query: Q
  readonly result: R
}

/**
 * The types of the custom methods in the options `O`. `S` is the type of the record in its schema,
 * `R` in answers.
 */
export type CustomIn<O, S, R> = [Option<O, 'methods'>] extends [never]
  ? Record<never, never>
  : {
      [Name in Exclude<keyof Option<O, 'methods'>, keyof Service>]: CustomTypes<
        Option<Option<O, 'methods'>[Name], 'route'>,
        CustomData<Option<O, 'methods'>[Name]>,
        CustomQuery<Option<O, 'methods'>[Name]>,
        [Option<Option<O, 'methods'>[Name], 'response'>] extends [never]
          ? R
          : Left<WireOf<Option<Option<O, 'methods'>[Name], 'response'>>, S, R>
      >
    }

/** A result as clients get it. If it is the record, its hidden fields are removed. */
type Left<T, S, R> = T extends readonly (infer I)[] ? Left<I, S, R>[] : [T] extends [S] ? ([S] extends [T] ? R : T) : T

/** Data that is no params, so that a call `(id, data)` does not fit a method `(id, params)`. */
type NotParams<D> = 'provider' extends keyof D ? D : D & NoParams

// Written as methods, so that a class may declare narrower arguments, such as an id of type string.
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

/** The type of a custom method on the object of a service. */
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

/** The return type of a custom method: the result, nothing, or a stream. */
type CustomAnswer<R> = Plain<R> | PromiseLike<Plain<R>>
// biome-ignore lint/suspicious/noConfusingVoidType: a method without a result has this type
type Plain<R> = Loose<R> | AsyncIterable<unknown> | null | undefined | void

/** A value as a service may return it: a date, for example, becomes a string in the response. */
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

/** A service with the custom methods of its resource and their routes. */
export type WithCustom<S, M> = [keyof M] extends [never]
  ? S
  : [keyof RoutesIn<M>] extends [never]
    ? S & CustomCalls<M>
    : WithRoutes<S & CustomCalls<M>, RoutesIn<M>>

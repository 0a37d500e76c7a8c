import type { Id, Params, Query, Service } from './service.js'

export type Callable = (...args: never[]) => unknown

// If a function has fewer overloads than a pattern, TypeScript infers `unknown` for the missing
// ones.
type Present<A, R> = unknown extends R ? [] : [[A, R]]

/**
 * The arguments and the result of each signature of a method, in their order. Up to three overloads
 * are read, as adapters have them.
 */
export type Signatures<F> = F extends {
  (...args: infer A1): infer R1
  (...args: infer A2): infer R2
  (...args: infer A3): infer R3
}
  ? [...Present<A1, R1>, ...Present<A2, R2>, [A3, R3]]
  : F extends { (...args: infer A1): infer R1; (...args: infer A2): infer R2 }
    ? [...Present<A1, R1>, [A2, R2]]
    : F extends (...args: infer A) => infer R
      ? [[A, R]]
      : []

type Argument<T, Index extends number> = T extends [infer A extends readonly unknown[], unknown] ? A[Index] : never
type Result<T> = T extends [unknown, infer R] ? Awaited<R> : never
type LastArgument<F, Index extends number> = F extends (...args: infer A) => unknown ? A[Index] : never

type HasIdAndData = 'update' | 'patch' | ':id'
type HasId = 'get' | 'remove' | HasIdAndData
type IndexOfData<M> = M extends HasIdAndData ? 1 : 0
type IndexOfParams<M> = M extends 'find' ? 0 : M extends HasIdAndData ? 2 : 1

/** A type, or `Default` where it is `never`. */
export type Or<T, Default> = [T] extends [never] ? Default : T

/** A member of a service; `unknown` if the service, or the member, is not known. */
export type Member<S, M> = unknown extends S ? unknown : M extends keyof S ? NonNullable<S[M]> : unknown

/** The id that a method takes, without the `null` that stands for many records. */
export type IdOf<F> = unknown extends F ? Id : Or<NonNullable<Argument<Signatures<F>[number], 0>>, Id>

declare const noParam: unique symbol

/**
 * What the compiler tells the data of a custom method from params by, where a method has left out
 * its argument for data.
 */
export interface NoParams {
  readonly provider?: typeof noParam
}

/** The data that a method takes. */
export type MethodData<F, M> = unknown extends F ? unknown : PlainData<Argument<Signatures<F>[number], IndexOfData<M>>>
type PlainData<D> = D extends infer Data & NoParams ? Data : D

/** What a method gives. */
export type ResultOf<F> = unknown extends F ? unknown : Result<Signatures<F>[number]>

/** The query of a method's params. */
export type ParamsQuery<P> = [NonNullable<P>] extends [never]
  ? Query
  : NonNullable<P> extends { query?: infer Q }
    ? unknown extends Q
      ? Query
      : NonNullable<Q>
    : Query

/**
 * The params of a call: those that its method takes, with whatever else a client or a hook puts
 * into them.
 */
export type ParamsOf<F, M> = unknown extends F ? Params : Widened<NonNullable<LastArgument<F, IndexOfParams<M>>>>
type Widened<P> = [P] extends [never] ? Params : 0 extends 1 & P ? Params : Params<Query & ParamsQuery<P>> & P

/**
 * What a registered service has besides its methods, and what the framework calls by itself. A name
 * that begins with `~` is one of types alone.
 */
export type Reserved =
  | 'setup'
  | 'teardown'
  | 'hooks'
  | 'on'
  | 'once'
  | 'off'
  | 'addListener'
  | 'removeListener'
  | 'removeAllListeners'
  | 'emit'
  | 'listeners'
  | 'listenerCount'
  | 'prependListener'
  | 'prependOnceListener'
  | 'rawListeners'
  | 'eventNames'
  | 'setMaxListeners'
  | 'getMaxListeners'
  | `~${string}`

/**
 * The names of the methods of a service: those of the six that it has, and others that may be
 * custom ones.
 */
export type MethodName<S> = unknown extends S
  ? string
  : { [K in Exclude<keyof S, Reserved> & string]: NonNullable<S[K]> extends Callable ? K : never }[Exclude<
      keyof S,
      Reserved
    > &
      string]

/** The names that hooks of a service may stand under. */
export type HookName<S> = 'all' | keyof Service | MethodName<S>

export type { HasId, HasIdAndData }

type ListedRecord<R> = Exclude<R extends readonly (infer Item)[] ? Item : R, null | undefined>

/** The record that the events of a service are emitted with; `unknown` if no method says it. */
export type EventRecord<S> = unknown extends S
  ? unknown
  : Or<
      { [M in ('get' | 'create') & keyof S]: ListedRecord<ResultOf<NonNullable<S[M]>>> }[('get' | 'create') & keyof S],
      unknown
    >

/**
 * A service of which clients may call some methods only: the names in a list, the same as in the
 * option `methods`. The server has the types of all, the client those of the methods that are
 * named.
 *
 * @example
 * const methods = ['get', 'create'] as const
 * declare module 'fastify-services' {
 *   interface Services { users: WithMethods<UserService, typeof methods> }
 * }
 */
export type WithMethods<S, M extends readonly (keyof S)[]> = S & { readonly '~offered'?: M }

/** The names of the methods that clients may call: all, where the service does not say it. */
export type OfferedName<S> = S extends { readonly '~offered'?: infer M }
  ? NonNullable<M> extends readonly (infer Name)[]
    ? Name
    : PropertyKey
  : PropertyKey

/**
 * A name in the option `methods`. A list whose names are not known one by one is checked at the
 * start.
 */
export type MethodOption<S, M extends string> = string extends M
  ? M
  : M extends keyof S & OfferedName<S>
    ? M
    : MethodName<S> & OfferedName<S>

/**
 * The type of data, params and results in a hook that names no service, and of errors: `any` as in
 * Feathers, so that hooks written for Feathers compile unchanged. A hook with the name of its
 * service, `HookContext<Messages>`, is checked.
 */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would make each of these hooks an error
export type Untyped = any

/** The params of a call of a service that is not named. */
export interface UntypedParams {
  query?: Untyped
  provider?: Untyped
  route?: Untyped
  headers?: Untyped
  signal?: Untyped
  [name: string]: Untyped
}

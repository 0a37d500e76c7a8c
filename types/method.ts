import type { Id, Paginated, Params, Query, Service } from './service.js'

export type Callable = (...args: never[]) => unknown

// TypeScript infers `unknown` for overloads that a function lacks.
type Present<A, R> = unknown extends R ? [] : [[A, R]]

/**
 * The arguments and the result of each signature of a method, in their order. Up to three overloads
 * are read, the most that adapters have.
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

/** A type, or `Default` if it is `never`. */
export type Or<T, Default> = [T] extends [never] ? Default : T

/** A member of a service, `unknown` if the service or the member is unknown. */
export type Member<S, M> = unknown extends S ? unknown : M extends keyof S ? NonNullable<S[M]> : unknown

/** The id that a method takes, without the `null` for many records. */
export type IdOf<F> = unknown extends F ? Id : Or<NonNullable<Argument<Signatures<F>[number], 0>>, Id>

/**
 * Tells the data of a custom method from params for the compiler, if a method lacks the argument
 * for data.
 */
export interface NoParams {
  // A structural type, so that the copies of this library agree.
  readonly provider?: { readonly '~noParams': true }
}

/** The data that a method takes. */
export type MethodData<F, M> = unknown extends F ? unknown : PlainData<Argument<Signatures<F>[number], IndexOfData<M>>>
type PlainData<D> = D extends infer Data & NoParams ? Data : D

/** The result of a method. */
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
 * The params of a call: the type that its method takes, and any other members that a client or a
 * hook may add.
 */
export type ParamsOf<F, M> = unknown extends F ? Params : Widened<NonNullable<LastArgument<F, IndexOfParams<M>>>>
type Widened<P> = [P] extends [never] ? Params : 0 extends 1 & P ? Params : Params<Query & ParamsQuery<P>> & P

/**
 * The members of a registered service besides its methods, and the methods that the framework calls
 * by itself. A name with `~` exists only in types.
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
 * The names of the methods of a service: the standard ones that it has, and possible custom ones.
 */
export type MethodName<S> = unknown extends S
  ? string
  : { [K in Exclude<keyof S, Reserved> & string]: NonNullable<S[K]> extends Callable ? K : never }[Exclude<
      keyof S,
      Reserved
    > &
      string]

/** The method names in hooks of a service. */
export type HookName<S> = 'all' | keyof Service | MethodName<S>

export type { HasId, HasIdAndData }

type ListedRecord<R> = Exclude<R extends readonly (infer Item)[] ? Item : R, null | undefined>

/** The record of the events of a service, `unknown` if no method has its type. */
export type EventRecord<S> = unknown extends S
  ? unknown
  : Or<
      { [M in ('get' | 'create') & keyof S]: ListedRecord<ResultOf<NonNullable<S[M]>>> }[('get' | 'create') & keyof S],
      unknown
    >

/**
 * A service of which clients may call only some methods: the names in a list, the same as in the
 * option `methods`. The server has the types of all methods, the client only of these.
 *
 * @example
 * const methods = ['get', 'create'] as const
 * declare module 'fastify-services' {
 *   interface Services { users: WithMethods<UserService, typeof methods> }
 * }
 */
export type WithMethods<S, M extends readonly (keyof S)[]> = S & { readonly '~offered'?: M }

/** The methods that a caller may call with a record, with the fields that it may send. */
export type MayOf<S> = {
  readonly [M in Exclude<MethodName<S>, 'find' | 'get' | 'create'>]?: M extends 'update' | 'patch'
    ? boolean | readonly (keyof MethodData<Member<S, M>, M> & string)[]
    : boolean
}
type ListWith<R, F> = R extends { data: readonly (infer Item)[] }
  ? Paginated<Item & F>
  : R extends readonly (infer Item)[]
    ? (Item & F)[]
    : R
type WithFields<S, F> = Omit<S, 'find' | 'get'> &
  (S extends { find(...args: infer A): Promise<infer R> } ? { find(...args: A): Promise<ListWith<R, F>> } : unknown) &
  (S extends { get(...args: infer A): Promise<infer R> } ? { get(...args: A): Promise<R & F> } : unknown)

/**
 * A service with the hook `may`: its records have `$may` if a query asks for it.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { posts: WithMay<Paged<ServiceOf<typeof posts>>> }
 * }
 */
export type WithMay<S> = WithFields<S, { readonly $may?: MayOf<S> }>

/**
 * A service with the hook `include`: its records have related records if a query asks for them.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { posts: WithInclude<Paged<ServiceOf<typeof posts>>, { author: User | null; comments: Comment[] }> }
 * }
 */
export type WithInclude<S, Related> = WithFields<S, { readonly [Name in keyof Related]?: Related[Name] }>

/** The names of the methods that clients may call: all, unless the service lists them. */
export type OfferedName<S> = S extends { readonly '~offered'?: infer M }
  ? NonNullable<M> extends readonly (infer Name)[]
    ? Name
    : PropertyKey
  : PropertyKey

/** A name in the option `methods`. A list of type `string[]` is checked only at the start. */
export type MethodOption<S, M extends string> = string extends M
  ? M
  : M extends keyof S & OfferedName<S>
    ? M
    : MethodName<S> & OfferedName<S>

/**
 * The type of data, params and results in a hook without the type of its service, and of errors:
 * `any`, as in Feathers, so that hooks written for Feathers compile unchanged. A hook with the type
 * of its service, `HookContext<Messages>`, is checked.
 */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would make each of these hooks an error
export type Untyped = any

/** The params of a call of an unknown service. */
export interface UntypedParams {
  query?: Untyped
  provider?: Untyped
  route?: Untyped
  headers?: Untyped
  signal?: Untyped
  [name: string]: Untyped
}

import type {
  HasId,
  HasIdAndData,
  IdOf,
  Member,
  MethodData,
  MethodName,
  Or,
  ParamsOf,
  ResultOf,
  Signatures,
  Untyped,
  UntypedParams
} from './method.js'
import type { Id, Params, Service } from './service.js'

/** The names of the placeholders in a path: `'userId'` of `'users/:userId/messages'`. */
export type Placeholder<P> = P extends `${string}:${string}` ? NameIn<P> : never
type NameIn<P> = P extends `${infer Segment}/${infer Rest}`
  ? NameIn<Segment> | NameIn<Rest>
  : P extends `:${infer Name}`
    ? Name
    : never

/** The params that a call of a service needs if its path has placeholders. */
export interface Routed<Name extends string, Value> {
  /** The values for the placeholders of the path. */
  route: { readonly [N in Name]: Value }
}

/** The params of a call of the server. The method gets the values of placeholders as strings. */
type With<P, Name extends string> = WithoutRoute<[NonNullable<P>] extends [never] ? Params : NonNullable<P>> &
  Routed<Name, string | number>
type WithoutRoute<P> = { [K in keyof P as K extends 'route' ? never : K]: P[K] }

type RoutedSignature<A extends readonly unknown[], R, K, Name extends string> = K extends 'find'
  ? (params: With<A[0], Name>) => R
  : K extends HasIdAndData
    ? (id: A[0], data: A[1], params: With<A[2], Name>) => R
    : K extends HasId
      ? (id: A[0], params: With<A[1], Name>) => R
      : (data: A[0], params: With<A[1], Name>) => R

type RoutedOverloads<All, K, Name extends string> = All extends [
  [infer A extends readonly unknown[], infer R],
  ...infer Others
]
  ? RoutedSignature<A, R, K, Name> & RoutedOverloads<Others, K, Name>
  : unknown

/** A method with its overloads, whose params need the values of placeholders. */
export type RoutedMethod<F, K, Name extends string> = [Signatures<F>] extends [[]]
  ? F
  : RoutedOverloads<Signatures<F>, K, Name>

/** The route of a custom method: a verb and a path below its service, `'POST /:id/publish'`. */
export type MethodRoute = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * A service whose custom methods have routes. The route decides which arguments a method has: the
 * id, the data, the params.
 *
 * @example
 * const routes = { publish: 'POST /:id/publish' } as const
 * declare module 'fastify-services' {
 *   interface Services { posts: WithRoutes<PostService, typeof routes> }
 * }
 */
export type WithRoutes<S, R> = S & { readonly '~routes'?: R }

/** Routes by the names of their methods. */
export interface MethodRoutes {
  readonly [name: string]: MethodRoute
}

/** A service with the routes of its options. */
export type NamedRoutes<S, R> = string extends keyof R ? S : WithRoutes<S, R>

/** The option `routes`: the names of methods of the service, without the six standard ones. */
export type RoutesOption<S, R> = string extends keyof R
  ? R
  : R & { readonly [Name in Exclude<keyof R, CustomName<S>>]: never }
type CustomName<S> = unknown extends S ? string : Exclude<MethodName<S>, keyof Service>

/** The route of a method, `never` if it has none. */
type RouteOf<S, M> = S extends { readonly '~routes'?: infer R } ? (M extends keyof R ? R[M] : never) : never

/** The names of the methods that have routes. */
export type RoutedName<S> = S extends { readonly '~routes'?: infer R } ? keyof R : never

/** The option `routes` of a client: the routes of the service's type, or of its custom methods. */
export type RoutesAt<S> = S extends { readonly '~routes'?: infer R }
  ? R
  : [CustomName<S>] extends [never]
    ? MethodRoutes
    : { readonly [Name in CustomName<S>]?: MethodRoute }

/**
 * The standard method with the same arguments as a method. `':id'`, which is no method, means an id
 * and data.
 */
export type Like<S, M> = Takes<RouteOf<S, M>, M>

/** The standard method with the same arguments as a route; `Default` without a route. */
export type Takes<Route, Default> = [Route] extends [never]
  ? Default
  : Route extends `${string}/:id` | `${string}/:id/${string}`
    ? Route extends `P${string}`
      ? ':id'
      : 'get'
    : Route extends `P${string}`
      ? 'custom'
      : 'find'

/** The names of the placeholders in the route of a method, except the id. */
export type RoutePlaceholder<S, M> = Exclude<Placeholder<RouteOf<S, M>>, 'id'>

/** A service whose hooks may set all fields of a record, also server-set ones. */
export interface StoresRecord<R> {
  readonly '~stored'?: R
}

type WritesRecord = 'create' | 'update' | 'patch'

/** The type of `context.data` for any method of a service. */
type ServiceData<S> = unknown extends S
  ? Untyped
  : Or<
      { [M in WritesRecord & keyof S]: StoredData<S, MethodData<NonNullable<S[M]>, M>> }[WritesRecord & keyof S],
      unknown
    >

/** The data of a record in hooks: the fields that clients may send, and server-set fields. */
type StoredData<S, D> = S extends StoresRecord<infer R> ? (unknown extends R ? D : Completed<D, NonNullable<R>>) : D
type Completed<D, R> = D extends readonly (infer Item)[]
  ? Completed<Item, R>[]
  : D & { [K in Exclude<keyof R, keyof D>]?: R[K] }

/** The record that hooks of a service may set, `unknown` if its type does not say. */
export type StoredIn<S> = S extends StoresRecord<infer R> ? (unknown extends R ? unknown : NonNullable<R>) : unknown

/** A method as the server calls it: its data may have server-set fields. */
export type InternalMethod<F, K, Stored> = unknown extends Stored
  ? F
  : K extends WritesRecord
    ? InternalOverloads<Signatures<NonNullable<F>>, K, Stored>
    : F
type InternalOverloads<All, K, Stored> = All extends [[infer A extends readonly unknown[], infer R], ...infer Others]
  ? InternalSignature<A, R, K, Stored> & InternalOverloads<Others, K, Stored>
  : unknown
type InternalSignature<A extends readonly unknown[], R, K, Stored> = K extends 'create'
  ? A extends readonly [infer D, ...infer Rest]
    ? (data: Completed<D, Stored>, ...rest: Rest) => R
    : (...args: A) => R
  : A extends readonly [infer I, infer D, ...infer Rest]
    ? (id: I, data: Completed<D, Stored>, ...rest: Rest) => R
    : (...args: A) => R

/** The type of `context.result` for any method of a service, `unknown` if no method has one. */
type ServiceResult<S> = Or<
  { [M in keyof Service & keyof S]: ResultOf<NonNullable<S[M]>> }[keyof Service & keyof S],
  unknown
>

/** The type of `context.result` for a method. */
export type ResultAt<S, M> = unknown extends S ? Untyped : string extends M ? ServiceResult<S> : ResultOf<Member<S, M>>

/** The arguments of a call by name, for hooks. */
export type CallArguments<S, M extends string> = string extends M
  ? { id?: Id; data?: ServiceData<S>; params: ParamsIn<S, Params> }
  : M extends string
    ? { params: ParamsIn<S, ParamsOf<Member<S, M>, Like<S, M>>> } & NamedArguments<S, Like<S, M>, Member<S, M>>
    : never

type NamedArguments<S, M, F> = M extends 'find'
  ? { id?: never; data?: never }
  : M extends 'get'
    ? { id: IdOf<F>; data?: never }
    : M extends 'remove'
      ? { get id(): IdOf<F>; set id(id: IdOf<F> | null); data?: never }
      : M extends HasIdAndData
        ? { get id(): IdOf<F>; set id(id: IdOf<F> | null); data: ContextData<S, M, F> }
        : { id?: never; data: ContextData<S, M, F> }

type ParamsIn<S, P> = unknown extends S ? UntypedParams : P
type ContextData<S, M, F> = unknown extends S
  ? Untyped
  : M extends WritesRecord
    ? StoredData<S, MethodData<F, M>>
    : MethodData<F, M>

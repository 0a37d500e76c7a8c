import type { StoresRecord } from './call.js'
import type { ClosedIn, CustomIn, CustomMethods, ServedCustom, WithCustom } from './custom-method.js'
import type { Callable, MethodName, Or, WithMethods } from './method.js'
import type { BranchKey, Option, OptionNames, QueryIn, QueryOptions, Scalar } from './resource-query.js'
import type { Id, NullableId, Paginated, Params, Service } from './service.js'
import type { InputOf, JsonSchema, OutputOf, WireOf } from './standard-schema.js'

export type { CustomMethod, CustomMethods } from './custom-method.js'
export type { QueryIn } from './resource-query.js'
export type * from './standard-schema.js'

/** The names of the fields of a record. A union has the fields of all its branches. */
export type FieldOf<S> = BranchKey<OutputOf<S>> extends infer Name extends string ? Name : never

/** The options of `resource()`. Its schemas may be of any kind that a record may have. */
export interface ResourceOptions<Field extends string = string> {
  /**
   * Server-set fields, which a body can't have, also in records of the same kind within the record.
   * A field may also have `readOnly: true` in its JSON Schema, at any depth, but the types don't
   * know that.
   */
  readonly readOnly?: readonly Field[]
  /**
   * Hidden fields, such as a password: they are never sent, and a query can't name them, also in
   * records of the same kind within the record. A field may also have `writeOnly: true` in its JSON
   * Schema, at any depth.
   */
  readonly writeOnly?: readonly Field[]
  /** The data of `create` and `update`. Default: the record without its `readOnly` fields. */
  readonly create?: unknown
  /**
   * Whether `create` accepts a list of records, too. Hooks then find a list in `context.data`.
   * Default: the option `multi` of the service, which database adapters have.
   */
  readonly lists?: boolean
  /** The data of `update`. Default: the same as for `create`. */
  readonly update?: unknown
  /**
   * The data of `patch`. Default: at least one of the fields of the record. Checks of the whole
   * record don't apply then.
   */
  readonly patch?: unknown
  /**
   * `readOnly` fields that clients may set by a method: `{ create: ['id'] }`. Without it, the
   * service does not start if the option `create`, `update` or `patch` has a schema with such a
   * field. A custom method has an option of the same name.
   */
  readonly settable?: { readonly [Method in 'create' | 'update' | 'patch']?: readonly Field[] }
  /** The schema of an object: further parameters of a query, or other ones than its filters. */
  readonly query?: unknown
  /**
   * The record in responses. Default: the record without its `writeOnly` fields. Other fields are
   * not sent, and scalars are converted to its types. Responses are not validated.
   */
  readonly response?: unknown
  /**
   * Further operators with the JSON Schema of their values: `{ $like: { type: 'string', maxLength:
   * 100 } }`. An operator applies to the fields that have a type in common with it. `false` removes
   * an operator.
   */
  readonly operators?: { readonly [name: `$${string}`]: JsonSchema | false }
  /** The fields that a query may filter by. Default: all but objects. */
  readonly filter?: readonly Field[]
  /** The fields that a query may sort by. Default: all but objects and lists. */
  readonly sort?: readonly Field[]
  /**
   * The custom methods of the resource: `{ publish: { route: 'POST /:id/publish', body: schema }
   * }`. Clients may call them over HTTP. Bodies, queries and responses follow the rules of the
   * standard methods.
   */
  readonly methods?: CustomMethods
}

declare const types: unique symbol
declare const check: unique symbol

/** Compares an object with a resource whose schema it is registered with. */
export type Checked<S> = {
  readonly [check]?: (service: S) => void
}

/** The same as `Checked`, if the methods of the object are known. */
export type CheckedBy<S> = unknown extends S ? unknown : [MethodName<S>] extends [never] ? unknown : Checked<S>

type QuerySchema = {
  readonly querystring: JsonSchema
  readonly response: JsonSchema
}

type BodySchema = QuerySchema & {
  readonly body: JsonSchema
}

/**
 * A resource with the types of its record in responses, the data of `create` and `patch`, queries,
 * custom methods, the stored record, the data of `update`, and the methods that clients may not
 * call.
 */
export type Described<R, D, P, Q, M = Record<never, never>, F = R, U = D, Closed = never> = Checked<
  Served<Decoded<R, F>, DecodedData<D, F>, DecodedData<U, F>, DecodedData<P, Partial<F>>, Q> & ServedCustom<M>
> & { readonly [Name in keyof M]: QuerySchema & Partial<BodySchema> } & {
  readonly find: QuerySchema
  readonly get: QuerySchema
  readonly create: BodySchema
  readonly update: BodySchema
  readonly patch: BodySchema
  readonly remove: QuerySchema
  readonly [types]?: { record: R; data: D; update: U; patch: P; query: Q; methods: M; stored: F; closed: Closed }
}

/** The result of `resource()`: the option `schema` of a service. */
export type Resource<S, O> = Described<
  RecordIn<S, O>,
  DataIn<S, O, 'create'>,
  PatchIn<S, O>,
  QueryIn<RecordIn<S, O>, QueryOptions<O>>,
  CustomIn<O, WireOf<S>, RecordIn<S, O>>,
  Tidy<OutputOf<S>>,
  UpdateIn<S, O>,
  ClosedIn<O>
>

// A mapped type in a conditional type has no name of its own: errors show the fields of a record.
type Tidy<T> = [T] extends [infer U] ? { [K in keyof U]: Exclude<U[K], undefined> } : never
type Without<T, Names> = Tidy<RecordWithout<T, Names>>

/**
 * A record without some of its fields, also in records of its kind within it, such as a folder in a
 * folder. It has a name, since declarations can't write a recursive type.
 */
export type RecordWithout<T, Names> = {
  [K in keyof T as K extends Names ? never : K]: Exclude<FieldWithout<T[K], Names, T>, undefined>
}

type FieldWithout<V, Names, Whole> = [Names] extends [never]
  ? V
  : 0 extends 1 & V
    ? V
    : Identical<NonNullable<V>, Whole> extends true
      ? RecordWithout<Whole, Names> | Extract<V, null | undefined>
      : PartWithout<V, Names, Whole>
type PartWithout<V, Names, Whole> = V extends Indivisible
  ? V
  : V extends object
    ? Identical<V, Whole> extends true
      ? RecordWithout<Whole, Names>
      : { [K in keyof V]: FieldWithout<V[K], Names, Whole> }
    : V
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Indivisible = Scalar | Blob | Callable | { readonly [Symbol.toStringTag]: string }
type RecordIn<S, O> = [Option<O, 'response'>] extends [never]
  ? Without<WireOf<S>, OptionNames<O, 'writeOnly'> | FileIn<OutputOf<S>>>
  : WireOf<Option<O, 'response'>>
// JSON has no files, so the record of a response is without them.
type FileIn<R> = { [K in keyof R]-?: IsFile<NonNullable<R[K]>> extends true ? K : never }[keyof R]
type IsFile<T> = 0 extends 1 & T
  ? false
  : [T] extends [never]
    ? false
    : [T] extends [readonly (infer I)[]]
      ? IsFile<I>
      : [T] extends [Blob]
        ? true
        : false
/** The fields that a method can't set. */
type Unsettable<O, Method> = Exclude<OptionNames<O, 'readOnly'>, OptionNames<Option<O, 'settable'>, Method & string>>
/** The data of a method whose schema an option gives. */
type OwnData<T, Names> = [Extract<BranchKey<T>, Names>] extends [never] ? T : Without<T, Names>
type Sent<S, O, Method> = Without<InputOf<S>, Unsettable<O, Method>>
/** The data of a method: by the schema of the option, or else of the record. */
type DataIn<S, O, Method, Schema = Option<O, Method & string>> = [Schema] extends [never]
  ? Sent<S, O, Method>
  : OwnData<InputOf<Schema>, Unsettable<O, Method>>
type UpdateIn<S, O> = DataIn<S, O, 'update', Or<Option<O, 'update'>, Option<O, 'create'>>>
type PatchIn<S, O> = [Option<O, 'patch'>] extends [never] ? Partial<Sent<S, O, 'patch'>> : DataIn<S, O, 'patch'>

/**
 * A record as a service may return it: a date becomes a string in the response, and an empty column
 * is `null`.
 */
type Storable<T> = T extends readonly (infer I)[]
  ? readonly Storable<I>[]
  : T extends Date
    ? T | string
    : T extends object
      ? { readonly [K in keyof T]: Storable<T[K]> | (undefined extends T[K] ? null : never) }
      : T extends string
        ? T | Date
        : T

/** The result of a service: values of the wire, or the results of codecs and transformations. */
type Decoded<T, F> =
  Pick<F, keyof T & keyof F> extends T ? T : { [K in keyof T]: T[K] | (K extends keyof F ? F[K] : never) }

/** The data of a service, which may declare the type before or after transformations. */
type DecodedData<T, F> = Pick<F, keyof T & keyof F> extends T ? T : T & Pick<F, keyof T & keyof F>

/** The fields of a record as hooks may set them. */
type Writable<T> = { -readonly [K in keyof T]: Storable<T[K]> }

type ServiceAnswer<T> = T | null | undefined | PromiseLike<T | null | undefined>

/** The methods that an object may have, to be a service of a resource. */
interface Served<R, D, U, P, Q> {
  find?(params: Params<Q>): ServiceAnswer<readonly Storable<R>[] | { readonly data: readonly Storable<R>[] }>
  get?(id: Id, params: Params<Q>): ServiceAnswer<Storable<R>>
  create?(data: D, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  update?(id: NullableId, data: U, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  patch?(id: NullableId, data: P, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  remove?(id: NullableId, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
}

// A type, not an interface: TypeScript could not name the interface in the declarations of a module
// that exports a service.
type ResourceMethods<R, D, U, P, Q> = {
  find(params?: Params<Q>): Promise<R[] | Paginated<R>>
  get(id: Id, params?: Params<Q>): Promise<R>
  create(data: D, params?: Params<Q>): Promise<R>
  update(id: Id, data: U, params?: Params<Q>): Promise<R>
  patch(id: Id, data: P, params?: Params<Q>): Promise<R>
  remove(id: Id, params?: Params<Q>): Promise<R>
}

type TypesOf<T> = T extends { readonly [types]?: infer D } ? NonNullable<D> : never

/**
 * The type of the service of a resource, for `Services`: all standard methods or the named ones,
 * and its custom methods.
 *
 * @example
 * declare module 'fastify-services' {
 *   interface Services { posts: Paged<ServiceOf<typeof posts, 'find' | 'get'>> }
 * }
 */
export type ServiceOf<T, Method extends keyof Service = keyof Service> =
  TypesOf<T> extends {
    record: infer R
    data: infer D
    update: infer U
    patch: infer P
    query: infer Q
    methods: infer M
    stored: infer F
    closed: infer C
  }
    ? WithoutClosed<WithCustom<Pick<ResourceMethods<R, D, U, P, Q>, Method> & StoresRecord<Writable<F>>, M>, C>
    : never

type WithoutClosed<S, C> = [C] extends [never] ? S : WithMethods<S, readonly Exclude<keyof S, C>[]>

/** A record of a resource in responses. */
export type RecordOf<T> = TypesOf<T>['record' & keyof TypesOf<T>]

/** The data of `create` of a resource. */
export type DataOf<T> = TypesOf<T>['data' & keyof TypesOf<T>]

/** The data of `update` of a resource. */
export type UpdateOf<T> = TypesOf<T>['update' & keyof TypesOf<T>]

/**
 * The data of `patch` of a resource, or the part of it that a role may send, by its permissions as
 * `allow` takes them.
 *
 * @example
 * const member = { find: true, patch: ['title'] } as const
 * type Edit = PatchOf<typeof books, typeof member> // { title?: string }
 */
export type PatchOf<T, Permissions = true> = PatchBy<TypesOf<T>['patch' & keyof TypesOf<T>], Permissions>
type PatchBy<P, Permissions> = Permissions extends true | { readonly patch: true }
  ? P
  : Permissions extends { readonly patch: readonly (infer Field)[] }
    ? Pick<P, Field & keyof P>
    : never

/** A query of a resource. */
export type QueryOf<T> = TypesOf<T>['query' & keyof TypesOf<T>]

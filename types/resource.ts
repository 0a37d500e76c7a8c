import type { StoresRecord } from './call.js'
import type { CustomIn, CustomMethods, ServedCustom, WithCustom } from './custom-method.js'
import type { Callable, MethodName } from './method.js'
import type { BranchKey, Option, OptionNames, QueryIn, Scalar } from './resource-query.js'
import type { Id, NullableId, Paginated, Params, Service } from './service.js'
import type { InputOf, JsonSchema, OutputOf, WireOf } from './standard-schema.js'

export type { CustomMethod, CustomMethods } from './custom-method.js'
export type { QueryIn } from './resource-query.js'
export type * from './standard-schema.js'

/** The names of the fields of a record, by its schema: of a union, those of all its branches. */
export type FieldOf<S> = BranchKey<OutputOf<S>> & string

/**
 * What `resource()` can't see in the schema of a record. Schemas are of the same kinds as that of
 * the record.
 */
export interface ResourceOptions<Field extends string = string> {
  /**
   * Fields that the server sets: a body can't have them, neither in the record nor in a record of
   * the same kind within it. They are known to the types; a field may also say `readOnly: true` in
   * its JSON Schema, at any depth.
   */
  readonly readOnly?: readonly Field[]
  /**
   * Fields that do not leave, and that no query names: a password. They hold in records of the same
   * kind within the record, too. A field may also say `writeOnly: true`, at any depth.
   */
  readonly writeOnly?: readonly Field[]
  /** What `create` takes, and `update`. Default: the record without its `readOnly` fields. */
  readonly create?: unknown
  /**
   * Whether `create` also takes a list of records: hooks then find a list in `context.data`. It
   * does without it where the option `multi` of the service, as adapters of databases have it, says
   * so.
   */
  readonly lists?: boolean
  /** What `update` takes. Default: what `create` does. */
  readonly update?: unknown
  /**
   * What `patch` takes. Default: any of the fields of the record, and at least one of them. Checks
   * of the whole record do not count then.
   */
  readonly patch?: unknown
  /**
   * Fields that are `readOnly`, and that the body of a method may set all the same: `{ create:
   * ['id'] }`. Without it, the service does not start if the option `create`, `update` or `patch`
   * has a schema with such a field. A custom method has an option of the same name.
   */
  readonly settable?: { readonly [Method in 'create' | 'update' | 'patch']?: readonly Field[] }
  /**
   * The schema of an object: further parameters of a query, or others than the filters of its
   * fields.
   */
  readonly query?: unknown
  /**
   * The record as it leaves. Default: the record, without its `writeOnly` fields. Other fields do
   * not leave, and scalars get the types that it says; what it demands is not checked.
   */
  readonly response?: unknown
  /**
   * Further operators, with the JSON Schema of what they compare with: `{ $like: { type: 'string',
   * maxLength: 100 } }`. Each is one of the fields that have a type in common with it. `false`
   * takes away one that there is.
   */
  readonly operators?: { readonly [name: `$${string}`]: JsonSchema | false }
  /** The fields that a query may filter by. Default: all that are no objects. */
  readonly filter?: readonly Field[]
  /** The fields that a query may sort by. Default: all that are neither objects nor lists. */
  readonly sort?: readonly Field[]
  /**
   * The custom methods of the resource: `{ publish: { route: 'POST /:id/publish', body: schema }
   * }`. Clients may call them over HTTP, and their schemas are checked as those of the six methods
   * are.
   */
  readonly methods?: CustomMethods
}

declare const types: unique symbol
declare const check: unique symbol

/** Compares an object with a resource whose schema it is registered with. */
export type Checked<S> = {
  readonly [check]?: (service: S) => void
}

/** The same as `Checked`, where the methods of the object are known. */
export type CheckedBy<S> = unknown extends S ? unknown : [MethodName<S>] extends [never] ? unknown : Checked<S>

type QuerySchema = {
  readonly querystring: JsonSchema
  readonly response: JsonSchema
}

type BodySchema = QuerySchema & {
  readonly body: JsonSchema
}

/**
 * A resource with the types of its record as it leaves, of what `create` and `patch` take, of its
 * queries, its custom methods and its record as it is stored.
 */
export type Described<R, D, P, Q, M = Record<never, never>, F = R> = Checked<
  Served<Decoded<R, F>, DecodedData<D, F>, DecodedData<P, Partial<F>>, Q> & ServedCustom<M>
> & {
  readonly find: QuerySchema
  readonly get: QuerySchema
  readonly create: BodySchema
  readonly update: BodySchema
  readonly patch: BodySchema
  readonly remove: QuerySchema
  readonly [types]?: { record: R; data: D; patch: P; query: Q; methods: M; stored: F }
}

/** What `resource()` gives: the option `schema` of a service. */
export type Resource<S, O> = Described<
  RecordIn<S, O>,
  DataIn<S, O>,
  PatchIn<S, O>,
  QueryIn<RecordIn<S, O>, O>,
  CustomIn<O, WireOf<S>, RecordIn<S, O>>,
  Tidy<OutputOf<S>>
>

type Tidy<T> = { [K in keyof T]: Exclude<T[K], undefined> }
type Without<T, Names> = Tidy<RecordWithout<T, Names>>

/**
 * A record without some of its fields, in each record of its kind that stands within it too, as a
 * folder in a folder. It has a name for declarations, which could not write a record that has no
 * end.
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
type DataIn<S, O> = [Option<O, 'create'>] extends [never]
  ? Sent<S, O, 'create'>
  : OwnData<InputOf<Option<O, 'create'>>, Unsettable<O, 'create'>>
type PatchIn<S, O> = [Option<O, 'patch'>] extends [never]
  ? Partial<Sent<S, O, 'patch'>>
  : OwnData<InputOf<Option<O, 'patch'>>, Unsettable<O, 'patch'>>

/**
 * A record as a service may hold it: a type that JSON does not have, such as a date, becomes a text
 * in the response, and an empty column is `null`.
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

/**
 * What a service may return: the values on the wire, or what codecs and transformations make of
 * them.
 */
type Decoded<T, F> =
  Pick<F, keyof T & keyof F> extends T ? T : { [K in keyof T]: T[K] | (K extends keyof F ? F[K] : never) }

/** What a service gets, which may declare the type of either. */
type DecodedData<T, F> = Pick<F, keyof T & keyof F> extends T ? T : T & Pick<F, keyof T & keyof F>

/** The fields of a record as hooks may set them. */
type Writable<T> = { -readonly [K in keyof T]: Storable<T[K]> }

type ServiceAnswer<T> = T | null | undefined | PromiseLike<T | null | undefined>

/** The methods that an object may have, to be a service of a resource. */
interface Served<R, D, P, Q> {
  find?(params: Params<Q>): ServiceAnswer<readonly Storable<R>[] | { readonly data: readonly Storable<R>[] }>
  get?(id: Id, params: Params<Q>): ServiceAnswer<Storable<R>>
  create?(data: D, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  update?(id: NullableId, data: D, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  patch?(id: NullableId, data: P, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
  remove?(id: NullableId, params: Params<Q>): ServiceAnswer<Storable<R> | readonly Storable<R>[]>
}

// A type, not an interface: TypeScript could not name the interface in the declarations of a module
// that exports a service.
type ResourceMethods<R, D, P, Q> = {
  find(params?: Params<Q>): Promise<R[] | Paginated<R>>
  get(id: Id, params?: Params<Q>): Promise<R>
  create(data: D, params?: Params<Q>): Promise<R>
  update(id: Id, data: D, params?: Params<Q>): Promise<R>
  patch(id: Id, data: P, params?: Params<Q>): Promise<R>
  remove(id: Id, params?: Params<Q>): Promise<R>
}

type TypesOf<T> = T extends { readonly [types]?: infer D } ? NonNullable<D> : never

/**
 * The type of the service of a resource, for `Services`: all of the six methods, or those that are
 * named, and the custom methods that it declares.
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
    patch: infer P
    query: infer Q
    methods: infer M
    stored: infer F
  }
    ? WithCustom<Pick<ResourceMethods<R, D, P, Q>, Method> & StoresRecord<Writable<F>>, M>
    : never

/** A record of a resource, as it leaves. */
export type RecordOf<T> = TypesOf<T>['record' & keyof TypesOf<T>]

/** What `create` of a resource takes. */
export type DataOf<T> = TypesOf<T>['data' & keyof TypesOf<T>]

/** What `patch` of a resource takes. */
export type PatchOf<T> = TypesOf<T>['patch' & keyof TypesOf<T>]

/** A query of a resource. */
export type QueryOf<T> = TypesOf<T>['query' & keyof TypesOf<T>]

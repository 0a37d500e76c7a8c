import type { InputOf } from './standard-schema.js'

/** The type of an option, `never` if it is not set. */
export type Option<O, K extends PropertyKey> = O extends { readonly [Key in K]: infer T } ? T : never
/** The names that an option lists. */
export type OptionNames<O, K extends PropertyKey> = [Option<O, K>] extends [never]
  ? never
  : Option<O, K> extends readonly (infer N)[]
    ? N
    : never
/** The input type of a schema in an option. */
export type OptionInput<O, K extends PropertyKey, Default> = [Option<O, K>] extends [never]
  ? Default
  : InputOf<Option<O, K>>

export type Scalar = string | number | boolean | bigint | Date | null | undefined
type ScalarOrItem<T> = NonNullable<T> extends readonly (infer I)[] ? I : T
// A query can't name other fields: `$limit` is an operator.
type Queryable<K> = Exclude<K, `$${string}`>
type ScalarKey<R> = Queryable<{ [K in keyof R]-?: [R[K]] extends [Scalar] ? K : never }[keyof R]>
type FilterKey<R> = Queryable<{ [K in keyof R]-?: [ScalarOrItem<R[K]>] extends [Scalar] ? K : never }[keyof R]>
type Allowed<Key, O, K extends PropertyKey> = [Option<O, K>] extends [never] ? Key : Extract<Key, OptionNames<O, K>>

type Operators<T, Own> = {
  readonly [Name in '$eq' | '$ne']?: T
} & { readonly [Name in '$lt' | '$le' | '$lte' | '$gt' | '$ge' | '$gte']?: Exclude<T, null> } & {
  readonly [Name in '$in' | '$nin']?: readonly T[]
} & OwnOperators<Own>
type OwnOperators<O> = [O] extends [never]
  ? unknown
  : { readonly [Name in keyof O]?: O[Name] extends false ? never : unknown }

type Filters<R, O> = {
  [K in Allowed<FilterKey<R>, O, 'filter'>]?: Exclude<ScalarOrItem<R[K & keyof R]>, undefined> extends infer T
    ? T | Operators<T, Option<O, 'operators'>>
    : never
}
type Group<R, O> = Filters<R, O> & { $or?: Group<R, O>[]; $and?: Group<R, O>[] }

/** The names of the fields of all branches of a union. */
export type BranchKey<R> = R extends unknown ? keyof R : never
type BranchValue<R, K> = R extends unknown ? (K extends keyof R ? R[K] : never) : never
type Branches<R> = { [K in BranchKey<R>]: BranchValue<R, K> }

/** The query, by the type of the record and the options. */
export type QueryIn<R, O> = QueryBy<Branches<R>, O>
/** The options that decide about queries, so that errors name no others. */
export type QueryOptions<O> = [O] extends [infer U]
  ? { [K in keyof U as K extends 'filter' | 'sort' | 'query' | 'operators' ? K : never]: U[K] }
  : never
type QueryBy<R, O> = Group<R, O> & {
  $limit?: number
  $skip?: number
  $sort?: { [K in Allowed<ScalarKey<R>, O, 'sort'>]?: 1 | -1 }
  $select?: (keyof R & string)[]
  /** Whether records say what the caller may do, with the hook `may`. */
  $may?: true
  /** The related records that each record gets, with the hook `include`. */
  $include?: string[]
} & OptionInput<O, 'query', unknown>

import type { EventRecord, MethodName } from './method.js'

/** The type of a field in a schema, and of the column of that name. */
interface WrongColumn<Name, Column, Schema> {
  readonly '~wrongColumn': [Name, Column, Schema]
}

/** Fields of a schema that the table has no column for. */
interface MissingColumn<Name> {
  readonly '~missingColumn': Name
}

/** Custom methods that the class of the service lacks. */
interface MissingMethod<Name> {
  readonly '~missingMethod': Name
}

/**
 * Compares a service that stores records in a table with its type in `Services`, so that an error
 * names the column or the method. `unknown` if they fit, or if the service has no table.
 */
export type FitsTable<S, Listed> = S extends { readonly '~record': infer Row }
  ? unknown extends Row
    ? unknown
    : [Exclude<MethodName<Listed>, keyof S>] extends [never]
      ? FitsRecord<Row, EventRecord<Listed>>
      : MissingMethod<Exclude<MethodName<Listed>, keyof S>>
  : unknown

type FitsRecord<Row, R> = unknown extends R
  ? unknown
  : [Exclude<RequiredKey<R>, keyof Row>] extends [never]
    ? WrongColumns<{ [K in keyof Row & keyof R as Row[K] extends R[K] ? never : K]: WrongColumn<K, Row[K], R[K]> }>
    : MissingColumn<Exclude<RequiredKey<R>, keyof Row>>
type RequiredKey<R> = { [K in keyof R]-?: Record<never, never> extends Pick<R, K> ? never : K }[keyof R]
type WrongColumns<T> = [keyof T] extends [never] ? unknown : T[keyof T]

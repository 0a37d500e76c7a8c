import type { HasId, HasIdAndData, Signatures } from './method.js'
import type { Params } from './service.js'

/** The names of the placeholders in a path: `'userId'` of `'users/:userId/messages'`. */
export type Placeholder<P> = P extends `${string}:${string}` ? NameIn<P> : never
type NameIn<P> = P extends `${infer Segment}/${infer Rest}`
  ? NameIn<Segment> | NameIn<Rest>
  : P extends `:${infer Name}`
    ? Name
    : never

/** What the params of a call have to hold for a service whose path has placeholders. */
export interface Routed<Name extends string, Value> {
  /** The values for the placeholders of the path. */
  route: { readonly [N in Name]: Value }
}

type With<P, Name extends string> = ([NonNullable<P>] extends [never] ? Params : NonNullable<P>) & Routed<Name, string>

type Signature<A extends readonly unknown[], R, K, Name extends string> = K extends 'find'
  ? (params: With<A[0], Name>) => R
  : K extends HasIdAndData
    ? (id: A[0], data: A[1], params: With<A[2], Name>) => R
    : K extends HasId
      ? (id: A[0], params: With<A[1], Name>) => R
      : (data: A[0], params: With<A[1], Name>) => R

type Overloads<All, K, Name extends string> = All extends [
  [infer A extends readonly unknown[], infer R],
  ...infer Others
]
  ? Signature<A, R, K, Name> & Overloads<Others, K, Name>
  : unknown

/** A method of a service whose path has placeholders, with its overloads: its params need values for them. */
export type RoutedMethod<F, K, Name extends string> = [Signatures<F>] extends [[]]
  ? F
  : Overloads<Signatures<F>, K, Name>

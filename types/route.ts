import type { HasId, HasIdAndData } from './method.js'
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

type Overload<A extends readonly unknown[], R, K, Name extends string> = unknown extends R
  ? unknown
  : Signature<A, R, K, Name>

/** A method of a service whose path has placeholders: its params need values for them. Up to three overloads are kept. */
export type RoutedMethod<F, K, Name extends string> = F extends {
  (...args: infer A1): infer R1
  (...args: infer A2): infer R2
  (...args: infer A3): infer R3
}
  ? Overload<A1, R1, K, Name> & Overload<A2, R2, K, Name> & Signature<A3, R3, K, Name>
  : F extends { (...args: infer A1): infer R1; (...args: infer A2): infer R2 }
    ? Overload<A1, R1, K, Name> & Signature<A2, R2, K, Name>
    : F extends (...args: infer A) => infer R
      ? Signature<A, R, K, Name>
      : F

import type { Service, Services } from './service.js'

/** The default type argument: the type of a service comes from `Services`. */
export interface Listing {
  readonly services: Services
}

// `any` counts as a type argument, too.
type IsNamed<S> = 0 extends 1 & S ? true : [S] extends [Listing] ? false : true

/** The paths that can be looked up: any, if a type is given or the list is empty. */
export type PathOf<S, List = Services> =
  IsNamed<S> extends true
    ? string
    : [keyof List] extends [never]
      ? string
      : (keyof List & string) | `/${keyof List & string}`

/** The path of a listed service without a leading slash, `never` for others. */
export type Listed<P, List = Services> = P extends keyof List
  ? P
  : P extends `/${infer Rest}`
    ? Listed<Rest, List>
    : never

/**
 * The type of the service at a path: the type argument, the type in the list, or the type of any
 * service.
 */
export type ServiceAt<P, S = Listing, List = Services> =
  IsNamed<S> extends true ? S : [Listed<P, List>] extends [never] ? Required<Service> : List[Listed<P, List>]

/** The type of a registered service: its type in `Services`, or else the type of the object. */
export type Registered<S, P> = [Listed<P>] extends [never] ? S : ServiceAt<P>

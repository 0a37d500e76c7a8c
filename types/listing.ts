import type { Service, Services } from './service.js'

/** Stands for what a list of services says, where no type is named. */
export interface Listing {
  readonly services: Services
}

// `any` is a type that was named, too.
type IsNamed<S> = 0 extends 1 & S ? true : [S] extends [Listing] ? false : true

/** The paths that can be looked up: any, where a type is named or the list is empty. */
export type PathOf<S, List = Services> =
  IsNamed<S> extends true
    ? string
    : [keyof List] extends [never]
      ? string
      : (keyof List & string) | `/${keyof List & string}`

/** The path of a service that is listed, without a slash before it; `never` for others. */
export type Listed<P, List = Services> = P extends keyof List
  ? P
  : P extends `/${infer Rest}`
    ? Listed<Rest, List>
    : never

/**
 * The type of the service at a path: the one that is named, the one in the list, or else that of
 * any service.
 */
export type ServiceAt<P, S = Listing, List = Services> =
  IsNamed<S> extends true ? S : [Listed<P, List>] extends [never] ? Required<Service> : List[Listed<P, List>]

/** The type of a service that is registered: the one in `Services`, or else that of the object. */
export type Registered<S, P> = [Listed<P>] extends [never] ? S : ServiceAt<P>

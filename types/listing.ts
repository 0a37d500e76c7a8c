import type { Service, Services } from './service.js'

/** Stands for what `Services` lists, where no type is named. */
export interface Listing {
  readonly services: Services
}

type Name = keyof Services & string

// `any` is a type that was named, too.
type IsNamed<S> = 0 extends 1 & S ? true : [S] extends [Listing] ? false : true

/** The paths that can be looked up: any, where a type is named or `Services` lists none. */
export type PathOf<S> = IsNamed<S> extends true ? string : [Name] extends [never] ? string : Name | `/${Name}`

/** The path of a service with a type, without a slash before it; `never` for others. */
export type Listed<P> = P extends `/${infer Rest}` ? Listed<Rest> : P extends Name ? P : never

/** The type of the service at a path: the one that is named, the one in `Services`, or else that of any service. */
export type ServiceAt<P, S = Listing> =
  IsNamed<S> extends true ? S : [Listed<P>] extends [never] ? Required<Service> : Services[Listed<P>]

/** The type of a service that is registered: the one in `Services`, or else that of the object. */
export type Registered<S, P> = [Listed<P>] extends [never] ? S : ServiceAt<P>

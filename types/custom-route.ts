import type { MethodName } from './method.js'
import type { Placeholder } from './route.js'
import type { Service } from './service.js'

/** The route of a custom method: a verb and a path under that of its service, `'POST /:id/publish'`. */
export type MethodRoute = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

declare const routes: unique symbol

/**
 * A service whose custom methods have routes. They say which of its arguments a method has: the id, the data, the params.
 *
 * @example
 * const routes = { publish: 'POST /:id/publish' } as const
 * declare module 'fastify-services' {
 *   interface Services { posts: WithRoutes<PostService, typeof routes> }
 * }
 */
export type WithRoutes<S, R> = S & { readonly [routes]?: R }

/** Routes by the names of their methods. */
export interface MethodRoutes {
  readonly [name: string]: MethodRoute
}

/** A service with the routes that its options name. */
export type Told<S, R> = string extends keyof R ? S : WithRoutes<S, R>

/** The option `routes`: its names are those of methods of the service, but none of the six. */
export type RoutesOption<S, R> = string extends keyof R
  ? R
  : R & { readonly [Name in Exclude<keyof R, CustomName<S>>]: never }
type CustomName<S> = unknown extends S ? string : Exclude<MethodName<S>, keyof Service>

/** The route of a method, `never` if it has none. */
type RouteOf<S, M> = S extends { readonly [routes]?: infer R } ? (M extends keyof R ? R[M] : never) : never

/** The routes that a client may be told for a service. */
export type RoutesAt<S> = S extends { readonly [routes]?: infer R } ? R : MethodRoutes

/** Which method another one has the arguments of; `':id'`, which is no name of a method, for an id and data of any kind. */
export type Like<S, M> = Takes<RouteOf<S, M>, M>

/** The same by the route of a method; `Default` where it has none. */
export type Takes<Route, Default> = [Route] extends [never]
  ? Default
  : Route extends `${string}/:id` | `${string}/:id/${string}`
    ? Route extends `P${string}`
      ? ':id'
      : 'get'
    : Route extends `P${string}`
      ? 'custom'
      : 'find'

/** The names of the placeholders in the route of a method, besides that of the id. */
export type RoutePlaceholder<S, M> = Exclude<Placeholder<RouteOf<S, M>>, 'id'>

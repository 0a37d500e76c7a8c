import type { Describable } from './description.js'
import type { Endpoint } from './endpoints.js'
import { attempt } from './errors.js'

const mark: unique symbol = Symbol('service')

/** What a route of a service says: which method it calls, and by which of its endpoints. */
export interface RouteMark {
  readonly entry: Describable
  readonly name: string
  /** `undefined` for a route that is the same as another one: with a slash behind it. */
  readonly endpoint: Endpoint | undefined
}

/** Gives a route what it says, under a name that only we know. */
export const withMark = <R extends object>(route: R, own: RouteMark): R => ({ ...route, [mark]: own })

export const markOf = (route: unknown): RouteMark | undefined => attempt(() => Object(route)[mark])

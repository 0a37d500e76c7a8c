import type { Callable } from './method.js'

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where the package is not installed; the comment below stands in the declarations
/** @ts-ignore The optional peer: where it is not installed, the type is `any`. */
type FeathersApplication = import('@feathersjs/feathers').Application

/** What `context.app` has besides the members of the instance, where `fastify-services/feathers` is imported. */
// biome-ignore lint/suspicious/noEmptyInterface: that door fills it
export interface HookMembers {}

type Uncallable = (first: never, ...rest: never[]) => never

/**
 * What makes an application one of Feathers to the compiler, so that hooks which are typed for Feathers fit: the members that ours
 * lacks, which can't be used.
 */
export type FeathersMembers<App> = string extends keyof FeathersApplication
  ? unknown
  : {
      readonly [K in keyof FeathersApplication]: K extends keyof App
        ? App[K] extends Callable
          ? Uncallable
          : unknown
        : never
    }

import type { FastifyInstance } from 'fastify'
import type { HookOptions } from '../../types/fastify.js'
import type { RegisteredService } from '../../types/hooks.js'

/**
 * The settings of the application. Augment it, and `context.app.get('paginate')` is typed.
 *
 * @example
 * declare module 'fastify-services/feathers' {
 *   interface Settings { paginate: { default: number; max: number } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the applications that augment it
export interface Settings {}

/** The type of a setting: `unknown` for one that `Settings` does not name. */
export type Setting<Name> = Name extends keyof Settings ? Settings[Name] : unknown

/**
 * The members of a Feathers application that hooks find at `context.app`, besides `service` and
 * those of the instance.
 */
export interface ApplicationMembers {
  /** A setting, `undefined` where there is none. */
  get<Name extends string>(name: Name): Setting<Name>
  set<Name extends string>(name: Name, value: Setting<Name>): this
  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this
}

declare module '../../types/hooks.js' {
  interface HookMembers extends ApplicationMembers {}
}

/** The options of a service as Feathers has them: what was not named is filled in. */
export interface MixinOptions {
  /** What clients may call. */
  readonly methods: readonly string[]
  /** The events that the service emits itself. */
  readonly events: readonly string[]
  /** All events of the service. */
  readonly serviceEvents: readonly string[]
}

/** Changes each service that is registered after it. */
export type Mixin = (service: RegisteredService, path: string, options: MixinOptions) => unknown

/**
 * What hooks get as `context.app`, with what configures an application of Feathers until the server
 * is ready.
 */
export type FeathersLike = Omit<ApplicationMembers, 'set'> & {
  set<Name extends string>(name: Name, value: Setting<Name>): FeathersLike
  /** Calls a function with the application. @throws when the server is ready */
  configure(callback: (app: never) => unknown): FeathersLike
  /** @throws when the server is ready */
  readonly mixins: Mixin[]
  /** The settings themselves. */
  readonly settings: Record<string, unknown>
  /** All services by their paths. */
  readonly services: Readonly<Record<string, RegisteredService>>
} & FastifyInstance

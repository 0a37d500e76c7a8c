import type { FastifyInstance } from 'fastify'
import type { HookOptions } from '../../types/fastify.js'
import type { RegisteredService } from '../../types/hooks.js'

/**
 * The settings of the application. Augment it to type `context.app.get('paginate')`.
 *
 * @example
 * declare module 'fastify-services/feathers' {
 *   interface Settings { paginate: { default: number; max: number } }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications augment it
export interface Settings {}

/** The type of a setting, `unknown` if `Settings` does not name it. */
export type Setting<Name> = Name extends keyof Settings ? Settings[Name] : unknown

/**
 * The members of a Feathers application at `context.app`, besides `service` and the members of the
 * instance.
 */
export interface ApplicationMembers {
  /** Returns a setting, `undefined` if it is not set. */
  get<Name extends string>(name: Name): Setting<Name>
  set<Name extends string>(name: Name, value: Setting<Name>): this
  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this
}

declare module 'fastify-services' {
  interface HookMembers extends ApplicationMembers {}
}

/** The options of a service as Feathers has them, with all defaults. */
interface MixinOptions {
  /** The methods that clients may call. */
  readonly methods: readonly string[]
  /** The events that the service emits itself. */
  readonly events: readonly string[]
  /** All events of the service. */
  readonly serviceEvents: readonly string[]
}

/** Changes each service that is registered after it. */
export type Mixin = (service: RegisteredService, path: string, options: MixinOptions) => unknown

/**
 * The `context.app` of hooks, with the members that configure an application of Feathers until the
 * server is ready.
 */
export type FeathersLike = Omit<ApplicationMembers, 'set'> & {
  set<Name extends string>(name: Name, value: Setting<Name>): FeathersLike
  /** Calls a function with the application. @throws when the server is ready */
  configure(callback: (app: never) => unknown): FeathersLike
  /** @throws when the server is ready */
  readonly mixins: Mixin[]
  readonly settings: Record<string, unknown>
  readonly services: Readonly<Record<string, RegisteredService>>
} & FastifyInstance

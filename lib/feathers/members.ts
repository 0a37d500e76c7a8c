import type { HookOptions } from '../../types/fastify.js'

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

/** The members of a Feathers application that hooks find at `context.app`. */
export interface FeathersMembers {
  /** A setting, `undefined` where there is none. */
  get<Name extends keyof Settings & string>(name: Name): Settings[Name]
  get(name: string): unknown
  set<Name extends keyof Settings & string>(name: Name, value: Settings[Name]): this
  set(name: string, value: unknown): this
  /** Adds hooks for all services, at any time. */
  hooks(options: HookOptions): this
}

declare module '../../types/fastify.js' {
  interface HookMembers extends FeathersMembers {}
}

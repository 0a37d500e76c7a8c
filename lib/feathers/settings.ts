import type { FastifyInstance } from 'fastify'
import { define } from '../core/facade.js'

/**
 * The function that `configuration()` of `@feathersjs/configuration` returns. It sets each setting,
 * and checks them when the application is set up.
 */
type Configuration = (app: never) => unknown

/** The settings of an application by name, or `configuration()` of `@feathersjs/configuration`. */
export type SettingsOption = Readonly<Record<string, unknown>> | Configuration

/** The settings behind `get` and `set` of `context.app`, such as a Feathers application. */
export interface SettingsStore {
  readonly settings: Record<string, unknown>
  get(name: string): unknown
  set(name: string, value: unknown): unknown
}

export function createSettings(): SettingsStore {
  // A setting may have any name, such as `constructor`.
  const settings: Record<string, unknown> = Object.create(null)
  return {
    settings,
    get: (name) => settings[name],
    set(name, value) {
      settings[name] = value
    }
  }
}

/** Sets a setting of any name: `__proto__` must not set the prototype of the settings. */
export function putSetting(store: SettingsStore, name: string, value: unknown): void {
  if (name !== '__proto__') store.set(name, value)
  else define(store.settings, name, value)
}

type LifecycleHook = (context: object, next: () => Promise<void>) => unknown
type LifecycleHooks = { readonly [Name in 'setup' | 'teardown']?: LifecycleHook | readonly LifecycleHook[] }
type Configured = Pick<SettingsStore, 'get' | 'set'> & { hooks(hooks: LifecycleHooks): void }

/** Applies the option `settings`. `configuration()` checks them before the server starts. */
export async function applySettings(source: SettingsOption, store: SettingsStore, app: FastifyInstance): Promise<void> {
  if (typeof source !== 'function') {
    for (const [name, value] of Object.entries(source)) putSetting(store, name, value)
    return
  }
  const configured: Configured = {
    get: (name) => store.get(name),
    set: (name, value) => putSetting(store, name, value),
    hooks({ setup = [], teardown = [] }) {
      const run = (hook: LifecycleHook) => async () => void (await hook({ app }, async () => {}))
      for (const hook of [setup].flat()) app.addHook('onReady', run(hook))
      for (const hook of [teardown].flat()) app.addHook('onClose', run(hook))
    }
  }
  await source(configured as never)
}

/** The settings of an application, by name. */
export type SettingsOption = Readonly<Record<string, unknown>> | Configuration

/** What `configuration()` of `@feathersjs/configuration` gives: it sets each setting, and checks them when the application is set up. */
export type Configuration = (app: never) => unknown

/** Where `get` and `set` of an application go. A Feathers application is one, too. */
export interface SettingsStore {
  readonly settings: Record<string, unknown>
  get(name: string): unknown
  set(name: string, value: unknown): unknown
}

export function createSettings(): SettingsStore {
  // Any name may be that of a setting, `constructor` too.
  const settings: Record<string, unknown> = Object.create(null)
  return {
    settings,
    get: (name) => settings[name],
    set(name, value) {
      settings[name] = value
    }
  }
}

/**
 * Puts what an application was given into its settings.
 * @param onSetup is called with each hook that is to run when the application is set up
 */
export function applySettings(
  given: SettingsOption,
  store: SettingsStore,
  onSetup: (hook: (context: unknown, next: () => Promise<void>) => unknown) => void
): void {
  const { get, set } = store
  if (typeof given === 'function') {
    const hooks = ({ setup }: { setup: Parameters<typeof onSetup>[0][] }) => setup.forEach(onSetup)
    ;(given as (app: object) => unknown)({ get, set, hooks })
  } else for (const [name, value] of Object.entries(given)) set(name, value)
}

import type { MethodRoutes } from '../../types/call.js'
import type { AnyService, ClientApplication, ClientOptions, ClientServiceOptions } from '../../types/client.js'
import type { HookOptions } from '../../types/hooks.js'
import { clientEnvironment } from '../core/compose.js'
import { createEmitter, eventMethods } from '../core/events.js'
import { HookStore } from '../core/hooks.js'
import { stripSlashes } from '../core/path.js'
import { createService, type ServiceEntry } from '../core/service.js'
import { addMethod } from './rest-service.js'

/**
 * Creates a client application (docs/client.md). `Services` is the interface of the server's
 * services: it types paths, methods, data and results.
 *
 * @example
 * const app = createClient<Services>()
 * app.configure(rest('https://api.example.com').fetch(fetch))
 * await app.service('messages').find({ query: { $limit: 5 } })
 */
export function createClient<Services = Record<string, AnyService>>({
  logger = console,
  routes
}: ClientOptions<Services> = {}): ClientApplication<Services> {
  const entries = new Map<string, ServiceEntry>()
  const common = new HookStore()
  const settings = new Map<string, unknown>()
  const onListenerError = (error: unknown) => (logger ? logger.error(error) : undefined)
  const noLogin = () => Promise.reject(new Error('There is no login: call configure(authentication()) first'))
  const app = {} as ClientApplication<Services> & { defaultService?(name: string): object }

  function register(path: string, service: object, options: ClientServiceOptions = {}) {
    const name = stripSlashes(path)
    if (entries.has(name)) throw new Error(`There is a service '${name}' already: call use() first`)
    const entry = createService(service, {
      ...options,
      routes: (routes as Record<string, MethodRoutes> | undefined)?.[name],
      app,
      path: name,
      common,
      onListenerError,
      environment: clientEnvironment,
      provide: '~client' in service ? addMethod : undefined
    })
    entries.set(name, entry)
    return entry.service
  }

  return Object.assign(app, eventMethods(createEmitter(), app, onListenerError), {
    configure(setup: (app: ClientApplication<Services>) => unknown) {
      setup(app)
      return app
    },
    use(...args: Parameters<typeof register>) {
      register(...args)
      return app
    },
    service(path: string): unknown {
      const name = stripSlashes(path)
      const entry = entries.get(name)
      if (entry) return entry.service
      if (!app.defaultService)
        throw new Error(`There is no server for '${name}': call configure(rest(address).fetch(fetch)) first`)
      return register(name, app.defaultService(name))
    },
    hooks(options: HookOptions) {
      common.add(options)
      for (const { compose } of entries.values()) compose()
      return app
    },
    get: (name: string) => settings.get(name),
    set(name: string, value: unknown) {
      settings.set(name, value)
      return app
    },
    authenticate: noLogin,
    reAuthenticate: noLogin,
    logout: noLogin
  }) as ClientApplication<Services>
}

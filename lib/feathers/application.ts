import type { FastifyInstance } from 'fastify'
import type { HookOptions } from '../../types/hooks.js'
import { standardEvents } from '../core/description.js'
import type { AnyMethod, Members } from '../core/facade.js'
import { isClass } from '../core/options.js'
import {
  hasHookApplication,
  hookApplicationOf,
  instance,
  ownPluginState,
  pluginState,
  serviceHostOf,
  type ToApplication
} from '../core/plugin-state.js'
import { metaOf } from '../core/service-meta.js'
import { authenticationIn } from './authentication.js'
import type { FeathersLike, Mixin } from './members.js'
import { putSetting, type SettingsStore } from './settings.js'

type Host = FastifyInstance & Members

/** The state that the applications of one registration of the plugin share. */
export interface Shared {
  /**
   * Keeps the settings. If it is a Feathers application, hooks also get those of its members that
   * the instance lacks.
   */
  readonly backing: SettingsStore
  readonly mixins: Mixin[]
}

/**
 * Returns the `context.app` of hooks: the instance, behind the members of a Feathers application
 * that hooks use. For code that was written for such an application and runs outside of hooks.
 *
 * @throws if fastify-services/feathers is not registered
 * @example
 * applicationOf(app).set('mailer', mailer)
 * app.service('messages', new MessageService(getOptions(applicationOf(app))))
 */
export function applicationOf(app: FastifyInstance): FeathersLike {
  const application = hookApplicationOf(app) as FeathersLike
  if (instance in application) return application
  throw new Error('Hooks get the instance itself here: register the plugin fastify-services/feathers')
}

/**
 * Replaces the `context.app` of hooks by an application, for the services of an instance and of the
 * instances inside it.
 * @param backing keeps the settings
 * @throws if it is replaced already
 */
export function registerApplications(app: FastifyInstance, backing: SettingsStore): ToApplication {
  if (hasHookApplication(app))
    throw new Error('fastify-services/feathers is registered here already: give it all options at once')
  const mixins: Mixin[] = []
  const applications = createApplications({ backing, mixins })
  ownPluginState(app).toHookApplication = applications
  const { entries, onService } = serviceHostOf(app)
  for (const { compose } of entries) compose()
  onService.push(({ app, object, service, path, options, exposed }) => {
    // A mounted service has the mixins of its own application.
    if (pluginState(app).toHookApplication !== applications || metaOf(object).mounted) return
    const events = options.events ?? (object as { events?: readonly string[] }).events ?? []
    const filled = { ...options, methods: exposed, events, serviceEvents: [...standardEvents, ...events] }
    for (const mixin of mixins) mixin.call(applications(app as object), service, path, filled)
  })
  return applications
}

export function createApplications(shared: Shared): ToApplication {
  const applications = new Map<object, object>()
  return (host) => {
    const application = applications.get(host) ?? createApplication(host as Host, shared)
    applications.set(host, application)
    return application
  }
}

function createApplication(host: Host, { backing: store, mixins }: Shared): object {
  const backing = store as SettingsStore & Members
  const members = createMembers(host, backing, mixins, () => application)
  // A method of the Feathers application is called on that application. It keeps its own members,
  // such as `knex.raw`.
  const proxies = new Map<unknown, AnyMethod>()
  function toBackingMethod(method: AnyMethod): AnyMethod {
    const proxy =
      proxies.get(method) ??
      new Proxy(method, {
        apply: (_, self, args) => Reflect.apply(method, self === application ? backing : self, args)
      })
    proxies.set(method, proxy)
    return proxy
  }
  const application: object = new Proxy(host, {
    has: (_, name) => name in members || name in host || name === 'services' || name in backing,
    get(_, name) {
      if (name in members) return members[name]
      if (name in host) return host[name]
      if (name === 'services') return servicesOf(host)
      if (typeof name === 'symbol') return undefined
      if (!(name in backing)) return missingMember(name)
      const value = backing[name]
      return isMethod(value) ? toBackingMethod(value) : value
    },
    // A hook that replaces one of `members` does not replace it on the instance.
    set: (_, name, value) => Reflect.set(name in members ? members : host, name, value)
  })
  return application
}

/** Creates the members that take precedence over those of the instance. */
function createMembers(
  host: Host,
  backing: SettingsStore & Members,
  mixins: readonly Mixin[],
  application: () => object
): Members {
  const services = serviceHostOf(host)
  const members: Members & { __proto__: null } = {
    // No name is found on a prototype.
    __proto__: null,
    [instance]: host,
    get(...args: Parameters<FastifyInstance['get']>) {
      if (args.length < 2) return backing.get(args[0])
      // With a handler it adds a route.
      host.get(...args)
      return application()
    },
    set(name: string, value: unknown) {
      putSetting(backing, name, value)
      return application()
    },
    hooks(options: HookOptions) {
      services.addHooks(options)
      return application()
    },
    service: (...args: Parameters<FastifyInstance['service']>) => host.service(...args),
    configure(callback: (this: object, app: object) => unknown) {
      if (services.isReady) refuseMember('configure')
      callback.call(application(), application())
      return application()
    },
    get mixins() {
      return services.isReady ? refuseMember('mixins') : mixins
    },
    defaultAuthentication: (path?: string) => defaultAuthentication(host, backing, path)
  }
  return members
}

function defaultAuthentication(host: Host, backing: SettingsStore & Members, path: string | undefined): unknown {
  const authentication = authenticationIn(host, path)
  if (authentication !== undefined) return authentication
  if (typeof backing.defaultAuthentication === 'function') return backing.defaultAuthentication(path)
  throw new Error('There is no authentication here: register the plugin fastify-services/authentication')
}

/** A class may have private members, so it is not called on another object. */
const isMethod = (value: unknown): value is AnyMethod => typeof value === 'function' && !isClass(value)

const servicesOf = (host: object) =>
  Object.fromEntries(serviceHostOf(host).entries.map(({ path, service }) => [path || '/', service]))

const listeners = 'app.service(path).on(event, listener), as the services have the listeners'
const channels = 'the option `app` of fastify-services/feathers, as channels are those of a Feathers application'
const start = 'applicationOf(app) of fastify-services/feathers, before the server is ready'

/** The members of a Feathers application that hooks don't get, and what to use instead. */
const replacements: Readonly<Record<string, string>> = {
  channel: channels,
  channels,
  publish: channels,
  registerPublisher: channels,
  configure: `app.register(plugin), or ${start}`,
  mixins: `the option \`hooks\` of fastify-services, or ${start}`,
  use: 'app.service(path, object, options) before the server is ready, and app.addHook() for middleware',
  unuse: 'nothing: a service stays for as long as its application',
  teardown: 'app.close()',
  defaultService: 'app.service(path, object, options) before the server is ready, for each service',
  on: listeners,
  once: listeners,
  off: listeners,
  addListener: listeners,
  removeListener: listeners,
  removeAllListeners: listeners,
  emit: 'app.service(path).emit(event, …), as the services have the listeners',
  listeners,
  listenerCount: listeners
}

/** @throws an error that says what to use instead of a member */
function refuseMember(name: string): never {
  throw new Error(
    `context.app has no '${name}': Fastify has no counterpart of it. What to use instead: ${replacements[name]}`
  )
}

/**
 * Returns the value of a member that hooks don't get: a function that throws when it is called,
 * since some code first checks whether the member exists.
 */
const missingMember = (name: string): unknown =>
  Object.hasOwn(replacements, name) ? () => refuseMember(name) : undefined

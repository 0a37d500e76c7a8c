import type { FastifyInstance } from 'fastify'
import type { HookOptions } from '../../types/hooks.js'
import type { AnyMethod, Members } from '../core/facade.js'
import { hookApplicationOf, instance, serviceHostOf } from '../core/host.js'
import { isClass } from '../core/options.js'
import { authenticationIn } from './authentication.js'
import type { FeathersLike, Mixin } from './members.js'
import { putSetting, type SettingsStore } from './settings.js'

type Host = FastifyInstance & Members

/** What the applications of one registration of the plugin have in common. */
export interface Shared {
  /**
   * Keeps the settings; of a Feathers application, hooks get those members too that the instance
   * lacks.
   */
  readonly backing: SettingsStore
  readonly mixins: Mixin[]
}

/**
 * What hooks get as `context.app`: the instance, behind the members of a Feathers application that
 * hooks use. For code that is no hook, but was written for such an application.
 *
 * @throws when fastify-services/feathers is not registered
 * @example
 * applicationOf(app).set('mailer', mailer)
 * app.service('messages', new MessageService(getOptions(applicationOf(app))))
 */
export function applicationOf(app: FastifyInstance): FeathersLike {
  const application = hookApplicationOf(app) as FeathersLike
  if (instance in application) return application
  throw new Error('Hooks get the instance itself here: register the plugin fastify-services/feathers')
}

/** Makes one application for each instance. */
export function createApplications(shared: Shared): (host: object) => object {
  const applications = new Map<object, object>()
  return (host) => {
    const application = applications.get(host) ?? createApplication(host as Host, shared)
    applications.set(host, application)
    return application
  }
}

function createApplication(host: Host, shared: Shared): object {
  const backing = shared.backing as SettingsStore & Members
  const members = ownMembers(host, backing, shared.mixins, () => application)
  const member = (value: unknown) => (isMethod(value) ? lend(value) : value)
  // A method of the Feathers application changes what is its own. What else its functions are, they
  // stay: `knex.raw`.
  const lent = new WeakMap<AnyMethod, AnyMethod>()
  function lend(method: AnyMethod): AnyMethod {
    const cached = lent.get(method)
    if (cached !== undefined) return cached
    const proxy = new Proxy(method, {
      apply: (_, self, args) => Reflect.apply(method, self === application ? backing : self, args)
    })
    lent.set(method, proxy)
    return proxy
  }
  const application: object = new Proxy(host, {
    has: (_, name) => name in members || name in host || name === 'services' || name in backing,
    get(_, name) {
      if (name in members) return members[name]
      if (name in host) return host[name]
      if (name === 'services') return servicesOf(host)
      if (typeof name === 'symbol') return undefined
      return name in backing ? member(backing[name]) : missingMember(name)
    },
    // A hook that replaces one of these members does not do so on the instance. All else that it
    // sets is there.
    set: (_, name, value) => Reflect.set(name in members ? members : host, name, value)
  })
  return application
}

/** The members that stand before those of the instance. */
function ownMembers(
  host: Host,
  backing: SettingsStore & Members,
  mixins: readonly Mixin[],
  application: () => object
): Members {
  const services = serviceHostOf(host)
  const members: Members & { __proto__: null } = {
    // No name is found on a prototype of it.
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
    defaultAuthentication(path?: string) {
      const authentication = authenticationIn(host, path)
      if (authentication !== undefined) return authentication
      if (typeof backing.defaultAuthentication === 'function') return backing.defaultAuthentication(path)
      throw new Error('There is no authentication here: register the plugin fastify-services/authentication')
    }
  }
  return members
}

/** A class has members of its own, which may be private: it is given as it is. */
const isMethod = (value: unknown): value is AnyMethod => typeof value === 'function' && !isClass(value)

/** All services by their paths. */
const servicesOf = (host: object) =>
  Object.fromEntries(serviceHostOf(host).entries.map(({ path, service }) => [path || '/', service]))

const listeners = 'app.service(path).on(event, listener), as the services have the listeners'
const channels = 'the option `app` of fastify-services/feathers, as channels are those of a Feathers application'
const start = 'applicationOf(app) of fastify-services/feathers, before the server is ready'

/** What to use in place of those members of a Feathers application that hooks do not find. */
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

/**
 * @throws for a member of a Feathers application that hooks do not find, with what to use instead
 */
export function refuseMember(name: string): never {
  throw new Error(
    `context.app has no '${name}': Fastify has no counterpart of it. What to use instead: ${replacements[name]}`
  )
}

/**
 * What such a member is: a function that throws when it is called, since some code asks first
 * whether there is one.
 */
export const missingMember = (name: string): unknown =>
  Object.hasOwn(replacements, name) ? () => refuseMember(name) : undefined

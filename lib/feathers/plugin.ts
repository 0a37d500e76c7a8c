import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { hasHookApplication, ownInstanceFacts } from '../core/host.js'
import { checkOptions, kinds, type OptionTable, withoutRegister } from '../core/options.js'
import { createApplications } from './application.js'
import { createFallback } from './fallback.js'
import { Ignored } from './ignored.js'
import { type MountOptions, mount } from './mount.js'
import type { FeathersApplication, Mounted } from './mounted.js'
import { credentialsReader } from './parse-authentication.js'
import { registerApplications } from './registration.js'
import { applySettings, createSettings, type SettingsOption } from './settings.js'

/** Options of the plugin. */
export interface FeathersOptions extends MountOptions {
  /** The application to mount. Default: none, and hooks get the settings alone. */
  app?: FeathersApplication
  /**
   * The settings that hooks get by `context.app.get(name)`: an object, or what `configuration()` of
   * `@feathersjs/configuration` gives. Those of a mounted application are there by themselves.
   */
  settings?: SettingsOption
}

const ofFeathers = 'an application of Feathers 5, as feathers() makes it'
const optionTable: OptionTable<FeathersOptions> = {
  app: [ofFeathers, (value) => isApplication(value)],
  settings: kinds.settings,
  authentication: ['an object, { service, strategies }', kinds.object[1]],
  ignoreMiddleware: kinds.free,
  fallback: kinds.flag
}
const ofAuthentication = { service: kinds.free, strategies: kinds.free }

async function feathers(fastify: FastifyInstance, options: FeathersOptions): Promise<void> {
  if (!fastify.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  const who = 'fastify-services/feathers'
  const advice = { registers: 'this one', call: 'await child.register(feathers, options)' }
  const { app, settings, authentication, ...rest } = options
  checkOptions(who, optionTable, withoutRegister(who, options, advice, fastify.log))
  // `app: undefined` is an application that was not made, and not an option that is left out.
  if ('app' in options && app === undefined)
    throw new TypeError(`The option \`app\` of ${who} must be ${ofFeathers}, got undefined`)
  if (authentication !== undefined) checkOptions(who, ofAuthentication, { ...authentication }, 'authentication.')
  const { ignoreMiddleware = false, fallback = false } = rest
  const ignored = new Ignored(ignoreMiddleware)
  const mounted = app as Mounted | undefined
  const backing = mounted ?? createSettings()
  // Hooks of our services get one application: of several that are mounted, the first.
  const isFirst = mounted === undefined || !hasHookApplication(fastify)
  const applications = isFirst ? registerApplications(fastify, backing) : createApplications({ backing, mixins: [] })
  await applySettings(settings ?? {}, backing, fastify)
  const reader = mounted && credentialsReader(mounted, authentication ?? {})
  // Guards of the application at services of ours are answered as well; not those of an application
  // around it, which hooks do not get here.
  if (isFirst) ownInstanceFacts(fastify).foreignReader = reader
  if (mounted === undefined || reader === undefined) return
  const framework = fallback ? await createFallback(mounted, fastify, ignored) : undefined
  mount(fastify, mounted, applications, reader, ignored, framework)
}

const isApplication = (value: unknown) => {
  const { setup, services, mixins } = Object(value ?? {}) as Partial<Mounted>
  return typeof setup === 'function' && typeof services === 'object' && Array.isArray(mixins)
}

/**
 * The plugin, for who comes from Feathers 5. With `app`, an application under Fastify, unchanged:
 * its services answer at Fastify's routes, with its hooks, events and authentication; its sockets
 * go on. Several may be mounted, and hooks get the settings of the first. And what hooks that were
 * written for Feathers expect of `context.app`. Register it after `fastify-services`.
 *
 * @throws when it is registered twice on an instance, an option does not exist, or a path is taken;
 * when the server starts, if the application has Koa or Express middleware of its own
 * @example
 * await app.register(services)
 * await app.register(feathers, { app: feathersApplication })
 * @example
 * await app.register(feathers, { settings: { paginate: { default: 10, max: 50 } } })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

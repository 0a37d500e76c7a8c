import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { checkOptions, kinds, type OptionTable, withoutRegister } from '../core/options.js'
import { hasHookApplication, ownPluginState } from '../core/plugin-state.js'
import { createApplications, registerApplications } from './application.js'
import { createCredentials } from './authentication.js'
import { createFallback } from './fallback.js'
import { IgnoreList } from './ignore-middleware.js'
import { type MountOptions, mountApplication } from './mount.js'
import type { FeathersApplication, MountedApplication } from './mounted.js'
import { applySettings, createSettings, type SettingsOption } from './settings.js'

/** Options of the plugin. */
export interface FeathersOptions extends MountOptions {
  /** The application to mount. Default: none, so hooks get only the settings. */
  app?: FeathersApplication
  /**
   * The settings that hooks get by `context.app.get(name)`: an object, or `configuration()` of
   * `@feathersjs/configuration`. Hooks get the settings of a mounted application, too.
   */
  settings?: SettingsOption
}

const applicationKind = 'an application of Feathers 5, as feathers() makes it'
const feathersOptions: OptionTable<FeathersOptions> = {
  app: [applicationKind, (value) => isApplication(value)],
  settings: kinds.settings,
  authentication: ['an object, { service, strategies }', kinds.object[1]],
  ignoreMiddleware: kinds.free,
  fallback: kinds.flag
}
const authenticationSettings = { service: kinds.free, strategies: kinds.free }

async function feathers(fastify: FastifyInstance, options: FeathersOptions): Promise<void> {
  if (!fastify.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  const who = 'fastify-services/feathers'
  const advice = { registers: 'this one', call: 'await child.register(feathers, options)' }
  const { app, settings, authentication, ...rest } = options
  checkOptions(who, feathersOptions, withoutRegister(who, options, advice, fastify.log))
  // `app: undefined` means that creating the application has failed, not that the option is unused.
  if ('app' in options && app === undefined)
    throw new TypeError(`The option \`app\` of ${who} must be ${applicationKind}, got undefined`)
  if (authentication !== undefined) checkOptions(who, authenticationSettings, { ...authentication }, 'authentication.')
  const { ignoreMiddleware = false, fallback = false } = rest
  const ignoreList = new IgnoreList(ignoreMiddleware)
  const mounted = app as MountedApplication | undefined
  const backing = mounted ?? createSettings()
  // Hooks of our services get one application: the first of several.
  const isFirst = mounted === undefined || !hasHookApplication(fastify)
  const applications = isFirst ? registerApplications(fastify, backing) : createApplications({ backing, mixins: [] })
  await applySettings(settings ?? {}, backing, fastify)
  const credentials = mounted && createCredentials(mounted, authentication ?? {})
  // Guards of the application at services of ours are answered, too. Guards of an application that
  // is registered around it are not, since hooks do not get that application here.
  if (isFirst) ownPluginState(fastify).mountedReader = credentials
  if (mounted === undefined || credentials === undefined) return
  mountApplication(fastify, mounted, {
    toApplication: applications,
    credentials,
    ignoreList,
    fallback: fallback ? await createFallback(mounted, fastify, ignoreList) : undefined
  })
}

const isApplication = (value: unknown) => {
  const { setup, services, mixins } = Object(value) as Partial<MountedApplication>
  return typeof setup === 'function' && typeof services === 'object' && Array.isArray(mixins)
}

/**
 * Mounts an unchanged Feathers 5 application: Fastify answers its services, with its hooks, events,
 * authentication and sockets (docs/mounting-feathers.md). With `settings` instead of `app`, it
 * gives hooks of Feathers what they expect of `context.app`. You can mount several; hooks get the
 * settings of the first. Register it after `fastify-services`.
 *
 * @throws if it is registered twice on an instance, an option does not exist, or a path is taken;
 * when the server starts, if the application has its own Koa or Express middleware
 * @example
 * await app.register(services)
 * await app.register(feathers, { app: feathersApplication })
 * @example
 * await app.register(feathers, { settings: { paginate: { default: 10, max: 50 } } })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { foreignReader, type WithForeignReader } from '../core/credentials.js'
import { hasHookApplication } from '../core/hook-application.js'
import { checkOptionNames, checkPluginOptionNames } from '../core/option-names.js'
import { isObject } from '../core/plain.js'
import { shown } from '../core/shown.js'
import { createApplications } from './application.js'
import { credentialsReader } from './credentials.js'
import { createFallback } from './fallback.js'
import { Ignored } from './ignored.js'
import { type MountOptions, mount } from './mount.js'
import type { FeathersApplication, Mounted } from './mounted.js'
import { registerApplications } from './registration.js'
import { applySettings, createSettings, type SettingsOption } from './settings.js'

/** Options of the plugin. */
export interface FeathersOptions extends MountOptions {
  /** The application to mount. Default: none, and hooks get the settings alone. */
  app?: FeathersApplication
  /**
   * The settings that hooks get by `context.app.get(name)`: an object, or what `configuration()` of `@feathersjs/configuration` gives. Those of a mounted
   * application are there by themselves.
   */
  settings?: SettingsOption
}

const names = ['app', 'settings', 'authentication', 'ignoreMiddleware', 'fallback'] satisfies (keyof FeathersOptions)[]

async function feathers(fastify: FastifyInstance, options: FeathersOptions): Promise<void> {
  if (!fastify.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  const call = 'await child.register(feathers, options)'
  const self = { name: 'fastify-services/feathers', registers: 'this one', call }
  checkPluginOptionNames(options, names, self, fastify.log)
  const { app, settings, ...rest } = options
  if ('app' in options && !isApplication(app))
    throw new Error(
      `The option \`app\` of fastify-services/feathers must be an application of Feathers 5, as feathers() makes it, got ${shown(app)}`
    )
  const { authentication } = options
  if (authentication !== undefined) {
    if (!isObject(authentication))
      throw new Error(
        `The option \`authentication\` of fastify-services/feathers must be an object, { service, strategies }, got ${shown(authentication)}`
      )
    checkOptionNames(authentication, ['service', 'strategies'], 'fastify-services/feathers has', 'authentication.')
  }
  if (settings !== undefined && typeof settings !== 'function' && !isObject(settings))
    throw new Error(
      `The option \`settings\` of fastify-services/feathers must be an object or a function, got ${shown(settings)}`
    )
  const { ignoreMiddleware = false, fallback = false } = rest
  const ignored = new Ignored(ignoreMiddleware)
  if (typeof fallback !== 'boolean')
    throw new Error(`The option \`fallback\` of fastify-services/feathers must be a boolean, got ${shown(fallback)}`)
  const mounted = app as Mounted | undefined
  const backing = mounted ?? createSettings()
  // Hooks of our services get one application: of several that are mounted, the first.
  const isFirst = mounted === undefined || !hasHookApplication(fastify)
  const applications = isFirst ? registerApplications(fastify, backing) : createApplications({ backing, mixins: [] })
  await applySettings(settings ?? {}, backing, fastify)
  const reader = mounted && credentialsReader(mounted, authentication ?? {})
  // Its guards at services of ours are answered as well; not those of an application around it, which hooks do not get here.
  if (isFirst) (fastify as WithForeignReader)[foreignReader] = reader
  if (mounted === undefined || reader === undefined) return
  const framework = fallback ? await createFallback(mounted, fastify, ignored) : undefined
  mount(fastify, mounted, applications, reader, ignored, framework)
}

const isApplication = (app: FeathersApplication | undefined): app is Mounted =>
  typeof app?.setup === 'function' && typeof app.services === 'object' && Array.isArray(app.mixins)

/**
 * The plugin, for who comes from Feathers 5. With `app`, an application under Fastify, unchanged: its services answer at Fastify's routes, with its hooks,
 * events and authentication; its sockets go on. Several may be mounted, and hooks get the settings of the first. And what hooks that were written for Feathers expect of `context.app`. Register it after
 * `fastify-services`.
 *
 * @throws when it is registered twice on an instance, an option does not exist, or a path is taken; when the server starts, if the application has Koa or
 * Express middleware of its own
 * @example
 * await app.register(services)
 * await app.register(feathers, { app: feathersApplication })
 * @example
 * await app.register(feathers, { settings: { paginate: { default: 10, max: 50 } } })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

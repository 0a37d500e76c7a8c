import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { hookApplication, type WithHookApplication } from '../core/hook-application.js'
import { type ServiceHost, serviceHost, type WithServiceHost } from '../core/host.js'
import { checkOptionNames } from '../core/option-names.js'
import { createApplications } from './application.js'
import type { Mixin } from './members.js'
import { applySettings, createSettings, type SettingsOption } from './settings.js'

/** Options of the plugin. */
export interface FeathersOptions {
  /** The settings that hooks get by `context.app.get(name)`: an object, or what `configuration()` of `@feathersjs/configuration` gives. */
  settings?: SettingsOption
}

const names = ['settings'] satisfies (keyof FeathersOptions)[]
// Fastify takes these of every plugin.
const ofRegister = ['logLevel', 'logSerializers']

type Instance = FastifyInstance & WithHookApplication & WithServiceHost

async function feathers(app: Instance, options: FeathersOptions): Promise<void> {
  if (!app.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  if (Object.hasOwn(app, hookApplication))
    throw new Error('fastify-services/feathers is registered here already: give it all options at once')
  checkOptionNames(options, [...names, ...ofRegister], 'fastify-services/feathers has')
  const backing = createSettings()
  if (options.settings !== undefined) applySettings(options.settings, backing, app)
  const mixins: Mixin[] = []
  const applications = createApplications({ backing, mixins })
  app[hookApplication] = applications
  const { onService } = app[serviceHost] as ServiceHost
  onService.push(({ app, service, path, options }) => {
    if ((app as Instance)[hookApplication] !== applications) return
    for (const mixin of mixins) mixin.call(applications(app as Instance), service, path, options)
  })
}

/**
 * The plugin: what hooks that were written for Feathers 5 expect of `context.app`. Register it after `fastify-services`.
 *
 * @throws when it is registered twice on an instance, or an option does not exist
 * @example
 * await app.register(feathers, { settings: { paginate: { default: 10, max: 50 } } })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

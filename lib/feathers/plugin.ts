import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { checkOptionNames } from '../core/option-names.js'
import { registerApplications } from './registration.js'
import { applySettings, createSettings, type SettingsOption } from './settings.js'

/** Options of the plugin. */
export interface FeathersOptions {
  /** The settings that hooks get by `context.app.get(name)`: an object, or what `configuration()` of `@feathersjs/configuration` gives. */
  settings?: SettingsOption
}

const names = ['settings'] satisfies (keyof FeathersOptions)[]
// Fastify takes these of every plugin.
const ofRegister = ['logLevel', 'logSerializers']

async function feathers(app: FastifyInstance, options: FeathersOptions): Promise<void> {
  if (!app.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  checkOptionNames(options, [...names, ...ofRegister], 'fastify-services/feathers has')
  const settings = createSettings()
  registerApplications(app, settings)
  applySettings(options.settings ?? {}, settings, app)
}

/**
 * The plugin: what hooks that were written for Feathers 5 expect of `context.app`. Register it after `fastify-services`.
 *
 * @throws when it is registered twice on an instance, or an option does not exist
 * @example
 * await app.register(feathers, { settings: { paginate: { default: 10, max: 50 } } })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { checkOptionNames } from '../core/option-names.js'
import { type MountOptions, mount } from './mount.js'
import type { FeathersApplication, Mounted } from './mounted.js'

/** Options of the plugin. */
export interface FeathersOptions extends MountOptions {
  /** The application to mount. */
  app: FeathersApplication
}

const names = ['app', 'authentication', 'ignoreMiddleware'] satisfies (keyof FeathersOptions)[]
// Fastify takes these of every plugin.
const ofRegister = ['logLevel', 'logSerializers']

async function feathers(fastify: FastifyInstance, options: FeathersOptions): Promise<void> {
  if (!fastify.hasDecorator('service'))
    throw new Error('fastify-services/feathers needs fastify-services: register that plugin first')
  checkOptionNames(options, [...names, ...ofRegister], 'fastify-services/feathers has')
  const { app, ...rest } = options
  if (!isApplication(app))
    throw new Error(
      'The option `app` of fastify-services/feathers is an application of Feathers 5, as feathers() makes it'
    )
  mount(fastify, app, rest)
}

const isApplication = (app: FeathersApplication | undefined): app is Mounted =>
  typeof app?.setup === 'function' && typeof app.services === 'object' && Array.isArray(app.mixins)

/**
 * The plugin: a Feathers 5 application under Fastify, unchanged. Its services answer at Fastify's routes, with its hooks, events and
 * authentication; its sockets go on. Register it after `fastify-services`.
 *
 * @throws when a path is taken; when the server starts, if the application has Koa or Express middleware of its own
 * @example
 * await app.register(services)
 * await app.register(feathers, { app: feathersApplication })
 */
export default plugin(feathers, { fastify: '5.x', name: 'fastify-services/feathers' })

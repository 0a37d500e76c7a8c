import Fastify, { type FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { errorHandler } from '../../index.js'
import { withoutRegister } from '../core/options.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import { closeConnections } from './connections.js'
import { registerHealth } from './health.js'
import { checkProductionOptions, type ProductionOptions, productionName } from './options.js'
import { refuseUnderPressure } from './pressure.js'
import { closeOnSignals } from './shutdown.js'

const defaultErrorHandler = Fastify().errorHandler

async function production(app: FastifyInstance, options: ProductionOptions): Promise<void> {
  const advice = { registers: 'this one', call: 'await child.register(production, options)' }
  checkProductionOptions(withoutRegister(productionName, options, advice, app.log))
  checkOrder(app)
  const { isReady, healthPath = '/health', rateLimit, maxEventLoopDelay = 1000, shutdownDelay = 9000 } = options
  // The host may have a handler of its own.
  if (app.errorHandler === defaultErrorHandler) app.setErrorHandler(errorHandler({ html: false }))
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id))
  if (maxEventLoopDelay !== false) {
    const { default: underPressure } = await peer(import('@fastify/under-pressure'))
    await refuseUnderPressure(app, underPressure, maxEventLoopDelay)
  }
  if (rateLimit !== false) {
    const { default: limiter } = await peer(import('@fastify/rate-limit'))
    await app.register(limiter, { max: 1000, timeWindow: '1 minute', ...rateLimit })
  }
  if (healthPath !== false) registerHealth(app, healthPath, isReady)
  closeConnections(app)
  if (shutdownDelay !== false) {
    const { default: closeWithGrace } = await peer(import('close-with-grace'))
    closeOnSignals(app, closeWithGrace, shutdownDelay)
  }
}

/** @throws {Error} if the instance has services already: limits would not apply to them */
function checkOrder(app: FastifyInstance): void {
  const host: ServiceHost | undefined = serviceHostOf(app)
  const early = host?.entries.find(
    (entry) => entry.app === app || Object.prototype.isPrototypeOf.call(app, entry.app as object)
  )
  if (early !== undefined)
    throw new Error(
      `${productionName} comes after the service '${early.path}', which would have no limits: register it before the services, with \`await\``
    )
}

/** @throws {Error} if a package is not installed, with the command that installs it */
async function peer<Package>(loading: Promise<Package>): Promise<Package> {
  return loading.catch((cause) => {
    throw new Error(
      `${productionName} needs three packages: npm install close-with-grace @fastify/under-pressure @fastify/rate-limit`,
      { cause }
    )
  })
}

/**
 * Prepares an application for the internet: JSON errors for your own routes, `x-request-id`, rate
 * limits, 503 while the process is overloaded, `/health` and `/health/live`, and a graceful shutdown
 * on SIGTERM and SIGINT. Register it before the services, because limits apply to routes that are
 * registered later.
 *
 * @throws {Error} if an option is unknown or invalid, a package that it needs is not installed, or a
 * service was registered before
 * @example
 * const app = Fastify(serverOptions({ logger: true, trustProxy: '127.0.0.1' }))
 * await app.register(production, { isReady: () => knex.raw('select 1') })
 * await app.register(services)
 */
export default plugin(production, { fastify: '5.x', name: productionName })

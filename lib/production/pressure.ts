import type underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Unavailable } from '../../index.js'
import { productionName } from './options.js'

// The plugin measures for a second at a time. The load of the start counts in the first two.
const startDuration = 2000

/**
 * Answers 503 while the event loop is late, unless the application has just started.
 * @throws {Error} if the application has registered @fastify/under-pressure
 */
export async function refuseUnderPressure(
  app: FastifyInstance,
  plugin: typeof underPressure,
  maxEventLoopDelay: number
): Promise<void> {
  if (app.hasDecorator('isUnderPressure'))
    throw new Error(
      `${productionName} registers @fastify/under-pressure, which is registered already: register each plugin once, or set \`maxEventLoopDelay: false\``
    )
  let startEnd = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    startEnd = performance.now() + startDuration
  })
  const pressureHandler = async () => {
    if (performance.now() > startEnd) throw new Unavailable('The server is busy, try again later', { retryAfter: 5 })
  }
  await app.register(plugin, { maxEventLoopDelay, pressureHandler })
}

import type { RateLimitPluginOptions } from '@fastify/rate-limit'
import { checkOptions, kinds, type OptionKind, type OptionTable } from '../core/options.js'

/** Options of `fastify-services/production`. */
export interface ProductionOptions {
  /**
   * Asks whether this process can answer calls, such as `() => knex.raw('select 1')`. If it throws,
   * gives `false` or takes longer than 5 seconds, `/health` answers 503. Default: it always can.
   */
  isReady?: () => unknown
  /** The path of the health check. `false` adds no health check. Default `'/health'`. */
  healthPath?: string | false
  /**
   * Options of `@fastify/rate-limit`. `false` does not register it. Default: 1000 requests per
   * minute for each client and route.
   */
  rateLimit?: RateLimitPluginOptions | false
  /**
   * The longest delay of the event loop, in ms, as an average over a second. While it is longer,
   * requests get 503. `false` sets no limit. Default 1000.
   */
  maxEventLoopDelay?: number | false
  /**
   * How long a shutdown may take after a signal or an uncaught error, in ms. Then the process ends
   * with code 1. It must be shorter than the time after which your platform kills the process: 10
   * seconds in Docker, 30 in Kubernetes. `false` does not listen for signals. Default 9000.
   */
  shutdownDelay?: number | false
}

export const productionName = 'fastify-services/production'

const orFalse = ([description, is]: OptionKind): OptionKind => [
  `${description} or false`,
  (value) => value === false || is(value)
]
const path: OptionKind = ['a path such as `/health`', (value) => typeof value === 'string' && /^\/.*[^/]$/.test(value)]

const productionOptions: OptionTable<ProductionOptions> = {
  isReady: kinds.function,
  healthPath: orFalse(path),
  rateLimit: orFalse(kinds.object),
  maxEventLoopDelay: orFalse(kinds.positive),
  shutdownDelay: orFalse(kinds.positive)
}

/** @throws {Error} if an option is unknown or invalid */
export function checkProductionOptions(options: object): void {
  checkOptions(productionName, productionOptions, options)
}

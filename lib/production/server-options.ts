import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Http2SecureServer, Http2Server } from 'node:http2'
import type { Server as SecureServer } from 'node:https'
import type {
  FastifyBaseLogger,
  FastifyHttp2Options,
  FastifyHttp2SecureOptions,
  FastifyHttpOptions,
  FastifyHttpsOptions
} from 'fastify'
import { errorHandler } from '../../index.js'

interface GivenOptions {
  readonly requestTimeout?: number
  readonly trustProxy?: unknown
  readonly http?: object | null
  readonly https?: object | null
  readonly routerOptions?: object
}

/**
 * Returns options for `Fastify()` that limit how long a request and its answer may take, and how
 * large a body may be. A plugin can't set them. Your own options win.
 *
 * | option | value |
 * |---|---|
 * | `requestTimeout`, `headersTimeout` of `http` and `https` | 20 s. If you set the first, the second follows |
 * | `handlerTimeout` | 20 s |
 * | `connectionTimeout` | 60 s |
 * | `connectionsCheckingInterval` of `http` and `https` | 5 s |
 * | `bodyLimit` | 100 kB |
 * | `routerOptions.ignoreTrailingSlash` | `true` |
 * | `genReqId` | a random UUID |
 * | `frameworkErrors` | `errorHandler({ html: false })` |
 *
 * @throws {TypeError} if `trustProxy` is `true`
 * @example
 * const app = Fastify(serverOptions({ logger: true, trustProxy: '127.0.0.1' }))
 */
export function serverOptions<Logger extends FastifyBaseLogger = FastifyBaseLogger>(
  options: FastifyHttp2SecureOptions<Http2SecureServer, Logger>
): FastifyHttp2SecureOptions<Http2SecureServer, NoInfer<Logger>>
export function serverOptions<Logger extends FastifyBaseLogger = FastifyBaseLogger>(
  options: FastifyHttp2Options<Http2Server, Logger>
): FastifyHttp2Options<Http2Server, NoInfer<Logger>>
export function serverOptions<Logger extends FastifyBaseLogger = FastifyBaseLogger>(
  options: FastifyHttpsOptions<SecureServer, Logger>
): FastifyHttpsOptions<SecureServer, NoInfer<Logger>>
export function serverOptions<Logger extends FastifyBaseLogger = FastifyBaseLogger>(
  options?: FastifyHttpOptions<Server, Logger>
): FastifyHttpOptions<Server, NoInfer<Logger>>
export function serverOptions(options: GivenOptions = {}): object {
  if (options.trustProxy === true)
    throw new TypeError(
      "The option `trustProxy` of serverOptions() can't be true: every client could choose its own address, and rate limits would not work. List the addresses of your proxies, as in '127.0.0.1,10.0.0.0/8'"
    )
  const { requestTimeout = 20_000, http, https, routerOptions, ...others } = options
  // Node ends half a body after the longer of the two timeouts.
  const times = { headersTimeout: requestTimeout, connectionsCheckingInterval: 5000 }
  return {
    handlerTimeout: 20_000,
    connectionTimeout: 60_000,
    bodyLimit: 100_000,
    genReqId: () => randomUUID(),
    frameworkErrors: errorHandler({ html: false }),
    ...others,
    requestTimeout,
    http: { ...times, ...http },
    ...(https && { https: { ...times, ...https } }),
    routerOptions: { ignoreTrailingSlash: true, ...routerOptions }
  }
}

import type { FastifyBaseLogger } from 'fastify'
import { Unavailable } from 'fastify-services'
import type { Redis } from 'ioredis'
import { StartError } from './start-error.js'

/**
 * A connection to Redis, made anew whenever it is lost. A command that can't be sent, or gets no answer in time, fails: it does not wait for Redis
 * to come back.
 *
 * @throws {StartError} when Redis can't be reached
 */
export async function connectRedis(url: string, timeout = 2000): Promise<Redis> {
  if (!/^rediss?:\/\/[^/?#]*(\/\d*)?$/.test(url))
    throw new StartError(
      'REDIS_URL is no address of a Redis server: write it as redis://user:password@host:6379, or with the number of a database behind it'
    )
  const timeouts = { commandTimeout: timeout, connectTimeout: timeout, socketTimeout: timeout }
  const retryStrategy = (times: number) => Math.min(times * 50, 1000)
  const options = { ...timeouts, retryStrategy, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
  let reason: unknown
  try {
    // ioredis takes a while to load, and most starts need none.
    const { Redis } = await import('ioredis')
    const redis = new Redis(url, { ...options, lazyConnect: true })
    // Whoever asks is told, and the log by `logLosses`.
    redis.on('error', (error) => {
      reason = error
    })
    try {
      await redis.connect()
      // ioredis connects to the first database where there is none of this number.
      await redis.select(redis.options.db ?? 0)
    } catch (error) {
      redis.disconnect()
      throw reason ?? error
    }
    return redis
  } catch (error) {
    throw new StartError("Can't use the server of REDIS_URL", error)
  }
}

/** Logs why Redis is away, once for each time. Not the error itself: it may have a password in it. */
export function logLosses(redis: Redis, log: Pick<FastifyBaseLogger, 'warn'>): void {
  let isLost = false
  redis.on('error', (error: NodeJS.ErrnoException) => {
    if (!isLost) log.warn(`Redis is away: ${error.message || error.code}`)
    isLost = true
  })
  redis.on('ready', () => {
    isLost = false
  })
}

/** What is thrown in place of an error of Redis: nobody gets in whose token or whose limit can't be checked. */
export function redisAway(cause: unknown): never {
  throw new Unavailable('Log-ins can not be checked at the moment', { retryAfter: 5 }, { cause })
}

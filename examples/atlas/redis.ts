import type { Redis } from 'ioredis'

/**
 * Connects to Redis, and again whenever the connection is lost. Meanwhile a command fails and does
 * not wait.
 *
 * @throws {Error} if Redis can't be reached
 */
export async function connectRedis(url: string, timeout = 2000): Promise<Redis> {
  // ioredis takes a while to load, and most starts don't need it.
  const { Redis } = await import('ioredis')
  const timeouts = { commandTimeout: timeout, connectTimeout: timeout, socketTimeout: timeout }
  const retryStrategy = (times: number) => Math.min(times * 50, 1000)
  const options = { ...timeouts, retryStrategy, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
  const redis = new Redis(url, { ...options, lazyConnect: true })
  let reason: unknown
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.connect()
  } catch (error) {
    redis.disconnect()
    throw reason ?? error
  }
  return redis
}

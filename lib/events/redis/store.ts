import { withTimeout } from '../../core/async.js'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { Store } from '../../core/store.js'
import { time } from '../options.js'
import { checkRedis, type RedisClient } from './client.js'

/** Options of `redisStore()`. */
export interface RedisStoreOptions {
  /** The prefix of its keys. Default `'fastify-services:'`. */
  prefix?: string
  /** How long to wait for an answer of Redis, in ms. Default 2,000. */
  timeout?: number
}

const redisStoreOptions: OptionTable<RedisStoreOptions> = { prefix: kinds.text, timeout: time }

/**
 * Creates a store in Redis, so that several processes share revoked tokens, refresh tokens and the
 * answers of `idempotency()` (docs/scaling.md). While Redis can't be reached, calls that need the
 * store fail with Unavailable (503).
 *
 * @param client a client of `ioredis`
 * @throws {TypeError} if it is no such client
 * @example
 * const store = redisStore(new Redis(process.env.REDIS_URL))
 * await app.register(authentication, { secret, revocation: true, refresh: true, store })
 */
export function redisStore(client: Pick<RedisClient, 'callBuffer'>, options: RedisStoreOptions = {}): Required<Store> {
  checkOptions('redisStore', redisStoreOptions, options)
  const { prefix = 'fastify-services:', timeout = 2000 } = options
  checkRedis('redisStore', client, ['callBuffer'])
  async function run(command: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    try {
      return await withTimeout(timeout, client.callBuffer(command, prefix + key, ...args))
    } catch (cause) {
      throw new Unavailable('The store is not available', { retryAfter: 5 }, { cause })
    }
  }
  const expiryOf = (seconds: number) => ['PX', Math.max(1, Math.ceil(seconds * 1000))] as const
  return {
    async get(key) {
      const value = await run('GET', key)
      return value === null ? undefined : String(value)
    },
    set: (key, value, seconds) => run('SET', key, value, ...expiryOf(seconds)),
    async add(key, value, seconds) {
      return (await run('SET', key, value, ...expiryOf(seconds), 'NX')) !== null
    },
    delete: (key) => run('DEL', key)
  }
}

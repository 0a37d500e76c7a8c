import { withTimeout } from '../../core/async.js'
import { Unavailable } from '../../core/errors.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import type { Store } from '../../core/store.js'
import { time } from '../options.js'
import { checkRedis, type RedisClient } from './client.js'

export interface RedisStoreOptions {
  /** What the names of its keys begin with. Default `'fastify-services:'`. */
  prefix?: string
  /** How long Redis may take for an answer, in ms. Default 2,000. */
  patience?: number
}

const ofRedisStore: OptionTable<RedisStoreOptions> = { prefix: kinds.text, patience: time }

/**
 * A store in Redis, for several processes: revoked tokens, refresh tokens and the answers of
 * `idempotency()` are the same for all of them (docs/scaling.md). While Redis is away, what needs
 * the store is answered with Unavailable (503).
 *
 * @param client a client of `ioredis`
 * @throws {TypeError} where it is none
 * @example
 * const store = redisStore(new Redis(process.env.REDIS_URL))
 * await app.register(authentication, { secret, revocation: true, refresh: true, store })
 */
export function redisStore(client: Pick<RedisClient, 'callBuffer'>, options: RedisStoreOptions = {}): Required<Store> {
  checkOptions('redisStore', ofRedisStore, options)
  const { prefix = 'fastify-services:', patience = 2000 } = options
  checkRedis('redisStore', client, ['callBuffer'])
  async function ask(command: string, key: string, ...more: (string | number)[]): Promise<unknown> {
    try {
      return await withTimeout(patience, client.callBuffer(command, prefix + key, ...more))
    } catch (cause) {
      throw new Unavailable('The store is not available', { retryAfter: 5 }, { cause })
    }
  }
  const timesOf = (seconds: number) => ['PX', Math.max(1, Math.ceil(seconds * 1000))] as const
  return {
    async get(key) {
      const value = await ask('GET', key)
      return value === null ? undefined : String(value)
    },
    set: (key, value, seconds) => ask('SET', key, value, ...timesOf(seconds)),
    async add(key, value, seconds) {
      return (await ask('SET', key, value, ...timesOf(seconds), 'NX')) !== null
    },
    delete: (key) => ask('DEL', key)
  }
}

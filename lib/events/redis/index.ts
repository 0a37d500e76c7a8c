export type { RedisClient } from './client.js'
export { type RedisLogOptions, redisLog } from './log.js'
export { type RedisStoreOptions, redisStore } from './store.js'

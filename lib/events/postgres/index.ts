export { type PostgresLogOptions, postgresLog } from './log.js'
export type { PostgresClient, PostgresPool } from './pool.js'
export { type PostgresStoreOptions, postgresStore } from './store.js'
export { postgresTables } from './tables.js'

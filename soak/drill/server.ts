import { KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import { inTransaction } from 'fastify-services/database'
import events from 'fastify-services/events'
import { postgresLog } from 'fastify-services/events/postgres'
import { redisLog } from 'fastify-services/events/redis'
import { Redis } from 'ioredis'
import createKnex from 'knex'
import { Pool } from 'pg'

// The program of each process. The clock of some is wrong.
const { CLOCK = '0', REDIS_URL, DATABASE_URL, NOTES_TABLE, PORT } = process.env
const { now } = Date
Date.now = () => now() + Number(CLOCK)

const app = Fastify({ forceCloseConnections: true })
app.setErrorHandler((error) => console.error(error))
const beat = 500

function createLog() {
  if (REDIS_URL !== undefined) {
    const redis = new Redis(REDIS_URL, { retryStrategy: () => 50 })
    redis.on('error', () => {})
    app.addHook('onClose', async () => redis.disconnect())
    return redisLog(redis, { key: 'drill', beat })
  }
  const pool = new Pool({ connectionString: String(DATABASE_URL), max: 4 })
  app.addHook('onClose', () => pool.end())
  return postgresLog(pool, { table: 'drill', beat, events: 100_000, outbox: NOTES_TABLE !== undefined })
}

const log = createLog()
await app.register(services)
if (NOTES_TABLE === undefined) {
  // Notes are kept by each process for itself: what is told of them is the subject.
  app.service('notes', new MemoryService())
} else {
  const Model = createKnex({
    client: 'pg',
    connection: String(DATABASE_URL),
    pool: { min: 0, max: 4 },
    acquireConnectionTimeout: 2000,
    // What fails is told by the answer.
    log: { warn() {}, error() {} }
  })
  app.addHook('onClose', () => Model.destroy())
  const notes = new KnexService({ Model, name: NOTES_TABLE })
  app.service('notes', notes, { hooks: { around: { all: [inTransaction(Model)] } } })
}
await app.register(events, { services: { notes: true }, log, limits: { perUser: 10_000 } })
process.on('SIGTERM', () => void app.close().then(() => process.exit()))
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.send?.('listening')

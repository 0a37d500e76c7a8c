// The server of npm run bench:events and bench:lists: notes of 100 kinds, and the door of events. It does what its parent asks for. The notes are in memory; where DATABASE_URL is set, on that PostgreSQL.
import { KnexService } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import createKnex from 'knex'
import services from '../../dist/index.js'
import events from '../../dist/lib/events/index.js'

const paginate = { default: 10 }

async function createNotes() {
  const { DATABASE_URL: connection } = process.env
  if (!connection) return new MemoryService({ startId: 1, paginate })
  const database = createKnex({ client: 'pg', connection })
  await database.schema.dropTableIfExists('bench_notes')
  await database.schema.createTable('bench_notes', (table) => {
    table.increments('id')
    table.text('text')
    table.text('kind').index()
  })
  return new KnexService({ Model: database, name: 'bench_notes', paginate })
}

const app = Fastify({ logger: false })
await app.register(services)
app.service('notes', await createNotes())
await app.register(events, { services: { notes: true }, limits: { perUser: 100_000, subscribers: 100_000 } })
await app.listen({ host: '127.0.0.1', port: 0 })
const notes = app.service('notes')
for (let kind = 0; kind < 100; kind++) await notes.create({ text: 'A note', kind: `k${kind}` })

let timer
let count = 0
const questions = {
  /** Changes so many notes a second, of one kind after the other. */
  change(perSecond) {
    clearInterval(timer)
    if (perSecond > 0)
      timer = setInterval(() => notes.patch((count++ % 100) + 1, { text: `Note ${count}` }), 1000 / perSecond)
  },
  /** Changes the first note so many times a second. */
  changeFirst(perSecond) {
    clearInterval(timer)
    if (perSecond > 0) timer = setInterval(() => notes.patch(1, { text: `Note ${count++}` }), 1000 / perSecond)
  },
  cpu() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  memory() {
    globalThis.gc()
    return process.memoryUsage().rss
  },
  streams: () => app.events.streams
}
process.on('message', async ([name, value]) => process.send((await questions[name](value)) ?? null))
process.on('disconnect', () => process.exit())
process.send(app.server.address().port)

// One server of npm run bench:growth, in a process of its own: what grows is the first argument, how large it is the second.
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import events from 'fastify-services/events'
import { sixMethods } from '../../dist/bench/methods.js'

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const text = { type: 'string' }
const record = { type: 'object', properties: { id: { type: 'integer' }, text, status: text }, required: ['text'] }
const newRecord = { ...record, additionalProperties: false }

const [, , kind, size] = process.argv
const count = Number(size)
const app = Fastify({ bodyLimit: 10_000_000 })
await app.register(services)
const before = cpu()

const sides = {
  services() {
    for (let index = 0; index < count; index++) app.service(`many-${index}`, sixMethods())
  },
  hooks() {
    const around = Array.from({ length: count }, () => async (_context, next) => next())
    app.service('many-0', sixMethods(), { hooks: { around: { get: around } } })
  },
  pages() {
    const records = Array.from({ length: count }, (_, id) => ({ id, text: `Record ${id}`, status: 'open' }))
    app.service('many-0', { find: async () => records }, { schema: { find: { response: record } } })
  },
  batches: () => app.service('many-0', sixMethods(), { schema: { create: { body: newRecord, response: record } } }),
  connections: () => app.service('many-0', sixMethods()),
  async streams() {
    app.service('many-0', new MemoryService({ startId: 1 }))
    await app.register(events, {
      services: { 'many-0': true },
      limits: { perUser: 100_000, subscribers: 100_000 }
    })
  }
}
await sides[kind]()
await app.listen({ host: '127.0.0.1', port: 0 })
const started = cpu() - before
if (kind === 'streams') await app.service('many-0').create({ text: 'A note' })

const questions = { cpu, started: () => started, streams: () => app.events.streams }
process.on('message', (question) => process.send(questions[question]()))
process.on('disconnect', () => process.exit())
process.send(app.server.address().port)

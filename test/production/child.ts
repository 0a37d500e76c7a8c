// A server in a process of its own, which a test ends by a signal. It sends its address, and `called` when a call has come, which
// it answers when the test says `answer`.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import services from 'fastify-services'
import events from 'fastify-services/events'
import production, { type ProductionOptions, serverOptions } from 'fastify-services/production'

const {
  logger = true,
  servers = 1,
  ...options
}: ProductionOptions & { logger?: boolean; servers?: number } = JSON.parse(process.argv[2] ?? '{}')

const ports: number[] = []
for (let count = 0; count < servers; count++) {
  const app = Fastify(serverOptions({ logger }))
  await app.register(production, options)
  await app.register(services)
  const find = async () => {
    process.send?.('called')
    await once(process, 'message')
    return ['answered']
  }
  app.service('calls', { find })
  app.service('notes', { find: async () => [], create: async (data: object) => data })
  await app.register(events, { services: { notes: true } })
  app.get('/throw', (_request, reply) => {
    reply.send('soon')
    setImmediate(() => {
      throw new Error('Nobody catches this')
    })
  })
  app.get('/reject', async () => void Promise.reject())
  await app.listen({ port: 0, host: '127.0.0.1' })
  ports.push((app.server.address() as AddressInfo).port)
}
process.send?.(ports)

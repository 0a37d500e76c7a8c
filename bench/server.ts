import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
// Routes by hand have the fast `nextTick` too: a server without it is slower by half.
import '../lib/compat/next-tick.js'

/** A file of `servers/`. */
interface Side {
  start(others: number): Promise<FastifyInstance>
}

// `node server.js ours 1500`: the services, among 1,500 others, in a process that says where it
// listens, and on each question how many bytes its heap has.
const [, , name, others] = process.argv
const { start } = (await import(`./servers/${name}.js`)) as Side
const app = await start(Number(others))
await app.listen({ host: '127.0.0.1', port: 0 })
// A simulated processor leaves the connection idle for longer than servers allow.
app.server.keepAliveTimeout = 0
process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.(process.memoryUsage().heapUsed))
process.send?.((app.server.address() as AddressInfo).port)

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fallbackMark } from '../core/host.js'
import { rootOf } from '../core/root.js'
import type { Lifecycle } from './lifecycle.js'
import type { Mounted } from './mounted.js'

const isFallback = ({ routeOptions }: FastifyRequest) => fallbackMark in routeOptions.config

/** Lets the sockets of a mounted application (`@feathersjs/socketio`) work on the servers of Fastify, and end with them. */
export function registerSockets(fastify: FastifyInstance, application: Mounted, lifecycle: Lifecycle): void {
  // An open socket would keep the server from closing.
  fastify.addHook('preClose', async () => {
    if (lifecycle.isOurs) application.io?.engine.close()
  })
  if (application.channel === undefined) return
  // They answer their requests before those come to Fastify, but on one server alone: `localhost` can be two addresses.
  rootOf(fastify).addHook('onRequest', (request, reply, done) => {
    const { io } = application
    const isTheirs = io?.httpServer === fastify.server && request.url.startsWith(`${io.path()}/`)
    if (!isTheirs || !(request.is404 || isFallback(request))) return done()
    reply.hijack()
    fastify.server.emit('request', request.raw, reply.raw)
  })
}

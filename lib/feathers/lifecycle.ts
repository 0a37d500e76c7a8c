import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fallbackMark, rootOf } from '../core/plugin-state.js'
import type { MountedApplication } from './mounted.js'

const running = new Set<MountedApplication>()

export type MountLifecycle = ReturnType<typeof createLifecycle>

/**
 * Sets a mounted application up with the server that starts, and tears it down when that closes.
 * Neither happens if the application was set up elsewhere.
 * @param check runs before the setup, and may throw to prevent it
 */
export function createLifecycle(application: MountedApplication, check: () => Promise<void>) {
  let isStarted = false
  const lifecycle = {
    /** Whether the setup runs now. */
    isSettingUp: false,
    /** The server that the application was set up with, and that its sockets use. */
    server: undefined as unknown,

    /** @throws if another server has set the application up, and has not closed yet */
    async setup(server: unknown): Promise<void> {
      if (isStarted) return
      isStarted = true
      await check()
      if (running.has(application))
        throw new Error(
          'The Feathers application is mounted twice, but it has one server: mount it once, or create a second application for the other place'
        )
      if (application._isSetup) return
      running.add(application)
      Object.assign(lifecycle, { server, isSettingUp: true })
      // `listen()` of the application sets it, too, and services look for it in their setup.
      Object.assign(application, { server })
      await application.setup(server)
      lifecycle.isSettingUp = false
    },

    async teardown(): Promise<void> {
      if (lifecycle.server === undefined) return
      running.delete(application)
      // Koa and Express would close the server, which Fastify does. The first releases of
      // `@feathersjs/koa` need a server to close.
      Object.assign(application, { server: { close: (done?: () => void) => done?.() } })
      await application.teardown(lifecycle.server)
      Object.assign(application, { server: undefined })
    }
  }
  return lifecycle
}

const isFallback = ({ routeOptions }: FastifyRequest) => fallbackMark in routeOptions.config

/**
 * Runs the sockets of a mounted application (`@feathersjs/socketio`) on the servers of Fastify, and
 * closes them with those.
 */
export function registerSockets(
  fastify: FastifyInstance,
  application: MountedApplication,
  lifecycle: MountLifecycle
): void {
  // An open socket would keep the server from closing.
  fastify.addHook('preClose', async () => {
    if (lifecycle.server !== undefined) application.io?.engine.close()
  })
  if (application.channel === undefined) return
  // socket.io takes its requests before Fastify does, but on one server only: `localhost` can be
  // two addresses.
  rootOf(fastify).addHook('onRequest', (request, reply, done) => {
    const { io } = application
    const isForSockets = io?.httpServer === fastify.server && request.url.startsWith(`${io.path()}/`)
    if (!isForSockets || !(request.is404 || isFallback(request))) return done()
    reply.hijack()
    fastify.server.emit('request', request.raw, reply.raw)
  })
}

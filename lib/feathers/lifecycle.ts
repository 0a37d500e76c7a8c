import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fallbackMark, rootOf } from '../core/plugin-state.js'
import type { MountedApplication } from './mounted.js'

/**
 * Sets a mounted application up with the server that starts, and tears it down when that closes.
 * Neither happens if the application was set up elsewhere.
 */
export class MountLifecycle {
  /** The applications that are set up here. */
  static readonly #running = new Set<MountedApplication>()

  readonly #application: MountedApplication
  readonly #check: () => Promise<void>
  #isStarted = false
  /** The server that the application was set up with, and that its sockets use. */
  #server: unknown
  /** Whether the setup runs now. */
  isSettingUp = false

  /** @param check runs before the setup, and may throw to prevent it */
  constructor(application: MountedApplication, check: () => Promise<void>) {
    this.#application = application
    this.#check = check
  }

  /** Whether this server has set the application up. */
  get hasSetup(): boolean {
    return this.#server !== undefined
  }

  /** @throws if another server has set the application up, and has not closed yet */
  async setup(server: unknown): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.#check()
    if (MountLifecycle.#running.has(this.#application))
      throw new Error(
        'The Feathers application is mounted twice, but it has one server: mount it once, or create a second application for the other place'
      )
    if (this.#application._isSetup) return
    MountLifecycle.#running.add(this.#application)
    this.#server = server
    this.isSettingUp = true
    // `listen()` of the application sets it, too, and services look for it in their setup.
    Object.assign(this.#application, { server })
    await this.#application.setup(server)
    this.isSettingUp = false
  }

  async teardown(): Promise<void> {
    if (!this.hasSetup) return
    MountLifecycle.#running.delete(this.#application)
    // Koa and Express would close the server, which Fastify does. The first releases of
    // `@feathersjs/koa` need a server to close.
    Object.assign(this.#application, { server: { close: (done?: () => void) => done?.() } })
    await this.#application.teardown(this.#server)
    Object.assign(this.#application, { server: undefined })
  }
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
    if (lifecycle.hasSetup) application.io?.engine.close()
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

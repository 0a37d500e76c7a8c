import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fallbackMark, rootOf } from '../core/plugin-state.js'
import type { MountedApplication } from './mounted.js'

/** An application that was set up here, and how many servers it is mounted on. */
interface Running {
  readonly server: unknown
  readonly setup: Promise<unknown>
  servers: number
}

/**
 * Sets a mounted application up and tears it down. Both happen once: with the first of its servers
 * that starts, and with the last that closes. Neither happens if the application was set up
 * elsewhere.
 */
export class MountLifecycle {
  /** Several servers may mount one application. It is removed with the last of them. */
  static readonly #running = new Map<MountedApplication, Running>()

  readonly #application: MountedApplication
  readonly #check: () => Promise<void>
  #isStarted = false
  #isCounted = false
  /** Whether this server has set the application up, so that its sockets use this server. */
  hasSetup = false
  /** Whether the setup runs now. */
  isSettingUp = false

  /** @param check runs before the setup, and may throw to prevent it */
  constructor(application: MountedApplication, check: () => Promise<void>) {
    this.#application = application
    this.#check = check
  }

  async setup(server: unknown): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.#check()
    const running = MountLifecycle.#running.get(this.#application)
    if (running === undefined && this.#application._isSetup) return
    this.#isCounted = true
    if (running !== undefined) {
      running.servers++
      await running.setup
      return
    }
    this.hasSetup = true
    this.isSettingUp = true
    // `listen()` of the application sets it, too, and services look for it in their setup.
    Object.assign(this.#application, { server })
    const setup = this.#application.setup(server)
    MountLifecycle.#running.set(this.#application, { server, setup, servers: 1 })
    await setup
    this.isSettingUp = false
  }

  async teardown(): Promise<void> {
    if (!this.#isCounted) return
    const running = MountLifecycle.#running.get(this.#application) as Running
    if (--running.servers > 0) return
    MountLifecycle.#running.delete(this.#application)
    // Koa and Express would close the server, which Fastify does. The first releases of
    // `@feathersjs/koa` need a server to close.
    Object.assign(this.#application, { server: { close: (done?: () => void) => done?.() } })
    await this.#application.teardown(running.server)
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

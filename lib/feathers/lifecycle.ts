import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fallbackMark, rootOf } from '../core/host.js'
import type { Mounted } from './mounted.js'

/** An application that was set up here, for the servers that it is mounted on. */
interface Running {
  readonly server: unknown
  readonly setup: Promise<unknown>
  servers: number
}

const running = new WeakMap<Mounted, Running>()

/**
 * The set-up and the tear-down of a mounted application. Each runs once, with the first of its
 * servers that starts and the last that closes; neither runs where somebody else has set it up.
 */
export class Lifecycle {
  readonly #application: Mounted
  readonly #check: () => Promise<void>
  #isStarted = false
  #isCounted = false
  /** Whether this server has set it up, so that it is the one of its sockets. */
  isOurs = false
  /** Whether its set-up runs. */
  isRunning = false

  /** @param check runs before the set-up. @throws to prevent it */
  constructor(application: Mounted, check: () => Promise<void>) {
    this.#application = application
    this.#check = check
  }

  async setup(server: unknown): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    await this.#check()
    const current = running.get(this.#application)
    if (current === undefined && this.#application._isSetup) return
    this.#isCounted = true
    if (current !== undefined) {
      current.servers++
      await current.setup
      return
    }
    this.isOurs = true
    this.isRunning = true
    // As `listen()` of the application would: services look for it in their set-up.
    Object.assign(this.#application, { server })
    const setup = this.#application.setup(server)
    running.set(this.#application, { server, setup, servers: 1 })
    await setup
    this.isRunning = false
  }

  async teardown(): Promise<void> {
    if (!this.#isCounted) return
    const current = running.get(this.#application) as Running
    if (--current.servers > 0) return
    running.delete(this.#application)
    // Koa and Express would close the server, which Fastify does. The first releases of
    // `@feathersjs/koa` need one to close.
    Object.assign(this.#application, { server: { close: (done?: () => void) => done?.() } })
    await this.#application.teardown(current.server)
    Object.assign(this.#application, { server: undefined })
  }
}

const isFallback = ({ routeOptions }: FastifyRequest) => fallbackMark in routeOptions.config

/**
 * Lets the sockets of a mounted application (`@feathersjs/socketio`) work on the servers of
 * Fastify, and end with them.
 */
export function registerSockets(fastify: FastifyInstance, application: Mounted, lifecycle: Lifecycle): void {
  // An open socket would keep the server from closing.
  fastify.addHook('preClose', async () => {
    if (lifecycle.isOurs) application.io?.engine.close()
  })
  if (application.channel === undefined) return
  // Sockets answer their requests before those come to Fastify, but on one server alone:
  // `localhost` can be two addresses.
  rootOf(fastify).addHook('onRequest', (request, reply, done) => {
    const { io } = application
    const isTheirs = io?.httpServer === fastify.server && request.url.startsWith(`${io.path()}/`)
    if (!isTheirs || !(request.is404 || isFallback(request))) return done()
    reply.hijack()
    fastify.server.emit('request', request.raw, reply.raw)
  })
}

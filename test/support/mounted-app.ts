import { type Application, feathers } from '@feathersjs/feathers'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import mounted, { type FeathersOptions } from 'fastify-services/feathers'
import type { Test } from 'tap'

// biome-ignore lint/suspicious/noExplicitAny: services of any kind
export type Theirs = Application<any, any>

interface Options extends Partial<FeathersOptions> {
  plugin?: ServicesOptions
  server?: FastifyServerOptions
  /** Runs after the Feathers application was mounted, before anything is ready. */
  after?: (app: FastifyInstance) => unknown
}

/** An application with a Feathers application mounted, which is not ready yet; closed when the test ends. */
export async function createMounted(t: Test, theirs: Theirs = feathers(), appOptions: Options = {}) {
  const { plugin, server, after, ...options } = appOptions
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false }, ...plugin })
  await app.register(mounted, { app: theirs, ...options })
  await after?.(app)
  return app
}

/** What a service was called with, in its own words. */
export const mirror = {
  find: async (params: object) => ({ ...params }),
  get: async (id: unknown, params: object) => ({ id, ...params }),
  create: async (data: unknown, params: object) => ({ data, ...params })
}

/** A logger that keeps its warnings. */
export function createWarnings() {
  const warnings: string[] = []
  const stream = { write: (line: string) => warnings.push(JSON.parse(line).msg) }
  return { warnings, logger: { level: 'warn', stream } }
}

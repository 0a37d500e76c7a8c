import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type ServiceOptions, type ServicesOptions } from 'fastify-services'
import type { Test } from 'tap'

export interface AppOptions {
  /** The object at `/things`. */
  service: object
  options?: ServiceOptions<Record<string, unknown>>
  plugin?: ServicesOptions
  server?: FastifyServerOptions
  /** Runs before the plugin is registered. */
  host?: (app: FastifyInstance) => unknown
}

/** An application with one service at `/things`, closed when the test ends. */
export async function createApp(
  t: Test,
  { service, options, plugin, server, host }: AppOptions
): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await host?.(app)
  await app.register(services, plugin ?? {})
  app.service('things', service as Record<string, unknown>, options)
  return app
}

/** Starts an application on a free port, and returns its address. */
export async function listen(app: FastifyInstance): Promise<string> {
  return await app.listen({ port: 0, host: '127.0.0.1' })
}

/** The answer to a `GET` that accepts JSON. */
export const getJSON = (app: FastifyInstance, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: 'application/json', ...headers } })

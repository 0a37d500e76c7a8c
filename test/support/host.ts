import Fastify, { type FastifyInstance, type FastifyServerOptions, type InjectOptions } from 'fastify'
import services, { type Middleware, type ServiceOptions, type ServicesOptions } from 'fastify-services'
import type { Test } from 'tap'
import { type Call, createRecorder } from './recorder.js'

export interface HostOptions {
  server?: FastifyServerOptions
  plugin?: ServicesOptions
  /** Runs before the plugin is registered. */
  before?: (app: FastifyInstance) => unknown
  /** Runs after the service was registered. */
  after?: (app: FastifyInstance) => unknown
}

/** A host application with a service of six methods at `/things` that records its calls; closed when the test ends. */
export async function createHost(t: Test, { server, plugin, before, after }: HostOptions = {}) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await before?.(app)
  await app.register(services, plugin ?? {})
  const { service, calls } = createRecorder()
  app.service('things', service)
  await after?.(app)
  await app.ready()
  return { app, calls: calls as Call[] }
}

export type Verb = Exclude<NonNullable<InjectOptions['method']>, Lowercase<string>>

/** The status and the JSON body of the answer to a request that accepts JSON. */
export async function request(
  app: FastifyInstance,
  method: string,
  url: string,
  options: Omit<InjectOptions, 'method' | 'url'> = {}
) {
  const headers = { accept: 'application/json', ...options.headers }
  const response = await app.inject({ ...options, method: method as Verb, url, headers })
  const isJSON = response.body !== '' && `${response.headers['content-type']}`.startsWith('application/json')
  return { status: response.statusCode, headers: response.headers, body: isJSON ? response.json() : response.body }
}

/** A host with a service at `/guarded` that has middleware before it. */
export async function createGuarded(
  t: Test,
  before: Middleware | readonly Middleware[],
  options: ServiceOptions<Record<string, unknown>> = {}
) {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service<Record<string, unknown>, string>('guarded', service, { ...options, before })
    }
  })
  return { app, calls }
}

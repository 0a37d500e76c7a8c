import cors from '@fastify/cors'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type ServiceOptions } from 'fastify-services'
import type { Test } from 'tap'
import { createRecorder, six } from './recorder.js'

/** Routes of the custom methods of a service that records its calls. */
export const routes = {
  publish: 'POST /:id/publish',
  hide: 'PATCH /:id/comments/:commentId',
  clear: 'DELETE /:id/comments',
  stats: 'GET /stats',
  tagged: 'GET /tagged/:tag',
  settings: 'PUT /settings/'
} as const
/** The names of those methods. */
export const routed = Object.keys(routes)
const unused: ServiceOptions<Record<string, unknown>> = {}

/** A host with that service. */
export async function createRouted(
  t: Test,
  { options = unused, path = 'posts', server = {} as FastifyServerOptions } = {}
) {
  const app = Fastify({ forceCloseConnections: true, ...server })
  t.teardown(() => app.close())
  await app.register(cors, { origin: true, strictPreflight: false })
  await app.register(services)
  const { service, calls } = createRecorder([...six, ...routed, 'archive'])
  app.service<Record<string, unknown>, string>(path, service, {
    methods: [...six, ...routed, 'archive'],
    routes,
    ...options
  })
  return { app, calls }
}

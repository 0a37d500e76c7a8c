import { parentPort, workerData } from 'node:worker_threads'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import * as z from 'zod'

const Chain: z.ZodType = z.object({
  get next() {
    return Chain.optional()
  },
  list: z.array(z.int()).optional()
})
const schemas: Readonly<Record<string, object>> = {
  zod: Chain,
  'JSON Schema': {
    type: 'object',
    properties: { next: { $ref: '#' }, list: { type: 'array', items: { type: 'integer' } } }
  }
}

// The thread of a test that counts memory: it answers with the status of one request.
const { library, payload } = workerData as { library: string; payload: string }
const app = Fastify()
await app.register(services, { errorHandler: { html: false, logger: false } })
const create = async () => ({})
app.service('things', { create } as object, { schema: resource(schemas[library]) as object })
const headers = { 'content-type': 'application/json' }
const { statusCode } = await app.inject({ method: 'POST', url: '/things', headers, payload })
parentPort?.postMessage(statusCode)

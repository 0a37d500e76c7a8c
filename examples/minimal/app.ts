import Fastify from 'fastify'
import services, { type Paged, resource, type ServiceOf } from 'fastify-services'
import { memory } from 'fastify-services/memory'
import production, { serverOptions } from 'fastify-services/production'

const id = { type: 'integer' } as const
const text = { type: 'string', minLength: 1, maxLength: 1000 } as const
const record = { type: 'object', required: ['id', 'text'], properties: { id, text } } as const
const messages = resource(record, { readOnly: ['id'] })

declare module 'fastify-services' {
  interface Services {
    messages: Paged<ServiceOf<typeof messages>>
  }
}

const pretty = process.env.NODE_ENV !== 'production' && { transport: { target: 'pino-pretty' } }
export const app = Fastify(serverOptions({ logger: { level: 'warn', ...pretty } }))
await app.register(production)
await app.register(services, { errorHandler: { html: false }, notFound: true })
app.service('messages', memory({ paginate: { default: 10, max: 100 } }), { schema: messages })

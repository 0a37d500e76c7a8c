import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'

export const app = Fastify({ logger: { level: 'warn' } })
await app.register(services)

const properties = { id: { type: 'integer' }, text: { type: 'string', minLength: 1, maxLength: 1000 } }
const message = { type: 'object', required: ['id', 'text'], properties }
app.service('messages', memory({ startId: 1, paginate: { default: 10, max: 100 } }), {
  schema: resource(message, { readOnly: ['id'] })
})

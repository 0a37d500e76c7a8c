import { memory } from '@feathersjs/memory'
import closeWithGrace from 'close-with-grace'
import Fastify from 'fastify'
import services from 'fastify-services'

const app = Fastify({ logger: { level: 'warn' } })
await app.register(services)

const text = { type: 'string', minLength: 1, maxLength: 1000 }
const body = { type: 'object', required: ['text'], additionalProperties: false, properties: { text } }
app.service('messages', memory({ startId: 1, paginate: { default: 10, max: 100 } }), {
  schema: { create: { body }, update: { body }, patch: { body } }
})

closeWithGrace(() => app.close())
console.log(`Try ${await app.listen({ port: process.env.PORT ?? 3030 })}/messages`)

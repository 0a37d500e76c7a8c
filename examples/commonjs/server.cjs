const closeWithGrace = require('close-with-grace')
const Fastify = require('fastify')
const { default: services } = require('fastify-services')
const { default: authentication, authenticate, hashPassword } = require('fastify-services/authentication')
const { memory } = require('fastify-services/memory')

const secret = process.env.AUTH_SECRET ?? require('node:crypto').randomBytes(64)
const email = { type: 'string', maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }
const password = { type: 'string', minLength: 8, maxLength: 1024 }
const text = { type: 'string', minLength: 1, maxLength: 1000 }
const bodyOf = (properties) => ({
  body: { type: 'object', required: Object.keys(properties), additionalProperties: false, properties }
})

const app = Fastify({ logger: { level: 'warn' } })
app.register(services)
app.register(authentication, { secret })
// `app.service` is there once the plugin is loaded: in a plugin that is registered after it.
app.register(async (app) => {
  app.service('users', memory(), {
    methods: ['create'],
    schema: { create: bodyOf({ email, password }) },
    hooks: { before: { create: [hashPassword('password')] } }
  })
  app.service('messages', memory({ paginate: { default: 10, max: 100 } }), {
    methods: ['find', 'get', 'create'],
    schema: { create: bodyOf({ text }) },
    hooks: { around: { create: [authenticate('jwt')] } }
  })
})

closeWithGrace(async ({ err }) => {
  if (err) console.error(err)
  await app.close()
})
app
  .listen({ port: process.env.PORT ?? 3030 })
  .then((address) => console.log(`Try ${address}/messages`))
  .catch((error) => {
    console.error(error)
    process.exit(1)
  })

// Serves the application in `app`, as it is: `node serve.js koa`, or `node serve.js mounted` on Fastify. It tells its port to the parent process.
import { once } from 'node:events'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { app } = require('./app/lib/app.js')
const db = app.get('postgresqlClient')
for (const name of ['1_user', '2_message']) await require(`./app/lib/migrations/${name}.js`).up(db)

const sides = {
  async koa() {
    const server = await app.listen(0, '127.0.0.1')
    if (!server.listening) await once(server, 'listening')
    return server.address().port
  },
  async mounted() {
    const { default: Fastify } = await import('fastify')
    const { default: services, frameworkErrors } = await import('../../dist/index.js')
    const { default: feathers } = await import('../../dist/lib/feathers/index.js')
    const fastify = Fastify({ frameworkErrors })
    await fastify.register(services, { notFound: true, errorHandler: { html: false, logger: false } })
    await fastify.register(feathers, { app })
    await fastify.listen({ host: '127.0.0.1', port: 0 })
    process.once('SIGTERM', async () => {
      await fastify.close()
      process.disconnect()
    })
    return fastify.server.address().port
  }
}
process.send({ port: await sides[process.argv[2]]() })
process.once('disconnect', () => process.exit())

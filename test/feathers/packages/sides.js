import { once } from 'node:events'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import Fastify from 'fastify'
import services from '../../../dist/index.js'
import members, { applicationOf } from '../../../dist/lib/feathers/index.js'

/**
 * An application that a package is tried on. Its services are objects with hooks.
 * @typedef {object} Side
 * @property {object} app what hooks and code that was written for Feathers take as the application
 * @property {(path: string, object: object, options?: object) => object} use registers a service, and returns it
 * @property {(path: string) => object} service
 * @property {() => Promise<string>} listen starts a server, and returns its address
 * @property {() => Promise<void>} close
 */

/** The two applications: that of Feathers, with its transport, and ours. */
export const sides = {
  async feathers({ hooks } = {}) {
    const app = koa(feathers())
    app.use(errorHandler())
    app.use(bodyParser())
    app.configure(rest())
    // Errors are answers here, and Koa prints them besides.
    app.silent = true
    if (hooks !== undefined) app.hooks(hooks)
    let server
    return {
      app,
      use(path, object, { hooks: own = {}, ...options } = {}) {
        app.use(path, object, options)
        return app.service(path).hooks(own)
      },
      service: (path) => app.service(path),
      async listen() {
        server = await app.listen(0, '127.0.0.1')
        if (!server.listening) await once(server, 'listening')
        return `http://127.0.0.1:${server.address().port}`
      },
      async close() {
        server?.closeAllConnections()
        await new Promise((resolve) => (server === undefined ? resolve() : server.close(resolve)))
      }
    }
  },

  async services({ hooks } = {}) {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(services, { errorHandler: { html: false }, ...(hooks && { hooks }) })
    await app.register(members)
    return {
      app: applicationOf(app),
      use: (path, object, options) => app.service(path, object, options),
      service: (path) => app.service(path),
      listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
      close: () => app.close()
    }
  }
}

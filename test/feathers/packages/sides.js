import { once } from 'node:events'
import { AuthenticationService, JWTStrategy } from '@feathersjs/authentication'
import { LocalStrategy } from '@feathersjs/authentication-local'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import Fastify from 'fastify'
import services from '../../../dist/index.js'
import authentication from '../../../dist/lib/authentication/index.js'
import members, { applicationOf } from '../../../dist/lib/feathers/index.js'

/**
 * An application that a package is tried on.
 * @typedef {object} Side
 * @property {object} app what hooks and code that was written for Feathers take as the application
 * @property {(path: string, object: object, options?: object) => object} use registers a service, and returns it
 * @property {(path: string) => object} service
 * @property {() => Promise<void>} useAuthentication users at `users` log in by `email` and `password`
 * @property {() => Promise<string>} listen starts a server, and returns its address
 * @property {() => Promise<void>} close
 */

const secret = 's'.repeat(32)

/**
 * The two applications: that of Feathers, with its transport, and ours. Both take settings as a function, which is what
 * `@feathersjs/configuration` gives.
 */
export const sides = {
  async feathers({ settings } = {}) {
    const app = koa(feathers())
    app.use(errorHandler())
    app.use(bodyParser())
    app.configure(rest())
    if (settings !== undefined) app.configure(settings)
    // Errors are answers here, and Koa prints them besides.
    app.silent = true
    return {
      app,
      use(path, object, { hooks = {}, ...options } = {}) {
        app.use(path, object, options)
        return app.service(path).hooks(hooks)
      },
      service: (path) => app.service(path),
      async useAuthentication() {
        app.set('authentication', {
          entity: 'user',
          service: 'users',
          secret,
          authStrategies: ['jwt', 'local'],
          local: { usernameField: 'email', passwordField: 'password', hashSize: 4 }
        })
        const service = new AuthenticationService(app)
        service.register('jwt', new JWTStrategy())
        service.register('local', new LocalStrategy())
        app.use('authentication', service)
      },
      async listen() {
        const server = await app.listen(0, '127.0.0.1')
        if (!server.listening) await once(server, 'listening')
        return `http://127.0.0.1:${server.address().port}`
      },
      async close() {
        // It listens already where the set-up fails.
        app.server?.closeAllConnections()
        await new Promise((resolve) => (app.server === undefined ? resolve() : app.server.close(resolve)))
      }
    }
  },

  async services({ settings } = {}) {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(services, { errorHandler: { html: false } })
    await app.register(members, settings && { settings })
    return {
      app: applicationOf(app),
      use: (path, object, options) => app.service(path, object, options),
      service: (path) => app.service(path),
      async useAuthentication() {
        await app.register(authentication, { secret, strategies: { jwt: true, local: true } })
      },
      listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
      close: () => app.close()
    }
  }
}

// An application on Koa with users who log in at a provider of OAuth, guarded records, and routes of its own.
import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { OAuthStrategy, oauth } from '@feathersjs/authentication-oauth'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, parseAuthentication, rest } from '@feathersjs/koa'
import { MemoryService } from '@feathersjs/memory'
import Router from '@koa/router'

class AcmeStrategy extends OAuthStrategy {
  async getEntityData(profile, existing, params) {
    return { ...(await super.getEntityData(profile, existing, params)), name: profile.name }
  }
}

/** @param provider the address of the provider */
export function create(provider) {
  const app = koa(feathers())
  app.set('host', 'localhost').set('port', 3030)
  app.set('authentication', {
    secret: 'a secret of 32 bytes, not a real one',
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt'],
    oauth: {
      redirect: '/done',
      acme: {
        key: 'the application',
        secret: 'its secret',
        oauth: 2,
        state: true,
        authorize_url: `${provider}/authorize`,
        access_url: `${provider}/token`,
        profile_url: `${provider}/profile`
      }
    }
  })
  app.use(errorHandler())
  app.use(parseAuthentication())
  app.use(bodyParser())
  const router = new Router()
  router.get('/done', (ctx) => {
    ctx.body = { done: true }
  })
  router.get('/notes/latest', (ctx) => {
    ctx.body = { latest: true }
  })
  app.use(router.routes()).use(router.allowedMethods())
  app.configure(rest())
  app.use('users', new MemoryService({ startId: 1 }))
  app.use('notes', new MemoryService({ startId: 1 }))
  app.use('secrets', new MemoryService({ startId: 1 }))
  const service = new AuthenticationService(app)
  service.register('jwt', new JWTStrategy())
  service.register('acme', new AcmeStrategy())
  app.use('authentication', service)
  app.configure(oauth())
  for (const path of ['users', 'secrets']) app.service(path).hooks({ around: { all: [authenticate('jwt')] } })
  return app
}

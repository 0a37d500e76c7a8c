import type { AddressInfo } from 'node:net'
import {
  type AuthenticationConfiguration,
  AuthenticationService,
  JWTStrategy,
  authenticate as theirAuthenticate
} from '@feathersjs/authentication'
import { LocalStrategy, hooks as localHooks } from '@feathersjs/authentication-local'
import { type Application, feathers } from '@feathersjs/feathers'
import { bodyParser, koa, errorHandler as koaErrors, rest as koaRest, parseAuthentication } from '@feathersjs/koa'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { frameworkErrors } from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import mounted from 'fastify-services/feathers'
import type { Test } from 'tap'
import { secret } from './tokens.js'
import { user } from './users-app.js'

interface Params {
  provider?: string
  authenticated?: boolean
  user?: { id: unknown; email: unknown }
  authentication?: object
}

/** A service that answers what authentication has put into its params. */
class Mirror {
  async find({ provider, user, authentication, authenticated }: Params) {
    return { provider, user: user && { id: user.id, email: user.email }, authentication, authenticated }
  }

  async get(_id: unknown, { user }: Params) {
    return { fields: Object.keys(user ?? {}).sort() }
  }

  async create(data: unknown) {
    return data
  }
}

/** The services on this library. */
async function ours(t: Test): Promise<string> {
  const app = Fastify({ forceCloseConnections: true, frameworkErrors })
  t.teardown(() => app.close())
  await app.register(services, { notFound: true, errorHandler: { logger: false } })
  app.service('users', memory({ startId: 1 }) as object, { hooks: { before: { create: [hashPassword('password')] } } })
  app.service('me', new Mirror(), { hooks: { around: { all: [authenticate('jwt')] } } })
  app.service('open', new Mirror())
  await app.register(authentication, { secret })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.service('users').create({ ...user })
  return base
}

// Set to what is the default here, so that a token is good at both.
const configuration: Partial<AuthenticationConfiguration> = {
  secret,
  entity: 'user',
  service: 'users',
  authStrategies: ['jwt', 'local'],
  jwtOptions: {
    header: { typ: 'JWT' },
    audience: 'authentication',
    issuer: 'fastify-services',
    algorithm: 'HS256',
    expiresIn: '1d'
  },
  local: { usernameField: 'email', passwordField: 'password', errorMessage: 'Invalid login' }
}

type App = Application<Record<string, never>, Record<string, unknown>>

/** Adds the services to an application of Feathers. Its user is created by what this returns. */
function addServices(app: App) {
  app.set('authentication', configuration)
  const service = new AuthenticationService(app as never)
  service.register('jwt', new JWTStrategy())
  service.register('local', new LocalStrategy())
  const use = app.use.bind(app) as unknown as (path: string, service: object) => unknown
  const find = app.service.bind(app) as unknown as (path: string) => {
    hooks(hooks: object): void
    create(data: object): Promise<unknown>
  }
  use('users', memory({ startId: 1 }))
  use('me', new Mirror())
  use('open', new Mirror())
  use('authentication', service)
  find('me').hooks({ around: { all: [theirAuthenticate('jwt')] } })
  find('users').hooks({
    before: { create: [localHooks.hashPassword('password')] },
    after: { all: [localHooks.protect('password')] }
  })
  return () => find('users').create({ ...user })
}

/** The services on `@feathersjs/koa`, set up as its documentation sets it up. */
async function onKoa(t: Test): Promise<string> {
  const app = koa(feathers<Record<string, never>, Record<string, unknown>>())
  app.silent = true
  app.use(koaErrors())
  app.use(parseAuthentication())
  app.use(bodyParser())
  app.configure(koaRest())
  const createUser = addServices(app as unknown as App)
  const server = await app.listen(0, '127.0.0.1')
  t.teardown(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  await createUser()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The same services of Feathers, mounted. */
async function onMounted(t: Test): Promise<string> {
  const theirs: App = feathers()
  const createUser = addServices(theirs)
  const app = Fastify({ forceCloseConnections: true, frameworkErrors })
  t.teardown(() => app.close())
  await app.register(services, { notFound: true, errorHandler: { logger: false } })
  await app.register(mounted, { app: theirs })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  await createUser()
  return base
}

/** Servers by name: each has the same user and the same secret, answers its address, and is closed when the test ends. */
export const servers = {
  'fastify-services': ours,
  'fastify-services/feathers': onMounted,
  '@feathersjs/koa': onKoa
} as const

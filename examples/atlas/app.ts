import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { KnexService } from '@feathersjs/knex'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { commonOperators, errorHandler, stableOrder } from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import { databaseErrors } from 'fastify-services/database'
import events from 'fastify-services/events'
import { redisLog, redisStore } from 'fastify-services/events/redis'
import * as countries from './countries.js'
import type { Database } from './database.js'
import { createDemo } from './demo.js'
import { licence, registerDocument } from './document.js'
import * as notes from './notes.js'
import { registerPage } from './page.js'
import { type ProductionOptions, registerProduction } from './production.js'
import { createProxies } from './proxies.js'
import { createLimits } from './rate-limit.js'
import { logLosses } from './redis.js'
import { StartError } from './start-error.js'
import { createStore, keptSecret } from './store.js'
import { Table } from './table.js'
import * as users from './users.js'

// The bytes of a password of 1024 characters, each of them escaped.
const maxLogin = 16_384

export interface AppOptions extends ProductionOptions {
  /** What tokens are signed with. Default: what was made on the first start, and is kept in the database. */
  secret?: string | undefined
  /** How often one client may sign up, change a user, or try to log in as one, in a minute. 0 for no limit. Default 10. */
  rateLimit?: number
  /** The addresses of the proxies that are believed who the client is, as in `127.0.0.1,10.0.0.0/8`. Default: none is. */
  trustProxy?: string | undefined
  /** Whether the first start writes ten notes, of the demo user. Default `false`. */
  writesNotes?: boolean
  logger?: FastifyServerOptions['logger']
}

/**
 * The atlas over an open database, and Redis where there is one, which it closes when it is closed itself.
 *
 * @throws {StartError} when the secret is too short
 */
export async function createApp(
  { knex, close }: Database,
  { secret, rateLimit = 10, trustProxy, writesNotes = false, logger = false, ...production }: AppOptions = {}
): Promise<FastifyInstance> {
  const errors = { html: false } as const
  const frameworkErrors = errorHandler(errors)
  const app = createServer({ logger, frameworkErrors }, trustProxy)
  app.setErrorHandler(frameworkErrors)
  await registerProduction(app, knex, production)
  await registerDocument(app)
  const { redis } = production
  // What is added first is called last: plugins say goodbye to Redis before.
  app.addHook('onClose', async () => {
    redis?.disconnect()
    await close()
  })
  if (redis) logLosses(redis, app.log)
  const limits = await createLimits(app, rateLimit, redis)
  await app.register(services, {
    query: { arrayLimit: 250 },
    errorHandler: errors,
    notFound: true,
    hooks: { before: { all: [commonOperators()] }, around: { all: [databaseErrors()] } }
  })

  const paginate = { default: 10, max: 250 }
  const all = new KnexService<countries.Country>({ Model: knex, name: 'countries', id: 'cca3', paginate })
  app.service('countries', all, {
    methods: ['find', 'get'],
    schema: countries.schema,
    hooks: { around: { find: [stableOrder('name')] }, before: { get: [countries.isCode] } }
  })
  const ofCountries = new Table<notes.Note>({ Model: knex, name: 'notes', multi: ['create', 'patch'], paginate })
  app.service('countries/:code/notes', ofCountries, { schema: notes.schema, hooks: notes.hooks })
  app.service('users', new KnexService<users.User>({ Model: knex, name: 'users', paginate }), {
    methods: ['find', 'get', 'create', 'patch', 'remove'],
    schema: users.schema,
    hooks: users.hooks,
    bodyLimit: maxLogin,
    ...limits.users
  })
  const log = redis && { log: redisLog(redis, { key: 'atlas:events' }) }
  const store = redis ? redisStore(redis, { prefix: 'atlas:' }) : createStore(knex)
  await registerAuthentication(app, { secret: secret || (await keptSecret(knex)), store, ...limits.authentication })

  // The hooks of notes are all that decides who sees which notes.
  await app.register(events, { services: { 'countries/:code/notes': { rule: 'hooks' } }, ...log })

  await registerPage(app, {
    countries: '/countries',
    notes: '/countries/:code/notes',
    users: '/users',
    authentication: '/authentication',
    document: '/openapi.json',
    documentation: '/docs',
    explorer: '/explorer',
    licence
  })
  app.addHook('onReady', () => createDemo(app, knex, writesNotes))
  return app
}

const givenId = ({ 'x-request-id': id }: IncomingHttpHeaders) => /^[\w.-]{1,64}$/.exec(String(id ?? ''))?.[0]

/** Nothing that a client does, or does not do, holds a connection for ever. */
function createServer(options: FastifyServerOptions, trustProxy: string | undefined): FastifyInstance {
  try {
    const isProxy = trustProxy ? createProxies(trustProxy) : () => false
    // The id of a request is one in the logs of all processes. A proxy may have given it already, and nobody else.
    const genReqId = ({ headers, socket }: IncomingMessage) =>
      (isProxy(socket.remoteAddress) && givenId(headers)) || randomUUID()
    const timeouts = { requestTimeout: 20_000, handlerTimeout: 20_000, connectionTimeout: 60_000 }
    // Half a body has the longer of the two timeouts of requests.
    const http = { headersTimeout: timeouts.requestTimeout, connectionsCheckingInterval: 5000 }
    // Or `/users` and `/users/` would be two routes, with a limit each.
    const routerOptions = { ignoreTrailingSlash: true }
    return Fastify({ ...options, ...timeouts, http, routerOptions, trustProxy: trustProxy || false, genReqId })
  } catch (error) {
    throw new StartError("Can't use TRUST_PROXY", error)
  }
}

async function registerAuthentication(app: FastifyInstance, options: AuthenticationOptions): Promise<void> {
  try {
    await app.register(authentication, {
      revocation: true,
      guard: 'jwt',
      public: ['countries', 'countries/:code/notes.find', 'countries/:code/notes.get', 'users.create'],
      strategies: { jwt: true, local: { usernameField: { name: 'email', normalize: 'lowercase' } } },
      bodyLimit: maxLogin,
      ...options
    })
  } catch (error) {
    throw new StartError("Can't use AUTH_SECRET", error)
  }
}

import { KnexService } from '@feathersjs/knex'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { commonOperators, databaseErrors, errorHandler, type ServiceOptions } from 'fastify-services'
import authentication from 'fastify-services/authentication'
import type { Knex } from 'knex'
import * as countries from './countries.js'
import type { Database } from './database.js'
import { createDemo } from './demo.js'
import { licence, registerDocument } from './document.js'
import * as notes from './notes.js'
import { registerPage } from './page.js'
import { sortBy } from './query.js'
import { createLimits } from './rate-limit.js'
import { StartError } from './start-error.js'
import { createStore, keptSecret } from './store.js'
import { Table } from './table.js'
import * as users from './users.js'

// The bytes of a password of 1024 characters, each of them escaped.
const maxLogin = 16_384

export interface AppOptions {
  /** What tokens are signed with. Default: what was made on the first start, and is kept in the database. */
  secret?: string | undefined
  /** How often one client may sign up, change a user, or try to log in as one, in a minute. 0 for no limit. Default 10. */
  rateLimit?: number
  /** The addresses of the proxies that are believed who the client is, as in `127.0.0.1,10.0.0.0/8`. Default: none is. */
  trustProxy?: string | undefined
  logger?: FastifyServerOptions['logger']
}

/**
 * The atlas over an open database, which it closes when it is closed itself.
 *
 * @throws {StartError} when the secret is too short
 */
export async function createApp(
  { knex, close }: Database,
  { secret, rateLimit = 10, trustProxy, logger = false }: AppOptions = {}
): Promise<FastifyInstance> {
  const errors = { html: false } as const
  const frameworkErrors = errorHandler(errors)
  const app = createServer({ logger, trustProxy: trustProxy || false, frameworkErrors })
  await registerDocument(app)
  const limits = await createLimits(app, rateLimit)
  await app.register(services, {
    query: { arrayLimit: 250 },
    errorHandler: errors,
    notFound: true,
    hooks: { before: { all: [commonOperators()] }, error: { all: [databaseErrors()] } }
  })

  const paginate = { default: 10, max: 250 }
  const all = new KnexService<countries.Country>({ Model: knex, name: 'countries', id: 'cca3', paginate })
  app.service('countries', all, {
    methods: ['find', 'get'],
    schema: countries.schema,
    hooks: { before: { find: [sortBy('name')], get: [countries.isCode] } }
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
  await registerAuthentication(app, knex, secret, limits.authentication)

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
  app.addHook('onReady', () => createDemo(app, knex))
  app.addHook('onClose', close)
  return app
}

/** Nothing that a client does, or does not do, holds a connection for ever. */
function createServer(options: FastifyServerOptions): FastifyInstance {
  try {
    const timeouts = { requestTimeout: 20_000, handlerTimeout: 20_000, connectionTimeout: 60_000 }
    const http = { connectionsCheckingInterval: 5000 }
    // Or `/users` and `/users/` would be two routes, with a limit each.
    return Fastify({ ...options, ...timeouts, http, routerOptions: { ignoreTrailingSlash: true } })
  } catch (error) {
    throw new StartError("Can't use TRUST_PROXY", error)
  }
}

async function registerAuthentication(
  app: FastifyInstance,
  knex: Knex,
  secret: string | undefined,
  limits: ServiceOptions
): Promise<void> {
  try {
    await app.register(authentication, {
      secret: secret || (await keptSecret(knex)),
      revocation: true,
      store: createStore(knex),
      hooks: { before: { create: [users.normalizeEmail] } },
      bodyLimit: maxLogin,
      ...limits
    })
  } catch (error) {
    throw new StartError("Can't use AUTH_SECRET", error)
  }
}

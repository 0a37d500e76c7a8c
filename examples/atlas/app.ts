import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { stableOrder } from 'fastify-services'
import authentication, { include } from 'fastify-services/authentication'
import { databaseErrors } from 'fastify-services/database'
import { drizzle } from 'fastify-services/drizzle'
import events from 'fastify-services/events'
import { redisLog, redisStore } from 'fastify-services/events/redis'
import mcp from 'fastify-services/mcp'
import { serverOptions } from 'fastify-services/production'
import * as countries from './countries.js'
import type { Database } from './database.js'
import { createDemo } from './demo.js'
import { licence, registerDocument } from './document.js'
import * as notes from './notes.js'
import { registerPage } from './page.js'
import { type ProductionOptions, registerProduction } from './production.js'
import { createStore, storedSecret } from './store.js'
import * as tables from './tables.js'
import * as users from './users.js'

export interface AppOptions extends ProductionOptions {
  /** Signs the tokens: at least 32 bytes. Default: a secret that the first start stores in the database. */
  secret?: string | undefined
  /** The addresses of proxies whose `X-Forwarded-For` is trusted, as in `127.0.0.1,10.0.0.0/8`. Default: none. */
  trustProxy?: string | undefined
  /** Whether the first start writes ten notes of the demo user. Default `false`. */
  writesNotes?: boolean
  logger?: FastifyServerOptions['logger']
}

// Enough for a password of 1024 characters, each of them escaped.
const maxLogin = 16_384
// Enough for a list of long notes.
const maxNotes = 1_000_000

/** Creates the atlas. It closes the database and Redis when it is closed. */
export async function createApp(
  { db, close }: Database,
  { secret, trustProxy, writesNotes = false, logger = false, ...production }: AppOptions = {}
): Promise<FastifyInstance> {
  const app = Fastify(serverOptions({ logger, trustProxy: trustProxy || false }))
  const { rateLimit = 10, redis } = production
  await registerProduction(app, db, production)
  await registerDocument(app)
  // The first hook runs last, so the plugins can still use Redis and the database.
  app.addHook('onClose', async () => {
    redis?.disconnect()
    await close()
  })
  // Not the error itself, which may contain a password.
  redis?.on('error', ({ message, code }: NodeJS.ErrnoException) => app.log.warn(`Redis is away: ${message || code}`))
  await app.register(services, {
    query: { arrayLimit: 250 },
    errorHandler: { html: false },
    notFound: true,
    hooks: { around: { all: [databaseErrors({ messages: { email: 'There is a user with this e-mail address' } })] } }
  })

  const paginate = { default: 10, max: 250 }
  app.service('countries', drizzle(db, tables.countries, { id: 'cca3', paginate }), {
    methods: ['find', 'get'],
    schema: countries.schema,
    hooks: {
      around: {
        all: [include({ neighbours: { service: 'countries', field: 'borders' } })],
        find: [stableOrder('name')]
      }
    }
  })
  app.service('countries/:code/notes', drizzle(db, tables.notes, { multi: ['create', 'patch'], paginate }), {
    schema: notes.schema,
    hooks: notes.hooks,
    bodyLimit: maxNotes
  })
  // Each password costs a hash.
  const allowList = ({ method }: { method: string }) => method !== 'POST' && method !== 'PATCH'
  app.service('users', drizzle(db, tables.users, { paginate }), {
    methods: ['find', 'get', 'create', 'patch', 'remove'],
    schema: users.schema,
    hooks: users.hooks,
    bodyLimit: maxLogin,
    config: { rateLimit: { max: rateLimit, allowList } }
  })
  await app.register(authentication, {
    secret: secret || (await storedSecret(db)),
    revocation: true,
    store: redis ? redisStore(redis, { prefix: 'atlas:' }) : createStore(db),
    guard: 'jwt',
    public: ['countries', 'countries/:code/notes.find', 'countries/:code/notes.get', 'users.create'],
    strategies: { jwt: true, local: { usernameField: { name: 'email', normalize: 'lowercase' } } },
    rateLimit: rateLimit > 0 && { user: rateLimit, client: 10 * rateLimit, timeWindow: '1 minute' },
    bodyLimit: maxLogin
  })
  const log = redis && { log: redisLog(redis, { key: 'atlas:events' }) }
  await app.register(mcp, {
    name: 'Atlas',
    services: ['countries', 'countries/:code/notes.find', 'countries/:code/notes.get']
  })
  await app.register(events, { services: { 'countries/:code/notes': true }, ...log })

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
  app.addHook('onReady', () => createDemo(app, db, writesNotes))
  return app
}

import { ERROR, KnexService } from '@feathersjs/knex'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { commonOperators, errorHandler, type HookContext } from 'fastify-services'
import authentication from 'fastify-services/authentication'
import type { Knex } from 'knex'
import { type Country, querystring } from './countries.js'
import type { Database } from './database.js'
import { createDemo } from './demo.js'
import * as notes from './notes.js'
import { sortBy } from './query.js'
import { StartError } from './start-error.js'
import { createStore, keptSecret } from './store.js'
import * as users from './users.js'

// Not `users` and `authentication`: those of other programs in this repository are others.
declare module 'fastify-services' {
  interface Services {
    countries: KnexService<Country>
    'countries/:code/notes': KnexService<notes.Note>
  }
}

/** What is owed to those who made the data set. */
export const licence =
  'Contains information from https://github.com/mledoze/countries, which is made available here under the Open Database License (ODbL) 1.0.'

export interface AppOptions {
  /** What tokens are signed with. Default: what was made on the first start, and is kept in the database. */
  secret?: string | undefined
  logger?: FastifyServerOptions['logger']
}

/**
 * The atlas over an open database, which it closes when it is closed itself.
 *
 * @throws {StartError} when the secret is too short
 */
export async function createApp(
  { knex, close }: Database,
  { secret, logger = false }: AppOptions = {}
): Promise<FastifyInstance> {
  const errors = { html: false } as const
  const frameworkErrors = errorHandler(errors)
  // Fastify would drop a query parameter that the schema does not know, and with it a condition.
  const customOptions = { removeAdditional: false, strictTypes: false } as const
  const app = Fastify({ logger, frameworkErrors, ajv: { customOptions } })
  await app.register(services, {
    query: { arrayLimit: 250 },
    errorHandler: errors,
    notFound: true,
    hooks: { before: { all: [commonOperators()] }, error: { all: [hideStatement] } }
  })

  const paginate = { default: 10, max: 250 }
  const countries = new KnexService<Country>({ Model: knex, name: 'countries', id: 'cca3', paginate })
  app.service('countries', countries, {
    methods: ['find', 'get'],
    schema: { find: { querystring }, get: { querystring } },
    hooks: { before: { find: [sortBy('name')] } }
  })
  const ofCountries = new KnexService<notes.Note>({ Model: knex, name: 'notes', multi: ['create', 'patch'], paginate })
  app.service('countries/:code/notes', ofCountries, { schema: notes.schema, hooks: notes.hooks })
  app.service('users', new KnexService<users.User>({ Model: knex, name: 'users', paginate }), {
    methods: ['find', 'get', 'create', 'patch', 'remove'],
    schema: users.schema,
    hooks: users.hooks
  })
  await registerAuthentication(app, knex, secret)

  app.get('/', async () => ({
    countries: '/countries',
    notes: '/countries/:code/notes',
    users: '/users',
    authentication: '/authentication',
    licence
  }))
  app.addHook('onReady', () => createDemo(app, knex))
  app.addHook('onClose', close)
  return app
}

async function registerAuthentication(app: FastifyInstance, knex: Knex, secret: string | undefined): Promise<void> {
  try {
    await app.register(authentication, {
      secret: secret || (await keptSecret(knex)),
      revocation: true,
      store: createStore(knex),
      hooks: { before: { create: [users.normalizeEmail] } }
    })
  } catch (error) {
    throw new StartError("Can't use AUTH_SECRET", error)
  }
}

/** The message of what the database refuses begins with the SQL statement: it is nobody else's business. */
function hideStatement({ error }: HookContext): void {
  const refused = error as Error & { [ERROR]?: Error }
  if (ERROR in refused || !('className' in refused))
    refused.message = (refused[ERROR] ?? refused).message.split(' - ').pop()?.trim() ?? ''
}

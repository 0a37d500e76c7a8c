import { ERROR, KnexService } from '@feathersjs/knex'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { commonOperators, errorHandler, type HookContext } from 'fastify-services'
import { type Country, querystring } from './countries.js'
import type { Database } from './database.js'
import { hooks, type Note, schema } from './notes.js'
import { sortBy } from './query.js'

declare module 'fastify-services' {
  interface Services {
    countries: KnexService<Country>
    'countries/:code/notes': KnexService<Note>
  }
}

/** What is owed to those who made the data set. */
export const licence =
  'Contains information from https://github.com/mledoze/countries, which is made available here under the Open Database License (ODbL) 1.0.'

/** The atlas over an open database, which it closes when it is closed itself. */
export async function createApp(
  { knex, close }: Database,
  logger: FastifyServerOptions['logger'] = false
): Promise<FastifyInstance> {
  const errors = { html: false } as const
  const frameworkErrors = errorHandler(errors)
  // Fastify would drop a query parameter that the schema does not know, and with it a condition.
  const app = Fastify({ logger, frameworkErrors, ajv: { customOptions: { removeAdditional: false } } })
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
  const notes = new KnexService<Note>({ Model: knex, name: 'notes', multi: ['create', 'patch'], paginate })
  app.service('countries/:code/notes', notes, { schema, hooks })

  app.get('/', async () => ({
    countries: '/countries',
    notes: '/countries/:code/notes',
    licence
  }))
  app.addHook('onClose', close)
  return app
}

/** The adapter puts the SQL statement into the message of what the database refuses: it is nobody else's business. */
function hideStatement({ error }: HookContext): void {
  const refused = error as Error & { [ERROR]?: Error }
  if (refused[ERROR] !== undefined) refused.message = refused[ERROR].message.trim()
}

import swagger from '@fastify/swagger'
import { sql } from 'drizzle-orm'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type DataOf, type Params } from 'fastify-services'
import authentication, { hashPassword, within } from 'fastify-services/authentication'
import { databaseErrors, inTransaction } from 'fastify-services/database'
import { drizzle } from 'fastify-services/drizzle'
import events from 'fastify-services/events'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import production, { serverOptions } from 'fastify-services/production'
import {
  forIssues,
  forOrganisations,
  forProjects,
  forUsers,
  inOrganisation,
  ownOrganisation,
  setAuthor,
  usersInOrganisation
} from './access.js'
import type { Database } from './database.js'
import { Issues } from './issues.js'
import * as records from './records.js'
import * as tables from './tables.js'

export interface AppOptions {
  database: Database
  /** Signs the tokens: at least 32 bytes. */
  secret: string | Buffer | undefined
  /** Default: nothing is logged. */
  logger?: FastifyServerOptions['logger']
  /** Whether browsers keep their token in a cookie, which no script can read. Default `false`: they get it in the answer. */
  cookie?: boolean
  /** Whether there is a page to try the services, at `/explorer`. Default `true`. */
  hasExplorer?: boolean
}

/** The application, before it listens. */
export async function createApp({
  database: { db, close },
  secret,
  logger = false,
  cookie = false,
  hasExplorer = true
}: AppOptions): Promise<FastifyInstance> {
  const app = Fastify(serverOptions({ logger }))
  app.addHook('onClose', close)
  await app.register(production, { isReady: () => db.execute(sql`select 1`) })
  await app.register(swagger, openapi({ info: { title: 'Issues', version: '1.0.0' } }))
  await app.register(services, {
    errorHandler: { html: false },
    notFound: true,
    hooks: { around: { all: [databaseErrors({ messages: { email: 'There is a user with this address' } })] } }
  })
  await app.register(authentication, {
    secret,
    cookie,
    rateLimit: true,
    guard: 'jwt',
    public: ['sign-ups.create'],
    strategies: { jwt: true, local: { usernameField: { name: 'email', normalize: 'lowercase' } } }
  })

  const paginate = { default: 20, max: 100 }
  const organisations = drizzle(db, tables.organisations, { paginate })

  app.service(
    'sign-ups',
    {
      // The transaction stores an organisation and its owner, or neither.
      async create({ organisation, ...user }: DataOf<typeof records.signUps>, { transaction }: Params) {
        const { id } = await organisations.create({ name: organisation }, { transaction })
        return app.service('users').create({ ...user, organisationId: id, role: 'owner' }, { transaction })
      }
    },
    {
      schema: records.signUps,
      // A hash takes a tenth of a second, and would hold a connection of the database.
      hooks: { around: { all: [hashPassword('password'), inTransaction(db)] } },
      config: { rateLimit: { max: 20, timeWindow: '1 minute' } }
    }
  )
  app.service('organisations', organisations, {
    methods: ['get', 'patch'],
    schema: records.organisations,
    hooks: { around: { all: [forOrganisations, ownOrganisation] } }
  })
  app.service('users', drizzle(db, tables.users, { paginate }), {
    schema: records.users,
    hooks: { around: { all: [forUsers, usersInOrganisation] } }
  })
  app.service('projects', drizzle(db, tables.projects, { paginate }), {
    schema: records.projects,
    hooks: { around: { all: [forProjects, inOrganisation] } }
  })
  app.service('projects/:projectId/issues', new Issues(db, tables.issues, { paginate }), {
    schema: records.issues,
    // A project of another organisation is not found, nor are its issues.
    hooks: { around: { all: [forIssues, within('projects')] }, before: { create: [setAuthor] } }
  })

  // Who may see a list hears of what changes in it.
  await app.register(events, { services: { projects: true, 'projects/:projectId/issues': true } })

  if (hasExplorer) await app.register(explorer)
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  return app
}

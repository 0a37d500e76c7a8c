import swagger from '@fastify/swagger'
import { KnexService } from '@feathersjs/knex'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import services, { type HookContext, stableOrder } from 'fastify-services'
import authentication, { within } from 'fastify-services/authentication'
import { databaseErrors } from 'fastify-services/database'
import events from 'fastify-services/events'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'
import production, { serverOptions } from 'fastify-services/production'
import type { Knex } from 'knex'
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
import { Issues } from './issues.js'
import * as records from './records.js'
import { SignUps } from './sign-ups.js'

export interface AppOptions {
  database: Knex
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
  database,
  secret,
  logger = false,
  cookie = false,
  hasExplorer = true
}: AppOptions): Promise<FastifyInstance> {
  const app = Fastify(serverOptions({ logger }))
  app.addHook('onClose', () => database.destroy())
  await app.register(production, { isReady: () => database.raw('select 1') })
  await app.register(swagger, openapi({ info: { title: 'Issues', version: '1.0.0' } }))
  await app.register(services, {
    errorHandler: { html: false },
    notFound: true,
    hooks: {
      around: {
        all: [databaseErrors({ messages: { email: 'There is a user with this address' } })],
        find: [stableOrder()]
      }
    }
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
  const table = (name: string) => new KnexService({ Model: database, name, paginate })

  app.service('sign-ups', new SignUps(app, database), {
    methods: ['create'],
    schema: records.signUps,
    // Each sign-up costs the hash of a password.
    config: { rateLimit: { max: 20, timeWindow: '1 minute' } }
  })
  app.service('organisations', table('organisations'), {
    methods: ['get', 'patch'],
    schema: records.organisations,
    hooks: { around: { all: [forOrganisations, ownOrganisation] } }
  })
  app.service('users', table('users'), {
    schema: records.users,
    hooks: { around: { all: [forUsers, usersInOrganisation] }, before: { create: [setOrganisation] } }
  })
  app.service('projects', table('projects'), {
    schema: records.projects,
    hooks: { around: { all: [forProjects, inOrganisation] } }
  })
  app.service('projects/:projectId/issues', new Issues({ Model: database, name: 'issues', paginate }), {
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

/** A sign-up says which organisation its user is in; for others the scope does. */
function setOrganisation({ data, params }: HookContext): void {
  if (!params.provider) data.organisationId = params.organisationId
}

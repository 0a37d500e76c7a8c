import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'

/** What is owed to those who made the data set. */
export const licence =
  'Contains information from https://github.com/mledoze/countries, which is made available here under the Open Database License (ODbL) 1.0.'

const info = {
  title: 'Atlas',
  version: '1.0.0',
  description: `Countries, and notes about them. ${licence}`,
  license: { name: 'Open Database License 1.0', url: 'https://opendatacommons.org/licenses/odbl/1-0/' }
}

const tags = [
  { name: 'countries', description: 'The countries. Their id is the code of three letters.' },
  {
    name: 'countries/:code/notes',
    description: 'Notes about a country. Anybody reads them, and their author changes them.'
  },
  { name: 'users', description: 'Those who write notes. Users see and change their own record only.' },
  { name: 'authentication', description: 'Logs in and out.' }
]

const staticCSP = {
  'default-src': "'none'",
  'script-src': "'self'",
  // The page adds one style to itself, which has this hash.
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'"
}

/**
 * Serves the OpenAPI document of the services that are registered after, in Swagger UI and in the explorer too: the atlas shows everybody
 * how it is made.
 */
export async function registerDocument(app: FastifyInstance): Promise<void> {
  await app.register(swagger, openapi({ info, tags }))
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP })
  await app.register(explorer, { home: '/' })
}

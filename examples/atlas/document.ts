import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import explorer from 'fastify-services/explorer'
import { openapi } from 'fastify-services/openapi'

/** The notice that the licence of the data set requires. */
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
    description: 'Notes about a country. Anyone may read them. Only their author may change them.'
  },
  { name: 'users', description: 'Users write notes. They see and change only their own record.' },
  { name: 'authentication', description: 'Logs in and out.' }
]

const staticCSP = {
  'default-src': "'none'",
  'script-src': "'self'",
  // The hash of a style that Swagger UI adds to its page.
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'"
}

/** Serves the OpenAPI document of the services that are registered later, Swagger UI and the explorer. */
export async function registerDocument(app: FastifyInstance): Promise<void> {
  await app.register(swagger, openapi({ info, tags }))
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP })
  await app.register(explorer, { home: '/' })
}

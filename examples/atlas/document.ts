import swagger from '@fastify/swagger'
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

/** Serves the OpenAPI document of the services that are registered after, and the explorer: the atlas shows everybody how it is made. */
export async function registerDocument(app: FastifyInstance): Promise<void> {
  await app.register(swagger, openapi({ info, tags }))
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await app.register(explorer)
}

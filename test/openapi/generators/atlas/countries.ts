import createClient from 'openapi-fetch'
import { createClient as createHeyClient } from './generated/hey-api/client/index.js'
import * as atlas from './generated/hey-api/index.js'
import type { paths } from './generated/openapi-typescript.js'

type Query = NonNullable<paths['/countries']['get']['parameters']['query']>

/** What both clients find among the countries. */
export async function run(baseUrl: string): Promise<Record<string, unknown>> {
  const query: Query = {
    region: 'Africa',
    area: { $gte: 1_000_000 },
    'cca3[$nin]': ['SDN', 'COD'],
    $sort: { area: -1 },
    $select: ['name', 'area'],
    $limit: 3
  }
  const fetched = await createClient<paths>({ baseUrl }).GET('/countries', { params: { query } })
  // A list with a stream of events has two types of content.
  const notes = await createClient<paths, 'application/json'>({ baseUrl }).GET('/countries/{code}/notes', {
    params: { path: { code: 'CHE' } }
  })
  const client = createHeyClient({ baseUrl })
  const found = await atlas.findCountries({ client, query })
  return {
    'openapi-fetch': fetched.data,
    'hey-api': found.data,
    'a list with events': notes.data?.data.map(({ text }) => text),
    one: (await atlas.getCountry({ client, path: { id: 'CHE' } })).data,
    missing: (await atlas.getCountry({ client, path: { id: 'XXX' } })).error
  }
}

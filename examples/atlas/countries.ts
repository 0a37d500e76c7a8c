import { createRequire } from 'node:module'
import { type HookContext, NotFound } from 'fastify-services'
import type { Knex } from 'knex'
import type { Country as Source } from 'world-countries'
import { querySchema } from './query.js'

export interface Country {
  /** The code of three letters (ISO 3166-1 alpha-3), the id of the record. */
  cca3: string
  cca2: string
  name: string
  official: string
  capital: string
  region: string
  subregion: string
  /** In km², land and water; -1 where the data set has none. */
  area: number
  landlocked: boolean
  unMember: boolean
  /** Codes of the neighbours. */
  borders: string[]
  latlng: [number, number]
  languages: Record<string, string>
  currencies: Record<string, { name: string; symbol: string }>
}

export const querystring = querySchema(
  {
    cca3: 'string',
    cca2: 'string',
    name: 'string',
    official: 'string',
    capital: 'string',
    region: 'string',
    subregion: 'string',
    area: 'number',
    landlocked: 'boolean',
    unMember: 'boolean'
  },
  ['borders', 'latlng', 'languages', 'currencies']
)

/** A hook: what is no code is not looked for. */
export function isCode({ id }: HookContext): void {
  if (!/^[A-Z]{3}$/.test(String(id))) throw new NotFound(`No record found for id '${id}'`)
}

export async function createCountries(knex: Knex): Promise<void> {
  await knex.schema.createTable('countries', (table) => {
    table.text('cca3').primary()
    for (const name of ['cca2', 'name', 'official', 'capital', 'region', 'subregion']) table.text(name).notNullable()
    table.double('area').notNullable()
    table.boolean('landlocked').notNullable()
    table.boolean('unMember').notNullable()
    table.specificType('borders', 'text[]').notNullable()
    table.specificType('latlng', 'double precision[]').notNullable()
    table.jsonb('languages').notNullable()
    table.jsonb('currencies').notNullable()
  })
}

/** The countries of the npm package `world-countries` (ODbL 1.0), as records of the service. */
export function readCountries(): Country[] {
  // An `import` of JSON prints a warning on Node 20.
  const sources = createRequire(import.meta.url)('world-countries/countries.json') as Source[]
  return sources.map(
    ({
      name,
      capital,
      cca3,
      cca2,
      region,
      subregion,
      area,
      landlocked,
      unMember,
      borders,
      latlng,
      languages,
      currencies
    }) => ({
      name: name.common,
      official: name.official,
      capital: capital.join(', '),
      ...{ cca3, cca2, region, subregion, area, landlocked, unMember, borders, latlng, languages, currencies }
    })
  )
}

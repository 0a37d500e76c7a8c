import { createRequire } from 'node:module'
import { type HookContext, NotFound, resource } from 'fastify-services'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import type { Country as Source } from 'world-countries'
import { operators, text } from './query.js'

const Text = Type.String(text)
const Country = Type.Object(
  {
    /** The code of three letters (ISO 3166-1 alpha-3), the id of the record. */
    cca3: Text,
    cca2: Text,
    name: Text,
    official: Text,
    capital: Text,
    region: Text,
    subregion: Text,
    /** In km², land and water; -1 where the data set has none. */
    area: Type.Number(),
    landlocked: Type.Boolean(),
    unMember: Type.Boolean(),
    /** Codes of the neighbours. */
    borders: Type.Array(Type.String()),
    latlng: Type.Array(Type.Number()),
    languages: Type.Record(Type.String(), Type.String()),
    currencies: Type.Record(Type.String(), Type.Object({ name: Type.String(), symbol: Type.String() }))
  },
  { title: 'Country' }
)
export type Country = Static<typeof Country>

const { borders, latlng, languages, currencies, ...columns } = Country.properties
const filter = Object.keys(columns) as (keyof typeof columns)[]

/** What a client may ask for. */
export const schema = resource(Country, { filter, operators })

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

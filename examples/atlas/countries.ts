import { createRequire } from 'node:module'
import { resource } from 'fastify-services'
import Type, { type Static } from 'typebox'
import type { Country as Source } from 'world-countries'
import { operators, text } from './query.js'

const Text = Type.String(text)
const Country = Type.Object(
  {
    /** The three-letter code (ISO 3166-1 alpha-3), the id of the record. */
    cca3: Text,
    cca2: Text,
    name: Text,
    official: Text,
    capital: Text,
    region: Text,
    subregion: Text,
    /** In km², land and water; -1 if unknown. */
    area: Type.Number(),
    landlocked: Type.Boolean(),
    unMember: Type.Boolean(),
    /** The codes of the neighbours. */
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

export const schema = resource(Country, { filter, operators })

/** Reads the countries of the npm package `world-countries` (ODbL 1.0). */
export function readCountries(): Country[] {
  // An `import` of JSON prints a warning on Node 20.
  const sources = createRequire(import.meta.url)('world-countries/countries.json') as Source[]
  return sources.map(({ name, capital, ...source }) => ({
    ...source,
    name: name.common,
    official: name.official,
    capital: capital.join(', ')
  }))
}

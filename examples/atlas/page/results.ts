import { countries } from './client.js'
import { conditionsOf, type Place, queryOf } from './place.js'

/** The countries of the table, and the codes of all that fit. */
export type Found = Awaited<ReturnType<typeof findCountries>>

let last: { readonly conditions: string; readonly fits: ReadonlySet<string> } | undefined

/** Asks for a page of countries, and for all that fit where these are others than before. */
export async function findCountries(place: Place, signal: AbortSignal) {
  const conditions = conditionsOf(place)
  const [page, fits] = await Promise.all([
    countries.find({ query: queryOf(place), connection: { signal } }),
    last?.conditions === JSON.stringify(conditions) ? last.fits : findFits(conditions, signal)
  ])
  last = { conditions: JSON.stringify(conditions), fits }
  return { page, fits }
}

async function findFits(conditions: object, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const query = { ...conditions, $select: ['cca3'], $limit: 250 }
  const fits = new Set<string>()
  for await (const { cca3 } of countries.iterate({ query, connection: { signal } })) fits.add(cca3)
  return fits
}

import { iterate } from 'fastify-services/client'
import { countries } from './client.js'
import { conditionsOf, type Place, queryOf } from './place.js'

/** The countries of the table, and the codes of all that fit. */
export type Found = Awaited<ReturnType<typeof findCountries>>

let last: { readonly key: string; readonly fits: ReadonlySet<string> } | undefined

/** Asks for a page of countries, and for all that fit where these are others than before. */
export async function findCountries(place: Place, signal: AbortSignal) {
  const conditions = conditionsOf(place)
  const key = JSON.stringify(conditions)
  const [page, fits] = await Promise.all([
    countries.find({ query: queryOf(place), connection: { signal } }),
    last?.key === key ? last.fits : findFits(conditions, signal)
  ])
  last = { key, fits }
  return { page, fits }
}

async function findFits(
  conditions: ReturnType<typeof conditionsOf>,
  signal: AbortSignal
): Promise<ReadonlySet<string>> {
  const connection = { signal }
  const fits = new Set<string>()
  const all = iterate(
    countries,
    { query: { ...conditions, $select: ['cca3'], $limit: 250 }, connection },
    { id: 'cca3' }
  )
  for await (const { cca3 } of all) fits.add(cca3)
  return fits
}

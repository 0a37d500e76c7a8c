/** What the page shows: it stands in the address, so that a reload, a link and the way back lead to the same. */
export interface Place {
  /** A part of a name. */
  readonly search: string
  readonly region: string
  readonly landlocked: boolean
  /** The field that the table is sorted by. */
  readonly sort: string
  readonly descending: boolean
  /** The first one is 1. */
  readonly page: number
  /** The code of the country that is open. */
  readonly country: string
}

const perPage = 18
const sorts = ['name', 'capital', 'subregion', 'area']

export function placeOf(hash: string): Place {
  const parameters = new URLSearchParams(hash.slice(1))
  const text = (name: string) => parameters.get(name) ?? ''
  const sort = text('sort').replace('-', '')
  return {
    search: text('search').slice(0, 80),
    region: text('region'),
    landlocked: text('landlocked') === 'true',
    sort: sorts.includes(sort) ? sort : 'name',
    descending: text('sort').startsWith('-'),
    page: /^[1-9]\d?$/.test(text('page')) ? Number(text('page')) : 1,
    country: /^[A-Z]{3}$/.test(text('country')) ? text('country') : ''
  }
}

export function toHash({ search, region, landlocked, sort, descending, page, country }: Place): string {
  const order = (descending ? '-' : '') + sort
  const all = {
    search,
    region,
    landlocked: landlocked ? 'true' : '',
    sort: order === 'name' ? '' : order,
    page: page === 1 ? '' : String(page),
    country
  }
  return `#${new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''))}`
}

/** What a country must fit. */
export function conditionsOf({ search, region, landlocked }: Place) {
  const text = search.normalize().trim()
  return {
    // In a pattern these stand for others.
    ...(text !== '' && { name: { $ilike: `%${text.replace(/[\\%_]/g, '\\$&')}%` } }),
    ...(region !== '' && { region }),
    ...(landlocked && { landlocked })
  }
}

/** The query of the table. */
export function queryOf(place: Place) {
  const { sort, descending, page } = place
  // By the name too: of countries with the same value each stands on one page.
  const $sort: Record<string, 1 | -1> = { [sort]: descending ? -1 : 1, ...(sort !== 'name' && { name: 1 }) }
  const $skip = (page - 1) * perPage
  return { ...conditionsOf(place), $sort, $limit: perPage, ...($skip > 0 && { $skip }) }
}

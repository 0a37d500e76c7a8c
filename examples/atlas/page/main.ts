import { goOn, showAccount } from './account.js'
import { atlas, toQueryString } from './client.js'
import { showCountry } from './country.js'
import { copyCurl, showCurl } from './curl.js'
import { byId, fill } from './element.js'
import { onSort, showListProblem, showOpen, showOrder, showPage } from './list.js'
import { createMap, showLegend } from './map.js'
import { type Place, placeOf, queryOf, toHash } from './place.js'
import { textOf } from './problem.js'
import { type Found, findCountries } from './results.js'

const search = byId<HTMLInputElement>('search')
const region = byId<HTMLSelectElement>('region')
const landlocked = byId<HTMLInputElement>('landlocked')

let place = placeOf(location.hash)

/** Goes on to another place, or to one in the stead of this: the way back leads through no letter that somebody types. */
function go(change: Partial<Place>, isInstead = false): void {
  const hash = toHash({ ...place, ...change })
  if (isInstead) history.replaceState(null, '', hash)
  else if (hash !== toHash(place)) history.pushState(null, '', hash)
  show()
}

const toCountry = (country: string) => toHash({ ...place, country })

function close(): void {
  const { country } = place
  go({ country: '' })
  document.querySelector<HTMLElement>(`[data-code=${country}] a`)?.focus()
}

function show(): void {
  place = placeOf(location.hash)
  // Whoever types in it would lose the place.
  if (search.value !== place.search) search.value = place.search
  region.value = place.region
  landlocked.checked = place.landlocked
  showCurl(`${location.origin}/countries`, toQueryString(queryOf(place)))
  showOrder(place)
  void showList()
  void showCountry(place.country, toCountry, close)
}

// The address of a link may be older than what has been searched for since.
addEventListener('click', (event) => {
  const { country } = (event.target as Element).closest<HTMLElement | SVGElement>('[data-country]')?.dataset ?? {}
  if (country === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const last = place.country
  go({ country })
  if (country === last) document.querySelector<HTMLElement>('#country h2')?.focus()
})

// The outlines may be missing: the table does without.
const map = createMap().catch(() => {
  byId('map').hidden = true
  return undefined
})
let asking = new AbortController()
let lastQuery = ''
let lastResult: Found | undefined

async function showList(): Promise<void> {
  const list = toHash({ ...place, country: '' })
  if (list === lastQuery && lastResult) return showMarks(lastResult)
  asking.abort()
  asking = new AbortController()
  lastQuery = list
  lastResult = undefined
  const { signal } = asking
  byId('list').ariaBusy = 'true'
  try {
    lastResult = await findCountries(place, signal)
    const { total, limit } = lastResult.page
    const end = Math.max(1, Math.ceil(total / limit))
    // A link from elsewhere may lead to a page that there is not.
    if (place.page > end) return go({ page: end }, true)
    showPage(lastResult.page, toCountry)
    showMarks(lastResult)
  } catch (error) {
    if (signal.aborted) return
    showListProblem(textOf(error), show)
    fill(byId('legend'), 'Nothing to show')
    ;(await map)?.show({ fits: new Set(), inTable: new Set(), open: '' })
  } finally {
    if (!signal.aborted) byId('list').ariaBusy = null
  }
}

async function showMarks({ page, fits }: Found): Promise<void> {
  const marks = { fits, inTable: new Set(page.data.map(({ cca3 }) => cca3)), open: place.country }
  showOpen(marks.open)
  showLegend(marks)
  ;(await map)?.show(marks)
}

async function point({ type, target }: Event): Promise<void> {
  const row = type === 'pointerleave' ? null : (target as Element).closest('tr')
  ;(await map)?.point(row?.dataset.code ?? '')
}

byId('filters').addEventListener('submit', (event) => event.preventDefault())
search.addEventListener('input', () => go({ search: search.value, page: 1 }, true))
region.addEventListener('change', () => go({ region: region.value, page: 1 }))
landlocked.addEventListener('change', () => go({ landlocked: landlocked.checked, page: 1 }))
onSort((sort) => go({ sort, descending: sort === place.sort && !place.descending, page: 1 }))
byId('previous').addEventListener('click', () => go({ page: place.page - 1 }))
byId('next').addEventListener('click', () => go({ page: place.page + 1 }))
for (const type of ['pointerover', 'pointerleave', 'focusin']) byId('rows').addEventListener(type, point)
byId('copy').addEventListener('click', copyCurl)
addEventListener('keydown', ({ key, target }) => {
  const isTyping = (target as Element).closest('input, textarea, select, dialog') !== null
  if (key === 'Escape' && place.country !== '' && !isTyping) close()
})
addEventListener('popstate', show)
for (const event of ['login', 'logout']) atlas.on(event, showAccount)
showAccount()
void goOn()
show()

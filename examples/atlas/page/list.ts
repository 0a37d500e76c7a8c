import type { Country } from '../countries.js'
import { byId, countryLink, element, fill } from './element.js'
import type { Place } from './place.js'
import { problem } from './problem.js'

export interface Page {
  readonly total: number
  readonly limit: number
  readonly skip: number
  readonly data: readonly Country[]
}

const inWhole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** An area as people write it. */
export const toArea = (area: number) => (area < 0 ? 'unknown' : area < 1 ? String(area) : inWhole.format(area))

const headings = [...document.querySelectorAll<HTMLElement>('th[data-sort]')]

/** Shows which heading the table is sorted by. */
export function showOrder({ sort, descending }: Place): void {
  for (const heading of headings) {
    const isSorted = heading.dataset.sort === sort
    heading.ariaSort = isSorted ? (descending ? 'descending' : 'ascending') : null
  }
}

export function onSort(sort: (field: string) => void): void {
  for (const heading of headings)
    heading.querySelector('button')?.addEventListener('click', () => sort(heading.dataset.sort as string))
}

/** Shows a page of countries, each of them with a link. */
export function showPage({ total, limit, skip, data }: Page, toLink: (code: string) => string): void {
  const largest = Math.max(...data.map(({ area }) => area))
  const rows = data.map(({ cca3, name, capital, region, subregion, area }) => {
    const size = element('td', { className: 'number area' }, toArea(area))
    size.style.setProperty('--share', String(Math.max(0, area) / largest))
    const row = element(
      'tr',
      {},
      element('th', { scope: 'row', title: name }, countryLink(cca3, toLink(cca3), name)),
      element('td', { title: capital }, capital || '–'),
      element('td', {}, subregion || region),
      size
    )
    row.dataset.code = cca3
    return row
  })
  fill(byId('rows'), ...rows)
  const nothing = element('p', { className: 'empty' }, 'No country fits. Search for less, or in all regions.')
  fill(byId('list-message'), total === 0 && nothing)
  byId('count').textContent =
    total === 0 ? 'No countries' : total === 1 ? '1 country' : `${skip + 1}–${skip + data.length} of ${total} countries`
  showPager(skip > 0, skip + limit < total)
}

function showPager(hasPrevious: boolean, hasNext: boolean): void {
  const [previous, next] = [byId<HTMLButtonElement>('previous'), byId<HTMLButtonElement>('next')]
  const focused = document.activeElement
  previous.disabled = !hasPrevious
  next.disabled = !hasNext
  // Whoever goes on by keyboard to the last page can go back from there.
  if (focused === next && !hasNext) previous.focus()
  if (focused === previous && !hasPrevious) next.focus()
}

/** Shows which country is open. */
export function showOpen(code: string): void {
  for (const row of byId('rows').querySelectorAll('tr')) {
    const isOpen = row.dataset.code === code
    row.classList.toggle('open', isOpen)
    const link = row.querySelector('a')
    if (link) link.ariaCurrent = isOpen ? 'true' : null
  }
}

/** Shows an error in place of a page. */
export function showListProblem(text: string, again: () => void): void {
  fill(byId('rows'))
  byId('count').textContent = ''
  showPager(false, false)
  fill(byId('list-message'), problem(text, 'Try again', again))
}

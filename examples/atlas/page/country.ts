import type { Country } from '../countries.js'
import { countries } from './client.js'
import { button, byId, type Content, countryLink, element, fill } from './element.js'
import { toArea } from './list.js'
import { createNotes, leaveNotes } from './notes.js'
import { problem, textOf } from './problem.js'

type ToLink = (code: string) => string

const panel = byId('country')
let shown: string | undefined

/** Shows a country and its notes. */
export async function showCountry(code: string, toLink: ToLink, close: () => void): Promise<void> {
  if (code === shown) return
  const isFirst = shown === undefined
  shown = code
  document.title = 'Atlas'
  panel.ariaBusy = null
  leaveNotes()
  if (code === '') return fill(panel, invitation(toLink))
  panel.ariaBusy = 'true'
  try {
    const country = await countries.get(code, { query: { $include: ['neighbours'] } })
    if (shown !== code) return
    document.title = `${country.name} · Atlas`
    const heading = element('h2', { tabIndex: -1 }, country.name)
    fill(
      panel,
      element('div', { className: 'head' }, heading, button('Close', close)),
      country.official !== country.name && element('p', { className: 'dim' }, country.official),
      element('div', { className: 'columns' }, facts(country, toLink), createNotes(country))
    )
    // Whoever has chosen it goes on here; a link that leads here begins at the top.
    if (!isFirst) heading.focus()
  } catch (error) {
    if (shown !== code) return
    shown = undefined
    const isMissing = Object(error).code === 404
    const text = isMissing ? `There is no country with the code ${code}.` : textOf(error)
    fill(panel, isMissing ? problem(text) : problem(text, 'Try again', () => showCountry(code, toLink, close)))
  }
  panel.ariaBusy = null
}

const suggestions = new Map([
  ['CHE', 'Switzerland'],
  ['ISL', 'Iceland'],
  ['NPL', 'Nepal']
])

const invitation = (toLink: ToLink) => {
  const links = [...suggestions].flatMap(([code, name], index) => [
    index === 0 ? '' : index === suggestions.size - 1 ? ' or ' : ', ',
    countryLink(code, toLink(code), name)
  ])
  const text = 'Choose a country in the table or on the map, to read what is known about it, and to add what you know: '
  return element('p', { className: 'choose' }, element('span', {}, text, ...links, ', for example.'))
}

function facts(country: Country & { readonly neighbours?: readonly Country[] }, toLink: ToLink): HTMLElement {
  const { capital, region, subregion, area, landlocked, neighbours = [], languages, currencies } = country
  const money = Object.values(currencies).map(({ name }) => name)
  const links = [...neighbours]
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap(({ cca3: code, name }, index) => [index > 0 && ', ', countryLink(code, toLink(code), name)])
  const rows: [term: string, ...content: Content[]][] = [
    ['Capital', capital || '–'],
    ['Region', subregion.includes(region) ? subregion : [subregion, region].filter(Boolean).join(', ')],
    ['Area', area < 0 ? 'unknown' : `${toArea(area)} km²`],
    ['Coast', landlocked ? 'none' : 'yes'],
    ['Languages', Object.values(languages).join(', ') || '–'],
    ['Currency', money.join(', ') || '–'],
    ['Neighbours', ...(links.length === 0 ? ['none'] : links)]
  ]
  return element(
    'dl',
    {},
    ...rows.map(([term, ...content]) => element('div', {}, element('dt', {}, term), element('dd', {}, ...content)))
  )
}

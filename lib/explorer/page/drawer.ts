import { fromHash, listOfService, type Place, toHash } from '../model/place.js'
import { button, byId, byKey, type Content, element, fill } from './element.js'
import { front, go, type View } from './explorer.js'

/** The list that a record or a form is shown beside; `undefined` if its service has none. */
export function listBeside(view: View): View | undefined {
  const { explorer, service, place } = view
  const operation = service.operations.get('find')
  if (operation === undefined || place.call === 'find') return undefined
  const last = explorer.lists.get(service.path)
  const isItsList = service.placeholders.every((name) => last?.route.get(name) === place.route.get(name))
  const list = last !== undefined && isItsList ? last : { ...listOfService(service.path), route: place.route }
  return { ...view, operation, place: list }
}

/** Whether a list is on the page. */
export const hasList = (list: Place): boolean =>
  byId('main').querySelector<HTMLElement>('.records')?.dataset.hash === toHash(list)

/** Opens the drawer, or closes it. */
export function openDrawer(isOpen: boolean): void {
  const drawer = byId('drawer')
  drawer.hidden = !isOpen
  if (!isOpen) fill(drawer)
}

/**
 * The heading of a record or a form. In the drawer, its title stays in sight with the ways out: to
 * the neighbours of the record, and back to the list.
 */
export function drawerHead({ explorer, place }: View, head: HTMLElement): Content {
  const title = head.querySelector('h2')
  if (front() !== byId('drawer') || title === null) return head
  front().ariaLabel = title.textContent
  const close = () => {
    const hash = toHash(place)
    if (explorer.drafts.has(hash) && !confirm('Discard what you typed?')) return
    explorer.drafts.delete(hash)
    go(explorer.lists.get(place.service) ?? listOfService(place.service))
  }
  const way = (sign: string, name: string, key: string, onclick: () => void, disabled = false) =>
    button(sign, onclick, { className: 'small', key: name, ariaLabel: name, title: `${name} (${key})`, disabled })
  const toNeighbour = (step: -1 | 1) => () => {
    const row = neighbour(step)
    if (row !== undefined) go({ ...place, id: idOfRow(row) })
  }
  const bar = element(
    'div',
    { className: 'bar' },
    title,
    place.id !== undefined && [
      way('↑', 'Previous record', '↑', toNeighbour(-1), neighbour(-1) === undefined),
      way('↓', 'Next record', '↓', toNeighbour(1), neighbour(1) === undefined)
    ],
    way('×', 'Close', 'Esc', close)
  )
  return [bar, head]
}

/** The key of the link to a record in its list. */
export const rowKey = (id: string | undefined) => `row-${id}`

const idOfRow = ({ dataset }: HTMLElement) => dataset.key?.slice(rowKey('').length)

/** The links to the records of the list that is shown, and the index of the one that is open. */
function openRow() {
  const rows = [...byId('main').querySelectorAll<HTMLElement>('[data-key^="row-"]')]
  const open = fromHash(location.hash)?.id
  return { rows, index: open === undefined ? -1 : rows.findIndex((row) => idOfRow(row) === open) }
}

function neighbour(step: -1 | 1): HTMLElement | undefined {
  const { rows, index } = openRow()
  return index === -1 ? undefined : rows[index + step]
}

/** Marks the row of the open record in its list. Its neighbours are known as soon as the list is. */
export function markRow(): void {
  const { rows, index } = openRow()
  for (const [at, row] of rows.entries()) row.ariaCurrent = at === index ? 'true' : null
  rows[index]?.scrollIntoView({ block: 'nearest' })
  for (const [name, step] of [
    ['Previous record', -1],
    ['Next record', 1]
  ] as const) {
    const way = byKey(name)
    if (way instanceof HTMLButtonElement) way.disabled = neighbour(step) === undefined
  }
}

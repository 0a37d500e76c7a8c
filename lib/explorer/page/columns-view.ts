import type { ExploredService, Operation } from '../model/services.js'
import { button, type Content, element, fill } from './element.js'
import type { View } from './explorer.js'

/** The columns that were chosen for a service; none where all are shown. */
export function columnsChosen({ explorer, service, operation, place }: View): readonly string[] {
  if (place.columns.length > 0) return place.columns
  const names = fieldNamesOf(operation)
  return explorer.session.remembered(keyOf(service)).filter((name) => names.includes(name))
}

const keyOf = ({ path }: ExploredService) => `columns ${path}`
const fieldNamesOf = ({ record }: Operation) => record.map(({ name }) => name)

/** Which fields of the records are shown. What is chosen is remembered in this browser. */
export function columnsView(view: View, isOpen: boolean, choose: (columns: readonly string[]) => void): Content {
  const { operation, explorer, service } = view
  const names = fieldNamesOf(operation)
  if (names.length < 2) return undefined
  const columns = columnsChosen(view)
  const chosen = new Set(columns.length > 0 ? columns : names)
  const choiceOf = (name: string) => {
    const box = element('input', { type: 'checkbox', checked: chosen.has(name), key: `column-${name}` })
    box.onchange = () => {
      const next = names.filter((column) => (column === name ? box.checked : chosen.has(column)))
      const some = next.length === names.length ? [] : next
      explorer.session.remember(keyOf(service), some)
      choose(some)
    }
    return element('label', { className: 'choice' }, box, name)
  }
  const count = columns.length > 0 ? ` (${chosen.size} of ${names.length})` : ''
  const menu = element('div', { className: 'menu', popover: 'auto', id: 'columns' })
  const opener = button(`Columns${count}`, () => {}, { className: 'small', popoverTargetElement: menu, key: 'columns' })
  menu.addEventListener('beforetoggle', ({ newState }) => fill(menu, newState === 'open' && names.map(choiceOf)))
  menu.addEventListener('toggle', () => {
    const { bottom, right } = opener.getBoundingClientRect()
    menu.style.top = `${bottom + 5}px`
    menu.style.right = `${document.documentElement.clientWidth - right}px`
  })
  if (isOpen) queueMicrotask(() => menu.isConnected && menu.showPopover())
  return [opener, menu]
}

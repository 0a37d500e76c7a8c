import { byId, byKey } from './element.js'
import { front } from './explorer.js'

const neighbours = new Map([
  ['ArrowUp', 'Previous record'],
  ['ArrowDown', 'Next record']
])

/**
 * Follows the keys of the page: Ctrl+K finds a service, Ctrl+S saves, / leads to the conditions, and
 * Escape closes the drawer. In its head, ↑ and ↓ lead to the neighbours of its record.
 */
export function followKey(event: KeyboardEvent): void {
  const { key, target } = event
  const dialog = byId('dialog')
  const isAsking = dialog instanceof HTMLDialogElement && dialog.open
  if (event.defaultPrevented || event.isComposing || event.altKey || !(target instanceof Element)) return
  const isTyping = target.matches('input, select, textarea')
  const isInDrawer = byId('drawer').contains(target)
  if (event.ctrlKey || event.metaKey) {
    const form = (isAsking ? dialog : front()).querySelector<HTMLFormElement>('form.call')
    if (key === 'k') findService()
    else if (key === 's' && form !== null) form.requestSubmit()
    else return
  } else if (isAsking || document.querySelector(':popover-open') !== null) return
  else if (key === '/' && !isTyping && byId('main').checkVisibility()) filter()
  else if (key === 'Escape' && (isInDrawer || !isTyping)) byKey('Close')?.click()
  // Elsewhere the arrows scroll.
  else if (neighbours.has(key) && (target === document.body || target.closest('.bar')))
    byKey(neighbours.get(key) ?? '')?.click()
  else return
  event.preventDefault()
}

/** Goes to the first condition of the list, or to a new one. */
function filter(): void {
  const main = byId('main')
  const input = main.querySelector<HTMLElement>('[type=search], [aria-label=Value]')
  if (input !== null) input.focus()
  else main.querySelector<HTMLElement>('.tools > button')?.click()
}

/** Goes to the search box of the menu. On a narrow screen, the menu is a select. */
function findService(): void {
  for (const key of ['jump', 'find']) byKey(key)?.focus()
}

import { findServices, type ServiceMatch, type ServiceNode, toServiceTree } from '../model/navigation.js'
import { listOfService, startOf, toHash } from '../model/place.js'
import type { ExploredService } from '../model/services.js'
import { button, byId, element, fill, link, select } from './element.js'
import type { Explorer } from './explorer.js'

/**
 * Creates the list of services: a tree with a search box, and a select on narrow screens. Returns a
 * function that marks the current service.
 */
export function servicesView(explorer: Explorer): (current: ExploredService | undefined) => void {
  const { session } = explorer
  const { services } = session
  let shown: ExploredService | undefined
  let user: string | undefined
  /** The links that are drawn, by the paths of their services. */
  const anchors = new Map<string, HTMLElement>()
  const list = element('div')
  const search = element('input', {
    type: 'search',
    className: 'find',
    placeholder: `Search (${isApple ? '⌘' : 'Ctrl+'}K)`,
    ariaLabel: 'Find a service or method',
    ariaKeyShortcuts: 'Meta+K Control+K',
    key: 'find',
    oninput: () => render(),
    onkeydown: (event) => {
      const first = list.querySelector('a')
      if (event.key === 'ArrowDown') first?.focus()
      else if (event.key === 'Enter' || event.key === 'Escape') {
        if (event.key === 'Enter') first?.click()
        search.value = ''
        render()
        search.blur()
      } else return
      event.preventDefault()
    }
  })
  const jump = select(
    [...services.values()].map((service) => [toHash(startOf(service)), `/${service.path}`]),
    '',
    { className: 'jump', ariaLabel: 'Service', key: 'jump' }
  )
  jump.onchange = () => {
    location.hash = jump.value
  }

  const entry = (service: ExploredService, label: string): HTMLElement => {
    const anchor = link(toHash(startOf(service)), '', element('span', {}, label), session.needsLogin(service) && lock())
    anchor.ariaCurrent = service === shown ? 'page' : null
    anchors.set(service.path, anchor)
    return anchor
  }
  const isAbove = ({ path }: ServiceNode) => shown !== undefined && `${shown.path}/`.startsWith(`${path}/`)
  const branch = ({ service, label, inside }: ServiceNode): HTMLElement =>
    element(
      'li',
      {},
      service === undefined ? element('p', {}, label) : entry(service, label),
      inside.length > 0 && growingList(inside, branch, isAbove)
    )
  const match = ({ service, operations }: ServiceMatch): HTMLElement => {
    const to = (call: string) => toHash({ ...listOfService(service.path), call })
    const methods = operations.map(({ operation, label }) => element('li', {}, link(to(operation.name), '', label)))
    return element('li', {}, entry(service, `/${service.path}`), methods.length > 0 && element('ul', {}, methods))
  }
  const tree = toServiceTree(services.values())
  function render(): void {
    anchors.clear()
    user = session.user
    const text = search.value.trim()
    const matching = text === '' ? [] : findServices(services.values(), text)
    if (text === '') fill(list, growingList(tree, branch, isAbove))
    else fill(list, matching.length > 0 ? growingList(matching, match) : element('p', {}, 'Nothing has this name.'))
  }
  function mark(current: ExploredService | undefined): void {
    anchors.get(shown?.path ?? '')?.removeAttribute('aria-current')
    shown = current
    // Locks depend on the user, and the service may be in a part that is not drawn yet.
    if (user !== session.user || !anchors.has(current?.path ?? '')) render()
    const anchor = anchors.get(current?.path ?? '')
    anchor?.setAttribute('aria-current', 'page')
    if (anchor !== undefined) reveal(anchor)
  }
  fill(byId('services'), services.size > 1 && [search, jump], list, session.agents && agentsView(session.agents))
  return (current) => {
    jump.value = current === undefined ? '' : toHash(startOf(current))
    mark(current)
  }
}

/** The lines that connect agents to the tools of the application. */
function agentsView(address: string): HTMLElement {
  const name = byId('title').textContent?.toLowerCase().replace(/\W+/g, '-') || 'services'
  const lines = {
    'Claude Code': `claude mcp add --transport http ${name} ${address}`,
    'VS Code': `code --add-mcp '${JSON.stringify({ name, type: 'http', url: address })}'`,
    'Cursor, in mcp.json': JSON.stringify({ mcpServers: { [name]: { url: address } } })
  }
  return element(
    'details',
    { className: 'agents' },
    element('summary', {}, 'Connect an agent'),
    Object.entries(lines).map(([client, line]) => [element('p', {}, client), element('code', {}, line)])
  )
}

// In Chromium, `scrollIntoView` makes the key Tab go on from there, past the skip link.
function reveal(anchor: HTMLElement): void {
  const nav = byId('services')
  const [inside, frame] = [anchor.getBoundingClientRect(), nav.getBoundingClientRect()]
  if (inside.top < frame.top || inside.bottom > frame.bottom) nav.scrollTop += inside.top - frame.top - frame.height / 2
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

const entriesAtOnce = 100

/** A list that is drawn in parts, as one scrolls to its end. The first part reaches a chosen item. */
function growingList<Item>(
  items: readonly Item[],
  toView: (item: Item) => HTMLElement,
  isChosen: (item: Item) => boolean = () => false
): HTMLElement {
  const list = element('ul')
  const more = button('', () => grow(entriesAtOnce), { className: 'small' })
  const last = element('li', {}, more)
  const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(entriesAtOnce))
  let count = 0
  function grow(by: number): void {
    last.remove()
    list.append(...items.slice(count, count + by).map(toView))
    count += by
    if (count >= items.length) {
      observer.disconnect()
      return
    }
    more.textContent = `${items.length - count} more`
    list.append(last)
  }
  grow(Math.max(entriesAtOnce, items.findIndex(isChosen) + 1))
  observer.observe(last)
  return list
}

const lock = () => element('span', { className: 'lock', role: 'img', ariaLabel: 'needs a log-in' })

import { findServices, type ServiceNode, toServiceTree } from '../model/navigation.js'
import { listOfService, startOf, toHash } from '../model/place.js'
import type { ExploredService } from '../model/services.js'
import { byId, type Content, element, fill, link, select } from './element.js'
import type { Explorer } from './explorer.js'

// A list of fewer can be seen at once.
const few = 8

/**
 * Creates the list of services: a tree with a search box, and a select on narrow screens. Returns a
 * function that marks the current service.
 */
export function servicesView(explorer: Explorer): (current: ExploredService | undefined) => void {
  const { session } = explorer
  const { services } = session
  let shown: ExploredService | undefined
  const list = element('div')
  const search = element('input', {
    type: 'search',
    className: 'find',
    placeholder: 'Find a service or method',
    ariaLabel: 'Find a service or method',
    key: 'find',
    oninput: () => render()
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
    return anchor
  }
  const branch = ({ service, label, inside }: ServiceNode): HTMLElement =>
    element('li', {}, entry(service, label), inside.length > 0 && element('ul', {}, inside.map(branch)))
  const matches = (text: string): Content => {
    const matching = findServices(services.values(), text)
    if (matching.length === 0) return element('p', {}, 'Nothing has this name.')
    return element(
      'ul',
      {},
      matching.map(({ service, operations }) => {
        const to = (call: string) => toHash({ ...listOfService(service.path), call })
        const methods = operations.map(({ operation, label }) => element('li', {}, link(to(operation.name), '', label)))
        return element('li', {}, entry(service, `/${service.path}`), methods.length > 0 && element('ul', {}, methods))
      })
    )
  }
  function render(): void {
    const text = search.value.trim()
    fill(list, text === '' ? element('ul', {}, toServiceTree(services.values()).map(branch)) : matches(text))
    list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }
  fill(byId('services'), services.size >= few && search, services.size > 1 && jump, list)
  return (current) => {
    shown = current
    jump.value = current === undefined ? '' : toHash(startOf(current))
    render()
  }
}

const lock = () => element('span', { className: 'lock', role: 'img', ariaLabel: 'needs a log-in' })

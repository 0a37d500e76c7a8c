import { toActionLabel } from '../model/labels.js'
import { isLoginService } from '../model/login.js'
import { listOfService, type Place, startOf, toHash } from '../model/place.js'
import { type Content, element, fill, freshId, link } from './element.js'
import { go, type View } from './explorer.js'

/** The heading of a view: its service, what it is, and what may be called here. */
export function headView(view: View, title: Content): HTMLElement {
  const { service, explorer, place } = view
  const { notice } = explorer
  explorer.notice = ''
  return element(
    'div',
    { className: 'head' },
    element('h2', { tabIndex: -1 }, title),
    element('div', { className: 'actions' }, actionsOf(view)),
    place.call === 'find' &&
      service.description !== undefined &&
      element('p', { className: 'dim' }, service.description),
    element('p', { role: 'status', className: 'notice' }, notice)
  )
}

/** A link to the list of a service as it was left. */
export const listLink = ({ explorer, service, place }: View): HTMLElement =>
  link(toHash(explorer.lists.get(service.path) ?? { ...startOf(service), route: place.route }), '', `/${service.path}`)

/** The way to a record: `/countries › CHE`. */
export const trail = (view: View, ...more: Content[]): Content => [
  listLink(view),
  ...more.flatMap((part) => [element('span', { className: 'dim' }, ' › '), part])
]

/** The methods that can be called from here: those of the record, or of all. */
function actionsOf({ service, place }: View): Content[] {
  const isRecord = place.call === 'get'
  const to = (call: string): Place => ({ ...listOfService(service.path), call, id: place.id, route: place.route })
  // The page of a log-in does what its methods do.
  if (place.call === 'find' && isLoginService(service)) return [link(toHash(to('create')), 'button', 'As a request')]
  if (!isRecord && place.call !== 'find') return []
  const shown = [...service.operations.values()].filter(
    ({ name, hasId }) => name !== 'find' && name !== 'get' && hasId === isRecord
  )
  // The action that can't be undone comes last.
  const order = ['create', 'patch', 'update', '', 'remove']
  const placeOf = (name: string) => order.indexOf(order.includes(name) ? name : '')
  shown.sort((a, b) => placeOf(a.name) - placeOf(b.name))
  const actions = shown.map(({ name, summary }) => {
    const anchor = link(toHash(to(name)), name === 'create' ? 'button primary' : 'button', toActionLabel(name))
    anchor.title = summary
    anchor.dataset.call = name
    return anchor
  })
  const canListen = !isRecord && service.operations.get('find')?.canListen
  return [
    ...actions,
    canListen && link(toHash({ ...place, call: 'listen' }), 'button', 'Listen'),
    !isRecord && !service.operations.has('schema') && link(toHash(to('schema')), 'button', 'Schema')
  ]
}

/**
 * The values of the placeholders in the path of a service. `change` is called as they are typed.
 */
export function routeFields(
  { service, operation, place }: View,
  change: (part: Pick<Place, 'route'>) => void
): Content {
  const names = [...service.placeholders, ...operation.placeholders]
  if (names.length === 0) return undefined
  const values = new Map(place.route)
  return element(
    'div',
    { className: 'route' },
    names.map((name) => {
      const input = element('input', {
        id: freshId(),
        key: `route-${name}`,
        value: values.get(name) ?? '',
        required: true,
        autocapitalize: 'off',
        spellcheck: false,
        oninput: () => {
          values.set(name, input.value)
          change({ route: new Map(values) })
        }
      })
      return element('div', { className: 'field inline' }, element('label', { htmlFor: input.id }, `:${name}`), input)
    })
  )
}

/** Creates a form that a script sends. While it is sent, it shows so and can't be sent again. */
export function createForm(className: string, onsubmit: () => unknown, ...content: Content[]): HTMLFormElement {
  const created = element('form', { className, noValidate: true })
  created.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (created.ariaBusy !== null) return
    created.ariaBusy = 'true'
    try {
      await onsubmit()
    } finally {
      created.ariaBusy = null
    }
  })
  fill(created, ...content)
  return created
}

/** Shows a place; where it is shown already, again. */
export function showHead({ explorer }: View, place: Place): void {
  const before = location.hash
  go(place)
  if (location.hash === before) explorer.render()
}

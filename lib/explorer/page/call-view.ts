import { listOfService, type Place, startOf, toHash } from '../model/place.js'
import { toProblem } from '../model/problem.js'
import { idOfRecord, toReadableText } from '../model/result.js'
import { isObject } from '../model/schema.js'
import { type BodyView, bodyView, toInitial } from './body-view.js'
import { byId, type Content, element, fill, freshId, labelled, link } from './element.js'
import { callOf, sendFrom, type View } from './explorer.js'
import { createForm, headView, routeFields, showHead, trail } from './head-view.js'
import { markFields, problemView } from './problem-view.js'
import { recordAt } from './table-view.js'

const labels: Readonly<Record<string, string>> = {
  create: 'Create',
  update: 'Replace',
  patch: 'Save',
  remove: 'Remove'
}
const done: Readonly<Record<string, string>> = {
  create: 'Created.',
  update: 'Replaced.',
  patch: 'Saved.',
  remove: 'Removed.'
}

/** A call that changes something, or that is an application's own: its form, and what comes of it. */
export async function callView(view: View): Promise<void> {
  const { explorer, service, operation } = view
  const answer = element('div', { className: 'records' })
  const content = element('div')
  const crumbs = trail(view, ...(operation.hasId ? [idLink(view)] : []), operation.summary)
  fill(byId('main'), headView(view, crumbs), content)
  const record = await existing(view)
  // Meanwhile it may be another view's turn.
  if (!content.isConnected) return
  let draft = view.place
  let body: BodyView | undefined
  const call = () => callOf(view, draft, body?.read().data)
  const preview = () => void explorer.panel.show(call(), body?.secrets())
  const change = (part: Partial<Place>) => {
    draft = { ...draft, ...part }
    preview()
  }
  body = operation.hasData ? bodyView(view, toInitial(record), () => preview()) : undefined

  async function send(): Promise<void> {
    if (answer.ariaBusy !== null) return
    const problems = body?.read().problems ?? new Map<string, string>()
    const details = [...problems].map(([field, message]) => ({ field, path: field, message }))
    if (body !== undefined) markFields(details, body.inputs)
    if (details.length > 0) return
    answer.ariaBusy = 'true'
    try {
      const result = await sendFrom(view, answer, call())
      // Who has gone on is not taken back.
      if (answer.isConnected) fill(answer, after(view, draft, result))
    } catch (error) {
      fill(answer, problemView(explorer, error))
      if (body !== undefined) markFields(toProblem(error, explorer.session.base).details, body.inputs)
    }
    answer.ariaBusy = null
  }

  const isGone = operation.name === 'remove'
  fill(
    content,
    element('p', { className: 'dim' }, operation.description),
    createForm(
      'call',
      send,
      idField(view, change),
      routeFields(view, change),
      operation.isCustom && queryFields(view, change),
      body?.view,
      isGone && operation.hasId && element('p', {}, `This removes the record ${draft.id ?? ''} of /${service.path}.`),
      element(
        'div',
        { className: 'buttons' },
        element('button', { className: isGone ? 'danger' : 'primary' }, labels[operation.name] ?? 'Call'),
        link(toHash(back(view)), 'button', 'Cancel')
      )
    ),
    answer
  )
  preview()
  explorer.update = preview
}

const idLink = ({ place }: View): Content =>
  place.id === undefined ? [] : link(toHash(recordAt(place, place.id)), '', place.id)

/** What a change begins with. Where it can't be had, the form is empty. */
async function existing({ explorer, service, operation, place }: View): Promise<unknown> {
  const get = service.operations.get('get')
  if (!['patch', 'update'].includes(operation.name) || get === undefined || place.id === undefined) return undefined
  const call = callOf({ explorer, service, operation: get, place }, place)
  return explorer.session.send(call).catch(() => undefined)
}

/** The record, or else the list. */
function back({ explorer, service, place }: View): Place {
  if (place.id !== undefined && service.operations.has('get')) return recordAt(place, place.id)
  return explorer.lists.get(service.path) ?? { ...startOf(service), route: place.route }
}

/** Says what has come of a call: shows the record, or the list without it; of an application's own, the result. */
function after(view: View, draft: Place, result: unknown): Content {
  const { explorer, service, operation } = view
  const note = done[operation.name]
  const id = isObject(result) ? idOfRecord(result, service.idField) : undefined
  const hasRecord = operation.name !== 'remove' && id !== undefined && service.operations.has('get')
  const hasList = service.operations.has('find')
  if (note === undefined || !(hasRecord || hasList))
    return element('pre', { tabIndex: 0, ariaLabel: 'Result', role: 'region' }, toReadableText(result))
  explorer.notice = `${note} ${explorer.panel.status}`
  const list = explorer.lists.get(service.path) ?? { ...listOfService(service.path), route: draft.route }
  showHead(view, hasRecord ? recordAt(draft, id) : list)
  return undefined
}

function idField({ operation, place }: View, change: (part: Partial<Place>) => void): Content {
  if (!operation.hasId || place.id !== undefined) return undefined
  const input = element('input', {
    id: freshId(),
    key: 'id',
    required: true,
    oninput: () => change({ id: input.value })
  })
  return labelled('id', input)
}

/** The parameters of a method of an application's own. */
function queryFields({ operation }: View, change: (part: Partial<Place>) => void): Content {
  const inputs = operation.query.map(({ name, description }) => {
    const input = element('input', {
      id: freshId(),
      key: `query-${name}`,
      title: description ?? '',
      oninput: () => change({ filters: read() })
    })
    return { name, input }
  })
  const read = () => inputs.map(({ name, input }) => ({ field: name, operator: '', text: input.value }))
  return inputs.map(({ name, input }) => labelled(name, input))
}

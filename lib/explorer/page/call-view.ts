import { isObject } from '../model/json.js'
import { toActionLabel, toButtonLabel, toOutcome } from '../model/labels.js'
import { listOfService, type Place, recordAt, startOf, toHash } from '../model/place.js'
import { idOfRecord } from '../model/result.js'
import { toLineField } from '../model/schema.js'
import { type BodyView, bodyView, toInitial } from './body-view.js'
import { drawerHead } from './drawer.js'
import { button, type Content, element, fill, freshId, labelled, link } from './element.js'
import { callOf, type Draft, front, sendFrom, type View } from './explorer.js'
import { type FormPart, nothing, toFormPart } from './field-parts.js'
import { leafView } from './field-view.js'
import { createForm, headView, listLink, routeFields, showHead, trail } from './head-view.js'
import { isMissing, markProblems, problemView, showProblem } from './problem-view.js'
import { mayOf, valuesView } from './record-view.js'

/**
 * A call that changes something, or that is an application's own: its form, and what comes of it.
 */
export async function callView(view: View): Promise<void> {
  const { explorer, place } = view
  const hash = toHash(place)
  const draft = explorer.drafts.get(hash)
  const content = draft?.content ?? element('div')
  const anew = () => {
    explorer.drafts.delete(hash)
    explorer.render()
  }
  fill(
    front(),
    drawerHead(view, headView(view, titleOf(view))),
    draft !== undefined &&
      element(
        'p',
        { className: 'draft' },
        'What you typed here before is still in the form.',
        button('Start anew', anew, { className: 'small' })
      ),
    content
  )
  content.ariaBusy = 'true'
  const record = draft === undefined ? await existing(view) : undefined
  content.ariaBusy = null
  // Meanwhile it may be another view's turn.
  if (!content.isConnected) return
  if (isMissing(record)) return fill(content, problemView(explorer, record))
  const { preview } = draft ?? formView(view, content, record, hash)
  preview()
  explorer.update = () => {
    preview()
    explorer.refreshList()
  }
  if (isFree(document.activeElement)) content.querySelector<HTMLElement>(firstField)?.focus()
}

const firstField = 'form :is(input, select, textarea):not([readonly])'

/** Whether nobody works with an element: the focus may go on. */
const isFree = (active: Element | null) => active === document.body || active?.tagName === 'H2'

/** Fills the form of a call. It is a draft as soon as somebody types in it. */
function formView(view: View, content: HTMLElement, record: unknown, hash: string): Draft {
  const { explorer, operation } = view
  const answer = element('div', { className: 'outcome' })
  let current = view.place
  let body: BodyView | undefined
  const call = () => callOf(view, current, body?.read().data)
  const options = operation.isCustom
    ? operation.query.map((field) => leafView(toLineField(field), nothing, { isChange: false }))
    : []
  const parts = (): FormPart[] => [...(body === undefined ? [] : [body]), toFormPart(options)]
  const preview = () => {
    const filters = options.map((option) => ({ ...option.read(), field: option.read().field.name, operator: '' }))
    if (operation.isCustom) current = { ...current, filters }
    const isWrong = parts().some((part) => part.read().problems.size > 0)
    void explorer.panel.show(call(), body?.secrets(), isWrong ? 'Correct the form to see the request.' : undefined)
  }
  const change = (part: Partial<Place>) => {
    current = { ...current, ...part }
    preview()
  }
  body = operation.hasData ? bodyView(view, toInitial(record), () => preview(), mayOf(record)) : undefined
  const draft = { content, preview }

  async function send(): Promise<void> {
    if (parts().map(markProblems).includes(true)) return preview()
    try {
      const result = await sendFrom(view, answer, call())
      explorer.drafts.delete(hash)
      // Who has gone on is not taken back.
      if (answer.isConnected) after(view, current, result, content, answer)
    } catch (error) {
      showProblem(explorer, error, answer, body)
    }
  }

  const isRemoval = operation.name === 'remove'
  const form = createForm(
    'call',
    send,
    idField(view, change),
    routeFields(view, change),
    element(
      'div',
      { className: 'fields', oninput: preview },
      options.map(({ view }) => view)
    ),
    body?.view,
    isRemoval && operation.hasId && removalView(view, record),
    answer,
    element(
      'div',
      { className: 'buttons' },
      element('button', { className: isRemoval ? 'danger' : 'primary' }, toButtonLabel(operation.name)),
      link(toHash(back(view)), 'button', 'Cancel')
    )
  )
  form.addEventListener('input', () => explorer.drafts.set(hash, draft))
  form.querySelector('.buttons > a')?.addEventListener('click', () => explorer.drafts.delete(hash))
  fill(content, element('p', { className: 'dim' }, operation.description), form)
  return draft
}

/** The heading of a form: `New record in /orders`, `Edit /orders/8`. */
function titleOf(view: View): Content {
  const { name, hasId, summary } = view.operation
  const list = listLink(view)
  if (name === 'create') return ['New record in ', list]
  const { place } = view
  const record = hasId && place.id !== undefined && link(toHash(recordAt(place, place.id)), '', place.id)
  if (!['update', 'patch', 'remove'].includes(name)) return trail(view, ...(record ? [record] : []), summary)
  return [`${toActionLabel(name)} `, list, record && ['/', record]]
}

/**
 * Loads the record to change or remove. If it can't be read, the form is empty.
 * @returns the record, or the error of one that is not there
 */
async function existing({ explorer, service, operation, place }: View): Promise<unknown> {
  const get = service.operations.get('get')
  if (!['patch', 'update', 'remove'].includes(operation.name) || get === undefined || place.id === undefined)
    return undefined
  const call = callOf({ service, operation: get }, place)
  return explorer.session.send(call).catch((error) => (isMissing(error) ? error : undefined))
}

function removalView({ service, place, explorer }: View, record: unknown): Content {
  const get = service.operations.get('get')
  return [
    element('p', {}, `This removes the record ${place.id ?? ''} of /${service.path}.`),
    get !== undefined && isObject(record) && valuesView({ operation: get, explorer }, record)
  ]
}

/** The record, or else the list. */
function back({ explorer, service, place }: View): Place {
  if (place.id !== undefined && service.operations.has('get')) return recordAt(place, place.id)
  return explorer.lists.get(service.path) ?? { ...startOf(service), route: place.route }
}

/**
 * Says what has come of a call. A change leads to its record, a removal to the list. What a call
 * has created or answered is shown as it came: not everybody who may create a record may read it.
 */
function after(view: View, current: Place, result: unknown, content: HTMLElement, answer: HTMLElement): void {
  const { explorer, service, operation } = view
  const notice = `${toOutcome(operation.name)} ${explorer.panel.status}`
  const id = isObject(result) ? idOfRecord(result, service.idField) : undefined
  const canShow = id !== undefined && service.operations.has('get')
  const isChange = operation.name === 'patch' || operation.name === 'update'
  const isRemoval = operation.name === 'remove'
  if (!isRemoval) explorer.refreshList()
  if ((isChange && canShow) || (isRemoval && service.operations.has('find'))) {
    explorer.notice = notice
    const list = explorer.lists.get(service.path) ?? { ...listOfService(service.path), route: current.route }
    showHead(view, isChange ? recordAt(current, id as string) : list)
    return
  }
  const isCreated = operation.name === 'create'
  const outcome = [
    element('p', { className: 'notice', role: 'status', tabIndex: -1 }, notice),
    result !== undefined && element('section', { ariaLabel: 'Result' }, valuesView(view, result))
  ]
  if (!isCreated && !isRemoval) {
    fill(answer, outcome)
    return
  }
  // Replace the form, because sending it again would create a second record.
  fill(
    content,
    outcome,
    element(
      'div',
      { className: 'buttons' },
      isCreated && canShow && link(toHash(recordAt(current, id)), 'button primary', 'Open the record'),
      isCreated && button('Create another', () => explorer.render())
    )
  )
  content.querySelector<HTMLElement>('.notice[tabindex]')?.focus()
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

import { missingIn } from '../model/call.js'
import { isObject, propertyOf } from '../model/json.js'
import { columnsOf, isTokenName, toReadableText } from '../model/result.js'
import { drawerHead } from './drawer.js'
import { element, fill } from './element.js'
import { callOf, front, sendFrom, type View } from './explorer.js'
import { createForm, headView, routeFields, showHead, trail } from './head-view.js'
import { colours } from './json-editor.js'
import { isMissing, problemView } from './problem-view.js'
import { valueView } from './value-view.js'

/** A record, with what can be done with it. */
export async function recordView(view: View): Promise<void> {
  const { explorer, place } = view
  const answer = element('div', { className: 'record' })
  let draft = place
  const fields = routeFields(view, (part) => {
    draft = { ...draft, ...part }
    void explorer.panel.show(callOf(view, draft))
  })
  const isKnown = missingIn(callOf(view, place)).length === 0
  fill(
    front(),
    drawerHead(view, headView(view, trail(view, element('span', {}, place.id ?? '')))),
    !isKnown &&
      createForm('', () => showHead(view, draft), fields, element('button', { className: 'primary' }, 'Show')),
    answer
  )
  void explorer.panel.show(callOf(view, place))
  if (!isKnown) return
  answer.ariaBusy = 'true'
  const response = await sendFrom(view, answer, callOf(view, place)).then(
    (record) => {
      const may = mayOf(record)
      for (const action of answer.parentElement?.querySelectorAll<HTMLElement>('[data-call]') ?? [])
        if (propertyOf(may, action.dataset.call as string) === false) action.remove()
      return valuesView(view, record)
    },
    (error) => {
      // Nothing can be done with a record that is not there.
      if (isMissing(error)) answer.parentElement?.querySelector('.actions')?.remove()
      return problemView(explorer, error, { again: () => explorer.render() })
    }
  )
  answer.ariaBusy = null
  fill(answer, response)
}

/** What the caller may do with a record, if it says so. */
export const mayOf = (record: unknown): unknown => propertyOf(record, '$may')

/** The fields of a record, one below the other. */
export function valuesView(
  { operation, explorer }: Pick<View, 'operation' | 'explorer'>,
  record: unknown
): HTMLElement {
  if (!isObject(record))
    return element('pre', { tabIndex: 0, ariaLabel: 'Record', role: 'region' }, toReadableText(record))
  const names = columnsOf(
    [record],
    operation.record.map(({ name }) => name),
    []
  ).filter((name) => name !== '$may' && Object.hasOwn(record, name))
  const rows = names.map((name) => {
    const value = record[name]
    const field = operation.record.find((candidate) => candidate.name === name)
    const isNested = typeof value === 'object' && value !== null
    return element(
      'div',
      {},
      element('dt', {}, name),
      element(
        'dd',
        { className: isNested || value === null ? 'code' : '' },
        isTokenName(name)
          ? element('span', { className: 'secret' }, toReadableText(value))
          : valueView(explorer, value, field, isNested ? toColours : toReadableText)
      )
    )
  })
  return element('dl', { className: 'card' }, rows)
}

const toColours = (value: unknown) => colours(toReadableText(value))

import { missingIn } from '../model/call.js'
import type { Place } from '../model/place.js'
import { toReadableText, toRows } from '../model/result.js'
import { button, byId, type Content, element, fill, keepFocus } from './element.js'
import { callOf, sendFrom, type View } from './explorer.js'
import { filtersView, markConditions } from './filters-view.js'
import { createForm, headView, routeFields, showHead } from './head-view.js'
import { pagerView } from './pager-view.js'
import { problemView } from './problem-view.js'
import { tableView } from './table-view.js'

/** The records of a service: finds them, filters, sorts, pages. */
export async function listView(view: View): Promise<void> {
  const { explorer, place, service } = view
  explorer.lists.set(service.path, place)
  let draft = place
  const conditions = element('div', { className: 'filters' })
  const main = byId('main')
  const answer = element('div', { className: 'records' })
  answer.dataset.list = service.path
  // What was found before stays until there is more.
  const before = main.querySelector<HTMLElement>('.records')
  if (before?.dataset.list === service.path) answer.append(...before.childNodes)
  const preview = () => {
    const isWrong = markConditions(view, draft.filters)
    void explorer.panel.show(
      callOf(view, draft),
      [],
      isWrong ? 'Correct the conditions to see the request.' : undefined
    )
    return isWrong
  }
  const change = (part: Partial<Place>) => {
    draft = { ...draft, ...part, skip: 0 }
    preview()
  }
  const [first] = view.operation.query
  const add = () => {
    draft = {
      ...draft,
      filters: [...draft.filters, { field: first?.name ?? '', operator: first?.operators[0] ?? '', text: '' }]
    }
    renderFilters()
    ;(conditions.querySelector('.filter:last-of-type :is(input, select)') as HTMLElement | null)?.focus()
  }
  const renderFilters = () => {
    const rows = filtersView(view, draft.filters, (filters, isNew) => {
      change({ filters })
      if (isNew) keepFocus(renderFilters)
    })
    fill(
      conditions,
      rows,
      element(
        'div',
        { className: 'buttons' },
        button('Add a condition', add, { className: 'small' }),
        element('button', { className: 'small primary' }, 'Find')
      )
    )
    return preview()
  }
  fill(
    main,
    headView(view, `/${service.path}`),
    createForm('', () => showHead(view, { ...draft, skip: 0 }), routeFields(view, change), conditions),
    answer
  )
  const isWrong = renderFilters()
  const missing = missingIn(callOf(view, place))
  const toDo = missing.length > 0 ? `Fill in ${missing.join(' and ')}` : isWrong ? 'Correct the conditions' : undefined
  if (toDo !== undefined) return fill(answer, element('p', { className: 'empty' }, `${toDo} to see records.`))
  answer.ariaBusy = 'true'
  const response = await sendFrom(view, answer, callOf(view, place)).then(
    (result) => resultView(view, result),
    (error) => problemView(explorer, error, { again: () => explorer.render() })
  )
  if (!answer.isConnected) return
  answer.ariaBusy = null
  const left = answer.querySelector('.scroll')?.scrollLeft ?? 0
  keepFocus(() => fill(answer, response))
  answer.querySelector('.scroll')?.scrollTo({ left })
}

function resultView(view: View, result: unknown): Content {
  const rows = toRows(result)
  if (rows === undefined)
    return element('pre', { tabIndex: 0, ariaLabel: 'Result', role: 'region' }, toReadableText(result))
  const { place } = view
  const sort = (field: string) => {
    const direction = place.sort?.field === field ? place.sort.direction : undefined
    showHead(view, {
      ...place,
      skip: 0,
      sort: direction === undefined ? { field, direction: 1 } : direction === 1 ? { field, direction: -1 } : undefined
    })
  }
  return [
    rows.records.length === 0
      ? element(
          'p',
          { className: 'empty' },
          place.skip > 0 && rows.total !== 0
            ? 'There are no more records: this page is past the last one.'
            : place.filters.length > 0
              ? 'No record fits these conditions.'
              : 'There are no records.'
        )
      : tableView(view, rows, sort),
    pagerView(view, rows)
  ]
}

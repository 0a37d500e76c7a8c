import { missingIn } from '../model/call.js'
import { listOfService, type Place, toHash } from '../model/place.js'
import { joinFilters, type ListFilters, splitFilters } from '../model/references.js'
import { columnsOf, pageOf, type Rows, toReadableText, toRows } from '../model/result.js'
import { columnsChosen, columnsView } from './columns-view.js'
import { markRow } from './drawer.js'
import { button, byId, type Content, element, fill, keepFocus, link } from './element.js'
import { callOf, front, sendFrom, type View } from './explorer.js'
import { filtersView, markConditions, searchInput } from './filters-view.js'
import { createForm, headView, routeFields, showHead } from './head-view.js'
import { loginNotice } from './login-view.js'
import { fileButtons, pagerView } from './pager-view.js'
import { problemView } from './problem-view.js'
import { forMany, selectionView } from './selection-view.js'
import { tableView } from './table-view.js'

/** The records of a service: finds them, filters, sorts, pages. */
export async function listView(view: View): Promise<void> {
  const { explorer, service } = view
  const split = (filters: Place['filters']) => splitFilters(view.operation, filters)
  const place = { ...view.place, filters: joinFilters(split(view.place.filters)), columns: columnsChosen(view) }
  explorer.lists.set(service.path, place)
  let draft: Place = place
  const conditions = element('div', { className: 'filters' })
  const main = byId('main')
  const answer = element('div', { className: 'records' })
  answer.dataset.list = service.path
  answer.dataset.hash = toHash(place)
  // Keep the previous records until the new ones arrive.
  const before = main.querySelector<HTMLElement>('.records')
  if (before?.dataset.list === service.path) answer.append(...before.childNodes)
  // Who chooses columns goes on with the next one.
  const isMenuOpen = before?.dataset.list === service.path && main.querySelector('.menu:popover-open') !== null
  const preview = () => {
    const isWrong = markConditions(view, draft.filters)
    const reason = isWrong ? 'Correct the conditions to see the request.' : undefined
    // The panel is about the record in the drawer.
    if (front() === main) void explorer.panel.show(callOf(view, draft), [], reason)
    return isWrong
  }
  /** Shows the list with the conditions as they are typed, unless something is wrong with them. */
  const find = (part: Partial<Place>) => {
    if (preview()) conditions.querySelector<HTMLElement>('[aria-invalid]')?.focus()
    else showHead(view, draft === place ? { ...place, ...part } : { ...draft, ...part, skip: 0 })
  }
  const change = (part: Partial<Place>) => {
    draft = { ...draft, ...part, skip: 0 }
    preview()
  }
  const changeFilters = (part: Partial<ListFilters>) =>
    change({ filters: joinFilters({ ...split(draft.filters), ...part }) })
  const [first] = view.operation.query
  const add = () => {
    const { others } = split(draft.filters)
    changeFilters({
      others: [...others, { field: first?.name ?? '', operator: first?.operators[0] ?? '', text: '' }]
    })
    renderFilters()
    conditions.querySelector<HTMLElement>('.filter:has(+ .tools) > :is(input, select)')?.focus()
  }
  const renderFilters = () => {
    const { search, others } = split(draft.filters)
    const rows = filtersView(view, others, (others, isNew) => {
      changeFilters({ others })
      if (isNew) keepFocus(renderFilters)
    })
    fill(
      conditions,
      rows,
      element(
        'div',
        { className: 'tools' },
        search && searchInput(view, search, (search) => changeFilters({ search })),
        button('Add a condition', add, { className: 'small' }),
        element('button', { className: 'small primary' }, 'Find'),
        element(
          'div',
          { className: 'end' },
          columnsView({ ...view, place }, isMenuOpen, (columns) => find({ columns }))
        )
      )
    )
    return preview()
  }
  fill(
    main,
    headView(view, `/${service.path}`),
    createForm('', () => find({ skip: 0 }), routeFields(view, change), conditions),
    answer
  )
  const isWrong = renderFilters()
  const missing = missingIn(callOf(view, place))
  const toDo = missing.length > 0 ? `Fill in ${missing.join(' and ')}` : isWrong ? 'Correct the conditions' : undefined
  if (toDo === undefined && explorer.session.asksForLogin(view.operation) && !explorer.openings.has(service.path)) {
    fill(answer, loginNotice(view))
    if (front() === main) explorer.panel.clearAnswer()
    return
  }
  if (toDo !== undefined) return fill(answer, element('p', { className: 'empty' }, `${toDo} to see records.`))
  answer.ariaBusy = 'true'
  const left = answer.querySelector('.scroll')?.scrollLeft ?? 0
  const show = (content: Content) => {
    answer.ariaBusy = null
    keepFocus(() => fill(answer, content))
    markRow()
    answer.querySelector('.scroll')?.scrollTo({ left })
  }
  try {
    const result = await sendFrom(view, answer, callOf(view, place))
    const key = toHash(place)
    const draw = (from = 0) => {
      explorer.pages.set(key, from)
      show(resultView({ ...view, place }, result, { find, from, draw }))
    }
    if (answer.isConnected) draw(explorer.pages.get(key))
  } catch (error) {
    if (answer.isConnected) show(problemView(explorer, error, { again: () => explorer.render() }))
  }
}

/** How a list goes on. */
interface Ways {
  /** Asks for another list. */
  find(part: Partial<Place>): void
  /** The first shown record, if the browser splits the list into pages. */
  readonly from: number
  draw(from: number): void
}

function resultView(view: View, result: unknown, { find, from, draw }: Ways): Content {
  const { place } = view
  const rows = toRows(result)
  if (rows === undefined)
    return element('pre', { tabIndex: 0, ariaLabel: 'Result', role: 'region' }, toReadableText(result))
  const sort = (field: string) => {
    const direction = place.sort?.field === field ? place.sort.direction : undefined
    find({
      skip: 0,
      sort: direction === undefined ? { field, direction: 1 } : direction === 1 ? { field, direction: -1 } : undefined
    })
  }
  const columns = columnsShown(view, rows)
  const selection = element('div')
  const pick = (ids: readonly string[]) => fill(selection, ids.length > 0 && selectionView(view, ids))
  const takesMany = ['patch', 'remove'].some((name) => forMany(view, name) !== undefined)
  const page = pageOf(rows, place, from)
  return [
    selection,
    rows.records.length === 0
      ? emptyView(view, rows)
      : tableView(view, page, columns, { sort, pick: takesMany ? pick : undefined }),
    // A list without records has no pages.
    (rows.records.length > 0 || place.skip > 0) &&
      element(
        'div',
        { className: 'pager' },
        pagerView(page, {
          go: page.isInBrowser ? draw : (skip) => find({ skip }),
          resize: page.isInBrowser ? undefined : (limit) => find({ skip: 0, limit }),
          asked: place.limit
        }),
        rows.records.length > 0 && fileButtons(view.service.path, columns, rows.records)
      )
  ]
}

/** Says why there are no records, and offers to create the first one. */
function emptyView({ explorer, service, place }: View, rows: Rows): HTMLElement {
  const isPast = place.skip > 0 && rows.total !== 0
  const isFiltered = place.filters.length > 0
  const create = service.operations.get('create')
  const mayCreate = create !== undefined && !explorer.session.asksForLogin(create)
  const form = toHash({ ...listOfService(service.path), call: 'create', route: place.route })
  return element(
    'div',
    { className: 'empty' },
    element(
      'p',
      { role: 'status' },
      isPast
        ? 'There are no more records: this page is past the last one.'
        : isFiltered
          ? 'No record fits these conditions.'
          : 'There are no records.'
    ),
    mayCreate && !isPast && !isFiltered && link(form, 'button primary', 'Create the first one')
  )
}

/** The columns of a table. The id leads to the record, wherever the document has it. */
function columnsShown({ operation, service, place }: View, rows: Rows): string[] {
  const names = operation.record.map(({ name }) => name)
  const columns = columnsOf(rows.records, names, place.columns)
  const isId = (name: string) => name === service.idField
  return [...columns.filter(isId), ...columns.filter((name) => !isId(name))]
}

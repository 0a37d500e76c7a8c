import { type Rows, toRange } from '../model/result.js'
import { button, type Content, element, labelled, select } from './element.js'
import type { View } from './explorer.js'
import { showHead } from './head-view.js'

const sizes = [10, 25, 50, 100]

/** Where a page stands, and the ways to others. */
export function pagerView(view: View, rows: Rows): HTMLElement {
  const { place } = view
  const limit = rows.limit ?? place.limit ?? 0
  const to = (skip: number) => showHead(view, { ...place, skip: Math.max(0, skip) })
  const isLast =
    rows.total === undefined
      ? limit === 0 || rows.records.length < limit
      : place.skip + rows.records.length >= rows.total
  const all = [...new Set([...sizes, ...(limit > 0 ? [limit] : [])])].sort((a, b) => a - b)
  const size = select(
    [...(limit > 0 ? [] : [['', 'all'] as const]), ...all.map((size) => [String(size), String(size)] as const)],
    limit > 0 ? String(limit) : '',
    {
      id: 'size',
      key: 'size'
    }
  )
  size.onchange = () => showHead(view, { ...place, skip: 0, limit: size.value === '' ? undefined : Number(size.value) })
  return element(
    'div',
    { className: 'pager' },
    element('span', { role: 'status' }, toRange(rows)),
    button('Previous', () => to(place.skip - limit), {
      className: 'small',
      disabled: place.skip === 0,
      key: 'previous'
    }),
    button('Next', () => to(place.skip + (rows.limit ?? limit)), { className: 'small', disabled: isLast, key: 'next' }),
    labelled('Per page', size),
    columnsView(view)
  )
}

/** Which fields the records have, where the service lets a query say it. */
function columnsView(view: View): Content {
  const { operation, place } = view
  if (!operation.canSelect || operation.record.length < 2) return undefined
  const chosen = new Set(place.columns.length > 0 ? place.columns : operation.record.map(({ name }) => name))
  const boxes = operation.record.map(({ name }) => {
    const box = element('input', { type: 'checkbox', checked: chosen.has(name), key: `column-${name}` })
    box.onchange = () => {
      const columns = operation.record
        .map((field) => field.name)
        .filter((column) => (column === name ? box.checked : chosen.has(column)))
      showHead(view, { ...place, columns: columns.length === operation.record.length ? [] : columns })
    }
    return element('label', {}, box, name)
  })
  return element(
    'details',
    { className: 'columns', open: place.columns.length > 0 },
    element('summary', {}, 'Columns'),
    element('div', {}, boxes)
  )
}

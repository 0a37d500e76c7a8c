import { toCSV, toJSONText } from '../model/export.js'
import type { Place } from '../model/place.js'
import { type Rows, toRange } from '../model/result.js'
import { download } from './download.js'
import { button, element, labelled, select } from './element.js'
import type { View } from './explorer.js'

const sizes = [10, 25, 50, 100]

/** Where a page stands, the ways to others, and to files of what is shown. */
export function pagerView(
  view: View,
  rows: Rows,
  columns: readonly string[],
  find: (part: Partial<Place>) => void
): HTMLElement {
  const { place } = view
  const limit = rows.limit ?? place.limit ?? 0
  const to = (skip: number) => find({ skip: Math.max(0, skip) })
  const isLast =
    rows.total === undefined
      ? limit === 0 || rows.records.length < limit
      : place.skip + rows.records.length >= rows.total
  const file = (extension: string) => `${view.service.path.replace(/[^\w-]+/g, '-') || 'records'}.${extension}`
  const all = [...new Set([...sizes, ...(limit > 0 ? [limit] : [])])].sort((a, b) => a - b)
  const size = select(
    [...(limit > 0 ? [] : [['', 'all'] as const]), ...all.map((size) => [String(size), String(size)] as const)],
    limit > 0 ? String(limit) : '',
    {
      id: 'size',
      key: 'size'
    }
  )
  size.onchange = () => find({ skip: 0, limit: size.value === '' ? undefined : Number(size.value) })
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
    rows.records.length > 0 && [
      button('CSV', () => download(file('csv'), 'text/csv', toCSV(columns, rows.records)), {
        className: 'small',
        title: 'What is shown, as a file'
      }),
      button('JSON', () => download(file('json'), 'application/json', toJSONText(columns, rows.records)), {
        className: 'small',
        title: 'What is shown, as a file'
      })
    ]
  )
}

import { toCSV, toJSONText } from '../model/export.js'
import type { Json } from '../model/json.js'
import { type Rows, toRange } from '../model/result.js'
import { toCountText } from '../model/units.js'
import { button, type Content, element, labelled, select } from './element.js'

const sizes = [10, 25, 50, 100]

interface PagerActions {
  /** Shows the page that begins with a record. */
  go(skip: number): void
  /** Shows pages of another size, all records without one; `undefined` if there is one size. */
  readonly resize: ((limit: number | undefined) => void) | undefined
  /** The size that was asked for. */
  readonly asked: number | undefined
}

/** Shows where a page is among all records, and leads to others. */
export function pagerView(page: Rows, { go, resize, asked }: PagerActions): Content[] {
  const { records, total, skip } = page
  const limit = page.limit ?? asked ?? 0
  const pages = total === undefined || limit === 0 ? undefined : Math.ceil(total / limit)
  const isLast = total === undefined ? limit === 0 || records.length < limit : skip + records.length >= total
  const way = (name: string, to: number, disabled: boolean) =>
    button(name, () => go(Math.max(0, to)), { className: 'small', disabled, key: name })
  const hasMany = pages !== undefined && pages > 2
  return [
    element('span', { role: 'status' }, toRange(page)),
    hasMany && way('First', 0, skip === 0),
    way('Previous', skip - limit, skip === 0),
    hasMany && pageInput(Math.floor(skip / limit) + 1, pages, (number) => go((number - 1) * limit)),
    way('Next', skip + limit, isLast),
    hasMany && way('Last', ((pages as number) - 1) * limit, isLast),
    resize && sizeInput(limit, asked, resize)
  ]
}

function pageInput(current: number, pages: number, go: (page: number) => void): HTMLElement {
  const input = element('input', {
    id: 'page',
    key: 'page',
    type: 'number',
    min: '1',
    max: String(pages),
    value: String(current)
  })
  input.onchange = () => {
    const number = Math.min(pages, Math.max(1, Math.trunc(input.valueAsNumber)))
    if (number > 0) go(number)
    else input.value = String(current)
  }
  return labelled('Page', input, element('span', { className: 'dim' }, `of ${toCountText(pages)}`))
}

function sizeInput(limit: number, asked: number | undefined, resize: (limit: number | undefined) => void): HTMLElement {
  // A server that gives less than it was asked for has shown its maximum.
  const most = asked !== undefined && limit > 0 && limit < asked ? limit : Number.POSITIVE_INFINITY
  const all = [...new Set([...sizes, ...(limit > 0 ? [limit] : [])])].filter((size) => size <= most)
  const options = all.sort((a, b) => a - b).map((size) => [String(size), String(size)] as const)
  const size = select(limit > 0 ? options : [['', 'all'], ...options], limit > 0 ? String(limit) : '', {
    id: 'size',
    key: 'size'
  })
  size.onchange = () => resize(size.value === '' ? undefined : Number(size.value))
  return labelled('Per page', size)
}

/** Buttons that save the records of an answer as files. */
export function fileButtons(path: string, columns: readonly string[], records: readonly Json[]): Content[] {
  const name = path.replace(/[^\w-]+/g, '-') || 'records'
  const save = (format: string, type: string, toText: typeof toCSV) =>
    button(format, () => download(`${name}.${format.toLowerCase()}`, type, toText(columns, records)), {
      className: 'small',
      title: `Save ${toCountText(records.length)} records as a file`
    })
  return [save('CSV', 'text/csv', toCSV), save('JSON', 'application/json', toJSONText)]
}

/** Gives a text to the browser as a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  element('a', { href: url, download: name }).click()
  // The browser may still read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

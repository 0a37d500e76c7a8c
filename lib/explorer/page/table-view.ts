import { type Json, propertyOf } from '../model/json.js'
import { recordAt, toHash } from '../model/place.js'
import { idOfRecord, type Rows, toCell } from '../model/result.js'
import type { Field } from '../model/schema.js'
import { rowKey } from './drawer.js'
import { type Content, element } from './element.js'
import type { View } from './explorer.js'
import { valueView } from './value-view.js'

/** Callbacks of a table. */
interface TableActions {
  /** Called with the field of a heading. */
  sort(field: string): void
  /** Called with the ids that are chosen; `undefined` where nothing can be done with many. */
  readonly pick: ((ids: readonly string[]) => void) | undefined
}

/** Opens the record of a row that is clicked, unless it is a link or a box, or text is selected. */
function openRecord({ target, currentTarget }: MouseEvent): void {
  const isForItself = target instanceof Element && target.closest('a, .pick') !== null
  if (!isForItself && currentTarget instanceof Element && getSelection()?.isCollapsed)
    currentTarget.querySelector<HTMLElement>('[data-key^="row-"]')?.click()
}

/** The records of a list, by columns. */
export function tableView(view: View, rows: Rows, columns: readonly string[], actions: TableActions): HTMLElement {
  const { service, operation, place } = view
  const { idField } = service
  const fields = new Map(operation.record.map((field) => [field.name, field]))
  const boxes = new Map<string, HTMLInputElement>()
  const picked = () => [...boxes].filter(([, box]) => box.checked).map(([id]) => id)
  const all = element('input', {
    type: 'checkbox',
    ariaLabel: 'Select all',
    onchange: () => {
      for (const box of boxes.values()) box.checked = all.checked
      actions.pick?.(picked())
    }
  })
  const pickBox = (record: Json): Content => {
    if (actions.pick === undefined) return undefined
    const id = idOfRecord(record, idField)
    const box = element('input', {
      type: 'checkbox',
      ariaLabel: `Select ${id ?? 'nothing'}`,
      disabled: id === undefined,
      onchange: () => {
        all.checked = [...boxes.values()].every((other) => other.checked)
        actions.pick?.(picked())
      }
    })
    if (id !== undefined) boxes.set(id, box)
    return element('td', { className: 'pick' }, box)
  }
  const classesOf = (name: string) =>
    [name === columns[0] && 'first', isAmount(fields.get(name)) && name !== idField && 'number'].filter(Boolean)
  const heading = (name: string) => {
    const direction = place.sort?.field === name ? place.sort.direction : undefined
    const canSort = operation.sortable === undefined || operation.sortable.includes(name)
    const content = canSort
      ? element(
          'button',
          { type: 'button', onclick: () => actions.sort(name), className: 'sort', key: `sort-${name}` },
          name,
          element('span', { ariaHidden: 'true' }, direction === -1 ? '↓' : '↑')
        )
      : element('span', {}, name)
    return element(
      'th',
      {
        scope: 'col',
        className: classesOf(name).join(' '),
        ariaSort: direction === undefined ? null : direction === 1 ? 'ascending' : 'descending'
      },
      content
    )
  }
  const cell = (record: Json, name: string) => {
    const value = propertyOf(record, name)
    const id = name === idField ? idOfRecord(record, idField) : undefined
    const isDim = typeof value === 'object'
    const content =
      id === undefined
        ? valueView(view.explorer, value, fields.get(name), toCell)
        : element('a', { href: toHash(recordAt(place, id)), key: rowKey(id) }, toCell(value))
    const created = element(
      'td',
      { className: [...classesOf(name), isDim && 'dim'].filter(Boolean).join(' ') },
      content
    )
    const text = toCell(value)
    if (text.length > 30 || typeof content !== 'object') created.title = text
    return created
  }
  return element(
    'div',
    { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Records' },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element('tr', {}, actions.pick && element('th', { className: 'pick' }, all), columns.map(heading))
      ),
      element(
        'tbody',
        {},
        rows.records.map((record) =>
          element(
            'tr',
            { onclick: openRecord },
            pickBox(record),
            columns.map((name) => cell(record, name))
          )
        )
      )
    )
  )
}

/** Whether a field is a number, and no id of another record. */
const isAmount = (field: Field | undefined) => field?.kind === 'number' && field.refersTo === undefined

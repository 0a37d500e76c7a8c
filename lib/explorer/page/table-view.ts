import { type Json, propertyOf } from '../model/json.js'
import { listOfService, type Place, toHash } from '../model/place.js'
import { columnsOf, idOfRecord, type Rows, toCell } from '../model/result.js'
import { element, link } from './element.js'
import type { View } from './explorer.js'

/** The records of a list. `sort` is called with the field of a heading. */
export function tableView(view: View, rows: Rows, sort: (field: string) => void): HTMLElement {
  const { service, operation, place } = view
  const schemaNames = operation.record.map(({ name }) => name)
  const { idField } = service
  const columns = columnsOf(rows.records, schemaNames, place.columns)
  // The id leads to the record, wherever the document has it.
  const ordered = [...columns.filter((column) => column === idField), ...columns.filter((column) => column !== idField)]
  const numeric = new Set(operation.record.filter(({ kind }) => kind === 'number').map(({ name }) => name))
  const canSort = (name: string) => operation.sortable === undefined || operation.sortable.includes(name)
  const heading = (name: string) => {
    const direction = place.sort?.field === name ? place.sort.direction : undefined
    const content = canSort(name)
      ? element(
          'button',
          { type: 'button', onclick: () => sort(name), className: 'sort', key: `sort-${name}` },
          name,
          element('span', { ariaHidden: 'true' }, direction === -1 ? '↓' : '↑')
        )
      : element('span', {}, name)
    return element(
      'th',
      {
        scope: 'col',
        className: [name === ordered[0] && 'first', numeric.has(name) && 'number'].filter(Boolean).join(' '),
        ariaSort: direction === undefined ? null : direction === 1 ? 'ascending' : 'descending'
      },
      content
    )
  }
  const cell = (record: Json, name: string) => {
    const value = propertyOf(record, name)
    const text = toCell(value)
    const id = name === idField ? idOfRecord(record, idField) : undefined
    const isDim = typeof value !== 'string' && typeof value !== 'number'
    const className = [name === ordered[0] && 'first', numeric.has(name) && 'number', isDim && 'dim']
      .filter(Boolean)
      .join(' ')
    const cell = element('td', { className }, id === undefined ? text : link(toHash(recordAt(place, id)), '', text))
    if (text.length > 30) cell.title = text
    return cell
  }
  return element(
    'div',
    { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: 'Records' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ordered.map(heading))),
      element(
        'tbody',
        {},
        rows.records.map((record) =>
          element(
            'tr',
            {},
            ordered.map((name) => cell(record, name))
          )
        )
      )
    )
  )
}

/** The place of a record of a list. */
export const recordAt = ({ service, route }: Place, id: string): Place => ({
  ...listOfService(service),
  call: 'get',
  id,
  route
})

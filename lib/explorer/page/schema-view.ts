import type { Field } from '../model/schema.js'
import { type SchemaRow, toExample, toSchemaTables, toTypeText } from '../model/schema-rows.js'
import { byId, type Content, element, fill } from './element.js'
import type { View } from './explorer.js'
import { hintOf } from './field-parts.js'
import { headView, trail } from './head-view.js'

/** The fields of a service: their types and rules, and who sets and sees them. */
export function schemaView(view: View): void {
  const tables = toSchemaTables(view.service)
  fill(
    byId('main'),
    headView(view, trail(view, 'Schema')),
    tables.length === 0 && element('p', { className: 'empty' }, 'The document does not describe its fields.'),
    tables.map(([method, rows]) => [
      method !== '' && element('h3', {}, `Data of ${method}`),
      schemaTable(method === '' ? 'Fields' : `Data of ${method}`, rows)
    ])
  )
  view.explorer.panel.clear()
}

const schemaColumns = ['Field', 'Type', 'Access', 'Rules', 'Example']

function schemaTable(label: string, rows: readonly SchemaRow[]): HTMLElement {
  const heading = (name: string) => element('th', { scope: 'col', className: name === 'Field' ? 'first' : '' }, name)
  return element(
    'div',
    { className: 'scroll schema', tabIndex: 0, role: 'region', ariaLabel: label },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, schemaColumns.map(heading))),
      element('tbody', {}, rows.map(rowView))
    )
  )
}

/** Describes a field as forms do. The type says that a number is whole. */
const toRuleText = (field: Field) =>
  [
    field.choices.join(', '),
    hintOf({ ...field, isRequired: true, rules: field.rules.filter((rule) => rule !== 'a whole number') })
  ]
    .filter(Boolean)
    .join(' · ')

/** Describes a field in another method. Defaults are those of `create` alone. */
const toComparedText = (field: Field) =>
  [toTypeText(field), toRuleText({ ...field, standard: undefined })].filter(Boolean).join(', ')

const line = (text: string) => element('div', {}, text)

function rowView({ name, field, access, others }: SchemaRow): HTMLElement {
  const different = others.filter(([, other]) => toComparedText(other) !== toComparedText(field))
  const cells: Content[] = [
    toTypeText(field),
    [...access, ...field.marks].map(line),
    [toRuleText(field), ...different.map(([method, other]) => `in ${method}: ${toComparedText(other)}`)].map(line),
    toExample(field)
  ]
  return element(
    'tr',
    {},
    element('th', { scope: 'row', className: 'first' }, name),
    cells.map((content) => element('td', {}, content))
  )
}

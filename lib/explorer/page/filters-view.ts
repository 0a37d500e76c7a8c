import { listOperators, operatorNames, toConditionField, usualOperators } from '../model/filter-fields.js'
import { type Filter, type InputText, toConditions } from '../model/query.js'
import { controlFor, watchUnfinished } from './control.js'
import { button, type Content, element, fill, freshId, select } from './element.js'
import type { View } from './explorer.js'
import { searchOf } from './references.js'

/**
 * The conditions of a list. `change` is called as they are typed; `isNew` says that there is
 * another row, or one less.
 */
export function filtersView(
  view: View,
  filters: readonly Filter[],
  change: (filters: Filter[], isNew: boolean) => void
): Content[] {
  // The rows stay while they are typed in.
  let current = filters
  const replace = (index: number, part: Partial<Filter>, isNew = false) => {
    current = current.map((filter, at) => (at === index ? { ...filter, ...part } : filter))
    change([...current], isNew)
  }
  return filters.map((filter, index) =>
    element(
      'div',
      { className: 'filter', role: 'group', ariaLabel: `Condition ${index + 1}` },
      fieldInput(view, filter, index, (field) => replace(index, { field, ...fitting(view, field, filter) }, true)),
      operatorInput(view, filter, index, (operator) => replace(index, { operator, problem: undefined }, true)),
      filter.operator !== 'empty' &&
        valueInput(view, filter, index, (typed) => replace(index, { problem: undefined, ...typed })),
      button(
        '×',
        () =>
          change(
            current.filter((_, at) => at !== index),
            true
          ),
        {
          className: 'small',
          ariaLabel: `Remove condition ${index + 1}`
        }
      ),
      element('p', { className: 'wrong', id: `wrong-${index}` })
    )
  )
}

/** The text box that searches a list. `change` is called as one types. */
export function searchInput({ operation }: View, search: Filter, change: (search: Filter) => void): HTMLElement {
  const isField = operation.record.some(({ name }) => name === search.field)
  const label = isField ? `Search by ${search.field}` : 'Search'
  const input = element('input', {
    type: 'search',
    className: 'search',
    placeholder: label,
    ariaLabel: label,
    key: 'search',
    value: search.text,
    oninput: () => change({ ...search, text: input.value })
  })
  return input
}

/** Says what is wrong with conditions at their rows, and whether anything is. */
export function markConditions({ operation }: View, filters: readonly Filter[]): boolean {
  const { problems } = toConditions(filters, operation)
  for (const [index, row] of [...document.querySelectorAll('.filter')].entries()) {
    const input = row.querySelector('[aria-label=Value]') ?? (row.firstElementChild as Element)
    const problem = problems.get(index)
    fill(row.querySelector('.wrong') as HTMLElement, problem)
    input.ariaInvalid = problem === undefined ? null : 'true'
    input.setAttribute('aria-describedby', `wrong-${index}`)
  }
  return problems.size > 0
}

const fieldOf = ({ operation }: View, name: string) => operation.query.find((field) => field.name === name)

/** The operators of a field. */
const operatorsOf = (view: View, name: string) => fieldOf(view, name)?.operators ?? usualOperators

/** Adapts a condition to another field: keeps the operator if that field has it. */
const fitting = (view: View, field: string, { operator }: Filter): Partial<Filter> => {
  const operators = operatorsOf(view, field)
  return { text: '', operator: operators.includes(operator) ? operator : (operators[0] ?? '') }
}

function fieldInput(view: View, { field }: Filter, index: number, change: (field: string) => void): HTMLElement {
  const { query } = view.operation
  const properties = { ariaLabel: 'Field', key: `field-${index}` }
  if (query.length > 0) {
    const names = query.map(({ name }) => [name, name] as const)
    const all = query.some(({ name }) => name === field) ? names : [[field, field] as const, ...names]
    const input = select(all, field, properties)
    input.onchange = () => change(input.value)
    return input
  }
  const input = element('input', { ...properties, value: field, placeholder: 'field', spellcheck: false })
  input.onchange = () => change(input.value)
  return input
}

function operatorInput(view: View, { field, operator }: Filter, index: number, change: (operator: string) => void) {
  const operators = operatorsOf(view, field)
  const all = operators.includes(operator) ? operators : [operator, ...operators]
  const input = select(
    all.map((name) => [name, operatorNames.get(name) ?? name]),
    operator,
    { ariaLabel: 'Operator', key: `operator-${index}` }
  )
  input.onchange = () => change(input.value)
  return input
}

function valueInput(view: View, { field, operator, text }: Filter, index: number, change: (typed: InputText) => void) {
  const properties = { ariaLabel: 'Value', key: `value-${index}`, id: freshId() }
  const valueField = toConditionField(fieldOf(view, field), operator)
  const search = valueField.refersTo === undefined ? undefined : searchOf(view.explorer, valueField.refersTo)
  const control = controlFor(valueField, [text, text], properties, search)
  const { input, read } = control
  if (input instanceof HTMLInputElement) input.placeholder = listOperators.includes(operator) ? 'a, b, c' : 'value'
  input.addEventListener('input', () => change(read()))
  watchUnfinished(control)
  return control.view ?? input
}

import type { FilterField } from './filter-fields.js'
import type { Field } from './schema.js'

/** A condition as it is typed. */
export interface Filter {
  readonly field: string
  /** `''` for a plain value. */
  readonly operator: string
  readonly text: string
}

/** What a list shows of its service. */
export interface Selection {
  readonly filters: readonly Filter[]
  readonly sort: { readonly field: string; readonly direction: 1 | -1 } | undefined
  readonly limit: number | undefined
  readonly skip: number
  /** The fields of the records; all of them where none is named. */
  readonly columns: readonly string[]
}

const lists = ['$in', '$nin']

/** The query of a list. A condition without a value is none yet. */
export function toQuery({ filters, sort, limit, skip, columns }: Selection, fields: readonly FilterField[]): object {
  const conditions = new Map<string, unknown>()
  for (const { field, operator, text } of filters) {
    if (field === '' || text === '') continue
    const known = fields.find((one) => one.name === field)
    const value = lists.includes(operator) ? toList(text).map((one) => toValue(one, known)) : toValue(text, known)
    const before = conditions.get(field)
    const isMore = before instanceof Map
    if (operator === '') conditions.set(field, value)
    else conditions.set(field, new Map([...(isMore ? before : []), [operator, value]]))
  }
  return Object.fromEntries([
    ...[...conditions].map(([field, value]) => [field, value instanceof Map ? Object.fromEntries(value) : value]),
    ...(sort === undefined ? [] : [['$sort', Object.fromEntries([[sort.field, sort.direction]])]]),
    ...(limit === undefined ? [] : [['$limit', limit]]),
    ...(skip === 0 ? [] : [['$skip', skip]]),
    ...(columns.length === 0 ? [] : [['$select', columns]])
  ])
}

/** A text as a value of the type of its field; as it is where it is none. */
export function toValue(text: string, field: Field | undefined): unknown {
  const choice = field?.choices.find((one) => String(one) === text)
  if (choice !== undefined) return choice
  if (field?.kind === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  const number = Number(text)
  // A number that is written otherwise would be another one: `1e999`, or more digits than a number holds.
  return field?.kind === 'number' && String(number) === text.trim() ? number : text
}

/** The values of a list: a JSON list, or texts with commas between them. */
function toList(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  } catch {
    // Texts, then.
  }
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

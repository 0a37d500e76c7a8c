import { toLikePattern } from '../../core/like-pattern.js'
import { type FilterField, listOperators } from './filter-fields.js'
import type { Field } from './schema.js'
import type { Operation } from './services.js'

/** The content of an input. */
export interface InputText {
  /** `''` for nothing. */
  readonly text: string
  /** Why the text is not a value yet. */
  readonly problem?: string | undefined
  readonly files?: readonly File[]
}

/** A condition as it is typed. */
export interface Filter extends Omit<InputText, 'files'> {
  readonly field: string
  /** `''` for a plain value. */
  readonly operator: string
}

/** Filters, order, columns and page of a list. */
export interface Selection {
  readonly filters: readonly Filter[]
  readonly sort: { readonly field: string; readonly direction: 1 | -1 } | undefined
  readonly limit: number | undefined
  readonly skip: number
  /** The fields of the records; all of them where none is named. */
  readonly columns: readonly string[]
}

/** Conditions as a query has them. */
export interface Conditions {
  readonly query: object
  /** Errors of conditions, by index. */
  readonly problems: ReadonlyMap<number, string>
}

/** The query rules of an operation, from the document. */
export type Rules = Pick<Operation, 'query' | 'canJoin'>

/**
 * Conditions as a query. One without a value is none yet. A field has one value, or each operator
 * once: what does not fit beside those before goes into `$and`, where there is one.
 */
export function toConditions(filters: readonly Filter[], { query, canJoin }: Rules): Conditions {
  const conditions = new Map<string, unknown>()
  const joined: object[] = []
  const problems = new Map<number, string>()
  for (const [index, filter] of filters.entries()) {
    const { field, problem } = filter
    if (problem !== undefined) problems.set(index, problem)
    const queryField = query.find((candidate) => candidate.name === field)
    const [operator, value] = toServerCondition(filter, queryField) ?? []
    if (operator === undefined) continue
    const condition = operator === '' ? value : new Map([[operator, value]])
    const before = conditions.get(field)
    const areBoth = before instanceof Map && condition instanceof Map && !before.has(operator)
    if (field === '') problems.set(index, 'Name a field.')
    else if (Array.isArray(value) && value.length === 0) problems.set(index, 'Name a value at least.')
    else if (!conditions.has(field)) conditions.set(field, condition)
    else if (areBoth) conditions.set(field, new Map([...before, ...condition]))
    else if (canJoin) joined.push(toObject([[field, condition]]))
    else problems.set(index, 'The service takes no such condition beside those above.')
  }
  return { query: toObject([...conditions, ...(joined.length > 0 ? [['$and', joined] as const] : [])]), problems }
}

/** The condition that the server knows. */
function toServerCondition(
  { operator, text }: Filter,
  field: FilterField | undefined
): readonly [string, unknown] | undefined {
  if (operator === 'empty') return ['', null]
  if (text === '') return undefined
  if (operator === 'part' || operator === 'search') {
    // A parameter for searches takes the words as they are.
    const pattern = ['$ilike', '$like'].find((candidate) => field?.operators.includes(candidate))
    return pattern === undefined ? ['', text] : [pattern, toLikePattern(text)]
  }
  const isList = listOperators.includes(operator)
  const values = (isList ? toList(text) : [text]).map((item) => toValue(item, field))
  return [operator, isList ? values : values[0]]
}

const toObject = (conditions: readonly (readonly [string, unknown])[]): object =>
  Object.fromEntries(
    conditions.map(([field, condition]) => [
      field,
      condition instanceof Map ? Object.fromEntries(condition) : condition
    ])
  )

/** The query of a list. */
export function toQuery({ filters, sort, limit, skip, columns }: Selection, rules: Rules): object {
  return Object.fromEntries([
    ...Object.entries(toConditions(filters, rules).query),
    ...(sort === undefined ? [] : [['$sort', Object.fromEntries([[sort.field, sort.direction]])]]),
    ...(limit === undefined ? [] : [['$limit', limit]]),
    ...(skip === 0 ? [] : [['$skip', skip]]),
    ...(columns.length === 0 ? [] : [['$select', columns]])
  ])
}

/** A text as a value of the type of its field; as it is where it is none. */
export function toValue(text: string, field: Field | undefined): unknown {
  const choice = field?.choices.find((value) => String(value) === text)
  if (choice !== undefined) return choice
  if (field?.kind === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  const number = Number(text)
  return field?.kind === 'number' && isExact(text.trim(), number) ? number : text
}

// Written as JSON, with no more digits than a number holds. Anything else could become another
// number: `1e999`.
const isExact = (text: string, number: number) =>
  String(number) === text ||
  (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) &&
    text.replace(/e.*|\D/gi, '').length <= 15 &&
    Number.isFinite(number) &&
    (number !== 0 || !/^[^e]*[1-9]/i.test(text)))

/** The values of a list: a JSON list, or texts with commas between them. */
function toList(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  } catch {
    // Texts, then.
  }
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

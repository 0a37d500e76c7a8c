import { type Json, propertyOf } from './json.js'
import type { Filter } from './query.js'
import { idOfRecord, toCell } from './result.js'
import type { Operation } from './services.js'
import { toCountText } from './units.js'

/** A record to choose. */
export interface Choice {
  readonly id: string
  readonly label: string
}

/** The first of the records that fit a text. */
export interface Choices {
  readonly choices: readonly Choice[]
  /** The number of records that fit besides; `undefined` if nobody knows. */
  readonly more: number | undefined
}

/** Finds the records that a field may refer to. */
export interface RecordSearch {
  find(text: string): Promise<Choices>
  /** @returns the label of a record, `undefined` if there is no such record */
  labelOf(id: string): Promise<string | undefined>
}

const labelNames = ['name', 'title', 'label', 'email', 'username', 'subject', 'text']

/** Returns a label for a record: the first string field with a usual name such as `title`. */
export function toRecordLabel(record: unknown): string {
  const name = labelNames
    .map((key) => propertyOf(record, key))
    .find((value) => typeof value === 'string' && value !== '')
  return toCell(name)
}

// Parameters of a text search, such as that of `search({ q: ['title'] })`.
const searchNames = ['q', 'search', '$search']

/**
 * The condition that searches a service for a text; `undefined` if it has none.
 * @param names the fields that may be searched, if the service has no parameter for all of them
 */
export function toSearch(
  { query, record }: Pick<Operation, 'query' | 'record'>,
  text: string,
  names = labelNames
): Filter | undefined {
  const parameters = searchNames.filter((name) => !record.some((field) => field.name === name))
  const field = [...parameters, ...names].find((name) =>
    query.some((field) => field.name === name && (parameters.includes(name) || field.operators.includes('part')))
  )
  return field === undefined ? undefined : { field, operator: 'search', text }
}

/** The conditions of a list. */
export interface ListFilters {
  /** That of the search box, which may have no text; `undefined` if the service can't search. */
  readonly search: Filter | undefined
  readonly others: readonly Filter[]
}

export function splitFilters(operation: Pick<Operation, 'query' | 'record'>, filters: readonly Filter[]): ListFilters {
  const search = toSearch(operation, '', [...labelNames, ...operation.query.map(({ name }) => name)])
  const typed = search && filters.findLast(({ operator }) => operator === 'search')
  return { search: typed ?? search, others: filters.filter((filter) => filter !== typed) }
}

/** Puts the search behind the others, so that each of these keeps its row. */
export const joinFilters = ({ search, others }: ListFilters): Filter[] => [...others, ...(search?.text ? [search] : [])]

/** The records whose label or id contains a text. */
export const matching = (records: readonly Json[], idField: string, text: string): Choice[] =>
  records.flatMap((record) => {
    const id = idOfRecord(record, idField)
    const label = toRecordLabel(record)
    return id !== undefined && (id === text || label.toLowerCase().includes(text.toLowerCase())) ? [{ id, label }] : []
  })

/** Says that there are more records than those that are shown; `''` if there are none. */
export function toMoreText({ choices, more }: Choices): string {
  if (choices.length === 0) return 'Nothing found.'
  if (more === 0) return ''
  return more === undefined ? 'And more: type to search.' : `And ${toCountText(more)} more: type to search.`
}

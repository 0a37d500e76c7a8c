import { toValue } from './query.js'
import type { Field, Kind } from './schema.js'

/** A field of a form as it stands there. */
export interface Entry {
  readonly field: Field
  readonly text: string
  /** The text that it began with. */
  readonly initial: string
  /** The value that it began with; `undefined` where there was none. */
  readonly value?: unknown
  readonly files?: readonly File[]
}

/** What a form gives. */
export interface Filled {
  readonly data: unknown
  /** What is wrong with fields, by their names. */
  readonly problems: ReadonlyMap<string, string>
}

/** A value as it stands in a form. */
export function toFieldText(value: unknown, kind?: Kind): string {
  if (value === undefined || (value === null && kind !== 'json')) return ''
  return typeof value === 'object' || kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/**
 * The data of a form. A field that was empty and is left so is not sent; with `isChange` only those are sent that have another text than
 * before. Where the text is as before, the value is too: not every value can be told from its text.
 */
export function toData(entries: readonly Entry[], isChange = false): Filled {
  const problems = new Map<string, string>()
  const values = entries.flatMap(({ field, text, initial, value }) => {
    if (text === initial && (isChange || (value === undefined && text === ''))) return []
    if (text === initial && value !== undefined) return [[field.name, value]]
    if (text === '') return field.isNullable ? [[field.name, null]] : field.kind === 'text' ? [[field.name, '']] : []
    if (field.kind !== 'json') return [[field.name, toValue(text, field)]]
    const parsed = parseInput(text)
    if (parsed.problem !== undefined) problems.set(field.name, parsed.problem)
    return [[field.name, parsed.value]]
  })
  return { data: Object.fromEntries(values), problems }
}

/** The form of a method that takes files. */
export function toForm(entries: readonly Entry[]): FormData {
  const form = new FormData()
  for (const { field, text, files = [] } of entries) {
    for (const file of files) form.append(field.name, file)
    if (field.kind !== 'file' && text !== '') form.append(field.name, text)
  }
  return form
}

/** Reads JSON, and says in plain words why it can't. */
export function parseInput(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` }
  }
}

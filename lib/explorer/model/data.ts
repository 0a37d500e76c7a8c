import { entriesOf, isObject } from './json.js'
import { faultIn } from './json-text.js'
import { type InputText, toValue } from './query.js'
import type { Field, Kind } from './schema.js'

/** A field of a form as it stands there. */
export interface Entry extends InputText {
  readonly field: Field
  /** The text that it began with. */
  readonly initial: string
  /** The value that it began with; `undefined` where there was none. */
  readonly value?: unknown
  /** Entries of an object or a list, `undefined` if the object is absent. */
  readonly inside?: readonly Entry[] | undefined
}

/** The result of reading a form. */
export interface Filled {
  readonly data: unknown
  /** Errors by path: `address.city`. */
  readonly problems: ReadonlyMap<string, string>
}

/** A value as it stands in a form. */
export function toFieldText(value: unknown, kind?: Kind): string {
  if (value === undefined || (value === null && kind !== 'json')) return ''
  return typeof value === 'object' || kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** The place of a part of a form. */
export const placeWithin = (place: string, key: string | number): string => `${place}.${key}`

/**
 * The data of a form. A field that was empty and is left so is not sent; with `isChange` only those
 * are sent that are otherwise than before. Where the text is as before, the value is too: not every
 * value can be told from its text. An object or a list that has changed is sent whole.
 */
export function toData(entries: readonly Entry[], isChange = false): Filled {
  const problems = new Map<string, string>()
  const values = entries.flatMap((entry) =>
    readEntry(entry, entry.field.name, problems, isChange).map((value) => [entry.field.name, value] as const)
  )
  return { data: Object.fromEntries(values), problems }
}

type Problems = Map<string, string>
/** The value to send, or none. */
type EntryReading = readonly [] | readonly [unknown]

function readEntry(entry: Entry, place: string, problems: Problems, isChange: boolean): EntryReading {
  const { kind } = entry.field
  const isWhole = kind === 'object' || kind === 'union' || kind === 'list'
  if (!isWhole) return readLeaf(entry, place, problems, isChange)
  const reading = kind === 'list' ? readItems(entry, place, problems) : readObject(entry, place, problems)
  const isSame = reading.length === 1 && JSON.stringify(reading[0]) === JSON.stringify(entry.value)
  return isChange && isSame ? [] : reading
}

function readLeaf(
  { field, text, problem, initial, value }: Entry,
  place: string,
  problems: Problems,
  isChange: boolean
): EntryReading {
  if (problem !== undefined) problems.set(place, problem)
  if (text === initial && (isChange || (value === undefined && text === ''))) return []
  if (text === initial && value !== undefined) return [value]
  if (text === '') return field.isNullable ? [null] : field.kind === 'text' ? [''] : []
  if (field.kind !== 'json') return [toValue(text, field)]
  const parsed = parseInput(text)
  if (parsed.problem !== undefined) problems.set(place, parsed.problem)
  return [parsed.value]
}

function readObject({ field, value, inside }: Entry, place: string, problems: Problems): EntryReading {
  if (inside === undefined) return value === undefined || !(field.isNullable || value === null) ? [] : [null]
  // Keep properties that the schema does not name.
  const members = new Map(entriesOf(value))
  for (const entry of inside) {
    const { name } = entry.field
    const [member, ...none] = [...readEntry(entry, placeWithin(place, name), problems, false), absent]
    if (none.length === 0) members.delete(name)
    else members.set(name, member)
  }
  return [Object.fromEntries(members)]
}

const absent = Symbol('absent')

function readItems({ field, value, inside = [] }: Entry, place: string, problems: Problems): EntryReading {
  if (inside.length === 0 && !Array.isArray(value)) return value === null ? [null] : field.isRequired ? [[]] : []
  return [
    inside.map((entry, index) => {
      const itemPlace = placeWithin(place, index)
      const [item = entry.field.kind === 'text' ? entry.text : undefined] = readEntry(entry, itemPlace, problems, false)
      if (item === undefined && !problems.has(itemPlace)) problems.set(itemPlace, 'Fill this in, or remove it.')
      return item
    })
  ]
}

/** The form of a method that takes files. */
export function toForm(entries: readonly Entry[]): FormData {
  const form = new FormData()
  for (const entry of entries) {
    const { field, text, files = [] } = entry
    for (const file of files) form.append(field.name, file)
    if (entry.inside !== undefined)
      for (const [, value] of entriesOf(toData([entry]).data)) form.append(field.name, JSON.stringify(value))
    else if (field.kind !== 'file' && text !== '') form.append(field.name, text)
  }
  return form
}

/** Reads JSON, and says in plain words why it can't. */
export function parseInput(text: string): { readonly value?: unknown; readonly problem?: string } {
  const fault = faultIn(text)
  if (fault === undefined) return { value: JSON.parse(text) }
  return { problem: `This is not JSON: line ${fault.line}, column ${fault.column}: ${fault.message}` }
}

/** Which of several kinds of objects a value is: by the fields that can have one value alone. */
export function variantOf(variants: readonly (readonly Field[])[], value: unknown): number {
  if (!isObject(value)) return 0
  const fits = (fields: readonly Field[]) =>
    fields.every(({ name, choices }) => choices.length !== 1 || choices[0] === value[name])
  const areMissing = (fields: readonly Field[]) => fields.some(({ name, isRequired }) => isRequired && !(name in value))
  const exact = variants.findIndex((fields) => fits(fields) && !areMissing(fields))
  return Math.max(0, exact === -1 ? variants.findIndex(fits) : exact)
}

/** Returns the label of a union branch: its discriminator value, or else its field names. */
export function toVariantLabel(fields: readonly Field[]): string {
  const tag = fields.find(({ choices }) => choices.length === 1)
  return tag === undefined ? fields.map(({ name }) => name).join(', ') : String(tag.choices[0])
}

/** The name of the parameter, and of the field of a record with the answer. */
export const mayName = '$may'

/** The answers about a record, by method. No store makes such objects. */
export class May {
  [method: string]: boolean | readonly string[]
}

/** The name of the parameter that asks for related records. */
export const includeName = '$include'

const related = Symbol('related records')

/** Adds related records to a record, in fields that its schema does not have. */
export function addRelated(record: object, name: string, value: unknown): void {
  const names: readonly string[] = Reflect.get(record, related) ?? []
  // Not enumerable, so that records that the server compares are equal.
  Object.defineProperty(record, related, { value: [...names, name], configurable: true })
  Object.assign(record, { [name]: value })
}

/**
 * Adds the answer of `may()` and the related records of a record to a copy with fewer fields, and
 * returns the copy.
 */
export function keepAdded<T>(record: unknown, copy: T): T {
  const source: { [mayName]?: unknown; [related]?: readonly string[] } = Object(record)
  if (Object(copy) !== copy) return copy
  if (source[mayName] instanceof May) Object.assign(Object(copy), { [mayName]: source[mayName] })
  for (const name of source[related] ?? []) addRelated(Object(copy), name, Reflect.get(source, name))
  return copy
}

/** The name of the parameter, and of the field of a record with the answer. */
export const mayName = '$may'

/** The answers about a record, by method. No store makes such objects. */
export class May {
  [method: string]: boolean | readonly string[]
}

/** The name of the parameter that asks for related records. */
export const includeName = '$include'

/** The names of the related records of a record. */
const related = new WeakMap<object, readonly string[]>()

/** Adds related records to a record, in fields that its schema does not have. */
export function addRelated(record: object, name: string, value: unknown): void {
  const names = related.get(record)
  related.set(record, names === undefined ? [name] : [...names, name])
  Reflect.set(record, name, value)
}

/**
 * Adds the answer of `may()` and the related records of a record to a copy with fewer fields, and
 * returns the copy.
 */
export function keepAdded<T>(record: unknown, copy: T): T {
  if (Object(copy) !== copy || Object(record) !== record) return copy
  const source = record as Record<string, unknown>
  if (source[mayName] instanceof May) Reflect.set(copy as object, mayName, source[mayName])
  for (const name of related.get(source) ?? []) addRelated(copy as object, name, source[name])
  return copy
}

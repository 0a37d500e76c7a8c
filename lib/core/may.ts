/** The name of the parameter, and of the field of a record with the answer. */
export const mayName = '$may'

/** The answers about a record, by method. No store makes such objects. */
export class May {
  [method: string]: boolean | readonly string[]
}

/** Adds the answer of `may()` for a record to a copy with fewer fields, and returns the copy. */
export function keepMay<T>(record: unknown, copy: T): T {
  const answer: unknown = Object(record)[mayName]
  if (answer instanceof May && Object(copy) === copy) Object.assign(Object(copy), { [mayName]: answer })
  return copy
}

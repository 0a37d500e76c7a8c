import type { HookContext } from '../../types/hooks.js'
import { attempt } from '../core/errors.js'
import { isPlain } from '../core/objects.js'

/** A value, and the field that it was sent for. The id of a call has no field. */
export type SentValue = readonly [field: string | undefined, value: unknown]

/**
 * Finds the fields whose values a database may have refused. Drivers of PostgreSQL report the value
 * and not the column.
 *
 * @param text the message of the driver
 * @returns the fields, or `'id'` if it is the id of the call
 */
export function findRefused(text: string, values: readonly SentValue[]): readonly string[] | 'id' {
  const [end] = /"( is out of range for type [\w ]+)?$/.exec(text) ?? []
  const refused = end === undefined ? values : values.filter(([, value]) => endsWithValue(text, `${value}${end}`))
  const fields = [...new Set(refused.flatMap(([field]) => field ?? []))]
  // A function or a view of the database may fail, too, for a record that is there.
  const isOfId = fields.length === 0 && refused.length > 0 && (end !== undefined || namesNoValue.test(text))
  return isOfId ? 'id' : fields
}

// A value with a NUL, and one that PGlite itself refuses.
const namesNoValue = /invalid byte sequence for encoding "\w+": [\da-fx ]+$|^Invalid input for \w+ type$/

/** Whether a message ends with a value: `invalid input syntax for type integer: "abc"`. */
function endsWithValue(text: string, value: string): boolean {
  if (text.endsWith(`: "${value}`) || text.endsWith(`value "${value}`)) return true
  // `@feathersjs/knex` removes all before the last hyphen.
  return value.includes('-') && text === value.slice(value.lastIndexOf('-') + 1)
}

/** Returns the scalars that a call has at the moment, none if they are nested too deep. */
export function sentValues({ id, data, params }: HookContext): readonly SentValue[] {
  const values: SentValue[] = id === undefined || id === null ? [] : [[undefined, id]]
  const addAll = () => {
    addScalars(values, data, /^/)
    addScalars(values, Object(params).query, /^\$/)
    return values
  }
  return attempt(addAll) ?? []
}

/**
 * Adds the scalars in a value, at any depth.
 * @param inner the names within a field that are none of fields
 */
function addScalars(values: SentValue[], value: unknown, inner: RegExp, field?: string): void {
  if (Array.isArray(value)) for (const item of value) addScalars(values, item, inner, field)
  else if (isPlain(value))
    for (const [name, member] of Object.entries(value))
      addScalars(values, member, inner, field !== undefined && inner.test(name) ? field : name)
  else if (field !== undefined && value !== undefined && value !== null) values.push([field, value])
}

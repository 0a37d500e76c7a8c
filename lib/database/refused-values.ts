import { attempt } from '../core/errors.js'
import { isPlain } from '../core/objects.js'

/** The values of a call, as its caller has sent them. */
export interface SentValues {
  readonly id: unknown
  readonly data: unknown
  readonly query: unknown
}

/** A value, and the field that it was sent for. The id of a call has no field. */
type SentValue = readonly [field: string | undefined, value: unknown]

/**
 * Finds the fields whose values a database may have refused. Drivers of PostgreSQL report the value
 * and not the column.
 *
 * @param text the message of the driver
 * @returns the fields, or `'id'` if it is the id of the call
 */
export function findRefused(text: string, sent: SentValues): readonly string[] | 'id' {
  const values = attempt(() => [...sentValues(sent)]) ?? []
  const [end] = /"( is out of range for type [\w ]+)?$/.exec(text) ?? []
  const refused = end === undefined ? values : values.filter(([, value]) => endsWithValue(text, `${value}${end}`))
  const fields = [...new Set(refused.flatMap(([field]) => field ?? []))]
  return fields.length === 0 && refused.length > 0 ? 'id' : fields
}

/** Whether a message ends with a value: `invalid input syntax for type integer: "abc"`. */
function endsWithValue(text: string, value: string): boolean {
  if (text.endsWith(`: "${value}`) || text.endsWith(`value "${value}`)) return true
  // `@feathersjs/knex` removes all before the last hyphen.
  return value.includes('-') && text === value.slice(value.lastIndexOf('-') + 1)
}

function* sentValues({ id, data, query }: SentValues): Generator<SentValue> {
  if (id !== undefined && id !== null) yield [undefined, id]
  for (const record of [data].flat())
    for (const [field, value] of Object.entries(Object(record)))
      for (const [, inner] of scalarsIn(value, field)) yield [field, inner]
  yield* scalarsIn(query, '')
}

/** Yields the scalars in a value, with the nearest name that is no operator. */
function* scalarsIn(value: unknown, field: string): Generator<readonly [field: string, value: unknown]> {
  if (Array.isArray(value)) for (const item of value) yield* scalarsIn(item, field)
  else if (isPlain(value))
    for (const [name, inner] of Object.entries(value))
      yield* scalarsIn(inner, field === '' || !name.startsWith('$') ? name : field)
  else if (value !== undefined && value !== null) yield [field, value]
}

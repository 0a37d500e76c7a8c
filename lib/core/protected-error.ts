import { attempt, read, ServiceError } from './errors.js'
import { type ValueTypes, without } from './without.js'

// What every error has, beside `errors`. These properties are kept, also where a field has the same name, and only what is in them is cleaned.
const envelope = ['name', 'message', 'code', 'className', 'data']

/**
 * An error without some fields in what it tells a client: `data`, `errors`, and what its `toJSON` adds to them. The names in `errors`
 * are kept, since they say which field a message is about. An error that has none of the fields is returned as it is; for another one,
 * an object that inherits from it is returned, so that its class stays the same.
 */
export function errorWithout<E>(error: E, fields: readonly string[], types: ValueTypes): E {
  // A value that can't be read is left out.
  const keep = (value: unknown) => attempt(() => without(value, fields, types))
  const keepMessages = (value: unknown) => (Array.isArray(value) ? keep(value) : attempt(() => mapEntries(value, keep)))
  const keepTold = (value: unknown, key: string) =>
    key === 'errors' ? keepMessages(value) : fields.includes(key) && !envelope.includes(key) ? undefined : keep(value)

  const told: PropertyDescriptorMap = {}
  for (const key of ['data', 'errors', 'validation']) {
    const given = read(error, key)
    const value = keepTold(given, key)
    if (value !== given || isAsked(error, key, types)) told[key] = { value, enumerable: true }
  }
  const toJSON = read(error, 'toJSON')
  const given = typeof toJSON === 'function' ? attempt(() => toJSON.call(error)) : undefined
  const kept = mapEntries(given, keepTold)
  // A `toJSON` of the application may give something else when it is called again.
  if (kept !== given || (typeof toJSON === 'function' && toJSON !== ServiceError.prototype.toJSON))
    told.toJSON = { value: () => kept }
  return Object.keys(told).length === 0 ? error : Object.create(Object(error), told)
}

/** Whether a property is an accessor, of the error or of its class: it may give something else when it is read again. */
function isAsked(error: unknown, key: string, types: ValueTypes): boolean {
  for (let owner = error; typeof owner === 'object' && owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (types.isProxy(owner)) return true
    const property = Object.getOwnPropertyDescriptor(owner, key)
    if (property !== undefined) return property.get !== undefined
  }
  return false
}

/** A copy of an object with changed values, or the object itself where none has changed. */
function mapEntries(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const given = Object.entries(object)
  const changed = given.map(([key, value]) => [key, change(value, key)] as const)
  return changed.every(([, value], index) => Object.is(value, given[index]?.[1])) ? object : Object.fromEntries(changed)
}

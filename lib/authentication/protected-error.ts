import { types } from 'node:util'
import { attempt, read, ServiceError } from '../core/errors.js'
import { without } from './without.js'

// Of these the names are not those of a record: of what every error has, and of the fields that `errors` has messages for.
const envelope = ['name', 'message', 'code', 'className', 'data', 'errors']

/**
 * An error without some fields in what it tells a client: `data`, `errors`, and what its `toJSON` adds to them. What has none of the
 * fields stays the error that it is. What has one is inherited from, so that it is of the same class.
 */
export function errorWithout(error: unknown, fields: readonly string[]): unknown {
  // What can not be read is not told.
  const keep = (value: unknown) => attempt(() => without(value, fields))
  const keepMessages = (value: unknown) => (Array.isArray(value) ? keep(value) : attempt(() => mapEntries(value, keep)))
  const keepTold = (value: unknown, key: string) =>
    key === 'errors' ? keepMessages(value) : fields.includes(key) && !envelope.includes(key) ? undefined : keep(value)

  const told: PropertyDescriptorMap = {}
  for (const key of ['data', 'errors', 'validation']) {
    const given = read(error, key)
    const value = keepTold(given, key)
    if (value !== given || isAsked(error, key)) told[key] = { value, enumerable: true }
  }
  const toJSON = read(error, 'toJSON')
  const given = attempt(() => (error as { toJSON(): unknown }).toJSON())
  const kept = mapEntries(given, keepTold)
  // One that is not known may give something else when it is asked again.
  if (kept !== given || (typeof toJSON === 'function' && toJSON !== ServiceError.prototype.toJSON))
    told.toJSON = { value: () => kept }
  return Object.keys(told).length === 0 ? error : Object.create(error as object, told)
}

/** Whether a property is an accessor, of the error or of its class, which may give something else when it is read again. */
function isAsked(error: unknown, key: string): boolean {
  for (let owner = error; typeof owner === 'object' && owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (types.isProxy(owner)) return true
    const property = Object.getOwnPropertyDescriptor(owner, key)
    if (property !== undefined) return property.get !== undefined
  }
  return false
}

/** An object with other values; the same one where they are the same. */
function mapEntries(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const given = Object.entries(object)
  const changed = given.map(([key, value]) => [key, change(value, key)] as const)
  return changed.every(([, value], index) => Object.is(value, given[index]?.[1])) ? object : Object.fromEntries(changed)
}

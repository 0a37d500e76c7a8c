import { attempt, read } from '../core/errors.js'
import { without } from './without.js'

const envelope = ['name', 'message', 'code', 'className', 'data', 'errors']

/**
 * An error without some fields in what it tells a client: `data`, `errors`, and what its `toJSON` adds to them. What has none of the
 * fields stays the error that it is. What has one is inherited from, so that it is of the same class.
 */
export function errorWithout(error: unknown, fields: readonly string[]): unknown {
  // What can not be read is not told.
  const keep = (value: unknown) => attempt(() => without(value, fields))
  const told: PropertyDescriptorMap = {}
  for (const key of ['data', 'errors', 'validation']) {
    const given = read(error, key)
    const value = keep(given)
    if (value !== given) told[key] = { value, enumerable: true }
  }
  const given = Object.entries(attempt(() => (error as { toJSON(): object }).toJSON()) ?? {})
  const kept = given
    .filter(([key]) => envelope.includes(key) || !fields.includes(key))
    .map(([key, value]) => [key, keep(value)] as const)
  if (kept.length < given.length || kept.some(([, value], index) => value !== given[index]?.[1]))
    told.toJSON = { value: () => Object.fromEntries(kept) }
  return Object.keys(told).length === 0 ? error : Object.create(error as object, told)
}

import { attempt } from '../core/errors.js'
import { type DriverError, readers, type Thrown } from './drivers.js'

/** What the adapter, the query builder or the ORM has made an error of its own of. */
const wrappers = ['original', 'parent', 'nativeError', 'driverError', 'cause'] as const

function wrapped(error: Thrown): unknown[] {
  // Of `fetch`: another server is away, and no database.
  if (error instanceof TypeError) return []
  // An error of Feathers or of ours is what somebody wanted to say, but for those that an adapter has made: their symbol leads to the first one.
  const names = 'className' in error ? Object.getOwnPropertySymbols(error) : wrappers
  return [...names.map((name) => error[name]), ...(Array.isArray(error.errors) ? error.errors.slice(0, 10) : [])]
}

function find(error: unknown, depth: number): DriverError | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined
  const cause = error as Thrown
  // One that says its status is meant as it is.
  if (!('className' in cause) && typeof cause.statusCode === 'number') return undefined
  // The text of what wraps an error may hold values.
  for (const inner of wrapped(cause)) {
    const found = find(inner, depth - 1)
    if (found !== undefined) return found
  }
  if ('className' in cause) return undefined
  const [found] = readers.flatMap((read) => read(cause) ?? [])
  return found && { ...found, fields: found.refusal === 'referenced' ? [] : found.fields, cause }
}

/** Finds what a driver has thrown in an error; `undefined` where it is of no database. */
export const driverErrorOf = (error: unknown): DriverError | undefined => attempt(() => find(error, 4))

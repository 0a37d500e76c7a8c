import { attempt } from '../core/errors.js'
import { type DriverError, readers, type Thrown } from './drivers.js'

/** The properties under which adapters, query builders and ORMs keep the error of the driver. */
const wrappers = ['original', 'parent', 'nativeError', 'driverError', 'cause'] as const

function wrapped(error: Thrown): unknown[] {
  // A TypeError is that of `fetch`, whose cause tells of another server, not of a database.
  if (error instanceof TypeError) return []
  // A service error is meant as it is. One that an adapter has made holds the error of the driver
  // under a symbol.
  const names = 'className' in error ? Object.getOwnPropertySymbols(error) : wrappers
  return [...names.map((name) => error[name]), ...(Array.isArray(error.errors) ? error.errors.slice(0, 10) : [])]
}

function findDriverError(error: unknown, depth: number): DriverError | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined
  const cause = error as Thrown
  // An error with a status is meant as it is.
  if (!('className' in cause) && typeof cause.statusCode === 'number') return undefined
  // Inner errors first: the text of a wrapper may hold values that clients have sent.
  for (const inner of wrapped(cause)) {
    const innerError = findDriverError(inner, depth - 1)
    if (innerError !== undefined) return innerError
  }
  if ('className' in cause) return undefined
  const [driverError] = readers.flatMap((read) => read(cause) ?? [])
  return (
    driverError && { ...driverError, fields: driverError.refusal === 'referenced' ? [] : driverError.fields, cause }
  )
}

/** Finds what a driver has thrown in an error; `undefined` where it is of no database. */
export const driverErrorOf = (error: unknown): DriverError | undefined => attempt(() => findDriverError(error, 4))

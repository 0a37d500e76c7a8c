import { attempt } from '../core/errors.js'
import { type DriverError, readers, type Thrown } from './drivers.js'

/** The properties in which adapters, query builders and ORMs keep the error of the driver. */
const wrappers = ['original', 'parent', 'nativeError', 'driverError', 'cause'] as const

function innerErrors(error: Thrown): unknown[] {
  // A TypeError is an error of `fetch`, whose cause is about another server, not a database.
  if (error instanceof TypeError) return []
  // A service error stays as it is. If an adapter has created it, it has the error of the driver
  // under a symbol.
  const names = 'className' in error ? Object.getOwnPropertySymbols(error) : wrappers
  return [...names.map((name) => error[name]), ...(Array.isArray(error.errors) ? error.errors.slice(0, 10) : [])]
}

function findDriverError(error: unknown, depth: number): DriverError | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined
  const cause = error as Thrown
  // An error with a status stays as it is.
  if (!('className' in cause) && typeof cause.statusCode === 'number') return undefined
  // Inner errors first: the text of a wrapper may contain values from clients.
  for (const inner of innerErrors(cause)) {
    const innerError = findDriverError(inner, depth - 1)
    if (innerError !== undefined) return innerError
  }
  if ('className' in cause) return undefined
  const [driverError] = readers.flatMap((read) => read(cause) ?? [])
  return (
    driverError && { ...driverError, fields: driverError.refusal === 'referenced' ? [] : driverError.fields, cause }
  )
}

/** Finds the error of a driver in an error. `undefined` if it is of no database. */
export const driverErrorOf = (error: unknown): DriverError | undefined => attempt(() => findDriverError(error, 4))

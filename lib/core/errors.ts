import { byCode, type ErrorData, ServiceError } from './error-classes.js'
import { isPlain, pick } from './objects.js'

export * from './error-classes.js'
export { type ErrorData, type ErrorJSON, ServiceError } from './error-classes.js'

const isStatus = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599

/**
 * Whether a thrown value is a service error: one of ours, or one of a Feathers package, recognized
 * by its shape.
 */
export function isServiceError(error: unknown): error is ServiceError {
  return isStatus(readProperty(error, 'code')) && typeof readProperty(error, 'className') === 'string'
}

/**
 * Converts a thrown value to a service error (docs/errors.md#the-body), with the original as its
 * `cause`. A service error is returned as it is. An error of Fastify or http-errors is recognized
 * by its `statusCode`. Everything else becomes a `GeneralError`.
 */
export function toServiceError(error: unknown): ServiceError {
  const message = text(readProperty(error, 'message')) ?? text(error) ?? text(readProperty(error, 'name')) ?? 'Error'
  if (isServiceError(error))
    return isSound(error) ? error : copyError(error, readProperty(error, 'message') === '' ? '' : message)
  const code = readProperty(error, 'statusCode')
  const status = isStatus(code) ? code : 500
  const validation = readProperty(error, 'validation')
  const data = validation === undefined ? dataOfPlain(error, status) : { errors: validation }
  return errorByStatus(status, message, data, { cause: error })
}

/**
 * The fields of a plain object that says which mistake of a client it is: Fastify, for whose
 * plugins such objects are answers, sends all of it.
 */
function dataOfPlain(thrown: unknown, status: number): ErrorData | undefined {
  if (status >= 500 || attempt(() => isPlain(thrown)) !== true) return undefined
  return attempt(() => {
    const { statusCode, name, message, headers, cause, ...data } = thrown as Record<string, unknown>
    // A stack never leaves the server.
    return JSON.parse(JSON.stringify(data, (key, value) => (key === 'stack' ? undefined : value)))
  })
}

/**
 * Returns the thrown value, or, in the place of a plain object whose fields are answered, the
 * service error that has them as its data.
 */
export function withPlainAsError<E>(thrown: E): E | ServiceError {
  const status = readProperty(thrown, 'statusCode')
  const isAnswered = !isServiceError(thrown) && isStatus(status) && dataOfPlain(thrown, status) !== undefined
  return isAnswered ? toServiceError(thrown) : thrown
}

/**
 * An error of the class of a status. Where there is none, it has the name of the general one of its
 * kind.
 */
function errorByStatus(status: number, message?: string, data?: ErrorData, options?: ErrorOptions): ServiceError {
  const Class = byCode.get(status)
  if (Class !== undefined) return new Class(message, data, options)
  return new ServiceError(message, status >= 400 && status < 500 ? 'BadRequest' : 'GeneralError', status, data, options)
}

/**
 * Makes an error from the answer of a server: the status decides the class, and of the body only
 * the known fields are taken.
 * @param body the parsed JSON, which may be anything
 */
export function errorFromJSON(status: number, body: unknown): ServiceError {
  const texts = pick(['name', 'message', 'className'], (key) => text(readProperty(body, key)))
  return Object.assign(errorByStatus(status), texts, details(body))
}

// Hooks may have put anything into the fields of an error.
const isSound = (error: ServiceError) =>
  attempt(
    () =>
      error instanceof ServiceError &&
      [error.name, error.message].every((field) => typeof field === 'string') &&
      typeof (error.toJSON() ?? undefined) === 'object'
  ) === true

function copyError(error: ServiceError, message: string): ServiceError {
  const name = text(readProperty(error, 'name')) ?? 'GeneralError'
  const { className } = error
  const copy = Object.assign(new ServiceError(message, name, error.code, undefined, { cause: error }), {
    className,
    ...details(error)
  })
  // A class of the application may have a `toJSON` of its own, which says what is sent.
  const json = attempt((): unknown => error.toJSON())
  const isWhole = ['name', 'message', 'className'].every((key) => typeof readProperty(json, key) === 'string')
  return isWhole ? Object.defineProperty(copy, 'toJSON', { value: () => json }) : copy
}

const details = (error: unknown) => pick(['data', 'errors'], (key) => readProperty(error, key))

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Reads a property of a thrown value, which may be anything. */
export const readProperty = (from: unknown, key: string | symbol): unknown =>
  attempt(() => (from as Record<string | symbol, unknown> | null | undefined)?.[key])

/**
 * Returns the result of a function, `undefined` if it throws, as the getters of a thrown value may.
 */
export function attempt<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

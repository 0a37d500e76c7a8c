import { pick } from './pick.js'
import { type ErrorData, ServiceError } from './service-error.js'

export { type ErrorData, type ErrorJSON, ServiceError } from './service-error.js'

/** A class of the table: `new NotFound(message?, data?, { cause }?)`. */
export type ServiceErrorClass = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

function classOf(name: string, code: number): ServiceErrorClass {
  return class extends ServiceError {
    constructor(message?: string | Error, data?: ErrorData, options?: ErrorOptions) {
      super(message, name, code, data, options)
    }
  }
}

/** 400: the request is wrong in itself. */
export class BadRequest extends classOf('BadRequest', 400) {}
/** 401: the caller is not authenticated. Answered with `WWW-Authenticate: Bearer`. */
export class NotAuthenticated extends classOf('NotAuthenticated', 401) {}
/** 402: a payment is missing. */
export class PaymentError extends classOf('PaymentError', 402) {}
/** 403: the caller is not allowed to do this. */
export class Forbidden extends classOf('Forbidden', 403) {}
/** 404: there is no such record, service or page. */
export class NotFound extends classOf('NotFound', 404) {}
/** 405: the service has no such method, or does not expose it. */
export class MethodNotAllowed extends classOf('MethodNotAllowed', 405) {}
/** 406: there is no representation that the caller accepts. */
export class NotAcceptable extends classOf('NotAcceptable', 406) {}
/** 408: the call took too long. */
export class Timeout extends classOf('Timeout', 408) {}
/** 409: the record is not in the state that the call expects. */
export class Conflict extends classOf('Conflict', 409) {}
/** 410: the record existed, and is gone. */
export class Gone extends classOf('Gone', 410) {}
/** 411: the request must tell the length of its body. */
export class LengthRequired extends classOf('LengthRequired', 411) {}
/** 413: the body is larger than the limit. */
export class PayloadTooLarge extends classOf('PayloadTooLarge', 413) {}
/** 414: the URL, or an id in it, is too long. */
export class UriTooLong extends classOf('UriTooLong', 414) {}
/** 415: the type of the body is not supported. */
export class UnsupportedMediaType extends classOf('UnsupportedMediaType', 415) {}
/** 422: the data is well formed, but not valid. */
export class Unprocessable extends classOf('Unprocessable', 422) {}
/** 429: the caller has sent too many requests. */
export class TooManyRequests extends classOf('TooManyRequests', 429) {}
/** 500: an unexpected error. What is thrown and is no service error becomes one. */
export class GeneralError extends classOf('GeneralError', 500) {}
/** 501: this is not implemented. */
export class NotImplemented extends classOf('NotImplemented', 501) {}
/** 502: another server gave an invalid answer. */
export class BadGateway extends classOf('BadGateway', 502) {}
/** 503: the service is not available at the moment. */
export class Unavailable extends classOf('Unavailable', 503) {}

const classes = [
  BadRequest,
  NotAuthenticated,
  PaymentError,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  Timeout,
  Conflict,
  Gone,
  LengthRequired,
  PayloadTooLarge,
  UriTooLong,
  UnsupportedMediaType,
  Unprocessable,
  TooManyRequests,
  GeneralError,
  NotImplemented,
  BadGateway,
  Unavailable
]
const byCode: ReadonlyMap<number, ServiceErrorClass> = new Map(classes.map((Class) => [new Class().code, Class]))

const isStatus = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599

/** Whether a thrown value is a service error: one of ours, or one of a Feathers package, recognized by its shape. */
export function isServiceError(error: unknown): error is ServiceError {
  return isStatus(read(error, 'code')) && typeof read(error, 'className') === 'string'
}

/** Whether a thrown value is an error whose message and stack can be read. */
export function isError(error: unknown): error is Error {
  return attempt(() => error instanceof Error && `${error.message}${error.stack}` !== '') ?? false
}

/**
 * Turns whatever was thrown into a service error (wire contract: "Errors"); the original is its `cause`. A service
 * error stays what it is, an error of Fastify or http-errors is recognized by its `statusCode`, everything else becomes
 * a `GeneralError`.
 */
export function toServiceError(error: unknown): ServiceError {
  const message = text(read(error, 'message')) ?? text(error) ?? text(read(error, 'name')) ?? 'Error'
  if (isServiceError(error)) return isSound(error) ? error : copy(error, message)
  const code = read(error, 'statusCode')
  const status = isStatus(code) ? code : 500
  const validation = read(error, 'validation')
  const data = validation === undefined ? undefined : { errors: validation }
  return errorOf(status, message, data, { cause: error })
}

/** An error of the class of a status. Where there is none, it has the name of the general one of its kind. */
function errorOf(status: number, message?: string, data?: ErrorData, options?: ErrorOptions): ServiceError {
  const Class = byCode.get(status)
  if (Class !== undefined) return new Class(message, data, options)
  return new ServiceError(message, status >= 400 && status < 500 ? 'BadRequest' : 'GeneralError', status, data, options)
}

/**
 * Makes an error from the answer of a server: the status decides the class, and of the body only the known fields are
 * taken.
 * @param body what came as JSON; anything
 */
export function errorFromJSON(status: number, body: unknown): ServiceError {
  const texts = pick(['name', 'message', 'className'], (key) => text(read(body, key)))
  return Object.assign(errorOf(status), texts, details(body))
}

// Hooks may have put anything into the fields of an error.
const isSound = (error: ServiceError) =>
  attempt(
    () =>
      error instanceof ServiceError &&
      [error.name, error.message, error.className].every((field) => typeof field === 'string') &&
      typeof (error.toJSON() ?? undefined) === 'object'
  ) === true

function copy(error: ServiceError, message: string): ServiceError {
  const name = text(read(error, 'name')) ?? 'GeneralError'
  const { className } = error
  return Object.assign(new ServiceError(message, name, error.code, undefined, { cause: error }), {
    className,
    ...details(error)
  })
}

const details = (error: unknown) => pick(['data', 'errors'], (key) => read(error, key))

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Reads a property of a thrown value, which may be anything. */
export const read = (from: unknown, key: string): unknown =>
  attempt(() => (from as Record<string, unknown> | null)?.[key])

/** Returns what a function returns, `undefined` if it throws: the getters of a thrown value may throw, for example. */
export function attempt<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

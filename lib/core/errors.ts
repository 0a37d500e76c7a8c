import { pick } from './pick.js'
import { type ErrorData, ServiceError } from './service-error.js'

export { type ErrorData, type ErrorJSON, ServiceError } from './service-error.js'

/** A class of the table: `new NotFound(message?, data?, { cause }?)`. */
export type ServiceErrorClass = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

function define(name: string, code: number): ServiceErrorClass {
  return class extends ServiceError {
    constructor(message?: string | Error, data?: ErrorData, options?: ErrorOptions) {
      super(message, name, code, data, options)
    }
  }
}

/** 400: the request is wrong in itself. */
export class BadRequest extends define('BadRequest', 400) {}
/** 401: who calls is not known. Answered with `WWW-Authenticate: Bearer`. */
export class NotAuthenticated extends define('NotAuthenticated', 401) {}
/** 402: a payment is missing. */
export class PaymentError extends define('PaymentError', 402) {}
/** 403: who calls may not do this. */
export class Forbidden extends define('Forbidden', 403) {}
/** 404: there is no such record, service or page. */
export class NotFound extends define('NotFound', 404) {}
/** 405: the service has no such method, or does not expose it. */
export class MethodNotAllowed extends define('MethodNotAllowed', 405) {}
/** 406: there is no representation that the caller accepts. */
export class NotAcceptable extends define('NotAcceptable', 406) {}
/** 408: the call took too long. */
export class Timeout extends define('Timeout', 408) {}
/** 409: the state of the record is another one. */
export class Conflict extends define('Conflict', 409) {}
/** 410: the record is there no more. */
export class Gone extends define('Gone', 410) {}
/** 411: the length of the body must be told. */
export class LengthRequired extends define('LengthRequired', 411) {}
/** 413: the body is larger than the limit. */
export class PayloadTooLarge extends define('PayloadTooLarge', 413) {}
/** 414: the URL, or an id in it, is too long. */
export class UriTooLong extends define('UriTooLong', 414) {}
/** 415: the body is of a type that is not read here. */
export class UnsupportedMediaType extends define('UnsupportedMediaType', 415) {}
/** 422: the data is well formed and makes no sense. */
export class Unprocessable extends define('Unprocessable', 422) {}
/** 429: the caller has asked too often. */
export class TooManyRequests extends define('TooManyRequests', 429) {}
/** 500: something went wrong here. What is no service error becomes one. */
export class GeneralError extends define('GeneralError', 500) {}
/** 501: this is not done yet. */
export class NotImplemented extends define('NotImplemented', 501) {}
/** 502: a server behind this one answered badly. */
export class BadGateway extends define('BadGateway', 502) {}
/** 503: this can not be answered now, and perhaps later. */
export class Unavailable extends define('Unavailable', 503) {}

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
  Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599

/** Whether a thrown value is a service error: one of ours, or one of another Feathers package, told by its shape. */
export function isServiceError(error: unknown): error is ServiceError {
  return isStatus(read(error, 'code')) && typeof read(error, 'className') === 'string'
}

/** Whether a thrown value is an error that can be looked at. */
export function isError(error: unknown): error is Error {
  return attempt(() => error instanceof Error && `${error.message}${error.stack}` !== '') ?? false
}

/**
 * Turns whatever was thrown into a service error (wire contract: "Errors"); the original is its `cause`. A service error
 * stays what it is, an error of Fastify or http-errors is known by its `statusCode`, everything else is a `GeneralError`.
 */
export function toServiceError(error: unknown): ServiceError {
  const message = text(read(error, 'message')) ?? text(error) ?? text(read(error, 'name')) ?? 'Error'
  if (isServiceError(error)) return isSound(error) ? error : copy(error, message)
  const code = read(error, 'statusCode')
  const status = isStatus(code) ? code : 500
  const validation = read(error, 'validation')
  const Class = byCode.get(status)
  const data = validation === undefined ? undefined : { errors: validation }
  if (Class !== undefined) return new Class(message, data, { cause: error })
  return new ServiceError(message, status < 500 ? 'BadRequest' : 'GeneralError', status, data, { cause: error })
}

/**
 * The error that a server has answered with: of the class of its status, with the known fields of the body and no others.
 * @param body what came as JSON; anything
 */
export function errorFromJSON(status: number, body: unknown): ServiceError {
  const Class = byCode.get(status)
  const standard = Class
    ? new Class()
    : new ServiceError(undefined, status >= 400 && status < 500 ? 'BadRequest' : 'GeneralError', status)
  const texts = pick(['name', 'message', 'className'], (key) => text(read(body, key)))
  return Object.assign(standard, texts, details(body))
}

// A hook may have put anything into its fields.
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

/** Reads a property of what was thrown, whatever it is. */
export const read = (from: unknown, key: string): unknown =>
  attempt(() => (from as Record<string, unknown> | null)?.[key])

/** What a function returns, `undefined` where it throws: what was thrown may be an object whose getters throw. */
export function attempt<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

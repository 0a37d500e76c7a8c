import { type ErrorData, ServiceError } from './service-error.js'

/** A class of the table: `new NotFound(message?, data?, { cause }?)`. */
export type ServiceErrorClass = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

/** The class of a status. */
export const byCode = new Map<number, ServiceErrorClass>()

function define(name: string, code: number): ServiceErrorClass {
  const Class = {
    [name]: class extends ServiceError {
      constructor(message?: string | Error, data?: ErrorData, options?: ErrorOptions) {
        super(message, name, code, data, options)
      }
    }
  }[name] as ServiceErrorClass
  byCode.set(code, Class)
  return Class
}

/**
 * 400: the request is wrong in itself.
 * @example
 * throw new BadRequest('The text is missing', { errors: { text: 'is missing' } })
 */
export const BadRequest = define('BadRequest', 400)
export type BadRequest = ServiceError
/**
 * 401: the caller is not authenticated. Answered with `WWW-Authenticate: Bearer`.
 * @example
 * throw new NotAuthenticated('Log in first')
 */
export const NotAuthenticated = define('NotAuthenticated', 401)
export type NotAuthenticated = ServiceError
/**
 * 402: a payment is missing.
 * @example
 * throw new PaymentError('The trial has ended')
 */
export const PaymentError = define('PaymentError', 402)
export type PaymentError = ServiceError
/**
 * 403: the caller is not allowed to do this.
 * @example
 * throw new Forbidden('Only the author may change a note')
 */
export const Forbidden = define('Forbidden', 403)
export type Forbidden = ServiceError
/**
 * 404: there is no such record, service or page.
 * @example
 * throw new NotFound(`There is no message '${id}'`)
 */
export const NotFound = define('NotFound', 404)
export type NotFound = ServiceError
/**
 * 405: the service has no such method, or does not expose it.
 * @example
 * throw new MethodNotAllowed('Notes of the past can not be changed')
 */
export const MethodNotAllowed = define('MethodNotAllowed', 405)
export type MethodNotAllowed = ServiceError
/**
 * 406: there is no representation that the caller accepts.
 * @example
 * throw new NotAcceptable('There is no PDF of this page')
 */
export const NotAcceptable = define('NotAcceptable', 406)
export type NotAcceptable = ServiceError
/**
 * 408: the call took too long.
 * @example
 * throw new Timeout('The search took longer than a second')
 */
export const Timeout = define('Timeout', 408)
export type Timeout = ServiceError
/**
 * 409: the record is not in the state that the call expects.
 * @example
 * throw new Conflict('The name is taken', { name })
 */
export const Conflict = define('Conflict', 409)
export type Conflict = ServiceError
/**
 * 410: the record existed, and is gone.
 * @example
 * throw new Gone('The offer has ended')
 */
export const Gone = define('Gone', 410)
export type Gone = ServiceError
/**
 * 411: the request must tell the length of its body.
 * @example
 * throw new LengthRequired('Send a Content-Length')
 */
export const LengthRequired = define('LengthRequired', 411)
export type LengthRequired = ServiceError
/**
 * 413: the body is larger than the limit.
 * @example
 * throw new PayloadTooLarge('A picture has at most 2 MB')
 */
export const PayloadTooLarge = define('PayloadTooLarge', 413)
export type PayloadTooLarge = ServiceError
/**
 * 414: the URL, or an id in it, is too long.
 * @example
 * throw new UriTooLong('Send the filter in the body')
 */
export const UriTooLong = define('UriTooLong', 414)
export type UriTooLong = ServiceError
/**
 * 415: the type of the body is not supported.
 * @example
 * throw new UnsupportedMediaType('Send a PNG or a JPEG')
 */
export const UnsupportedMediaType = define('UnsupportedMediaType', 415)
export type UnsupportedMediaType = ServiceError
/**
 * 422: the data is well formed, but not valid.
 * @example
 * throw new Unprocessable('The end is before the start')
 */
export const Unprocessable = define('Unprocessable', 422)
export type Unprocessable = ServiceError
/**
 * 429: the caller has sent too many requests.
 * @example
 * throw new TooManyRequests('Try again in a minute', { retryAfter: 60 })
 */
export const TooManyRequests = define('TooManyRequests', 429)
export type TooManyRequests = ServiceError
/**
 * 500: an unexpected error. What is thrown and is no service error becomes one.
 * @example
 * throw new GeneralError('The report can not be made', undefined, { cause })
 */
export const GeneralError = define('GeneralError', 500)
export type GeneralError = ServiceError
/**
 * 501: this is not implemented.
 * @example
 * throw new NotImplemented('There are no reports yet')
 */
export const NotImplemented = define('NotImplemented', 501)
export type NotImplemented = ServiceError
/**
 * 502: another server gave an invalid answer.
 * @example
 * throw new BadGateway('The payment provider sent no JSON', undefined, { cause })
 */
export const BadGateway = define('BadGateway', 502)
export type BadGateway = ServiceError
/**
 * 503: the service is not available at the moment.
 * @example
 * throw new Unavailable('The database is away', { retryAfter: 5 })
 */
export const Unavailable = define('Unavailable', 503)
export type Unavailable = ServiceError

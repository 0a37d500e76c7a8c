import { type ErrorData, ServiceError } from './service-error.js'

/** A class of the table: `new NotFound(message?, data?, { cause }?)`. */
export type ServiceErrorClass = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

function classOf(name: string, code: number): ServiceErrorClass {
  return class extends ServiceError {
    constructor(message?: string | Error, data?: ErrorData, options?: ErrorOptions) {
      super(message, name, code, data, options)
    }
  }
}

/**
 * 400: the request is wrong in itself.
 * @example
 * throw new BadRequest('The text is missing', { errors: { text: 'is missing' } })
 */
export class BadRequest extends classOf('BadRequest', 400) {}
/**
 * 401: the caller is not authenticated. Answered with `WWW-Authenticate: Bearer`.
 * @example
 * throw new NotAuthenticated('Log in first')
 */
export class NotAuthenticated extends classOf('NotAuthenticated', 401) {}
/**
 * 402: a payment is missing.
 * @example
 * throw new PaymentError('The trial has ended')
 */
export class PaymentError extends classOf('PaymentError', 402) {}
/**
 * 403: the caller is not allowed to do this.
 * @example
 * throw new Forbidden('Only the author may change a note')
 */
export class Forbidden extends classOf('Forbidden', 403) {}
/**
 * 404: there is no such record, service or page.
 * @example
 * throw new NotFound(`There is no message '${id}'`)
 */
export class NotFound extends classOf('NotFound', 404) {}
/**
 * 405: the service has no such method, or does not expose it.
 * @example
 * throw new MethodNotAllowed('Notes of the past can not be changed')
 */
export class MethodNotAllowed extends classOf('MethodNotAllowed', 405) {}
/**
 * 406: there is no representation that the caller accepts.
 * @example
 * throw new NotAcceptable('There is no PDF of this page')
 */
export class NotAcceptable extends classOf('NotAcceptable', 406) {}
/**
 * 408: the call took too long.
 * @example
 * throw new Timeout('The search took longer than a second')
 */
export class Timeout extends classOf('Timeout', 408) {}
/**
 * 409: the record is not in the state that the call expects.
 * @example
 * throw new Conflict('The name is taken', { name })
 */
export class Conflict extends classOf('Conflict', 409) {}
/**
 * 410: the record existed, and is gone.
 * @example
 * throw new Gone('The offer has ended')
 */
export class Gone extends classOf('Gone', 410) {}
/**
 * 411: the request must tell the length of its body.
 * @example
 * throw new LengthRequired('Send a Content-Length')
 */
export class LengthRequired extends classOf('LengthRequired', 411) {}
/**
 * 413: the body is larger than the limit.
 * @example
 * throw new PayloadTooLarge('A picture has at most 2 MB')
 */
export class PayloadTooLarge extends classOf('PayloadTooLarge', 413) {}
/**
 * 414: the URL, or an id in it, is too long.
 * @example
 * throw new UriTooLong('Send the filter in the body')
 */
export class UriTooLong extends classOf('UriTooLong', 414) {}
/**
 * 415: the type of the body is not supported.
 * @example
 * throw new UnsupportedMediaType('Send a PNG or a JPEG')
 */
export class UnsupportedMediaType extends classOf('UnsupportedMediaType', 415) {}
/**
 * 422: the data is well formed, but not valid.
 * @example
 * throw new Unprocessable('The end is before the start')
 */
export class Unprocessable extends classOf('Unprocessable', 422) {}
/**
 * 429: the caller has sent too many requests.
 * @example
 * throw new TooManyRequests('Try again in a minute', { retryAfter: 60 })
 */
export class TooManyRequests extends classOf('TooManyRequests', 429) {}
/**
 * 500: an unexpected error. What is thrown and is no service error becomes one.
 * @example
 * throw new GeneralError('The report can not be made', undefined, { cause })
 */
export class GeneralError extends classOf('GeneralError', 500) {}
/**
 * 501: this is not implemented.
 * @example
 * throw new NotImplemented('There are no reports yet')
 */
export class NotImplemented extends classOf('NotImplemented', 501) {}
/**
 * 502: another server gave an invalid answer.
 * @example
 * throw new BadGateway('The payment provider sent no JSON', undefined, { cause })
 */
export class BadGateway extends classOf('BadGateway', 502) {}
/**
 * 503: the service is not available at the moment.
 * @example
 * throw new Unavailable('The database is away', { retryAfter: 5 })
 */
export class Unavailable extends classOf('Unavailable', 503) {}

// biome-ignore format: a list
const classes = [
  BadRequest, NotAuthenticated, PaymentError, Forbidden, NotFound, MethodNotAllowed, NotAcceptable, Timeout,
  Conflict, Gone, LengthRequired, PayloadTooLarge, UriTooLong, UnsupportedMediaType, Unprocessable,
  TooManyRequests, GeneralError, NotImplemented, BadGateway, Unavailable
]
/** The class of a status. */
export const byCode: ReadonlyMap<number, ServiceErrorClass> = new Map(classes.map((Class) => [new Class().code, Class]))

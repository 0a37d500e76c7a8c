import { pick } from './objects.js'

/**
 * Data that an error carries besides its message. `errors`, with one entry for each field for
 * example, is sent under a name of its own.
 */
export type ErrorData = Record<string, unknown> | readonly unknown[]

/** The JSON form of an error, as it goes over the wire (docs/errors.md#the-body). */
export interface ErrorJSON {
  name: string
  message: string
  code: number
  className: string
  data?: unknown
  errors?: unknown
}

/**
 * The error of a service call: every error that leaves a service over HTTP has this shape. Throw
 * one of its classes (`NotFound`, `BadRequest`, …), or derive one of your own with a status of 400
 * to 599 in `code`.
 *
 * @example
 * throw new NotFound('No such message', { id })
 * throw new BadRequest('Invalid message', { errors: { text: 'is missing' } })
 */
export class ServiceError extends Error {
  /** The HTTP status. */
  declare readonly code: number
  /** The name in kebab-case. */
  declare readonly className: string
  declare readonly data?: unknown
  declare readonly errors?: unknown
  /**
   * In a server `'FeathersError'`, by which code that was written for Feathers knows a service
   * error. It is not sent.
   */
  declare type?: string

  constructor(
    message: string | Error | undefined,
    name: string,
    code: number,
    data?: ErrorData,
    options?: ErrorOptions
  ) {
    super(
      message instanceof Error ? message.message : (message ?? name),
      message instanceof Error ? { cause: message } : options
    )
    this.name = name
    this.code = code
    this.className = name.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()
    if (Array.isArray(data)) this.data = data
    else if (data) {
      const { errors, ...rest } = { ...data } as Record<string, unknown>
      if (errors !== undefined) this.errors = errors
      if (Object.keys(rest).length > 0) this.data = rest
    }
  }

  /** The same as `code`, under the name by which Fastify's own error handler finds it. */
  get statusCode(): number {
    return this.code
  }

  toJSON(): ErrorJSON {
    return pick(fields, (name) => this[name as keyof this]) as unknown as ErrorJSON
  }
}

const fields = ['name', 'message', 'code', 'className', 'data', 'errors']

/** A class of the table: `new NotFound(message?, data?, { cause }?)`. */
export type ServiceErrorClass = new (message?: string | Error, data?: ErrorData, options?: ErrorOptions) => ServiceError

/** The class of a status. */
export const byCode = new Map<number, ServiceErrorClass>()

// The names of the statuses from 400 to 429, and of those from 500 on. In this form they take the
// least of a web page, which has no class that it does not name.
const errorNames =
  'BadRequest,NotAuthenticated,PaymentError,Forbidden,NotFound,MethodNotAllowed,NotAcceptable,,Timeout,Conflict,Gone,LengthRequired,,PayloadTooLarge,UriTooLong,UnsupportedMediaType,,,,,,,Unprocessable,,,,,,,TooManyRequests,GeneralError,NotImplemented,BadGateway,Unavailable'

for (const [index, name] of errorNames.split(',').entries()) {
  const code = index + (index < 30 ? 400 : 470)
  const Class = {
    [name]: class extends ServiceError {
      constructor(message?: string | Error, data?: ErrorData, options?: ErrorOptions) {
        super(message, name, code, data, options)
      }
    }
  }[name] as ServiceErrorClass
  if (name) byCode.set(code, Class)
}

const errorClass = (code: number) => byCode.get(code) as ServiceErrorClass

/**
 * 400: the request is wrong in itself.
 * @example
 * throw new BadRequest('The text is missing', { errors: { text: 'is missing' } })
 */
export const BadRequest = /* @__PURE__ */ errorClass(400)
export type BadRequest = ServiceError
/**
 * 401: the caller is not authenticated. Answered with `WWW-Authenticate: Bearer`.
 * @example
 * throw new NotAuthenticated('Log in first')
 */
export const NotAuthenticated = /* @__PURE__ */ errorClass(401)
export type NotAuthenticated = ServiceError
/**
 * 402: a payment is missing.
 * @example
 * throw new PaymentError('The trial has ended')
 */
export const PaymentError = /* @__PURE__ */ errorClass(402)
export type PaymentError = ServiceError
/**
 * 403: the caller is not allowed to do this.
 * @example
 * throw new Forbidden('Only the author may change a note')
 */
export const Forbidden = /* @__PURE__ */ errorClass(403)
export type Forbidden = ServiceError
/**
 * 404: there is no such record, service or page.
 * @example
 * throw new NotFound(`There is no message '${id}'`)
 */
export const NotFound = /* @__PURE__ */ errorClass(404)
export type NotFound = ServiceError
/**
 * 405: the service has no such method, or does not expose it.
 * @example
 * throw new MethodNotAllowed('Notes of the past can not be changed')
 */
export const MethodNotAllowed = /* @__PURE__ */ errorClass(405)
export type MethodNotAllowed = ServiceError
/**
 * 406: there is no representation that the caller accepts.
 * @example
 * throw new NotAcceptable('There is no PDF of this page')
 */
export const NotAcceptable = /* @__PURE__ */ errorClass(406)
export type NotAcceptable = ServiceError
/**
 * 408: the call took too long.
 * @example
 * throw new Timeout('The search took longer than a second')
 */
export const Timeout = /* @__PURE__ */ errorClass(408)
export type Timeout = ServiceError
/**
 * 409: the record is not in the state that the call expects.
 * @example
 * throw new Conflict('The name is taken', { name })
 */
export const Conflict = /* @__PURE__ */ errorClass(409)
export type Conflict = ServiceError
/**
 * 410: the record existed, and is gone.
 * @example
 * throw new Gone('The offer has ended')
 */
export const Gone = /* @__PURE__ */ errorClass(410)
export type Gone = ServiceError
/**
 * 411: the request must tell the length of its body.
 * @example
 * throw new LengthRequired('Send a Content-Length')
 */
export const LengthRequired = /* @__PURE__ */ errorClass(411)
export type LengthRequired = ServiceError
/**
 * 413: the body is larger than the limit.
 * @example
 * throw new PayloadTooLarge('A picture has at most 2 MB')
 */
export const PayloadTooLarge = /* @__PURE__ */ errorClass(413)
export type PayloadTooLarge = ServiceError
/**
 * 414: the URL, or an id in it, is too long.
 * @example
 * throw new UriTooLong('Send the filter in the body')
 */
export const UriTooLong = /* @__PURE__ */ errorClass(414)
export type UriTooLong = ServiceError
/**
 * 415: the type of the body is not supported.
 * @example
 * throw new UnsupportedMediaType('Send a PNG or a JPEG')
 */
export const UnsupportedMediaType = /* @__PURE__ */ errorClass(415)
export type UnsupportedMediaType = ServiceError
/**
 * 422: the data is well formed, but not valid.
 * @example
 * throw new Unprocessable('The end is before the start')
 */
export const Unprocessable = /* @__PURE__ */ errorClass(422)
export type Unprocessable = ServiceError
/**
 * 429: the caller has sent too many requests.
 * @example
 * throw new TooManyRequests('Try again in a minute', { retryAfter: 60 })
 */
export const TooManyRequests = /* @__PURE__ */ errorClass(429)
export type TooManyRequests = ServiceError
/**
 * 500: an unexpected error. Every other thrown value becomes one.
 * @example
 * throw new GeneralError('The report can not be made', undefined, { cause })
 */
export const GeneralError = /* @__PURE__ */ errorClass(500)
export type GeneralError = ServiceError
/**
 * 501: this is not implemented.
 * @example
 * throw new NotImplemented('There are no reports yet')
 */
export const NotImplemented = /* @__PURE__ */ errorClass(501)
export type NotImplemented = ServiceError
/**
 * 502: another server gave an invalid answer.
 * @example
 * throw new BadGateway('The payment provider sent no JSON', undefined, { cause })
 */
export const BadGateway = /* @__PURE__ */ errorClass(502)
export type BadGateway = ServiceError
/**
 * 503: the service is not available at the moment.
 * @example
 * throw new Unavailable('The database is away', { retryAfter: 5 })
 */
export const Unavailable = /* @__PURE__ */ errorClass(503)
export type Unavailable = ServiceError

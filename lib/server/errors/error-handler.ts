import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorHandlerOptions, ErrorPage, NotFoundOptions } from '../../../types/fastify.js'
import { challengeOf } from '../../core/challenge.js'
import { problemType } from '../../core/content.js'
import {
  attempt,
  BadRequest,
  byCode,
  type ErrorJSON,
  GeneralError,
  isServiceError,
  NotFound,
  readProperty,
  ServiceError,
  toServiceError
} from '../../core/errors.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../../core/options.js'
import { restoreHeaders } from '../answer/headers.js'
import { logError, logRecord } from '../answer/log.js'
import { releaseSerializer } from '../answer/serializer.js'
import { vary, wantsHTML, wantsJSON, wantsProblem } from '../request/accept.js'
import { builtInPage, createErrorPage, servicesPage } from './error-page.js'
import { explainGet } from './explain-get.js'
import { toProblemDetails } from './problem-details.js'

// On the prototype, so that classes and errors may have another `type`. Clients do not need it.
ServiceError.prototype.type = 'FeathersError'

// `fastify-services-client` has error classes of its own. In a server, `instanceof` takes them for
// the classes of the same names. It costs pages nothing, since only the server does it.
Object.defineProperty(ServiceError, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true
    if (!(value instanceof Error) || !isServiceError(value)) return false
    // Only errors of this library have both.
    const isCopy = readProperty(value, 'statusCode') === value.code && typeof value.toJSON === 'function'
    return (
      isCopy &&
      (this === ServiceError || (this === byCode.get(value.code) && value.name === readProperty(this, 'name')))
    )
  }
})

const { free } = kinds

export const errorHandlerOptions: OptionTable<ErrorHandlerOptions> = {
  html: free,
  logger: free,
  expose: free,
  requestId: free,
  problem: kinds.flag
}
export const notFoundOptions: OptionTable<NotFoundOptions> = { ...errorHandlerOptions, verbose: free }

type Handler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/**
 * Creates an error handler for Fastify. It logs the error and answers it in the error format
 * (docs/errors.md#the-body), as JSON or HTML.
 *
 * @throws if an option is unknown, or a file that `html` names can't be read
 * @example
 * app.setErrorHandler(errorHandler({ html: false }))
 */
export function errorHandler(options?: ErrorHandlerOptions): Handler
export function errorHandler(...[options = {}, ...rest]: [ErrorHandlerOptions?, ...unknown[]]): Handler {
  if (rest.length > 0) throw uncalled('app.setErrorHandler(errorHandler())')
  checkOptions('errorHandler()', errorHandlerOptions, options)
  return createHandler(options)
}

/** The error for `app.setErrorHandler(errorHandler)`, without a call: Fastify passes an error. */
const uncalled = (call: string) => new TypeError(`A function that makes handlers is none: write ${call}`)

function createHandler(options: ErrorHandlerOptions): Handler {
  const { html } = options
  const log = createLog(options)
  const page = html === false ? undefined : createErrorPage(html)
  return (reason, request, reply) => {
    const thrown = explainGet(reason)
    const error = toAnswer(thrown, exposes(options), request)
    log(thrown, error, request)
    restoreHeaders(reply)
    releaseSerializer(reply)
    // The serializer of the result does not fit the error, which is sent in its place.
    reply.code(error.code).serializer((payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload)))
    if (error.code === 401 && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', challengeOf(thrown))
    vary(reply)
    const retryAfter = readProperty(error.data, 'retryAfter')
    // The header takes whole seconds. `Math.ceil` of a number below zero may be -0.
    const seconds = typeof retryAfter === 'number' && retryAfter >= 0 ? Math.ceil(retryAfter) : undefined
    if (Number.isSafeInteger(seconds)) reply.header('retry-after', seconds)
    if (page !== undefined && !wantsJSON(request)) sendPage(page, error, request, reply)
    else sendJSON(error, options, request, reply)
  }
}

/** Whether clients may see internals, by the option `expose`. */
const exposes = ({ expose = process.env.NODE_ENV !== 'production' }: ErrorHandlerOptions): boolean => expose

function sendJSON(error: ServiceError, options: ErrorHandlerOptions, request: FastifyRequest, reply: FastifyReply) {
  const text = toBody(error, options.requestId ? request.id : undefined)
  if (wantsProblem(request, options.problem === true))
    sendError(reply.type(problemType), JSON.stringify(toProblemDetails(JSON.parse(text), error.code, request)))
  else sendError(reply.type('application/json; charset=utf-8'), text)
}

/**
 * Sends an error answer past the wrappers of `reply.send`, since it replaces another answer. If
 * that fails, for an invalid header or because an answer has begun, Fastify sends its own error or
 * ends the connection.
 */
function sendError(reply: FastifyReply, payload: string): void {
  const { send: unguarded } = Object.getPrototypeOf(reply)
  try {
    unguarded.call(reply, payload)
  } catch (error) {
    reply.send = unguarded
    reply.send(error)
  }
}

async function sendPage(
  page: ErrorPage,
  error: ServiceError,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<void> {
  reply.type('text/html; charset=utf-8')
  const text = await pageText(page, error, request, reply)
  if (typeof text === 'string' && !reply.sent) sendError(reply, text)
}

/** Returns the HTML of the page for an error, or of the built-in one if the page fails. */
async function pageText(page: ErrorPage, error: ServiceError, request: FastifyRequest, reply: FastifyReply) {
  // A page of the application may change the error before it fails.
  const { code, message } = error
  try {
    return await page(error, request, reply)
  } catch (err) {
    logError(request.log, 'error', err, 'The page for an error failed')
    return builtInPage({ code, message })
  }
}

/**
 * Chooses what the client may see of an error. V8's messages about values that it can't serialize
 * reveal internals of the server; ours do not.
 */
function toAnswer(thrown: unknown, expose: boolean, { routeOptions }: FastifyRequest): ServiceError {
  // Fastify marks an error of its serializer with the configuration of the route.
  const isSerializerError =
    routeOptions?.config !== undefined && readProperty(thrown, 'serialization') === routeOptions.config
  if (isSerializerError && !attempt(() => thrown instanceof GeneralError))
    return new GeneralError('The result is not JSON (BigInt or a cycle?)', undefined, { cause: thrown })
  // Fastify has one error for both cases.
  if (readProperty(thrown, 'code') === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new BadRequest(
      'The body is invalid JSON, or has a field `__proto__` or `constructor.prototype`, which is not allowed',
      undefined,
      { cause: thrown }
    )
  const error = toServiceError(thrown)
  if (expose) return error
  const message = STATUS_CODES[error.code] ?? 'Error'
  if (isDriverError(thrown)) return toServiceError({ message, statusCode: error.code })
  if (error.code < 500 || isServiceError(thrown)) return error
  return Object.assign(error, { message, errors: undefined })
}

/**
 * Whether an adapter has converted an error of its driver, which it keeps under a symbol: the
 * message comes from the database, with the statement.
 */
const isDriverError = (thrown: unknown): boolean =>
  isServiceError(thrown) &&
  Object.getOwnPropertySymbols(thrown).some((symbol) => {
    const cause = readProperty(thrown, symbol)
    // A validation error, with its list of issues, comes from before the query.
    return cause instanceof Error && !Array.isArray(readProperty(cause, 'errors'))
  })

function toBody(error: ServiceError, requestId: string | undefined): string {
  try {
    return JSON.stringify(withId(error.toJSON(), requestId))
  } catch {
    const { name, message, code, className } = error
    return JSON.stringify(withId({ name, message, code, className }, requestId))
  }
}

/** Adds the request id to the data of a body, if the data is an object. */
function withId(body: ErrorJSON, requestId: string | undefined): ErrorJSON {
  const data = body?.data ?? {}
  return requestId === undefined || !isPlain(data) ? body : { ...body, data: { ...data, requestId } }
}

type Log = (thrown: unknown, error: ServiceError, request: FastifyRequest) => void

/**
 * Returns the error to log, as it was thrown. Its stack is not read here: Node formats it at the
 * first read, which is expensive, and a logger that is off reads nothing.
 */
const toLogged = (thrown: unknown, error: ServiceError) => (attempt(() => thrown instanceof Error) ? thrown : error)

function createLog({ logger }: ErrorHandlerOptions): Log {
  if (logger === false) return () => {}
  if (logger === undefined)
    return (thrown, error, { log }) => {
      const err = toLogged(thrown, error)
      if (error.code >= 500) return logRecord(log, 'error', { err }, error.message)
      // The client is told what is wrong. The stack is for those who look for it.
      log.info({ code: error.code }, error.message)
      logRecord(log, 'debug', { err }, error.message)
    }
  return (thrown, error, request) => {
    try {
      logger.error(toLogged(thrown, error))
    } catch (err) {
      logError(request.log, 'error', err, 'The logger of errors failed')
    }
  }
}

/**
 * Answers errors of the router, which never reach a plugin: a malformed URL or an id that is too
 * long.
 *
 * @example
 * const app = Fastify({ frameworkErrors })
 */
export const frameworkErrors = errorHandler()

/**
 * Creates a not-found handler for Fastify. It answers 404 in the error format
 * (docs/errors.md#options). With `verbose` the message names the URL; the other options are those
 * of the error handler. A browser that opens `/` gets a page that names the services, unless
 * `expose` is off or `html` has a page.
 *
 * @throws if an option is unknown, or a file that `html` names can't be read
 * @example
 * app.setNotFoundHandler(notFound({ verbose: true }))
 */
export function notFound(options?: NotFoundOptions): (request: FastifyRequest, reply: FastifyReply) => void
export function notFound(...[options = {}, ...rest]: [NotFoundOptions?, ...unknown[]]) {
  if (rest.length > 0) throw uncalled('app.setNotFoundHandler(notFound())')
  checkOptions('notFound()', notFoundOptions, options)
  const answer = createHandler(options)
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { url, method, server } = request
    if (url === '/' && method === 'GET' && !options.html && exposes(options)) {
      vary(reply)
      if (wantsHTML(request)) return void reply.code(404).type('text/html; charset=utf-8').send(servicesPage(server))
    }
    return answer(new NotFound(options.verbose ? `Page not found: ${url}` : 'Page not found', { url }), request, reply)
  }
}

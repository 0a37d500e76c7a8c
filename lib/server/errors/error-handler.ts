import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorHandlerOptions, ErrorPage, NotFoundOptions } from '../../../types/fastify.js'
import {
  attempt,
  BadRequest,
  type ErrorJSON,
  GeneralError,
  isServiceError,
  NotFound,
  readProperty,
  ServiceError,
  toServiceError
} from '../../core/errors.js'
import { isPlain } from '../../core/objects.js'
import { checkOptions } from '../../core/options.js'
import { restoreHeaders } from '../answer/headers.js'
import { logError, logRecord } from '../answer/log.js'
import { releaseSerializer } from '../answer/serializer.js'
import { vary, wantsJSON } from '../request/accept.js'
import { ofErrorHandler, ofNotFound } from './handler-options.js'
import { explained } from './setting-error.js'

// On the prototype, where classes and errors may still have a `type` of their own. Clients do not
// need it.
ServiceError.prototype.type = 'FeathersError'

type Handler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/**
 * An error handler for Fastify: logs the error and answers it in the error format
 * (docs/errors.md#the-body), as JSON or HTML.
 *
 * @example
 * app.setErrorHandler(errorHandler({ html: false }))
 * @throws when an option is not known, or a page that `html` names can not be read
 */
export function errorHandler(options?: ErrorHandlerOptions): Handler
export function errorHandler(...[options = {}, ...rest]: [ErrorHandlerOptions?, ...unknown[]]): Handler {
  if (rest.length > 0) throw uncalled('app.setErrorHandler(errorHandler())')
  checkOptions('errorHandler()', ofErrorHandler, options)
  return createHandler(options)
}

/** The error where Fastify calls a function that makes handlers, with what a handler gets. */
const uncalled = (call: string) => new TypeError(`A function that makes handlers is none: write ${call}`)

function createHandler(options: ErrorHandlerOptions): Handler {
  const { html } = options
  const log = createLog(options)
  const page = html === false ? undefined : createPage(html)
  return (reason, request, reply) => {
    const thrown = explained(reason)
    const error = toAnswer(thrown, options.expose ?? process.env.NODE_ENV !== 'production', request)
    log(thrown, error, request)
    restoreHeaders(reply)
    releaseSerializer(reply)
    // The serializer of the result does not fit the error, which is sent in its place.
    reply.code(error.code).serializer((payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload)))
    if (error.code === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer')
    if (error.code === 406 || page !== undefined) vary(reply)
    const retryAfter = readProperty(error.data, 'retryAfter')
    // The header takes whole seconds. `Math.ceil` of a number below zero may be -0.
    const seconds = typeof retryAfter === 'number' && retryAfter >= 0 ? Math.ceil(retryAfter) : undefined
    if (Number.isSafeInteger(seconds)) reply.header('retry-after', seconds)
    if (page === undefined || wantsJSON(request))
      send(reply.type('application/json; charset=utf-8'), toBody(error, options.requestId ? request.id : undefined))
    else sendPage(page, error, request, reply)
  }
}

/**
 * Sends an error answer past the guards on `reply.send`, since it replaces another one. What can't
 * be sent, for a header that HTTP can't carry or since an answer has begun, is left to Fastify,
 * which has another answer then, by sending in its turn, or ends the connection.
 */
function send(reply: FastifyReply, payload: string): void {
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
  if (typeof text === 'string' && !reply.sent) send(reply, text)
}

/** The text of a page for an error, or that of the built-in one where it fails. */
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
  // Fastify marks what its serializer has thrown by the configuration of the route.
  const isOfSerializer =
    routeOptions?.config !== undefined && readProperty(thrown, 'serialization') === routeOptions.config
  if (isOfSerializer && !attempt(() => thrown instanceof GeneralError))
    return new GeneralError('The result is not JSON (BigInt or a cycle?)', undefined, { cause: thrown })
  // Fastify has one error for both.
  if (readProperty(thrown, 'code') === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new BadRequest(
      'The body is invalid JSON, or has a field `__proto__` or `constructor.prototype`, which is not allowed',
      undefined,
      { cause: thrown }
    )
  const error = toServiceError(thrown)
  if (expose) return error
  const message = STATUS_CODES[error.code] ?? 'Error'
  if (isOfDriver(thrown)) return toServiceError({ message, statusCode: error.code })
  if (error.code < 500 || isServiceError(thrown)) return error
  return Object.assign(error, { message, errors: undefined })
}

/**
 * Whether an adapter has made an error of that of its driver, which it keeps under a symbol: its
 * message is that of the database, with the statement.
 */
const isOfDriver = (thrown: unknown): boolean =>
  isServiceError(thrown) &&
  Object.getOwnPropertySymbols(thrown).some((symbol) => {
    const cause = readProperty(thrown, symbol)
    // A list of faults is that of a validation, before a database was asked.
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

/** Data that is no object has no room for the id. */
function withId(body: ErrorJSON, requestId: string | undefined): ErrorJSON {
  const data = body?.data ?? {}
  return requestId === undefined || !isPlain(data) ? body : { ...body, data: { ...data, requestId } }
}

type Log = (thrown: unknown, error: ServiceError, request: FastifyRequest) => void

/**
 * What is logged: the error as it was thrown. Its stack is not read here: Node makes the text when
 * that happens first, which is expensive, and a logger that is off reads nothing.
 */
const toLogged = (thrown: unknown, error: ServiceError) => (attempt(() => thrown instanceof Error) ? thrown : error)

function createLog({ logger }: ErrorHandlerOptions): Log {
  if (logger === false) return () => {}
  if (logger === undefined)
    return (thrown, error, request) =>
      logRecord(request.log, error.code >= 500 ? 'error' : 'info', { err: toLogged(thrown, error) }, error.message)
  return (thrown, error, request) => {
    try {
      logger.error(toLogged(thrown, error))
    } catch (err) {
      logError(request.log, 'error', err, 'The logger of errors failed')
    }
  }
}

function createPage(html: Exclude<ErrorHandlerOptions['html'], false>): ErrorPage {
  if (html === undefined) return builtInPage
  if (typeof html === 'function') return html
  const pages = new Map(
    Object.entries(html).map(([status, page]) => [status, typeof page === 'string' ? file(page) : page])
  )
  return (error, request, reply) =>
    (pages.get(String(error.code)) ?? pages.get('default') ?? builtInPage)(error, request, reply)
}

function file(path: string): ErrorPage {
  accessSync(path, constants.R_OK)
  return () => readFile(path, 'utf8')
}

/**
 * Answers the errors of the router itself, which never reach a plugin: a malformed URL and an id
 * that is too long.
 *
 * @example
 * const app = Fastify({ frameworkErrors })
 */
export const frameworkErrors = errorHandler()

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHTML = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] as string)

/**
 * The page for an error if the application has none of its own. It loads nothing, and escapes
 * everything that it shows.
 */
export function builtInPage({ code, message }: { code: number; message: string }): string {
  const title = escapeHTML(`${code} ${STATUS_CODES[code] ?? ''}`.trim())
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1rem; color: #222 }</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHTML(message)}</p>
</body>
</html>
`
}

/**
 * A not-found handler for Fastify: answers 404 in the error format (docs/errors.md#options). With
 * `verbose` the message names the URL; the other options are those of the error handler.
 *
 * @throws when an option is not known, or a page that `html` names can not be read
 * @example
 * app.setNotFoundHandler(notFound({ verbose: true }))
 */
export function notFound(options?: NotFoundOptions): (request: FastifyRequest, reply: FastifyReply) => void
export function notFound(...[options = {}, ...rest]: [NotFoundOptions?, ...unknown[]]) {
  if (rest.length > 0) throw uncalled('app.setNotFoundHandler(notFound())')
  checkOptions('notFound()', ofNotFound, options)
  const answer = createHandler(options)
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { url } = request
    return answer(new NotFound(options.verbose ? `Page not found: ${url}` : 'Page not found', { url }), request, reply)
  }
}

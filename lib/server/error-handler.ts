import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorHandlerOptions, ErrorPage } from '../../types/fastify.js'
import { GeneralError, isServiceError, type ServiceError, toServiceError } from '../core/errors.js'
import { builtInPage } from './error-page.js'
import { wantsJSON } from './negotiate.js'

/**
 * An error handler for Fastify: logs the error and answers it in the error format (specification: "Errors"), as JSON or HTML.
 *
 * @example
 * app.setErrorHandler(errorHandler({ html: false }))
 * @throws when a page that `html` names can not be read
 */
export function errorHandler(options: ErrorHandlerOptions = {}): (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { html } = options
  const log = createLog(options)
  const page = html === false ? undefined : createPage(html)
  return async (thrown, request, reply) => {
    const error = toAnswer(thrown, options.expose ?? process.env.NODE_ENV !== 'production')
    log(thrown, error, request)
    reply.code(error.code)
    if (error.code === 401) reply.header('www-authenticate', 'Bearer')
    if (page === undefined || wantsJSON(request)) {
      await reply.type('application/json; charset=utf-8').send(toBody(error))
      return
    }
    reply.type('text/html; charset=utf-8')
    const text = await page(error, request, reply)
    if (typeof text === 'string') await reply.send(text)
  }
}

/** What may be told of an error. The engine's words about a value that can't be serialized tell of the server, not of the call. */
function toAnswer(thrown: unknown, expose: boolean): ServiceError {
  if (thrown instanceof Error && 'serialization' in thrown) return new GeneralError('The result can not be serialized', undefined, { cause: thrown })
  const error = toServiceError(thrown)
  if (expose || error.code < 500 || isServiceError(thrown)) return error
  return Object.assign(error, { message: STATUS_CODES[error.code] ?? 'Error', errors: undefined })
}

function toBody(error: ServiceError): string {
  const { data, errors, ...body } = error.toJSON()
  try {
    return JSON.stringify({ ...body, data, errors })
  } catch {
    return JSON.stringify(body)
  }
}

function createLog({ logger }: ErrorHandlerOptions): (thrown: unknown, error: ServiceError, request: FastifyRequest) => void {
  if (logger === false) return () => {}
  if (logger !== undefined) return (thrown) => logger.error(thrown)
  return (thrown, error, request) => {
    const err = thrown instanceof Error ? thrown : error
    request.log[error.code >= 500 ? 'error' : 'info']({ err, req: request }, error.message)
  }
}

function createPage(html: Exclude<ErrorHandlerOptions['html'], false>): ErrorPage {
  if (html === undefined) return builtInPage
  if (typeof html === 'function') return html
  const pages = new Map(Object.entries(html).map(([status, page]) => [status, typeof page === 'string' ? file(page) : page]))
  return (error, request, reply) => (pages.get(String(error.code)) ?? pages.get('default') ?? builtInPage)(error, request, reply)
}

function file(path: string): ErrorPage {
  accessSync(path, constants.R_OK)
  return () => readFile(path, 'utf8')
}

const answer = errorHandler()

/**
 * Answers the errors of the router itself, which never reach a plugin: a malformed URL and an id that is too long.
 *
 * @example
 * const app = Fastify({ frameworkErrors })
 */
export function frameworkErrors(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answer(error, request, reply)
}

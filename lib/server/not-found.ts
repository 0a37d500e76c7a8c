import type { FastifyReply, FastifyRequest } from 'fastify'
import type { NotFoundOptions } from '../../types/fastify.js'
import { NotFound } from '../core/errors.js'
import { errorHandler } from './error-handler.js'

/**
 * A not-found handler for Fastify: answers 404 in the error format (docs/errors.md#options). With `verbose` the
 * message names the URL; the other options are those of the error handler.
 *
 * @example
 * app.setNotFoundHandler(notFound({ verbose: true }))
 */
export function notFound(options: NotFoundOptions = {}): (request: FastifyRequest, reply: FastifyReply) => void {
  const answer = errorHandler(options)
  return (request, reply) => {
    const { url } = request
    return answer(new NotFound(options.verbose ? `Page not found: ${url}` : 'Page not found', { url }), request, reply)
  }
}

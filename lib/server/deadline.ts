import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.js'
import { read } from '../core/errors.js'

const { FST_ERR_HANDLER_TIMEOUT: HandlerTimeout } = errorCodes
const { code } = new HandlerTimeout()
const isTimeout = (error: unknown) => read(error, 'code') === code

/**
 * Ends a call when the `handlerTimeout` of its route, in ms, has passed. Fastify answers by then, but not where the request has a body: having
 * read it, Fastify takes the request for one whose client has left, and drops its timer (fastify/fastify#6725).
 */
export function startDeadline(ms: number, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  const { signal } = request
  signal.addEventListener('abort', () => {
    if (isTimeout(signal.reason)) caller.expire()
  })
  const timer = setTimeout(() => {
    if (caller.isGone || reply.sent) return
    caller.expire()
    const error = new HandlerTimeout(String(ms), request.routeOptions.url)
    if (reply.raw.headersSent) reply.raw.destroy(error)
    else reply.send(error)
  }, ms)
  caller.onEnd(() => clearTimeout(timer))
}

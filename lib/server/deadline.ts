import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Caller } from '../core/caller.js'
import { read } from '../core/errors.js'
import { close, streamIn } from './stream.js'

const { FST_ERR_HANDLER_TIMEOUT: HandlerTimeout } = errorCodes
const { code } = new HandlerTimeout()
const isTimeout = (error: unknown) => read(error, 'code') === code

/**
 * Ends a call when the `handlerTimeout` of its route, in ms, has passed. Fastify answers by then, but not where the request has a body: having
 * read it, Fastify takes the request for one whose client has left, and drops its timer (fastify/fastify#6725).
 */
export function startDeadline(ms: number, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  let hasBegun = false
  const { send } = reply
  // Two answers at once end the process: hooks of the application may hold the first one up.
  reply.send = (payload) => {
    if (caller.hasExpired && hasBegun) {
      const stream = streamIn(payload)
      if (stream !== undefined) close(stream)
      return reply
    }
    hasBegun = true
    return send.call(reply, payload)
  }
  const { signal } = request
  signal.addEventListener('abort', () => {
    if (isTimeout(signal.reason)) caller.expire()
  })

  const end = () => {
    if (caller.isGone || reply.sent) return
    const error = new HandlerTimeout(String(ms), request.routeOptions.url)
    if (reply.raw.headersSent) reply.raw.destroy(error)
    // Hooks of the application have had the answer for as long again.
    else if (hasBegun) reply.raw.destroy()
    else {
      caller.expire()
      reply.send(error)
    }
  }
  let timer = setTimeout(() => {
    if (hasBegun && !reply.raw.headersSent) timer = setTimeout(end, ms)
    else end()
  }, ms)
  caller.onEnd(() => clearTimeout(timer))
}

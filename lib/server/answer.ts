import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext, Middleware } from '../../types/fastify.js'
import type { Caller } from '../core/caller.js'
import { createFormatter } from './formatter.js'
import { keepHeaders } from './headers.js'
import { logError } from './log.js'
import { runMiddleware, watch } from './middleware.js'
import { toPayload } from './payload.js'
import type { Serializer } from './serializer.js'
import { adopt } from './sources.js'

/** Returns what the handler of a route returns to Fastify: the payload, or the reply if something else sends. */
export type Answer = (context: HookContext, caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown

/** Makes the function that answers a call that has succeeded: after-middleware, then the formatter. */
export function createAnswer(
  after: readonly Middleware[],
  custom: Formatter | undefined,
  serializer: Serializer,
  ofItem?: Serializer,
  textType?: (text: string) => string
): Answer {
  const format = custom ?? createFormatter(serializer, ofItem, textType)
  // Most services have neither, so there is nothing to wait for.
  if (after.length === 0 && custom === undefined)
    return (_context, _caller, request, reply) => format(request, reply) ?? undefined
  return async (context, caller, request, reply) => {
    keepHeaders(reply)
    if (after.length > 0) {
      const isOver = await runMiddleware(after, request, reply)
      adopt(reply.data, context, caller)
      if (isOver) return reply
    }
    const isAnswered = custom && watch(reply)
    let payload: unknown
    let isAsync = false
    try {
      payload = format(request, reply)
      isAsync = isPromise(payload)
      if (isAsync) payload = await payload
    } catch (error) {
      if (!isAnswered?.()) throw error
      logError(request.log, 'error', error, 'A formatter failed after it had answered')
      return reply
    }
    if (custom !== undefined) adopt(payload, context, caller)
    if (caller.isGone) return reply
    // A formatter that returns nothing sends by itself: one that is not async may do so later.
    if (payload === undefined) return isAnswered?.() || !isAsync ? reply : undefined
    // The default formatter returns a payload already.
    return (custom === undefined ? payload : await toPayload(payload, reply)) ?? undefined
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Middleware } from '../../../types/fastify.js'
import { isClosed } from '../../core/http-call.js'
import { logError } from './log.js'
import { toPayloadAtOnce } from './payload.js'

/**
 * Runs middleware in order. Returns whether the request ends there: one of them has answered, or
 * the client is gone.
 * @param toSent makes of what they send what Fastify can send
 */
export async function runMiddleware(
  list: readonly Middleware[],
  request: FastifyRequest,
  reply: FastifyReply,
  toSent?: ToSent
): Promise<boolean> {
  const isAnswered = watch(reply, toSent)
  for (const middleware of list) {
    const isAsync = middleware.length < 3
    try {
      const value = await (isAsync
        ? (middleware as Async).call(request.server, request, reply)
        : callback(middleware, request, reply))
      if (value === reply || isAnswered() || isClosed(reply.raw)) return true
    } catch (error) {
      if (!isAnswered()) throw error
      logError(request.log, 'error', error, 'Middleware failed after it had answered')
      return true
    }
  }
  return false
}

/** Turns what is handed to `reply.send` into what Fastify can send. */
export type ToSent = (payload: unknown, reply: FastifyReply) => unknown

/**
 * Makes the function that tells whether a reply is answered: `reply.sent` becomes true only after
 * all `onSend` hooks of the application.
 */
export function watch(reply: FastifyReply, toSent: ToSent = toPayloadAtOnce): () => boolean {
  const { send } = reply
  let isAnswered = false
  reply.send = (payload) => {
    isAnswered = true
    try {
      return send.call(reply, toSent(payload, reply))
    } catch (error) {
      // A serializer of the application fails at once for a text.
      isAnswered = reply.sent
      throw error
    }
  }
  return () => isAnswered || reply.sent
}

type Async = (request: FastifyRequest, reply: FastifyReply) => unknown

function callback(middleware: Middleware, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Middleware that answers by itself never calls back, nor does one whose client is gone. The
    // chain ends in both cases.
    const end = () => resolve(reply)
    reply.raw.once('finish', end).once('close', end)
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined))
    const returned: unknown = middleware.call(request.server, request, reply, done)
    Promise.resolve(returned).catch(reject)
  })
}

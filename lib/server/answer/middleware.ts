import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Middleware } from '../../../types/fastify.js'
import { isClosed } from '../../core/http-call.js'
import { logError } from './log.js'
import { toPayloadAtOnce } from './payload.js'

/**
 * Runs middleware in order. Returns whether the request ends there: one of them has answered, or
 * the client has left.
 * @param convert converts a payload of middleware to one that Fastify can send
 */
export async function runMiddleware(
  list: readonly Middleware[],
  request: FastifyRequest,
  reply: FastifyReply,
  convert?: Convert
): Promise<boolean> {
  const isAnswered = watchSend(reply, convert)
  for (const middleware of list) {
    const isAsync = middleware.length < 3
    try {
      const value = await (isAsync
        ? (middleware as Async).call(request.server, request, reply)
        : callWithDone(middleware, request, reply))
      if (value === reply || isAnswered() || isClosed(reply.raw)) return true
    } catch (error) {
      if (!isAnswered()) throw error
      logError(request.log, 'error', error, 'Middleware failed after it had answered')
      return true
    }
  }
  return false
}

type Convert = (payload: unknown, reply: FastifyReply) => unknown

/**
 * Watches `reply.send` and returns a function that says whether it was called: `reply.sent` becomes
 * true only after all `onSend` hooks of the application.
 */
export function watchSend(reply: FastifyReply, convert: Convert = toPayloadAtOnce): () => boolean {
  const { send } = reply
  let isAnswered = false
  reply.send = (payload) => {
    isAnswered = true
    try {
      return send.call(reply, convert(payload, reply))
    } catch (error) {
      // A serializer of the application fails at once for a string.
      isAnswered = reply.sent
      throw error
    }
  }
  return () => isAnswered || reply.sent
}

type Async = (request: FastifyRequest, reply: FastifyReply) => unknown

function callWithDone(middleware: Middleware, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Middleware that answers by itself never calls back, nor does one whose client has left.
    const end = () => resolve(reply)
    reply.raw.once('finish', end).once('close', end)
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined))
    const returned: unknown = middleware.call(request.server, request, reply, done)
    Promise.resolve(returned).catch(reject)
  })
}

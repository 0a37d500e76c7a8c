import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Middleware } from '../../types/fastify.js'

/** Runs middleware in order, and says whether one of them has answered: the rest is skipped then. */
export async function runMiddleware(
  list: readonly Middleware[],
  request: FastifyRequest,
  reply: FastifyReply
): Promise<boolean> {
  for (const middleware of list) {
    const value =
      middleware.length < 3
        ? await (middleware as Async).call(request.server, request, reply)
        : await callback(middleware, request, reply)
    // As in Fastify: an async one that has answered returns the reply.
    if (value === reply || reply.sent) return true
  }
  return false
}

type Async = (request: FastifyRequest, reply: FastifyReply) => unknown

function callback(middleware: Middleware, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // One that answers by itself never calls back.
    reply.raw.once('finish', resolve).once('close', resolve)
    middleware.call(request.server, request, reply, (error?: Error) => (error ? reject(error) : resolve(undefined)))
  })
}

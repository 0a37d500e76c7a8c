import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Middleware } from '../../types/fastify.js'

/** Runs middleware in order, and says whether it ends the request: it has answered, or the client is gone. */
export async function runMiddleware(
  list: readonly Middleware[],
  request: FastifyRequest,
  reply: FastifyReply
): Promise<boolean> {
  for (const middleware of list) {
    const value = await (middleware.length < 3
      ? (middleware as Async).call(request.server, request, reply)
      : callback(middleware, request, reply))
    // As in Fastify: an async one that has answered returns the reply.
    if (value === reply || reply.sent || reply.raw.destroyed) return true
  }
  return false
}

type Async = (request: FastifyRequest, reply: FastifyReply) => unknown

function callback(middleware: Middleware, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // One that answers by itself never calls back, nor does one whose client is gone: nothing comes after either.
    const end = () => resolve(reply)
    reply.raw.once('finish', end).once('close', end)
    const done = (error?: Error) => (error ? reject(error) : resolve(undefined))
    const returned: unknown = middleware.call(request.server, request, reply, done)
    Promise.resolve(returned).catch(reject)
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Params } from '../../types/service.js'
import { Caller, caller, callerIn } from '../core/caller.js'

/** What makes the request of a call found again by `requestOf`. */
export const withRequest = (request: FastifyRequest, reply: FastifyReply) => ({
  [caller]: new Caller(request, reply.raw).token
})

/** Params without the request that they were made for: it may be over when they are used. */
export function withoutRequest<P extends object>(params: P): P {
  const { [caller]: _, ...rest } = params as P & { [caller]?: unknown }
  return rest as P
}

/** The request that a call comes from, `undefined` for a call of the server. */
export const requestOf = (params: Params) => callerIn(params)?.request as FastifyRequest | undefined

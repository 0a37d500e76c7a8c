import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Params } from '../../types/service.js'
import { Caller, caller } from '../core/caller.js'

/** What makes the request of a call found again by `requestOf`. */
export const withRequest = (request: FastifyRequest, reply: FastifyReply) => ({
  [caller]: new Caller(request, reply.raw)
})

/** The request that a call comes from, `undefined` for a call of the server. */
export const requestOf = (params: Params) =>
  (params as { [caller]?: Caller })[caller]?.request as FastifyRequest | undefined

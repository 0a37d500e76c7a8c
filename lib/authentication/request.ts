import type { FastifyRequest } from 'fastify'
import type { Params } from '../../types/service.js'

const request = Symbol('request')

/** What makes the request of a call found again by `requestOf`. */
export const withRequest = (of: FastifyRequest) => ({ [request]: of })

/** The request that a call comes from, `undefined` for a call of the server. */
export const requestOf = (params: Params) => (params as { [request]?: FastifyRequest })[request]

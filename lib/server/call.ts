import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/fastify.js'
import type { ServiceMethod } from '../core/service.js'

/** The name under which the routes of a service hold the id of a record; a service path may use `:id` itself. */
export const ID = '__id'

const argument = {
  id: (request: FastifyRequest) => (request.params as Record<string, string>)[ID] ?? null,
  data: (request: FastifyRequest) => request.body,
  params: toParams
}

/** A request as a call of a method (wire contract: "Request → service call"): `reply.hook` becomes its context, and holds its result. */
export async function call(method: ServiceMethod, request: FastifyRequest, reply: FastifyReply): Promise<HookContext> {
  const context = method.context(method.definition.arguments.map((name) => argument[name](request))) as HookContext
  reply.hook = context
  await method.run(context)
  return context
}

function toParams(request: FastifyRequest): Record<string, unknown> {
  const { [ID]: _, ...route } = request.params as Record<string, string>
  return { query: request.query, headers: request.headers, route, ...request.feathers, provider: 'rest' }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../core/errors.js'
import { methods } from '../core/methods.js'
import type { ServiceEntry, ServiceMethod } from '../core/service.js'
import { ID } from './call.js'
import { splitUrl } from './query.js'
import type { Registry } from './registry.js'
import { allowedVerbs, methodNotAllowed, SERVICE_METHOD } from './unsupported.js'

/**
 * Refuses, before the body is looked at, what the router can not tell apart.
 *
 * @throws {MethodNotAllowed} for a custom method that is not exposed, and for the path of another service that lacks the method
 * @throws {BadRequest} for an empty id, which must not become a call for many records
 */
export function checkTarget(method: ServiceMethod, entry: ServiceEntry, registry: Registry, request: FastifyRequest, reply: FastifyReply): void {
  const { name, definition } = method
  const id = (request.params as Record<string, string>)[ID]
  if (definition.verb === 'POST' && methods.has(name) && request.headers[SERVICE_METHOD] !== undefined) refuse(entry, false, request, reply)
  if (id !== undefined) {
    const other = registry.nested(entry, id)
    if (other !== undefined) refuse(other, false, request, reply)
  }
  if (id === '' && definition.id === true) refuse(entry, false, request, reply)
  if (definition.id === 'optional' && !id && entry.path !== '' && splitUrl(request.raw.url ?? '').path.endsWith('/')) {
    throw new BadRequest(`The id is empty: to ${name} many records, leave the slash out`)
  }
}

function refuse(entry: ServiceEntry, hasId: boolean, request: FastifyRequest, reply: FastifyReply): never {
  reply.header('allow', allowedVerbs(entry, hasId))
  throw methodNotAllowed(request, hasId)
}

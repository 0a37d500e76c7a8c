import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../core/errors.js'
import { methods } from '../core/methods.js'
import type { ServiceEntry, ServiceMethod } from '../core/service.js'
import { idName } from './call.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { Registry } from './registry.js'
import type { Router } from './router.js'
import { allowedVerbs, methodNotAllowed } from './unsupported.js'

/**
 * Makes what refuses, before the body is looked at, the requests that the router can not tell apart: 405 for a custom method that is
 * not exposed and for the path of another service that lacks the method, 400 for an empty id, which must not become a call for many records.
 */
export function targetCheck(
  { name, definition }: ServiceMethod,
  entry: ServiceEntry,
  registry: Registry,
  router: Router
): (request: FastifyRequest, reply: FastifyReply) => void {
  if (definition.id === false) {
    const isCustom = !methods.has(name)
    return (request, reply) => {
      // The router has found no route for the custom method that is named, if one is.
      if (!isCustom && request.method === 'POST' && request.headers[SERVICE_METHOD] !== undefined)
        refuse(entry, request, reply)
    }
  }
  const idParam = idName(entry.path)
  const toKey = (id: string) => (router.caseSensitive ? id : id.toLowerCase())
  let nested: ReadonlyMap<string, ServiceEntry> | undefined
  return (request, reply) => {
    nested ??= registry.below(entry, toKey)
    const id = (request.params as Record<string, string>)[idParam]
    const other = id === undefined || nested.size === 0 ? undefined : nested.get(toKey(id))
    if (other !== undefined) refuse(other, request, reply)
    if (id) return
    if (definition.id === true) refuse(entry, request, reply)
    if (entry.path !== '' && [request.originalUrl, request.url].some((url) => router.split(url).path.endsWith('/'))) {
      throw new BadRequest(`The id is empty: to ${name} many records, leave the slash out`)
    }
  }
}

function refuse(entry: ServiceEntry, request: FastifyRequest, reply: FastifyReply): never {
  reply.header('allow', allowedVerbs(entry, false))
  throw methodNotAllowed(request, false)
}

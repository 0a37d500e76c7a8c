import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../core/errors.js'
import { methods } from '../core/methods.js'
import type { ServiceMethod } from '../core/service.js'
import { idName } from './call.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { ExposedService } from './exposed.js'
import type { Matcher } from './matcher.js'
import { methodNotAllowed } from './unsupported.js'

/**
 * Makes what refuses, before the body is looked at, the requests that the router can not tell apart: 405 for a custom method that is
 * not exposed and for the path of a more specific service that lacks the method, 400 for an empty id or placeholder, which must not
 * become a call for many records.
 */
export function targetCheck(
  { name, definition }: ServiceMethod,
  entry: ExposedService,
  matcher: Matcher
): (request: FastifyRequest, reply: FastifyReply) => void {
  const idParam = idName(entry.path)
  const isCreate = definition.verb === 'POST' && methods.has(name)
  const own = { entry, hasId: false }
  // All services are known by the time of the first request.
  let hasRivals: boolean | undefined
  return (request, reply) => {
    hasRivals ??= matcher.hasRivals(entry)
    const found = hasRivals ? matcher.match(request.url) : undefined
    if (found !== undefined && found.entry !== entry) throw methodNotAllowed(found, request, reply)
    if (isCreate && request.headers[SERVICE_METHOD] !== undefined) throw methodNotAllowed(own, request, reply)
    if (definition.id === false || (request.params as Record<string, string>)[idParam]) return
    if (definition.id === true) throw methodNotAllowed(own, request, reply)
    if ([request.originalUrl, request.url].some((url) => hasGap(matcher.router.path(url)))) {
      throw new BadRequest(`The id is empty: to ${name} many records, leave the slash out`)
    }
  }
}

const hasGap = (path: string) => path.includes('//') || (path.length > 1 && path.endsWith('/'))

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import type { ServiceEntry } from '../core/service.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { Matcher } from './matcher.js'

/** @returns the error for a method that a service lacks or does not expose, as the request names it */
export function methodNotAllowed({ headers, method: verb }: FastifyRequest, hasId: boolean): MethodNotAllowed {
  const named = verb === 'POST' ? headers[SERVICE_METHOD] : undefined
  const rows = [...methods].filter(([, row]) => row.verb === (verb === 'HEAD' ? 'GET' : verb))
  const name = named ?? (rows.find(([, { id }]) => id !== !hasId) ?? rows[0])?.[0] ?? verb
  return new MethodNotAllowed(`Method \`${name}\` is not supported by this endpoint.`)
}

/** The verbs that a service answers at its path, or at that of a record. */
export function allowedVerbs({ exposed }: ServiceEntry, hasId: boolean): string {
  const verbs = exposed
    .map(definitionOf)
    .filter(({ id }) => id !== !hasId)
    .map(({ verb }) => verb)
  return [...new Set(verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])))].join(', ')
}

/**
 * Answers 405 where the path is that of a service and the method is not. Such a request finds no route, so that every route of the
 * application, registered before or after, comes first; it is answered before its body is looked at.
 */
export function answerUnsupported(
  root: FastifyInstance,
  matcher: Matcher,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): void {
  // After the hooks that come with a request, those of a CORS plugin among them, and before its body.
  root.addHook('preParsing', (request, reply, _payload, done) => {
    const found = request.is404 ? matcher.match(request.url) : undefined
    if (found === undefined) return done()
    const allowed = allowedVerbs(found.entry, found.hasId)
    // What the service would answer has found no route for another cause, but for a custom method: the router refuses an id, or the
    // placeholder has a pattern.
    const isCustom = request.method === 'POST' && !found.hasId
    if (allowed.split(', ').includes(request.method) && !isCustom) return done()
    reply.header('allow', allowed)
    answer(methodNotAllowed(request, found.hasId), request, reply)
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { Match, Matcher } from './matcher.js'

/** The verbs that a service answers at its path, or at that of a record. */
function verbsOf({ entry, hasId }: Match): readonly string[] {
  const rows = entry.exposed.map(definitionOf).filter(({ id }) => id !== !hasId)
  return [...new Set(rows.flatMap(({ verb }) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])))]
}

/** Sets `Allow`, and gives the error for a method that the service lacks or does not expose, as the request names it. */
export function methodNotAllowed(
  found: Match,
  { headers, method }: FastifyRequest,
  reply: FastifyReply
): MethodNotAllowed {
  reply.header('allow', verbsOf(found).join(', '))
  const named = method === 'POST' ? headers[SERVICE_METHOD] : undefined
  const rows = [...methods].filter(([, { verb }]) => verb === (method === 'HEAD' ? 'GET' : method))
  const name = named ?? (rows.find(([, { id }]) => id !== !found.hasId) ?? rows[0])?.[0] ?? method
  return new MethodNotAllowed(`Method \`${name}\` is not supported by this endpoint.`)
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
    // What the service would answer has found no route for another cause, but for a custom method: the router refuses an id, or the
    // placeholder has a pattern.
    const isCustom = request.method === 'POST' && !found.hasId
    if (verbsOf(found).includes(request.method) && !isCustom) return done()
    answer(methodNotAllowed(found, request, reply), request, reply)
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import type { ServiceEntry } from '../core/service.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { Registry } from './registry.js'
import { type Router, rootOf, routerOf } from './router.js'

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
  app: FastifyInstance,
  registry: Registry,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): void {
  const router = routerOf(app)
  const patterns = new Map<ServiceEntry, RegExp>()
  // After the hooks that come with a request, those of a CORS plugin among them, and before its body.
  rootOf(app).addHook('preParsing', (request, reply, _payload, done) => {
    if (!request.is404) return done()
    const path = decodeURI(router.split(request.url).path).replace(/^https?:\/\/[^/]*/i, '')
    const matches = registry.entries.flatMap((entry) => {
      const match = patternFor(entry).exec(path)
      return match === null ? [] : [{ entry, hasId: match[1] !== undefined }]
    })
    // What is the path of one service may be that of a record of another one: the more specific one wins.
    const found = matches.find(({ hasId }) => !hasId) ?? matches[0]
    if (found === undefined) return done()
    reply.header('allow', allowedVerbs(found.entry, found.hasId))
    answer(methodNotAllowed(request, found.hasId), request, reply)
  })

  function patternFor(entry: ServiceEntry): RegExp {
    const pattern = patterns.get(entry) ?? patternOf(entry.path, router)
    patterns.set(entry, pattern)
    return pattern
  }
}

/** The shape of a service's URLs: its own path, or with the id of a record behind it. */
function patternOf(path: string, { caseSensitive, ignoreDuplicateSlashes }: Router): RegExp {
  const slash = ignoreDuplicateSlashes ? '/+' : '/'
  const segments = path.split('/').filter(Boolean)
  const own = segments.map((segment) => slash + (segment[0] === ':' ? '[^/]+' : segment.replace(/[^\w-]/g, '\\$&')))
  return new RegExp(`^${own.join('')}(?:${slash}([^/]+)?)?$`, caseSensitive ? '' : 'i')
}

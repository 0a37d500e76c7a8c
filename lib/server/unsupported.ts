import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../core/errors.js'
import { definitionOf, methods } from '../core/methods.js'
import type { ServiceEntry } from '../core/service.js'
import { splitUrl } from './query.js'
import type { Registry } from './registry.js'

export const SERVICE_METHOD = 'x-service-method'

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
  const patterns = new Map<ServiceEntry, RegExp>()
  rootOf(app).addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const { path } = splitUrl(request.raw.url as string)
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
    const pattern = patterns.get(entry) ?? patternOf(entry.path, app)
    patterns.set(entry, pattern)
    return pattern
  }
}

/** The shape of a service's URLs: its own path, or with the id of a record behind it. */
function patternOf(path: string, app: FastifyInstance): RegExp {
  const { caseSensitive, ignoreDuplicateSlashes } = routing(app)
  const slash = ignoreDuplicateSlashes ? '/+' : '/'
  const segments = path
    .split('/')
    .filter(Boolean)
    .map((segment) => slash + (segment[0] === ':' ? '[^/]+' : literal(segment)))
  return new RegExp(`^${segments.join('')}(?:${slash}([^/]+)?)?$`, caseSensitive ? '' : 'i')
}

const literal = (segment: string) => encodeURI(segment).replace(/[^\w-]/g, '\\$&')

/** The outermost instance. A request that finds no route runs its hooks, wherever the plugin was registered. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  let root = app
  while (!Object.hasOwn(root, 'routing')) root = Object.getPrototypeOf(root)
  return root
}

/** How the router of an application reads paths: its options stand in two places. */
export function routing({ initialConfig: { routerOptions = {}, ...config } }: FastifyInstance) {
  return {
    caseSensitive: config.caseSensitive !== false && routerOptions.caseSensitive !== false,
    ignoreDuplicateSlashes: Boolean(config.ignoreDuplicateSlashes || routerOptions.ignoreDuplicateSlashes),
    ignoreTrailingSlash: Boolean(config.ignoreTrailingSlash || routerOptions.ignoreTrailingSlash)
  }
}

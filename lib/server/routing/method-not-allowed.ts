import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import { BadRequest, MethodNotAllowed } from '../../core/errors.js'
import { custom, endpointsOf, methods } from '../../core/methods.js'
import { idName, placeholdersIn } from '../../core/path.js'
import type { ServiceMethod } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'
import { routePath } from '../request/arguments.js'
import { offerPatch } from '../request/body.js'
import { queryVerb } from '../request/query-body.js'
import type { Router } from '../request/router.js'
import { namedMethod } from './custom-methods.js'
import type { ExposedService } from './exposed.js'
import { type RouteConflicts, type ServiceUrl, toServiceUrl } from './route-conflicts.js'

/** Sets `Allow`, and returns the error for a method that the service lacks or does not expose. */
function toMethodNotAllowed(
  { entry, verbs, path }: ServiceUrl,
  request: FastifyRequest,
  reply: FastifyReply
): MethodNotAllowed {
  reply.header('allow', verbs.join(', '))
  if (verbs.includes('PATCH')) offerPatch(reply)
  if (metaOf(entry.object).hasSecretAnswers) reply.header('cache-control', 'no-store')
  const isQuery = request.method === queryVerb
  const verb = isQuery || request.method === 'HEAD' ? 'GET' : request.method
  const rows = [...methods].filter(([, row]) => row.verb === verb)
  const calledPath = isQuery ? '' : path
  const isHere = ([, row]: (typeof rows)[number]) => endpointsOf(row).some((endpoint) => endpoint.path === calledPath)
  // The route of a custom method is at no URL of the six.
  const isStandard = calledPath === '' || calledPath === ':id'
  const [name] = (isStandard ? (rows.find(isHere) ?? rows[0]) : undefined) ?? [request.method]
  const named = verb === custom.verb ? namedMethod(request) : undefined
  return new MethodNotAllowed(`Method \`${named ?? name}\` is not supported by this endpoint.`)
}

/**
 * Creates the function that refuses, before the body is read, requests that the application's
 * router has sent to a route of a method by mistake: 405 for a custom method that is not exposed,
 * and for a URL of a more specific service that lacks the method, 400 for an empty id or
 * placeholder, which must not become a call for many records.
 *
 * @param byHeader whether a header names the method
 */
export function createRefuseMethod(
  { name, definition }: ServiceMethod,
  byHeader: boolean,
  entry: ExposedService,
  conflicts: RouteConflicts,
  router: Router
): (request: FastifyRequest, reply: FastifyReply) => void {
  const path = byHeader ? '' : definition.path
  const placeholders = placeholdersIn(routePath(entry.path, path))
  // The router prefers fixed segments: nothing is more specific than a path without placeholders.
  const isFixed = placeholders.length === 0 && !entry.path.includes(':')
  let isUnrivalled: boolean | undefined
  return (request, reply) => {
    const named = namedMethod(request)
    const isUnknown = !byHeader && named !== undefined && isMisnamed(named, definition.verb)
    if (isFixed && !isUnknown) return
    const values = request.params as Record<string, string>
    const empty = placeholders.find((placeholder) => !values[placeholder])
    isUnrivalled ??= conflicts.isUnrivalled(entry, path)
    if (isUnrivalled && empty === undefined && !isUnknown) return
    const isMany = empty !== undefined && methods.has(name)
    // A placeholder may be empty, or another service be more specific.
    const target = conflicts.serviceAt(request.url) ?? toServiceUrl(entry, isMany ? '' : path)
    const emptyParent = placeholdersIn(entry.path).find((placeholder) => values[placeholder] === '')
    const isElsewhere = !target.names.includes(name) && emptyParent === undefined
    if (isUnknown || target.entry !== entry || isElsewhere) throw toMethodNotAllowed(target, request, reply)
    if (empty === undefined) return
    if (isMany && !hasExtraSlash(request, router)) return
    const isId = empty === idName(entry.path)
    throw new BadRequest(
      isMany && emptyParent === undefined
        ? `The id is empty: to ${name} many records, leave the slash out`
        : `The value of ':${emptyParent ?? (isId ? 'id' : empty)}' in the URL is empty`
    )
  }
}

/**
 * Whether a request names a custom method that is not exposed, or one of the six by the verb of
 * another.
 */
const isMisnamed = (named: string, verb: string) => verb === custom.verb || (methods.get(named)?.verb ?? verb) !== verb

/**
 * Whether a URL has an extra slash. Two at its start are one for a router with
 * `ignoreDuplicateSlashes`, and in a URL that was rewritten.
 */
const hasExtraSlash = ({ url, originalUrl }: FastifyRequest, { path, options }: Router) =>
  hasEmptySegment(path(url), options.ignoreDuplicateSlashes ? 1 : 0) || hasEmptySegment(path(originalUrl), 1)

const hasEmptySegment = (path: string, start: number) =>
  path.includes('//', start) || (path.length > 1 && path.endsWith('/'))

/**
 * Answers 405 if a service is at the URL and lacks the method. Such a request finds no route, so
 * all routes of the application come first, whenever they were registered. It is answered before
 * its body is read.
 */
export function answerMethodNotAllowed(
  root: FastifyInstance,
  conflicts: RouteConflicts,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): void {
  // After all `onRequest` hooks, such as those of a CORS plugin, and before the body is read.
  const refuse = createMethodNotAllowedHook(conflicts, answer)
  root.addHook('preParsing', function (request, reply, payload, done) {
    if (request.is404) refuse.call(this, request, reply, payload, done)
    else done()
  })
}

/** Creates the hook that answers 405, for requests that have found no route of a service. */
export function createMethodNotAllowedHook(
  conflicts: RouteConflicts,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): preParsingHookHandler {
  return (request, reply, _payload, done) => {
    const target = conflicts.serviceAt(request.url)
    // If the service answers the verb, the request has found no route for another reason, unless a
    // header names a custom method.
    const isLacking = !target?.verbs.includes(request.method) || request.method === custom.verb
    const isOurs = target !== undefined && metaOf(target.entry.object).mounted?.forwarder === undefined
    if (!isOurs || !isLacking) done()
    else answer(toMethodNotAllowed(target, request, reply), request, reply)
  }
}

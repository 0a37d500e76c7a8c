import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import { BadRequest, MethodNotAllowed } from '../../core/errors.js'
import { custom, endpointsOf, methods } from '../../core/methods.js'
import { idName, placeholdersIn } from '../../core/path.js'
import type { ServiceMethod } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'
import { routePath } from '../request/arguments.js'
import { queryVerb } from '../request/query-body.js'
import type { Router } from '../request/router.js'
import { namedMethod } from './custom-methods.js'
import type { ExposedService } from './exposed.js'
import { type Location, type Locations, toLocation } from './locations.js'

/**
 * Sets `Allow`, and gives the error for a method that the service lacks or does not expose, as the
 * request names it.
 */
function methodNotAllowed(
  { entry, verbs, path }: Location,
  request: FastifyRequest,
  reply: FastifyReply
): MethodNotAllowed {
  reply.header('allow', verbs.join(', '))
  if (metaOf(entry.object).hasSecretAnswers) reply.header('cache-control', 'no-store')
  const isQuery = request.method === queryVerb
  const verb = isQuery || request.method === 'HEAD' ? 'GET' : request.method
  const rows = [...methods].filter(([, row]) => row.verb === verb)
  const calledPath = isQuery ? '' : path
  const isHere = ([, row]: (typeof rows)[number]) => endpointsOf(row).some((endpoint) => endpoint.path === calledPath)
  const [name] = rows.find(isHere) ?? rows[0] ?? [request.method]
  const named = verb === custom.verb ? namedMethod(request) : undefined
  return new MethodNotAllowed(`Method \`${named ?? name}\` is not supported by this endpoint.`)
}

/**
 * Makes the function that refuses, before the body is read, the requests that the application's
 * router can't tell apart: 405 for a custom method that is not exposed and for a URL of a more
 * specific service that lacks the method, 400 for an empty id or placeholder, which must not become
 * a call for many records.
 *
 * @param byHeader whether the routes are those of a custom method that the header names
 */
export function targetCheck(
  { name, definition }: ServiceMethod,
  byHeader: boolean,
  entry: ExposedService,
  locations: Locations,
  router: Router
): (request: FastifyRequest, reply: FastifyReply) => void {
  const path = byHeader ? '' : definition.path
  const placeholders = placeholdersIn(routePath(entry.path, path))
  // The router takes what is fixed before a placeholder: nothing is more specific than a path
  // without one.
  const isFixed = placeholders.length === 0 && !entry.path.includes(':')
  let isAlone: boolean | undefined
  return (request, reply) => {
    const named = namedMethod(request)
    const isUnknown = !byHeader && named !== undefined && isMisnamed(named, definition.verb)
    if (isFixed && !isUnknown) return
    const values = request.params as Record<string, string>
    const empty = placeholders.find((placeholder) => !values[placeholder])
    isAlone ??= locations.isAlone(entry, path)
    if (isAlone && empty === undefined && !isUnknown) return
    const isMany = empty !== undefined && methods.has(name)
    // A placeholder may be empty, or another service be more specific.
    const location = locations.at(request.url) ?? toLocation(entry, isMany ? '' : path)
    const ofService = placeholdersIn(entry.path).find((placeholder) => values[placeholder] === '')
    const isElsewhere = !location.names.includes(name) && ofService === undefined
    if (isUnknown || location.entry !== entry || isElsewhere) throw methodNotAllowed(location, request, reply)
    if (empty === undefined) return
    if (isMany && !isGap(request, router)) return
    const isId = empty === idName(entry.path)
    throw new BadRequest(
      isMany && ofService === undefined
        ? `The id is empty: to ${name} many records, leave the slash out`
        : `The value of ':${ofService ?? (isId ? 'id' : empty)}' in the URL is empty`
    )
  }
}

/**
 * Whether a request names a custom method that is not exposed, or one of the six by the verb of
 * another.
 */
const isMisnamed = (named: string, verb: string) => verb === custom.verb || (methods.get(named)?.verb ?? verb) !== verb

/**
 * Whether a slash is too many in a URL. Two before all else are one in a router that says so, and
 * in a URL that was changed for it.
 */
const isGap = ({ url, originalUrl }: FastifyRequest, { path, options }: Router) =>
  hasGap(path(url), options.ignoreDuplicateSlashes ? 1 : 0) || hasGap(path(originalUrl), 1)

const hasGap = (path: string, start: number) => path.includes('//', start) || (path.length > 1 && path.endsWith('/'))

/**
 * Answers 405 where the path is that of a service and the method is not. Such a request finds no
 * route, so that every route of the application, registered before or after, comes first; it is
 * answered before its body is read.
 */
export function answerUnsupported(
  root: FastifyInstance,
  locations: Locations,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): void {
  // After the hooks that come with a request, those of a CORS plugin among them, and before its
  // body.
  const refuse = refuseUnsupported(locations, answer)
  root.addHook('preParsing', function (request, reply, payload, done) {
    if (request.is404) refuse.call(this, request, reply, payload, done)
    else done()
  })
}

/** Makes the hook that answers 405, for requests that have found no route of a service. */
export function refuseUnsupported(
  locations: Locations,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): preParsingHookHandler {
  return (request, reply, _payload, done) => {
    const location = locations.at(request.url)
    // A verb that the service answers has found no route for another reason, unless it is that of
    // custom methods.
    const isLacking = !location?.verbs.includes(request.method) || request.method === custom.verb
    const isOurs = location !== undefined && metaOf(location.entry.object).foreign?.handover === undefined
    if (!isOurs || !isLacking) done()
    else answer(methodNotAllowed(location, request, reply), request, reply)
  }
}

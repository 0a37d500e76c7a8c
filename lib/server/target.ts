import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endpointsOf } from '../core/endpoints.js'
import { BadRequest, MethodNotAllowed } from '../core/errors.js'
import { custom, methods } from '../core/methods.js'
import { idName, placeholdersIn } from '../core/path.js'
import type { ServiceMethod } from '../core/service.js'
import { routePath } from './call.js'
import { SERVICE_METHOD } from './custom-method.js'
import type { ExposedService } from './exposed.js'
import { type Location, type Locations, toLocation } from './locations.js'
import type { Router } from './router.js'

/** Sets `Allow`, and gives the error for a method that the service lacks or does not expose, as the request names it. */
function methodNotAllowed({ verbs, path }: Location, request: FastifyRequest, reply: FastifyReply): MethodNotAllowed {
  reply.header('allow', verbs.join(', '))
  const verb = request.method === 'HEAD' ? 'GET' : request.method
  const rows = [...methods].filter(([, row]) => row.verb === verb)
  const isHere = ([, row]: (typeof rows)[number]) => endpointsOf(row).some((endpoint) => endpoint.path === path)
  const [name] = rows.find(isHere) ?? rows[0] ?? [request.method]
  const named = verb === custom.verb ? request.headers[SERVICE_METHOD] : undefined
  return withoutStack(() => new MethodNotAllowed(`Method \`${named ?? name}\` is not supported by this endpoint.`))
}

/** Makes an error whose stack says nothing of its cause: V8 takes twice as long for a stack as the rest of the answer takes. */
function withoutStack<T extends Error>(create: () => T): T {
  const { stackTraceLimit } = Error
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return create()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}

/**
 * Makes the function that refuses, before the body is read, the requests that the application's router can't tell
 * apart: 405 for a custom method that is not exposed and for a URL of a more specific service that lacks the method,
 * 400 for an empty id or placeholder, which must not become a call for many records.
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
  const isBehindCustom = !byHeader && definition.verb === custom.verb
  // The router takes what is fixed before a placeholder: nothing is more specific than a path without one.
  const isFixed = placeholders.length === 0 && !entry.path.includes(':')
  let isAlone: boolean | undefined
  return (request, reply) => {
    const isUnknown = isBehindCustom && request.headers[SERVICE_METHOD] !== undefined
    if (isFixed && !isUnknown) return
    const values = request.params as Record<string, string>
    const empty = placeholders.find((one) => !values[one])
    isAlone ??= locations.isAlone(entry, path)
    if (isAlone && empty === undefined && !isUnknown) return
    const isMany = empty !== undefined && methods.has(name)
    // A placeholder may be empty, or another service be more specific.
    const found = locations.at(request.url) ?? toLocation(entry, isMany ? '' : path)
    if (isUnknown || found.entry !== entry || !found.names.includes(name)) throw methodNotAllowed(found, request, reply)
    if (empty === undefined) return
    if (isMany && ![request.originalUrl, request.url].some((url) => hasGap(router.path(url)))) return
    const ofService = placeholdersIn(entry.path).find((one) => values[one] === '')
    const isId = empty === idName(entry.path)
    throw new BadRequest(
      isMany && ofService === undefined
        ? `The id is empty: to ${name} many records, leave the slash out`
        : `The value of ':${ofService ?? (isId ? 'id' : empty)}' in the URL is empty`
    )
  }
}

const hasGap = (path: string) => path.includes('//') || (path.length > 1 && path.endsWith('/'))

/**
 * Answers 405 where the path is that of a service and the method is not. Such a request finds no route, so that every
 * route of the application, registered before or after, comes first; it is answered before its body is read.
 */
export function answerUnsupported(
  root: FastifyInstance,
  locations: Locations,
  answer: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void
): void {
  // After the hooks that come with a request, those of a CORS plugin among them, and before its body.
  root.addHook('preParsing', (request, reply, _payload, done) => {
    const found = request.is404 ? locations.at(request.url) : undefined
    // A verb that the service answers has found no route for another reason, unless it is that of custom methods.
    const isLacking = !found?.verbs.includes(request.method) || request.method === custom.verb
    if (found === undefined || !isLacking) done()
    else answer(methodNotAllowed(found, request, reply), request, reply)
  })
}

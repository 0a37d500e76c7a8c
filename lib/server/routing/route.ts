import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler, RouteOptions } from 'fastify'
import type { Formatter, HookContext, Middleware, ServiceOptions } from '../../../types/fastify.js'
import { readerFor } from '../../core/authentications.js'
import { ServiceError } from '../../core/errors.js'
import { Caller } from '../../core/http-call.js'
import { checkData, statusOf, takesList } from '../../core/methods.js'
import { inspect } from '../../core/options.js'
import { recordRulesOf } from '../../core/resource/method-rules.js'
import type { ServiceMethod } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'
import { restrictSent } from '../../core/unsent-fields.js'
import { runMiddleware } from '../answer/middleware.js'
import { endWithConnection } from '../answer/pipelining.js'
import { createProjector, createResultReader } from '../answer/project.js'
import { createSendResult } from '../answer/reply.js'
import { createPlainSerializer, createSerializer } from '../answer/serializer.js'
import { HandlerTimeout } from '../answer/timeout.js'
import type { errorHandler } from '../errors/error-handler.js'
import { wantsEvents } from '../request/accept.js'
import type { ReadArguments } from '../request/arguments.js'
import { fileRoute, refuseEncoded } from '../request/body.js'
import { type Parse, readQuery } from '../request/query.js'
import { checkQueryRequest, offerQuery, type QueryBounds, readQueryBody, takesQuery } from '../request/query-body.js'
import { guardFlags } from '../request/record-flags.js'
import { requestStateOf } from '../request/request.js'
import { resourceRoute } from '../request/resource-route.js'
import type { Router } from '../request/router.js'
import { validateBatch } from '../request/schema.js'
import { valuesFromData } from './custom-methods.js'
import type { ExposedService } from './exposed.js'
import type { Locations } from './locations.js'
import type { Precedence } from './precedence.js'
import { targetCheck } from './target.js'

/** What the routes of all services have in common. */
export interface Settings {
  readonly parse: Parse
  /** The same, which refuses names of `Object.prototype`: a resource knows no such name. */
  readonly parseStrictly: Parse
  readonly queryBounds: QueryBounds
  readonly formatter: Formatter | undefined
  readonly onError: ReturnType<typeof errorHandler>
  readonly router: Router
  readonly locations: Locations
  readonly precedence: Precedence
}

/** How a method is called: by its verb, by the header that names a custom method, or by QUERY. */
export type RouteForm = 'direct' | 'header' | 'query'

/** A route of a method, without its verb and URL, and with the schema of the method. */
export function toRoute(
  method: ServiceMethod,
  form: RouteForm,
  entry: ExposedService,
  options: ServiceOptions,
  settings: Settings,
  instance: FastifyInstance,
  read: ReadArguments
): Omit<RouteOptions, 'url' | 'method'> {
  const { name, definition } = method
  const byHeader = form === 'header'
  const isQuery = form === 'query'
  const offersQuery = !byHeader && takesQuery(definition, entry)
  const schemaOption = options.schema?.[name]
  const label = `${entry.path || '/'}.${name}`
  const hasBody = byHeader || definition.arguments.includes('data')
  const files = hasBody ? fileRoute(label, schemaOption, instance, settings.parseStrictly) : undefined
  const schema = files?.schema ?? schemaOption
  const resource = resourceRoute(label, schemaOption, entry, instance, isQuery)
  const record = recordRulesOf(options.schema)
  const parse = record === undefined ? settings.parse : settings.parseStrictly
  const guard = record && guardFlags(label, name, schemaOption, record, instance)
  const isBatch = takesList(definition) && schema?.body !== undefined && resource?.checksBody !== true
  const prepare = byHeader ? valuesFromData(method, entry.path) : undefined
  const checks = [
    ...(isQuery ? [readQueryBody(settings.queryBounds)] : []),
    ...(files === undefined ? [] : [files.check]),
    ...(hasBody ? [dataCheck(method, schema?.body !== undefined, prepare)] : []),
    ...(resource?.checks ?? []),
    ...(guard === undefined ? [] : [guard])
  ]
  const before = list(options, 'before', entry.path)
  const check = targetCheck(method, byHeader, entry, settings.locations, settings.router)
  const { foreign } = metaOf(entry.object)
  const sendResult = createSendResult({
    status: statusOf(definition),
    after: list(options, 'after', entry.path),
    formatter: options.formatter ?? settings.formatter,
    serializer:
      schema === undefined ? createPlainSerializer(label) : createSerializer(label, definition, schema, instance),
    read: record && createResultReader(label),
    projectorOf: record && createProjector(label, definition, schema ?? {}, instance, record),
    textType: foreign?.textType
  })
  const { hasSecretAnswers } = metaOf(entry.object)
  // Services of another framework have an authentication of their own, which decides what it reads
  // from a request.
  const isForeign = foreign !== undefined
  const maySend = name === 'update' ? resource?.maySend : undefined
  // An application of Feathers reads bodies as it always did.
  const parsing = [...((hasBody || isQuery) && !isForeign ? [refuseEncoded] : []), ...(files ? [files.read] : [])]
  // A hook of the application may set it for a route.
  let timeout: number | undefined
  return {
    exposeHeadRoute: definition.verb === 'GET' && form === 'direct',
    ...(schema && { schema }),
    ...resource?.compilers,
    ...(options.config && { config: options.config }),
    ...(options.bodyLimit !== undefined && { bodyLimit: options.bodyLimit }),
    ...(options.handlerTimeout !== undefined && { handlerTimeout: options.handlerTimeout }),
    attachValidation: isBatch,
    onRequest(request, reply, done) {
      endWithConnection(request, reply)
      if (hasSecretAnswers) reply.header('cache-control', 'no-store')
      if (offersQuery) offerQuery(reply)
      check(request, reply)
      readQuery(request, parse, settings.router)
      if (isQuery) checkQueryRequest(request)
      done()
    },
    ...(parsing.length > 0 && { preParsing: parsing }),
    ...(checks.length > 0 && { preValidation: checks }),
    ...(isBatch && { preHandler: validateBatch }),
    handler: Object.defineProperty(handler, 'name', { value: label })
  }

  async function handler(request: FastifyRequest, reply: FastifyReply) {
    if (entry.listen !== undefined && name === 'find' && wantsEvents(request, reply))
      return entry.listen(request, reply)
    const caller = new Caller(request, reply.raw)
    timeout ??= Number((request.routeOptions as { handlerTimeout?: number }).handlerTimeout)
    if (timeout > 0) new HandlerTimeout(timeout, caller, request, reply)
    const reader = isForeign ? undefined : readerFor(instance)
    if (reader !== undefined) await reader.readCredentials(request, reply)
    if (before.length > 0) {
      requestStateOf(request).typeBefore = reply.getHeader('content-type') as string | undefined
      if (await runMiddleware(before, request, reply)) return reply
    }
    const context = method.context(read(request, caller)) as HookContext
    caller.context = context
    reply.hook = context
    if (maySend !== undefined) restrictSent(context, maySend)
    try {
      await method.run(context)
    } catch (error) {
      if (caller.isReason(error)) return reply
      // Another answer is on its way, and two end the process.
      if (caller.isGone) await reply
      caller.hasAnswered = true
      throw error
    }
    if (caller.isGone) return reply
    caller.hasAnswered = true
    return sendResult(context, caller, request, reply)
  }
}

// Without a schema the data is checked when the service is called: middleware before it may supply
// the body.
function dataCheck(
  { name }: ServiceMethod,
  hasSchema: boolean,
  prepare: ((request: FastifyRequest) => void) | undefined
): preValidationHookHandler {
  return function checkBody(request, _reply, done) {
    // The form parser returns its error: throwing it there ends the process on some versions of
    // Fastify.
    if (request.body instanceof ServiceError) throw request.body
    prepare?.(request)
    if (hasSchema) checkData(name, request.body)
    done()
  }
}

function list(options: ServiceOptions, name: 'before' | 'after', path: string): readonly Middleware[] {
  const functions = [options[name] ?? []].flat() as Middleware[]
  for (const item of functions)
    if (typeof item !== 'function')
      throw new TypeError(`The option \`${name}\` of the service '${path}' must be functions, got ${inspect(item)}`)
  return functions
}

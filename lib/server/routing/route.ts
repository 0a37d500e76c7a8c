import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  preValidationHookHandler,
  RouteHandlerMethod,
  RouteOptions
} from 'fastify'
import type { Formatter, HookContext, Middleware, ServiceOptions } from '../../../types/fastify.js'
import type { Query } from '../../../types/service.js'
import { type MaySend, restrictSentFields } from '../../core/adapters/update.js'
import { callStateOf } from '../../core/call-state.js'
import { deprecationHeaders, deprecationOf } from '../../core/deprecation.js'
import { addingParameters } from '../../core/description.js'
import { ServiceError } from '../../core/errors.js'
import { Caller } from '../../core/http-call.js'
import { checkData, statusOf, takesList } from '../../core/methods.js'
import { isObject, once } from '../../core/objects.js'
import { inspect } from '../../core/options.js'
import { readerFor } from '../../core/plugin-state.js'
import { requestStateOf, runCallOf, walkOf } from '../../core/request-state.js'
import { recordRulesOf, rulesOf } from '../../core/resource/method-rules.js'
import type { ServiceMethod } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'
import { addLink } from '../answer/headers.js'
import { runMiddleware } from '../answer/middleware.js'
import { createLinkNextPage } from '../answer/next-link.js'
import { endWithConnection } from '../answer/pipelining.js'
import { createProjector, createResultReader } from '../answer/project.js'
import { createSendResult, type SendResult } from '../answer/reply.js'
import { createPlainSerializer, createSerializer } from '../answer/serializer.js'
import { HandlerTimeout } from '../answer/timeout.js'
import type { errorHandler } from '../errors/error-handler.js'
import { wantsEvents } from '../request/accept.js'
import type { ReadArguments } from '../request/arguments.js'
import { fileRoute, hasParsedType, offerPatch, refuseEncoded } from '../request/body.js'
import { createStartWalk } from '../request/cursor.js'
import { refuseUnreadKey } from '../request/idempotency-key.js'
import { type Parse, readQuery } from '../request/query.js'
import { checkQueryRequest, offerQuery, type QueryBounds, readQueryBody, takesQuery } from '../request/query-body.js'
import { resourceRoute } from '../request/resource-route.js'
import type { Router } from '../request/router.js'
import { hasOwnCompiler, validateBatch } from '../request/schema.js'
import { createPlaceholderFiller } from './custom-methods.js'
import type { ExposedService } from './exposed.js'
import { createRefuseMethod } from './method-not-allowed.js'
import type { Precedence } from './precedence.js'
import type { RouteConflicts } from './route-conflicts.js'

/** Settings that the routes of all services share. */
export interface Settings {
  readonly parse: Parse
  /** A parser that refuses names of `Object.prototype`, for resources: no schema has such names. */
  readonly parseStrictly: Parse
  readonly queryBounds: QueryBounds
  readonly formatter: Formatter | undefined
  readonly onError: ReturnType<typeof errorHandler>
  readonly router: Router
  readonly conflicts: RouteConflicts
  readonly precedence: Precedence
}

/** How a method is called: by its verb, by the header that names a custom method, or by QUERY. */
export type RouteForm = 'direct' | 'header' | 'query'

/** A method of a service, and how it is called. */
export interface MethodRoute {
  readonly method: ServiceMethod
  readonly form: RouteForm
  readonly entry: ExposedService
  readonly options: ServiceOptions
  readonly settings: Settings
  readonly instance: FastifyInstance
  readonly readArguments: ReadArguments
}

/** Returns the options of a route without its verb and URL, and with the schema of the method. */
export function toRouteOptions(route: MethodRoute): Omit<RouteOptions, 'url' | 'method'> {
  const { method, form, entry, options, settings, instance } = route
  const { name, definition } = method
  const label = `${entry.path || '/'}.${name}`
  const schemaOption = options.schema?.[name]
  const hasBody = form === 'header' || definition.arguments.includes('data')
  const files = hasBody ? fileRoute(label, schemaOption, instance, settings.parseStrictly) : undefined
  const schema = files?.schema ?? schemaOption
  const resource = resourceRoute(label, schemaOption, entry, instance, form === 'query')
  const isBatch = takesList(definition) && schema?.body !== undefined && resource === undefined
  // The application of another framework reads bodies in its own way.
  const isMounted = metaOf(entry.object).mounted !== undefined
  const preParsing = [
    ...((hasBody || form === 'query') && !isMounted ? [refuseEncoded] : []),
    ...(files ? [files.read] : [])
  ]
  const preValidation = [
    ...(form === 'query' ? [readQueryBody(settings.queryBounds)] : []),
    ...(files === undefined ? [] : [files.check]),
    ...(hasBody ? [createBodyHook(route, schema?.body !== undefined)] : []),
    ...(resource?.checks ?? [])
  ]
  const before = toMiddleware(options, 'before', entry.path)
  const handler = createHandler(route, label, before, createLazySend(route, label, schema), resource?.maySend)
  return {
    exposeHeadRoute: definition.verb === 'GET' && form === 'direct',
    ...(schema && { schema }),
    ...resource?.compilers,
    ...(options.config && { config: options.config }),
    ...(options.bodyLimit !== undefined && { bodyLimit: options.bodyLimit }),
    ...(options.handlerTimeout !== undefined && { handlerTimeout: options.handlerTimeout }),
    attachValidation: isBatch,
    onRequest: createRequestHook(route),
    ...(preParsing.length > 0 && { preParsing }),
    ...(preValidation.length > 0 && { preValidation }),
    ...(isBatch && { preHandler: validateBatch }),
    handler
  }
}

/** Creates the hook that refuses a request, or reads its query, before the body is read. */
function createRequestHook(route: MethodRoute): onRequestHookHandler {
  const { method, form, entry, options, settings } = route
  const { hasSecretAnswers } = metaOf(entry.object)
  const deprecation = deprecationOf(options.deprecated, method.name)
  const deprecated = deprecation && deprecationHeaders(deprecation)
  const parse = recordRulesOf(options.schema) === undefined ? settings.parse : settings.parseStrictly
  const offersQuery = form !== 'header' && takesQuery(method.definition, entry)
  const isList = method.name === 'find' && form === 'direct'
  const startWalk = isList ? createStartWalk(entry.path, entry.object, options.schema?.find) : undefined
  const refuseMethod = createRefuseMethod(method, form === 'header', entry, settings.conflicts, settings.router)
  return function checkRequest(request, reply, done) {
    endWithConnection(request, reply)
    if (hasSecretAnswers) reply.header('cache-control', 'no-store')
    if (deprecated !== undefined) reply.headers(deprecated)
    if (deprecation?.link !== undefined) addLink(reply, `<${deprecation.link}>; rel="deprecation"`)
    if (offersQuery) offerQuery(reply)
    // For an answer of 415.
    if (method.name === 'patch' && !hasParsedType(request)) offerPatch(reply)
    refuseMethod(request, reply)
    if (request.headers['idempotency-key'] !== undefined) refuseUnreadKey(entry, method.name, request.method)
    readQuery(request, parse, settings.router)
    const walk = startWalk?.(request.query as Query)
    if (walk !== undefined) requestStateOf(request).walk = walk
    if (form === 'query') checkQueryRequest(request)
    done()
  }
}

/** Creates the hook that checks a body before its schema does. */
function createBodyHook({ method, form, entry }: MethodRoute, hasSchema: boolean): preValidationHookHandler {
  const fillPlaceholders = form === 'header' ? createPlaceholderFiller(method, entry.path) : undefined
  return function checkBody(request, _reply, done) {
    // The form parser returns its error: throwing it there ends the process on some versions of
    // Fastify.
    if (request.body instanceof ServiceError) throw request.body
    fillPlaceholders?.(request)
    // Without a schema, the call checks its data: middleware before it may supply the body.
    if (hasSchema && !isObject(request.body)) checkData(method.name, request.body)
    done()
  }
}

/**
 * Creates the function that returns `sendResult` of a method. It is made for the first result: an
 * application may have thousands of methods, and calls few.
 */
function createLazySend(
  { method, form, entry, options, settings, instance }: MethodRoute,
  label: string,
  schema: FastifySchema | undefined
): () => SendResult {
  const { definition } = method
  const after = toMiddleware(options, 'after', entry.path)
  // An `onRoute` hook may change the schema of the route.
  const written = { ...schema }
  // Asked now: at its start, Fastify sets a compiler where the application has none.
  const hasCompiler = hasOwnCompiler(written, instance)
  const rules = rulesOf(schema)
  const record = recordRulesOf(options.schema)
  const formatter = options.formatter ?? settings.formatter
  const isList = method.name === 'find' && form === 'direct'
  return once(() => {
    const addsFields = addingParameters(entry, method.name).length > 0
    const projector = record && createProjector(label, definition, rules, record, addsFields)
    return createSendResult({
      status: statusOf(definition),
      after,
      formatter,
      serializer:
        schema === undefined ? createPlainSerializer(label) : createSerializer(label, definition, written, hasCompiler),
      read: record && createResultReader(label),
      projector,
      linkNextPage: isList ? createLinkNextPage(settings.router, projector) : undefined,
      textType: metaOf(entry.object).mounted?.textType
    })
  })
}

/**
 * Creates the handler of a route: middleware, the call of the method, and the reply. Its name is
 * the label, for tracing tools.
 */
function createHandler(
  { method, entry, instance, readArguments }: MethodRoute,
  label: string,
  before: readonly Middleware[],
  sender: () => SendResult,
  bodyFields: MaySend | undefined
) {
  const maySend = method.name === 'update' ? bodyFields : undefined
  // Services of another framework read credentials by themselves.
  const isMounted = metaOf(entry.object).mounted !== undefined
  // Read from the first request: an `onRoute` hook of the application may set it.
  let timeout: number | undefined
  // Redefining `name` costs half a KiB more for each method. Without a prototype, since V8 keeps
  // 1,536 shapes of `{}` and then makes a new one for each object, here and in all other code.
  const handlers: Record<string, unknown> = {
    __proto__: null,
    async [label](request: FastifyRequest, reply: FastifyReply) {
      if (entry.listen !== undefined && method.name === 'find' && wantsEvents(request, reply))
        return entry.listen(request, reply)
      const caller = new Caller(request, reply.raw)
      timeout ??= Number((request.routeOptions as { handlerTimeout?: number }).handlerTimeout)
      if (timeout > 0) new HandlerTimeout(timeout, caller, request, reply)
      const reader = isMounted ? undefined : readerFor(instance)
      const reading = reader?.readCredentials(request, reply)
      if (reading !== undefined) await reading
      if (before.length > 0) {
        requestStateOf(request).typeBefore = reply.getHeader('content-type') as string | undefined
        if (await runMiddleware(before, request, reply)) return reply
      }
      const context = method.context(readArguments(request, caller)) as HookContext
      caller.context = context
      reply.hook = context
      const walk = walkOf(request)
      if (walk !== undefined) callStateOf(context).walk = walk
      if (maySend !== undefined) restrictSentFields(context, maySend)
      try {
        await runCallOf(request.raw, context, method.run)
      } catch (error) {
        if (caller.isReason(error)) return reply
        // Another answer is on its way, and two end the process.
        if (caller.isGone) await reply
        caller.hasAnswered = true
        throw error
      }
      if (caller.isGone) return reply
      caller.hasAnswered = true
      return sender()(context, caller, request, reply)
    }
  }
  return handlers[label] as RouteHandlerMethod
}

// Most services have none, and an application may have thousands.
const noMiddleware: readonly Middleware[] = []

function toMiddleware(options: ServiceOptions, name: 'before' | 'after', path: string): readonly Middleware[] {
  const option = options[name] ?? noMiddleware
  if (option === noMiddleware) return noMiddleware
  const functions = [option].flat() as Middleware[]
  for (const item of functions)
    if (typeof item !== 'function')
      throw new TypeError(`The option \`${name}\` of the service '${path}' must be functions, got ${inspect(item)}`)
  return functions
}

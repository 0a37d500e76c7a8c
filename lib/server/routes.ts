import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Formatter, HookContext, Middleware, ServiceOptions } from '../../types/fastify.js'
import { Caller } from '../core/caller.js'
import { authenticationFor, type WithAuthentications } from '../core/credentials.js'
import { type Endpoint, endpointsOf } from '../core/endpoints.js'
import { withMark } from '../core/route-mark.js'
import type { ServiceMethod } from '../core/service.js'
import { createAnswer } from './answer.js'
import { registerBodyParsers } from './body.js'
import { argumentsAt, type ReadArguments, routePath } from './call.js'
import { constraintsOf } from './custom-method.js'
import { bodyHooks } from './data-check.js'
import { startDeadline } from './deadline.js'
import type { errorHandler } from './error-handler.js'
import type { ExposedService } from './exposed.js'
import type { Locations } from './locations.js'
import { runMiddleware } from './middleware.js'
import { endWithConnection } from './pipeline.js'
import type { Precedence } from './precedence.js'
import { type Parse, readQuery } from './query.js'
import { applyContext } from './reply.js'
import { resourceRoute } from './resource.js'
import type { Router } from './router.js'
import { routeSchema, validateBatch } from './schema.js'
import { createSerializer, stringify } from './serializer.js'
import { targetCheck } from './target.js'

/** What the routes of all services have in common. */
export interface Settings {
  readonly parse: Parse
  readonly formatter: Formatter | undefined
  readonly onError: ReturnType<typeof errorHandler>
  readonly router: Router
  readonly locations: Locations
  readonly precedence: Precedence
}

/**
 * Registers the routes of one service, in an instance of their own: its parsers, hooks and error handler do not affect
 * the application. A route that the application has at one of the URLs stays.
 */
export async function registerRoutes(
  instance: FastifyInstance,
  entry: ExposedService,
  options: ServiceOptions,
  settings: Settings
): Promise<void> {
  // Fastify starts and closes instances that have nothing to wait for one within the other: 2,500 of them overflow the stack.
  instance.addHook('onReady', async () => {}).addHook('preClose', async () => {})
  await registerBodyParsers(instance, settings.parse)
  instance.setErrorHandler(settings.onError)
  const readerOf = argumentsAt(entry.path)
  for (const name of entry.exposed) {
    const method = entry.methods.get(name) as ServiceMethod
    const read = readerOf(method.definition)
    for (const byHeader of [false, true]) {
      const endpoints = endpointsOf(method.definition).filter((endpoint) => endpoint.byHeader === byHeader)
      if (endpoints.length === 0) continue
      const route = {
        ...toRoute(method, byHeader, entry, options, settings, instance, read),
        ...(byHeader && { constraints: constraintsOf(name, instance) })
      }
      // What has no endpoint is the same as another route.
      const add = (verb: string, url: string, endpoint?: Endpoint) => {
        // OpenAPI has room for one POST at a path, and the path with a slash behind it is no other resource.
        const schema = byHeader || endpoint === undefined ? { ...route.schema, hide: true } : route.schema
        const added = { ...route, ...(schema && { schema }), method: verb, url, prefixTrailingSlash: 'slash' as const }
        settings.precedence.add(instance, withMark(added, { entry, name, endpoint }))
      }
      const isRoot = instance.prefix === ''
      // The router finds the route of a record for an empty id too.
      const hasSlash = isRoot || (method.definition.id !== 'optional' && !settings.router.options.ignoreTrailingSlash)
      for (const endpoint of endpoints) {
        const { verb, path } = endpoint
        if (path !== '') add(verb, `/${routePath(entry.path, path)}`, endpoint)
        if (path === '' && !isRoot) add(verb, '', endpoint)
        if (path === '' && hasSlash) add(verb, '/', isRoot ? endpoint : undefined)
      }
    }
  }
}

function toRoute(
  method: ServiceMethod,
  byHeader: boolean,
  entry: ExposedService,
  options: ServiceOptions,
  settings: Settings,
  instance: FastifyInstance,
  read: ReadArguments
): Omit<RouteOptions, 'url' | 'method'> {
  const { name, definition } = method
  const schema = options.schema?.[name]
  const resource = resourceRoute(schema, instance)
  const isBatch = definition.batch && schema?.body !== undefined && resource === undefined
  const before = list(options.before)
  const check = targetCheck(method, byHeader, entry, settings.locations, settings.router)
  const answer = createAnswer(
    list(options.after),
    options.formatter ?? settings.formatter,
    schema === undefined ? stringify : createSerializer(definition, schema, instance)
  )
  // A hook of the application may set it for a route.
  let timeout: number | undefined
  return {
    exposeHeadRoute: definition.verb === 'GET' && !byHeader,
    ...(schema && { schema: routeSchema(definition, schema, instance) }),
    ...resource?.compilers,
    ...(options.config && { config: options.config }),
    ...(options.bodyLimit !== undefined && { bodyLimit: options.bodyLimit }),
    ...(options.handlerTimeout !== undefined && { handlerTimeout: options.handlerTimeout }),
    attachValidation: isBatch,
    onRequest(request, reply, done) {
      endWithConnection(request, reply)
      check(request, reply)
      readQuery(request, settings.parse, settings.router)
      done()
    },
    preValidation: [...bodyHooks(method, byHeader, entry, schema?.body !== undefined), ...(resource?.checks ?? [])],
    ...(isBatch && { preHandler: validateBatch }),
    async handler(request, reply) {
      const caller = new Caller(request, reply.raw)
      timeout ??= Number((request.routeOptions as { handlerTimeout?: number }).handlerTimeout)
      if (timeout > 0) startDeadline(timeout, caller, request, reply)
      const authentication = authenticationFor(instance as WithAuthentications)
      if (authentication !== undefined) await authentication.readCredentials(request)
      if (before.length > 0 && (await runMiddleware(before, request, reply))) return reply
      const context = method.context(read(request, caller)) as HookContext
      caller.context = context
      reply.hook = context
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
      applyContext(context, definition.status, reply)
      return answer(context, caller, request, reply)
    }
  }
}

function list(middleware: ServiceOptions['before'] = []): readonly Middleware[] {
  const functions = [middleware].flat() as Middleware[]
  for (const item of functions)
    if (typeof item !== 'function')
      throw new TypeError('Middleware of a service is a function: see its options `before` and `after`')
  return functions
}

import type { FastifyInstance } from 'fastify'
import type { ServiceOptions } from '../../../types/fastify.js'
import { answersMany, withMark } from '../../core/description.js'
import type { Endpoint } from '../../core/methods.js'
import { placeholdersIn } from '../../core/path.js'
import { recordRulesOf, rulesOf } from '../../core/resource/method-rules.js'
import type { ServiceMethod } from '../../core/service.js'
import { metaOf } from '../../core/service-meta.js'
import { redactErrors } from '../answer/project.js'
import { createRecordView } from '../answer/record-view.js'
import { argumentsAt, routePath } from '../request/arguments.js'
import { registerBodyParsers } from '../request/body.js'
import { queryVerb, serverEndpoints } from '../request/query-body.js'
import { checkMethodFlags, checkRecordFlags } from '../request/record-flags.js'
import { routeSchemas } from '../request/schema.js'
import { headerConstraint } from './custom-methods.js'
import type { ExposedService } from './exposed.js'
import { registerForwarding } from './forward.js'
import { createMethodNotAllowedHook } from './method-not-allowed.js'
import { type MethodRoute, type RouteForm, type Settings, toRouteOptions } from './route.js'

/**
 * Registers the routes of one service, in an instance of their own: its parsers, hooks and error
 * handler do not affect the application. A route that the application has at one of the URLs stays.
 */
export function registerRoutes(
  instance: FastifyInstance,
  entry: ExposedService,
  options: ServiceOptions,
  settings: Settings
): void {
  // Fastify starts and closes instances that have nothing to wait for one within the other: 2,500
  // of them overflow the stack.
  instance.addHook('onReady', wait).addHook('preClose', wait)
  const record = recordRulesOf(options.schema)
  instance.setErrorHandler(record === undefined ? settings.onError : redactErrors(settings.onError, record))
  const forwarder = metaOf(entry.object).mounted?.forwarder
  if (forwarder !== undefined) {
    const urls = [instance.prefix === '' ? '/' : '', '/*']
    const refuse = createMethodNotAllowedHook(settings.conflicts, settings.onError)
    registerForwarding(instance, urls, forwarder, settings.precedence, refuse)
    return
  }
  if (record !== undefined) checkRecordFlags(entry.path, record)
  metaOf(entry.service).view = createRecordView(entry.path, options.schema?.get, record, instance)
  registerBodyParsers(instance, record === undefined ? settings.parse : settings.parseStrictly)
  const readerOf = argumentsAt(entry.path)
  for (const name of entry.exposed) {
    const method = entry.methods.get(name) as ServiceMethod
    const rules = rulesOf(options.schema?.[name])
    if (rules !== undefined) checkMethodFlags(`${entry.path || '/'}.${name}`, rules)
    const readArguments = readerOf(method.definition)
    for (const form of ['direct', 'header', 'query'] as const)
      addMethodRoutes({ method, form, entry, options, settings, instance, readArguments })
  }
}

const wait = async () => {}

/** Adds the routes of one form of a method: one for each of its endpoints. */
function addMethodRoutes(route: MethodRoute): void {
  const { method, form, entry, options, settings, instance } = route
  const { name, definition } = method
  const endpoints = serverEndpoints(definition, entry).filter((endpoint) => formOf(endpoint) === form)
  if (endpoints.length === 0) return
  const routeOptions = {
    ...toRouteOptions(route),
    ...(form === 'header' && { constraints: headerConstraint(name, instance) })
  }
  const isMany = answersMany(entry.object, name, options.schema?.[name])
  const schemaOf = routeSchemas(definition, routeOptions.schema, instance)
  for (const endpoint of endpoints) {
    const { verb, path } = endpoint
    const endpointSchema = schemaOf(isMany && !placeholdersIn(path).includes('id'))
    // OpenAPI has room for one POST at a path, and 3.1 has no QUERY.
    const schema = form === 'direct' ? endpointSchema : { ...endpointSchema, hide: true }
    const url = path === '' && instance.prefix !== '' ? '' : `/${routePath(entry.path, path)}`
    const added = {
      ...routeOptions,
      ...(schema && { schema }),
      method: verb,
      url,
      prefixTrailingSlash: 'slash' as const
    }
    settings.precedence.add(instance, withMark(added, { entry, name, endpoint, shared: () => instance.getSchemas() }))
  }
}

const formOf = ({ byHeader, verb }: Endpoint): RouteForm =>
  byHeader ? 'header' : verb === queryVerb ? 'query' : 'direct'

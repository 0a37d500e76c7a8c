import type { FastifyInstance } from 'fastify'
import type { ServiceOptions } from '../../types/fastify.js'
import { endpointsOf } from '../core/endpoints.js'
import type { ServiceMethod } from '../core/service.js'
import { registerBodyParsers } from './body.js'
import { argumentsAt, routePath } from './call.js'
import { constraintsOf } from './custom-method.js'
import type { ExposedService } from './exposed.js'
import { type Settings, toRoute } from './route.js'

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
      const add = (method: string, url: string, isShown: boolean) => {
        const schema = isShown ? route.schema : { ...route.schema, hide: true }
        settings.precedence.add(instance, {
          ...{ ...route, method, url, prefixTrailingSlash: 'slash' },
          ...(schema && { schema })
        })
      }
      const isRoot = instance.prefix === ''
      // The router finds the route of a record for an empty id too.
      const hasSlash = isRoot || (method.definition.id !== 'optional' && !settings.router.options.ignoreTrailingSlash)
      for (const { verb, path } of endpoints) {
        if (path !== '') add(verb, `/${routePath(entry.path, path)}`, true)
        // OpenAPI has room for one POST at a path, and the path with a slash behind it is no other resource.
        if (path === '' && !isRoot) add(verb, '', !byHeader)
        if (path === '' && hasSlash) add(verb, '/', !byHeader && isRoot)
      }
    }
  }
  // Behind the routes, whose traces have the name of the instance: plugins in it are added to that name.
  await registerBodyParsers(instance, settings.parse)
}

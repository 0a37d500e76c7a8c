import { feathers } from '@feathersjs/feathers'
import type { FastifyInstance } from 'fastify'
import type { ServiceOptions } from 'fastify-services'
import mounted from 'fastify-services/feathers'
import { remember } from './waiting.js'

/**
 * An instance on which services are those of a Feathers application, which is mounted. What has no counterpart there is left out:
 * middleware, formatters, schemas.
 */
export async function mountedHost(app: FastifyInstance): Promise<{ host: FastifyInstance }> {
  // biome-ignore lint/suspicious/noExplicitAny: services of any kind
  const theirs = feathers<any>()
  app.addHook('preHandler', remember)
  await app.register(mounted, { app: theirs })
  const service = (path: string, object: object, { methods, hooks = {}, before, ...others }: ServiceOptions = {}) => {
    if (Object.keys(others).length > 0 || (before !== undefined && before !== remember)) return undefined
    theirs.use(path, object, methods ? { methods: [...methods] } : {})
    return theirs.service(path).hooks(hooks as object)
  }
  // In an object: an instance is a promise of itself.
  return { host: Object.create(app, { service: { value: service } }) }
}

import type { FastifyInstance } from 'fastify'
import { authentication, type WithAuthentication } from '../core/credentials.js'
import type { AuthenticationService } from './service.js'

const services = new WeakMap<object, AuthenticationService>()

/** Whether a registered service is an authentication service. */
export const isAuthentication = (registered: unknown) => services.has(Object(registered))

/**
 * Makes an authentication service findable: by name, and as that of its instance, where it is the first one. The first of all stands
 * for the rest of the application too.
 */
export function register(app: FastifyInstance, registered: object, service: AuthenticationService): void {
  services.set(registered, service)
  let top = app
  while (Object.getPrototypeOf(top).service !== undefined) top = Object.getPrototypeOf(top)
  for (const instance of [app, top] as WithAuthentication[])
    if (!Object.hasOwn(instance, authentication)) instance[authentication] = service
}

/**
 * The authentication service of an instance, or the one of a name.
 * @throws when there is none
 */
export function authenticationOf(instance: unknown, name?: string): AuthenticationService {
  const app = instance as FastifyInstance & WithAuthentication
  if (name === undefined) {
    const service = app?.[authentication]
    if (service !== undefined) return service as AuthenticationService
    throw new Error('There is no authentication here: register the plugin fastify-services/authentication')
  }
  const service = services.get(app.service(name))
  if (service !== undefined) return service
  throw new Error(
    `The service '${name}' is no authentication service: name one that fastify-services/authentication has registered`
  )
}

import type { FastifyInstance } from 'fastify'
import { authentication, type WithAuthentication } from '../core/credentials.js'
import type { AuthenticationService } from './service.js'

const own = Symbol('own')
type Instance = FastifyInstance & WithAuthentication & { [own]?: AuthenticationService }

const services = new WeakMap<object, AuthenticationService>()
const ofApplication = new WeakMap<object, AuthenticationService[]>()

/** Whether a registered service is an authentication service. */
export const isAuthentication = (registered: unknown) => services.has(Object(registered))

// The outermost instance that has services.
function topOf(app: FastifyInstance): Instance {
  let top = app
  while (Object.getPrototypeOf(top)?.service !== undefined) top = Object.getPrototypeOf(top)
  return top
}

/** The only authentication service of an application stands for its other instances too; one of several does not. */
function onlyOne(app: FastifyInstance): AuthenticationService | undefined {
  const [first, ...more] = ofApplication.get(topOf(app)) ?? []
  return more.length === 0 ? first : undefined
}

/** Makes an authentication service findable: by name, and as that of its instance and those below, where it is the first one there. */
export function registerAuthentication(app: FastifyInstance, registered: object, service: AuthenticationService): void {
  const [instance, top] = [app as Instance, topOf(app)]
  services.set(registered, service)
  ofApplication.set(top, [...(ofApplication.get(top) ?? []), service])
  if (!Object.hasOwn(instance, own)) Object.assign(instance, { [own]: service, [authentication]: service })
  app.addHook('onReady', async () => {
    const only = onlyOne(app)
    if (top[own] === undefined && only !== undefined) top[authentication] = only
  })
}

/**
 * An authentication service of the application: that of the instance, or any, for what all of them do in the same way.
 * @throws when there is none
 */
export function anyAuthenticationOf(instance: unknown): AuthenticationService {
  const app = instance as Instance
  const service = app[own] ?? ofApplication.get(topOf(app))?.[0]
  if (service !== undefined) return service
  throw new Error(nowhere)
}

const nowhere = 'There is no authentication here: register the plugin fastify-services/authentication'

/**
 * The authentication service of an instance, or the one of a name.
 * @throws when there is none
 */
export function authenticationOf(instance: unknown, name?: string): AuthenticationService {
  const app = instance as Instance
  if (name !== undefined) {
    if (!app.hasDecorator('service')) throw new Error(nowhere)
    const service = services.get(app.service(name))
    if (service !== undefined) return service
    throw new Error(
      `The service '${name}' is no authentication service: name one that fastify-services/authentication has registered`
    )
  }
  const service = app[own] ?? onlyOne(app)
  if (service !== undefined) return service
  throw new Error(
    ofApplication.has(topOf(app))
      ? 'There are several authentication services, and none of them is for this instance: name one, as in authenticate({ service, strategies })'
      : nowhere
  )
}

import { define } from '../core/facade.js'
import { isViewOf, noteLogin, withoutOtherLogins } from '../core/logins.js'
import { definitionOf } from '../core/methods.js'
import { factsOf } from '../core/object-facts.js'
import { isObject } from '../core/objects.js'
import type { FeathersService, Mounted } from './mounted.js'
import { authenticates } from './parse-authentication.js'

type Function = (...args: unknown[]) => unknown

/**
 * Makes the logins of an application count for its services alone, and no others there. Its guards
 * let in whoever is authenticated already, so the params that hooks hand from one service to
 * another must not bring the login of another authentication.
 * @param hasAuthentication whether the application has one. Where it has none, a user of ours is
 * the only one that there is
 */
export function separateLogins(service: FeathersService, application: Mounted, hasAuthentication: () => boolean): void {
  // An application may be mounted on several servers.
  const facts = factsOf(service)
  if (facts.hasOwnLogins) return
  facts.hasOwnLogins = true
  for (const name of Object.getOwnPropertyNames(service)) {
    const method = service[name]
    if (typeof method !== 'function' || !('createContext' in method)) continue
    const index = definitionOf(name).arguments.indexOf('params')
    replace(service, name, (method, self, args) => {
      const params = args[index]
      if (!isObject(params) || isViewOf(params, { service, method: name, id: args[0] }))
        return Reflect.apply(method, self, args)
      const rest = withoutOtherLogins(params, application)
      return Reflect.apply(method, self, rest === params || !hasAuthentication() ? args : args.with(index, rest))
    })
  }
  if (!authenticates(service)) return
  replace(service, 'authenticate', async (method, self, args) => {
    const [request, params, ...strategies] = args
    if (!isObject(params)) return Reflect.apply(method, self, args)
    // `authenticate` says that the caller is authenticated before it knows, for its own guards:
    // hooks of its users may hand that on.
    const meanwhile = noteLogin(params, { maker: application, values: { authenticated: true } })
    const result = await Reflect.apply(method, self, [request, { ...params, ...meanwhile }, ...strategies])
    if (!isObject(result)) return result
    const { accessToken, ...values } = result
    const login = noteLogin(params, { maker: application, values: { ...values, authenticated: true } })
    // A guard of theirs adds the result to the params of a call. It asks without a provider, as a
    // login over HTTP does not.
    return 'provider' in params ? result : { ...result, ...login }
  })
}

/** Puts something else in place of a method of a service. What else the function is, it stays. */
function replace(
  service: FeathersService,
  name: string,
  apply: (method: Function, self: unknown, args: unknown[]) => unknown
): void {
  define(service, name, new Proxy(service[name] as Function, { apply }))
}

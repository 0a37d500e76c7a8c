import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { attempt } from '../core/errors.js'
import { type AnyMethod, define } from '../core/facade.js'
import { callerIn } from '../core/http-call.js'
import { isViewOf, loginsOf, noteLogin, withoutNamesOfLogins, withoutOtherLogins } from '../core/logins.js'
import { definitionOf } from '../core/methods.js'
import { isObject } from '../core/objects.js'
import { inspectText } from '../core/options.js'
import {
  type Authentication,
  authenticationFor,
  guardAdvice,
  type MountedReader,
  pluginState
} from '../core/plugin-state.js'
import { metaOf } from '../core/service-meta.js'
import type { FeathersService, MountedApplication, MountedAuthentication } from './mounted.js'

/** The option of `rest({ authentication })` of a Feathers application. */
export interface AuthenticationSettings {
  /** The path of its authentication service. Default: the default one of the application. */
  service?: string
  /** The strategies that read the headers of requests. Default: the settings of that service. */
  strategies?: readonly string[]
}

export type FeathersCredentials = ReturnType<typeof createCredentials>

/**
 * Reads `params.authentication` from requests, as `parseAuthentication` of the REST transports of
 * Feathers does.
 */
export function createCredentials(application: MountedApplication, settings: AuthenticationSettings) {
  let found: MountedAuthentication | null | undefined
  const find = () => {
    // The application asks all services for their settings.
    found ??= application.defaultAuthentication?.(settings.service)
    return found
  }
  return {
    /** Returns whether the application has an authentication service. */
    isThere: (): boolean => Boolean(find()),

    async readCredentials(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const service = find()
      if (!service) return
      const { parseStrategies, authStrategies = [] } = service.configuration
      const strategies = settings.strategies ?? parseStrategies ?? authStrategies
      const authentication = await service.parse(request.raw, reply.raw, ...strategies)
      if (authentication) request.feathers.authentication = authentication
    },

    /** @throws if the service that the settings name does not authenticate */
    check(): void {
      const { service: path } = settings
      if (path === undefined || isAuthenticationService(attempt(find))) return
      const services = Object.entries(application.services).filter(([, service]) => isAuthenticationService(service))
      throw new Error(
        `The option \`authentication.service\` of fastify-services/feathers must name an authentication service of the application, got ${inspectText(path)}. There are: ${services.map(([name]) => `'${name}'`).join(', ') || 'none'}`
      )
    }
  } satisfies MountedReader & Record<string, unknown>
}

const isAuthenticationService = (service: unknown): boolean =>
  Boolean(Object(service).parse && Object(service).configuration)

/**
 * Removes logins of other authentications from the params of a call over HTTP: the guards of the
 * application let in every caller that is authenticated already. Credentials that its own
 * strategies have read stay, and so does a user who logs in at another authentication, for the
 * answer to that.
 */
export function removeOtherLogins(context: HookContext, application: MountedApplication): void {
  if (isViewOf(context.params, context)) return
  // The caller can be noted only on extensible params.
  if (!Object.isExtensible(context.params)) context.params = { ...context.params }
  const request = callerIn(context.params)?.request as FastifyRequest
  context.params = withoutLogins(context.params, request, application)
}

/**
 * Returns the params that hooks of Fastify have put on `request.feathers`, without logins of other
 * authentications.
 */
export const paramsFromHooks = (request: FastifyRequest, application: MountedApplication): Params => ({
  ...withoutLogins(request.feathers, request, application)
})

function withoutLogins(params: Params, request: FastifyRequest, application: MountedApplication): Params {
  const logins = loginsOf(request).filter(({ maker }) => maker !== application)
  if (logins.length === 0) return params
  const rest: Params = withoutNamesOfLogins(params, logins)
  const { authentication } = request.feathers
  const isRead = authentication !== undefined && logins.every(({ values }) => values.authentication !== authentication)
  return isRead ? Object.assign(rest, { authentication }) : rest
}

/**
 * Restricts the logins of an application to its own services, and keeps other logins out of them.
 * Its guards let in every caller that is authenticated already, so params that hooks pass from one
 * service to another must not bring the login of another authentication.
 * @param hasAuthentication whether the application has an authentication. If not, a user of ours is
 * the only one
 */
export function separateLogins(
  service: FeathersService,
  application: MountedApplication,
  hasAuthentication: () => boolean
): void {
  // An application may be mounted again when its server has closed.
  const meta = metaOf(service)
  if (meta.hasOwnLogins) return
  meta.hasOwnLogins = true
  for (const name of Object.getOwnPropertyNames(service)) {
    const method = service[name]
    if (typeof method !== 'function' || !('createContext' in method)) continue
    const index = definitionOf(name).arguments.indexOf('params')
    replaceMethod(service, name, (method, self, args) => {
      const params = args[index]
      if (!isObject(params) || isViewOf(params, { service, method: name, id: args[0] }))
        return Reflect.apply(method, self, args)
      const rest = withoutOtherLogins(params, application)
      return Reflect.apply(method, self, rest === params || !hasAuthentication() ? args : args.with(index, rest))
    })
  }
  if (isAuthenticationService(service)) noteLoginsOf(service, application)
}

/** Marks the params and the results of `authenticate` with the login. */
function noteLoginsOf(service: FeathersService, application: MountedApplication): void {
  replaceMethod(service, 'authenticate', async (method, self, args) => {
    const [request, params, ...strategies] = args
    if (!isObject(params)) return Reflect.apply(method, self, args)
    // `authenticate` marks the caller as authenticated before it knows, for its own guards: hooks
    // of its users may pass that on.
    const pending = noteLogin(params, { maker: application, values: { authenticated: true } })
    const result = await Reflect.apply(method, self, [request, { ...params, ...pending }, ...strategies])
    if (!isObject(result)) return result
    const { accessToken, ...values } = result
    const login = noteLogin(params, { maker: application, values: { ...values, authenticated: true } })
    // A guard of the application adds the result to the params of a call. It calls without a
    // provider, and a login over HTTP has one.
    return 'provider' in params ? result : { ...result, ...login }
  })
}

function replaceMethod(
  service: FeathersService,
  name: string,
  apply: (method: AnyMethod, self: unknown, args: unknown[]) => unknown
): void {
  define(service, name, new Proxy(service[name] as AnyMethod, { apply }))
}

/** The members of an authentication service that helpers of Feathers use. */
interface FeathersAuthentication {
  getStrategies(...names: string[]): { hashPassword(password: string, params?: object): Promise<string> }[]
  getStrategy(name: string): { hashPassword(password: string, params?: object): Promise<string> }
  authenticate(): never
}

/**
 * Returns the authentication service of an instance, or the one at a path, for the helpers of
 * Feathers that hash passwords. `undefined` if there is none.
 */
export function authenticationIn(host: FastifyInstance, path: string | undefined): FeathersAuthentication | undefined {
  const all = pluginState(host).authentications ?? []
  const service = path === undefined ? undefined : attempt((): unknown => host.service(path))
  const match =
    path === undefined
      ? (authenticationFor(host) ?? all[0])
      : all.find((authentication) => authentication.service === service)
  return match && toFeathersAuthentication(match)
}

function toFeathersAuthentication({ strategyNames, hashPassword }: Authentication): FeathersAuthentication {
  const strategy = { hashPassword: (password: string, params = {}) => hashPassword(password, params) }
  return {
    getStrategies: (...names) => names.filter((name) => strategyNames.includes(name)).map(() => strategy),
    getStrategy(name) {
      if (strategyNames.includes(name)) return strategy
      throw new Error(`There is no strategy '${name}' to hash passwords. There are: ${strategyNames.join(', ')}`)
    },
    authenticate() {
      throw new Error(`This guard is that of @feathersjs/authentication. ${guardAdvice}`)
    }
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AroundHook, HookContext, HookType, NextFunction } from '../../types/hooks.js'
import type { Identified } from '../../types/identity.js'
import type { Params } from '../../types/service.js'
import { challengeOf } from '../core/challenge.js'
import { type Describable, hooksAround } from '../core/description.js'
import { toServiceError } from '../core/errors.js'
import { define } from '../core/facade.js'
import { forbidAsHook, type HookPosition, traitsOf, withTraits } from '../core/hooks.js'
import { Caller, type Carrier, caller } from '../core/http-call.js'
import { isObject } from '../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import type { PossibleCall } from '../core/possible-call.js'
import { isForLogins } from '../core/service-meta.js'
import type { Credentials } from './credentials.js'
import { authenticationOf, isAuthentication } from './lookup.js'

/** Options of `authenticate`. */
export interface AuthenticateOptions {
  /**
   * The path of an authentication service. Default: the one that is responsible for the instance.
   */
  service?: string
  /** The names of the strategies. One of them must accept the caller. */
  strategies: readonly string[]
}

const authenticateOptions: OptionTable<AuthenticateOptions> = { service: kinds.filled, strategies: kinds.free }

/** The members of a hook context that a guard reads and writes. */
export interface GuardContext {
  readonly app: unknown
  readonly service?: unknown
  readonly method?: unknown
  readonly id?: unknown
  type: HookType
  params: Params
}

/** A guard: a hook of a service, and a hook of any route. */
export interface Guard {
  (context: GuardContext, next?: NextFunction): Promise<void>
  (request: FastifyRequest, reply: FastifyReply): Promise<void>
}

declare module 'fastify' {
  // Inherited properties: the type that another plugin or the application declares takes
  // precedence.
  interface FastifyRequest extends Identified {}
}

/**
 * Creates a guard that lets in callers whom one of the strategies accepts
 * (docs/authentication.md#guards). As a hook of a service it sets `params.user`,
 * `params.authentication` and `params.authenticated`; a call of the server itself needs no
 * credentials. As a `preHandler` (or `onRequest`) of a route it sets `request.user` and
 * `request.feathers`.
 *
 * @returns a function for both; it throws NotAuthenticated for all other callers
 * @throws when no strategy is named, or an option is not known; when the server starts, if the
 * service or the strategy does not exist
 * @example
 * app.service('messages').hooks({ around: { all: [authenticate('jwt')] } })
 * app.get('/me', { preHandler: authenticate('jwt', 'apiKey') }, (request) => request.user)
 * authenticate({ service: 'v1/authentication', strategies: ['jwt'] })
 */
export function authenticate(...strategies: [string, ...string[]]): Guard
export function authenticate(options: AuthenticateOptions): Guard
export function authenticate(...settings: [AuthenticateOptions] | string[]): Guard {
  const { service, strategies } = readSettings(settings)

  function guard(context: GuardContext, next?: NextFunction): Promise<void>
  function guard(request: FastifyRequest, reply: FastifyReply): Promise<void>
  async function guard(
    subject: GuardContext | FastifyRequest,
    nextOrReply?: NextFunction | FastifyReply
  ): Promise<void> {
    // A route passes its reply, a service a function or nothing. The subject itself decides
    // nothing, because hooks may add properties to a context.
    if (isReply(nextOrReply)) return guardRoute(subject as FastifyRequest, nextOrReply, service, strategies)
    const context = subject as GuardContext
    const { service: called, method, id } = context
    const guarded = { service: called, method, id, call: context }
    context.params = await authenticationOf(context.app, service).check(context.params, strategies, guarded)
    await nextOrReply?.()
  }

  function check({ app, path, service: guarded, type }: HookPosition): void {
    if (type === 'after' || type === 'error')
      throw new Error(`authenticate at '${path}' is a hook for 'before' or 'around', not for '${type}'`)
    const asker = `authenticate('${strategies.join("', '")}') at '${path}'`
    const available = authenticationOf(app, service, asker).authenticator.strategyNames
    const unknown = strategies.find((name) => !available.includes(name))
    if (unknown !== undefined)
      throw new Error(
        `authenticate('${unknown}') at '${path}': there is no such strategy. Enabled: ${available.join(', ')}`
      )
    if (isAuthentication(app, guarded))
      throw new Error(
        `authenticate('${strategies.join("', '")}') guards the authentication service '${path}', where logins come without a token: remove it`
      )
  }

  const security = ({ app }: HookPosition) => authenticationOf(app, service).securitySchemes(strategies)
  const judge = (call: PossibleCall) => judgeLogin(call, guard, authenticationOf(call.context.app, service), strategies)
  return withTraits(guard, { check, security, judge })
}

forbidAsHook(authenticate, "authenticate('jwt')")

/** Lets the caller of a call in as the guard would. The rules within it get the same user. */
async function judgeLogin(
  call: PossibleCall,
  guard: object,
  credentials: Credentials,
  strategies: readonly string[]
): Promise<true> {
  const { context } = call
  const { service, params } = context
  const check = (call: HookContext) => credentials.check(params, strategies, { service, call })
  context.params = (await call.ask(guard, check)) ?? params
  return true
}

/** @throws when no strategy is named, or an option is not known */
function readSettings(settings: [AuthenticateOptions] | string[]): AuthenticateOptions {
  const [first] = settings
  // Fastify would call `authenticate` itself, if it was added as a hook, with a request and a
  // reply.
  const options = isObject(first) && settings.length === 1 ? (first as unknown as AuthenticateOptions) : undefined
  if (options !== undefined) checkOptions('authenticate()', authenticateOptions, options)
  const strategies: readonly unknown[] = options === undefined ? settings : options.strategies
  if (!isListOfNames(strategies))
    throw new Error(
      "authenticate needs the name of a strategy: authenticate('jwt'), or { service, strategies: ['jwt'] }"
    )
  return { strategies, ...(options?.service !== undefined && { service: options.service }) }
}

async function guardRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  service: string | undefined,
  strategies: readonly string[]
): Promise<void> {
  const credentials = authenticationOf(request.server, service)
  const { token } = new Caller(request, reply.raw)
  const params: Params & Carrier = { ...request.feathers, [caller]: token, provider: 'rest' }
  try {
    // Hooks may use `request.feathers` after the request has ended, so the request itself is left
    // out of it.
    const { provider, [caller]: _, ...result } = await credentials.check(params, strategies, { call: request })
    request.feathers = result
    const { name } = credentials.authenticator.entities
    if (name !== null) define(request, name, result[name])
  } catch (error) {
    if (toServiceError(error).code === 401) reply.header('www-authenticate', challengeOf(error))
    throw error
  }
}

const isReply = (value: NextFunction | FastifyReply | undefined): value is FastifyReply =>
  typeof value === 'object' && value !== null

const isListOfNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '')

/** The options `guard` and `public` of the plugin. */
interface DefaultGuardOptions {
  readonly credentials: Credentials
  /** The names of the strategies. One of them must accept the caller. */
  readonly strategies: readonly string[]
  /** The names of services, and of methods of services, that need no login. */
  readonly publicNames: readonly string[]
}

/**
 * Guards each service of an instance, also services that are registered later and those of mounted
 * applications. Exceptions are public methods, methods with a guard of their own, and
 * authentication services.
 */
export function guardByDefault(
  app: FastifyInstance,
  { credentials, strategies, publicNames }: DefaultGuardOptions
): void {
  const host = serviceHostOf(app)
  // By path and method, as soon as the server is ready.
  const guarded = new Map<string, boolean>()

  function isGuarded(path: string, method: string): boolean {
    const key = `${path} ${method}`
    const known = guarded.get(key)
    if (known !== undefined) return known
    const entry = host.entryAt(path) as Describable
    const result = isWithin(app, entry.app) && !isOpen(entry, method)
    if (host.isReady) guarded.set(key, result)
    return result
  }

  function isOpen(entry: Describable, method: string): boolean {
    if (isForLogins(entry.service)) return true
    const isPublic = publicNames.some((name) =>
      possiblePaths(app, name).some((path) => path === entry.path || path === `${entry.path}.${method}`)
    )
    return isPublic || hooksAround(entry, method, ['around', 'before']).some((hook) => replacesGuard(hook, entry))
  }

  /** Whether a hook is a guard of the service, or of an instance that is nearer to it. */
  function replacesGuard(hook: unknown, entry: Describable): boolean {
    const { security, guards } = traitsOf(hook)
    if (guards === undefined) return security !== undefined
    return guards !== app && isWithin(app, guards) && isWithin(guards, entry.app)
  }

  const guard: AroundHook = async (context, next) => {
    const { path, service, method, id, params } = context
    if (!isGuarded(path, method)) return next()
    try {
      context.params = await credentials.check(params, strategies, { service, method, id, call: context })
    } catch (error) {
      // The error hooks of all services run inside this hook, so they would miss the error. They may
      // convert that of a database, or recover.
      await host.errorHooks(context.method)(context, () => Promise.reject(error))
      return
    }
    await next()
  }
  const hook = withTraits(guard, {
    isOutermost: true,
    guards: app,
    judge: async (call) =>
      !isGuarded(call.context.path, call.method) || judgeLogin(call, guard, credentials, strategies),
    security: ({ path }, method) => (isGuarded(path, method) ? credentials.securitySchemes(strategies) : undefined)
  })
  host.addHooks({ around: { all: [hook] } })
  app.addHook('onReady', async () => {
    checkPublicNames(app, publicNames, host)
    // Decided once: a guard that is added later runs in addition to this one.
    for (const { path, methods } of host.entries) for (const method of methods.keys()) isGuarded(path, method)
  })
}

/**
 * The paths that a name in the option may mean: under the prefix of the instance, or at the root.
 */
const possiblePaths = (app: FastifyInstance, name: string) => [joinPath(app.prefix, name), joinPath(name)]

const isWithin = (app: object, instance: unknown) =>
  instance === app || Object.prototype.isPrototypeOf.call(app, instance as object)

/** @throws when a name is ambiguous, or names no service and no method that HTTP may call */
function checkPublicNames(app: FastifyInstance, publicNames: readonly string[], { entries }: ServiceHost): void {
  const names = entries.flatMap(({ path, exposed }) => [path, ...exposed.map((method) => `${path}.${method}`)])
  const countOf = (name: string) => names.filter((path) => possiblePaths(app, name).includes(path)).length
  const ambiguous = publicNames.find((name) => countOf(name) > 1)
  if (ambiguous !== undefined)
    throw new Error(
      `The option \`public\` of authentication names '${ambiguous}', which is there twice: give one of the two another path`
    )
  const unknown = publicNames.find((name) => countOf(name) === 0)
  if (unknown === undefined) return
  const paths = entries.map(({ path }) => `'${path}'`).join(', ')
  throw new Error(
    `The option \`public\` of authentication names '${unknown}', which is no service and no method of one, as in 'posts' or 'posts.find'. Services: ${paths}`
  )
}

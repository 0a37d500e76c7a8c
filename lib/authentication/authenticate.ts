import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookType, NextFunction } from '../../types/hooks.js'
import type { Identified } from '../../types/identity.js'
import type { Params } from '../../types/service.js'
import { toServiceError } from '../core/errors.js'
import { define } from '../core/facade.js'
import { forbidAsHook, type HookPosition, withTraits } from '../core/hooks.js'
import { Caller, type Carrier, caller } from '../core/http-call.js'
import { isObject } from '../core/objects.js'
import { checkOptions, kinds, type OptionTable } from '../core/options.js'
import { schemesOf } from './documentation.js'
import { authenticationOf, isAuthentication } from './find.js'

/** Who is let in by `authenticate`. */
export interface AuthenticateOptions {
  /**
   * The path of an authentication service. Default: the one that is responsible for the instance.
   */
  service?: string
  /** The names of the strategies, one of which must prove who calls. */
  strategies: readonly string[]
}

const ofAuthenticate: OptionTable<AuthenticateOptions> = { service: kinds.filled, strategies: kinds.free }

/** What a guard reads of a hook context, and writes. */
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
 * A guard that lets in callers who prove who they are by one of the strategies
 * (docs/login-reference.md#guards). As a hook of a service it sets `params.user`,
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
  const [first] = settings
  // Fastify calls a hook of an instance with a request and its reply.
  const options = isObject(first) && settings.length === 1 ? (first as unknown as AuthenticateOptions) : undefined
  if (options !== undefined) checkOptions('authenticate()', ofAuthenticate, options)
  const service = options?.service
  const strategies: readonly unknown[] = options === undefined ? settings : options.strategies
  if (!isListOfNames(strategies))
    throw new Error(
      "authenticate needs the name of a strategy: authenticate('jwt'), or { service, strategies: ['jwt'] }"
    )
  const names = strategies

  function guard(context: GuardContext, next?: NextFunction): Promise<void>
  function guard(request: FastifyRequest, reply: FastifyReply): Promise<void>
  async function guard(subject: GuardContext | FastifyRequest, rest?: NextFunction | FastifyReply): Promise<void> {
    // A context is the user's to extend: what it has does not tell. A route gives its reply, a
    // service a function or nothing.
    if (isReply(rest)) return guardRoute(subject as FastifyRequest, rest)
    const context = subject as GuardContext
    const { service: called, method, id } = context
    const guarded = { service: called, method, id, call: context }
    context.params = await authenticationOf(context.app, service).check(context.params, names, guarded)
    await rest?.()
  }

  async function guardRoute(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const credentials = authenticationOf(request.server, service)
    const { token } = new Caller(request, reply.raw)
    const params: Params & Carrier = { ...request.feathers, [caller]: token, provider: 'rest' }
    try {
      // Hooks may use `request.feathers` after the request has ended, so the request itself is left
      // out of it.
      const { provider, [caller]: _, ...result } = await credentials.check(params, names, { call: request })
      request.feathers = result
      const { name } = credentials.authenticator.entities
      if (name !== null) define(request, name, result[name])
    } catch (error) {
      if (toServiceError(error).code === 401) reply.header('www-authenticate', 'Bearer')
      throw error
    }
  }

  function check({ app, path, service: guarded, type }: HookPosition): void {
    if (type === 'after' || type === 'error')
      throw new Error(`authenticate at '${path}' is a hook for 'before' or 'around', not for '${type}'`)
    const available = authenticationOf(app, service).authenticator.strategyNames
    const unknown = names.find((name) => !available.includes(name))
    if (unknown !== undefined)
      throw new Error(
        `authenticate('${unknown}') at '${path}': there is no such strategy. Enabled: ${available.join(', ')}`
      )
    if (isAuthentication(app, guarded))
      throw new Error(
        `authenticate('${names.join("', '")}') stands on the authentication service '${path}', where logins come without a token: take it away`
      )
  }

  const security = ({ app }: HookPosition) => schemesOf(authenticationOf(app, service), names)
  return withTraits(guard, { check, security })
}

forbidAsHook(authenticate, "authenticate('jwt')")

const isReply = (value: NextFunction | FastifyReply | undefined): value is FastifyReply =>
  typeof value === 'object' && value !== null

const isListOfNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '')

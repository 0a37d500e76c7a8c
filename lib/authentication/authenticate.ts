import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HookType, NextFunction } from '../../types/hooks.js'
import type { Params } from '../../types/service.js'
import { toServiceError } from '../core/errors.js'
import { define } from '../core/facade.js'
import { onStart, type Place } from '../core/hooks.js'
import { authenticationOf, isAuthentication } from './find.js'
import { withoutRequest, withRequest } from './request.js'

/** Whom `authenticate` lets in. */
export interface AuthenticateOptions {
  /** The name of an authentication service. Default: that of the instance. */
  service?: string
  /** The names of the strategies of which one must prove who calls. */
  strategies: readonly string[]
}

/** What a guard reads of a hook context, and writes. */
export interface GuardContext {
  readonly app: unknown
  type: HookType
  params: Params
}

/** A guard: a hook of a service, and a hook of any route. */
export interface Guard {
  (context: GuardContext, next?: NextFunction): Promise<void>
  (request: FastifyRequest, reply: FastifyReply): Promise<void>
}

interface Authenticated {
  /** Who calls, where `authenticate` guards the route. Declare its type in `FastifyRequest`, as that of any decorator. */
  user?: unknown
}

declare module 'fastify' {
  // An inherited property: that of another plugin, or the type that the application declares, stands over it.
  interface FastifyRequest extends Authenticated {}
}

/**
 * A guard that lets in who proves who they are by one of the strategies (specification: "Authentication"). As a hook of a service it
 * sets `params.user`, `params.authentication` and `params.authenticated`; a call of the server itself needs no credentials. As a
 * `preHandler` (or `onRequest`) of a route it sets `request.user` and `request.feathers`.
 *
 * @returns a function for both; it throws NotAuthenticated for those whom it does not let in
 * @throws when no strategy is named; when the server starts, if the service or the strategy does not exist
 * @example
 * app.service('messages').hooks({ around: { all: [authenticate('jwt')] } })
 * app.get('/me', { preHandler: authenticate('jwt', 'apiKey') }, (request) => request.user)
 * authenticate({ service: 'v1/authentication', strategies: ['jwt'] })
 */
export function authenticate(...strategies: [string, ...string[]]): Guard
export function authenticate(options: AuthenticateOptions): Guard
export function authenticate(...given: (string | AuthenticateOptions)[]): Guard {
  const [first] = given
  const { service, strategies } =
    typeof first === 'object' && first !== null ? first : { service: undefined, strategies: given as string[] }
  if (
    !Array.isArray(strategies) ||
    strategies.length === 0 ||
    strategies.some((name) => typeof name !== 'string' || name === '')
  )
    throw new Error(
      "authenticate needs the name of a strategy: authenticate('jwt'), or { service, strategies: ['jwt'] }"
    )

  const guard = (one: GuardContext | FastifyRequest, two?: NextFunction | FastifyReply) =>
    isRequest(one) ? guardRoute(one, two as FastifyReply) : guardCall(one, two as NextFunction | undefined)

  async function guardCall(context: GuardContext, next?: NextFunction): Promise<void> {
    const authentication = authenticationOf(context.app, service)
    context.params = await authentication.check(context.params, strategies)
    await next?.()
  }

  async function guardRoute(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const authentication = authenticationOf(request.server, service)
    const params = { ...request.feathers, ...withRequest(request, reply), provider: 'rest' } as Params
    try {
      const { provider, ...result } = withoutRequest(await authentication.check(params, strategies))
      request.feathers = result
      const { name } = authentication.entities
      if (name !== null) define(request as never, name, result[name])
    } catch (error) {
      if (toServiceError(error).code === 401) reply.header('www-authenticate', 'Bearer')
      throw error
    }
  }

  function check({ app, path, service: guarded, type }: Place): void {
    if (type === 'after' || type === 'error')
      throw new Error(`authenticate at '${path}' is a hook for 'before' or 'around', not for '${type}'`)
    const authentication = authenticationOf(app, service)
    const known = authentication.strategyNames
    const unknown = strategies.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new Error(
        `authenticate('${unknown}') at '${path}': there is no such strategy. Enabled: ${known.join(', ')}`
      )
    if (guarded !== undefined && isAuthentication(guarded))
      throw new Error(
        `authenticate('${strategies.join("', '")}') stands on the authentication service '${path}', where logins come without a token: take it away`
      )
  }

  return Object.assign(guard, { [onStart]: check }) as Guard
}

const isRequest = (value: GuardContext | FastifyRequest): value is FastifyRequest => 'raw' in value

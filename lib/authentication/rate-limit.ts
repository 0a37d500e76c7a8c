import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AroundHook, HookContext } from '../../types/hooks.js'
import { TooManyRequests } from '../core/errors.js'
import { withTraits } from '../core/hooks.js'
import { clientOf } from '../core/http-call.js'
import { kinds, type OptionTable } from '../core/options.js'
import { toSeconds } from './token.js'

/** How many calls are allowed. A client is an IPv4 address or an IPv6 network. */
export interface RateLimitOptions {
  /** How many of a client for the same user. */
  user?: number
  /** How many of a client in all. */
  client?: number
  /** The time within which they count, in seconds or as `'15m'`. */
  timeWindow?: string | number
}

export const rateLimitOptions: OptionTable<RateLimitOptions> = {
  user: kinds.positive,
  client: kinds.positive,
  timeWindow: kinds.free
}

interface Limits {
  /** The path of the limited service: each has counters of its own. */
  readonly path: string
  readonly defaults: Required<RateLimitOptions>
  /** Returns the user whom a call is about. `undefined`: the call does not count. */
  userOf(context: HookContext): unknown
}

/** The parts of @fastify/rate-limit, an optional peer, that are used here. */
interface Limiter {
  createRateLimit(options: {
    max: number
    timeWindow: number
    keyGenerator: (request: FastifyRequest) => string
  }): (
    request: FastifyRequest
  ) => Promise<{ isAllowed: true } | { isAllowed: false; isExceeded: boolean; ttlInSeconds: number }>
}

/**
 * Creates a hook that limits the calls of clients. Calls of the server are not limited.
 * @param who has the option, for errors
 * @returns a hook for `around`; it throws {TooManyRequests} with `Retry-After`
 * @throws if @fastify/rate-limit is not registered, or an option can't be used
 */
export async function createRateLimit(
  app: FastifyInstance,
  who: string,
  option: true | RateLimitOptions,
  { path, defaults, userOf }: Limits
): Promise<AroundHook> {
  if (!app.hasDecorator('createRateLimit'))
    throw new Error(
      `The option \`rateLimit\` of ${who} needs a plugin: register @fastify/rate-limit first, or set \`rateLimit: false\``
    )
  const { normalizeIP } = await import('@fastify/rate-limit')
  const { user, client, timeWindow } = { ...defaults, ...(option === true ? {} : option) }
  const milliseconds = toSeconds(timeWindow, 'rateLimit.timeWindow', who) * 1000
  const createCounter = (max: number) => {
    const keys = new WeakMap<FastifyRequest, string>()
    const count = (app as unknown as Limiter).createRateLimit({
      max,
      timeWindow: milliseconds,
      keyGenerator: (request) => String(keys.get(request))
    })
    return async (request: FastifyRequest, ...names: readonly unknown[]) => {
      // Counters may share a store, and a name may be long.
      keys.set(
        request,
        createHash('sha256')
          .update(JSON.stringify([path, ...names]))
          .digest('base64url')
      )
      const result = await count(request)
      if (!result.isAllowed && result.isExceeded)
        throw new TooManyRequests('Too many attempts: try again later', { retryAfter: result.ttlInSeconds })
    }
  }
  const countUser = createCounter(user)
  const countClient = createCounter(client)
  const hook: AroundHook = async (context, next) => {
    const request = clientOf(context)?.request as FastifyRequest | undefined
    const user = request && userOf(context)
    if (request !== undefined && user !== undefined) {
      const address = normalizeIP(request.ip)
      await countUser(request, address, user)
      await countClient(request, address)
    }
    await next()
  }
  // Hooks of the application may set the user name, or spell it.
  return withTraits(hook, { isInnermost: true, openapi: () => ({ statuses: ['429'] }) })
}

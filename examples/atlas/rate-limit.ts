import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Middleware, TooManyRequests } from 'fastify-services'
import type { Redis } from 'ioredis'
import { redisAway } from './redis.js'
import { toAddress } from './users.js'

const timeWindow = '1 minute'

/**
 * Limits what costs a hash of a password: in a minute, so many of one client sign up, so many changes of users are asked for, and so many
 * try to log in as one user. Ten times as many log-ins of one client are let through for all users together.
 *
 * @param max 0 for no limit
 * @param redis where processes count together; without it each counts for itself
 */
export async function createLimits(app: FastifyInstance, max: number, redis?: Redis) {
  if (max === 0) return { users: {}, authentication: {} }
  await app.register(rateLimit, { global: false, nameSpace: 'atlas:limit:', redis })

  const limit = (what: string, max: number, isCounted: IsCounted, keyOf: KeyOf = clientOf): Middleware => {
    // Redis has the counts of all limits in one place: their keys differ by the name.
    const keyGenerator = (request: FastifyRequest) => JSON.stringify([what, keyOf(request)])
    const count = app.createRateLimit({ max, timeWindow, keyGenerator })
    return async (request) => {
      if (!isCounted(request)) return
      const result = await count(request).catch(redisAway)
      if (!result.isAllowed && result.isExceeded)
        throw new TooManyRequests(`Rate limit exceeded, retry in ${result.ttlInSeconds} s`, {
          retryAfter: result.ttlInSeconds
        })
    }
  }
  return {
    users: { before: [limit('sign-ups', max, isPost), limit('changes', max, isPatch)] },
    authentication: {
      before: [limit('log-ins as one user', max, isLocal, userOf), limit('log-ins', 10 * max, isPost)]
    }
  }
}

type IsCounted = (request: FastifyRequest) => boolean
type KeyOf = (request: FastifyRequest) => unknown

const isPost: IsCounted = ({ method }) => method === 'POST'
const isPatch: IsCounted = ({ method }) => method === 'PATCH'
// Neither by the token, nor to log out.
const isLocal: IsCounted = ({ body }) => Object(body).strategy === 'local'

const clientOf = ({ ip }: FastifyRequest) => normalizeIP(ip)
// So that nobody locks a user out from elsewhere. The address is the one that is looked up: ` A@b.c` is no other user than `a@b.c`.
const userOf = (request: FastifyRequest) => [clientOf(request), toAddress(Object(request.body).email)]

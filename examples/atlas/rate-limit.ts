import { createHash } from 'node:crypto'
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
    // Redis has the counts of all limits in one place: their keys differ by the name. They are short, and tell no address, as hashes.
    const keyGenerator = (request: FastifyRequest) =>
      createHash('sha256')
        .update(JSON.stringify([what, keyOf(request)]))
        .digest('base64url')
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
    // All together first: a client who is refused here leaves no count behind for each further address.
    authentication: {
      before: [limit('log-ins', 10 * max, isPost), limit('log-ins as one user', max, isLocal, userOf)]
    }
  }
}

type IsCounted = (request: FastifyRequest) => boolean
type KeyOf = (request: FastifyRequest) => unknown

const isPost: IsCounted = ({ method }) => method === 'POST'
const isPatch: IsCounted = ({ method }) => method === 'PATCH'
// Logins by a password alone: not those by a token, and no log-out.
const isLocal: IsCounted = ({ body }) => Object(body).strategy === 'local'

const clientOf = ({ ip }: FastifyRequest) => normalizeIP(ip)
// A user is counted with the address of the client: nobody locks them out from elsewhere. ` A@b.c` is the user `a@b.c`, as the look-up has it.
const userOf = (request: FastifyRequest) => [clientOf(request), toAddress(Object(request.body).email)]

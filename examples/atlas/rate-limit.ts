import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Middleware, TooManyRequests } from 'fastify-services'
import { toAddress } from './users.js'

const timeWindow = '1 minute'

/**
 * Limits what costs a hash of a password: in a minute, so many of one client sign up, so many changes of users are asked for, and so many
 * try to log in as one user. Ten times as many log-ins of one client are let through for all users together.
 *
 * @param app counts are those of a route: its router takes a path with a slash behind it for the same
 * @param max 0 for no limit
 */
export async function createLimits(app: FastifyInstance, max: number) {
  if (max === 0) return { users: {}, authentication: {} }
  await app.register(rateLimit, { global: false })
  const ofClient = app.createRateLimit({ max: 10 * max, timeWindow })
  const limitClient: Middleware = async (request) => {
    if (request.method !== 'POST') return
    const limit = await ofClient(request)
    if (!limit.isAllowed && limit.isExceeded)
      throw new TooManyRequests('Too many log-ins, try again later', { retryAfter: limit.ttlInSeconds })
  }
  return {
    users: { config: { rateLimit: { max, timeWindow, allowList: isFree } } },
    authentication: {
      // The name of the user is in the body, which is read by then.
      config: { rateLimit: { max, timeWindow, hook: 'preHandler', keyGenerator: userKey, allowList: isOther } },
      before: [limitClient]
    }
  }
}

const isFree = ({ method }: FastifyRequest) => method !== 'POST' && method !== 'PATCH'

// So that nobody locks a user out from elsewhere. The address is the one that is looked up: ` A@b.c` is no other user than `a@b.c`.
const userKey = ({ ip, body }: FastifyRequest) => JSON.stringify([normalizeIP(ip), toAddress(Object(body).email)])

// By the token, or to log out.
const isOther = ({ body }: FastifyRequest) => Object(body).strategy !== 'local'

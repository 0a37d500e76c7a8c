import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { corsOptions } from 'fastify-services'
import production from 'fastify-services/production'
import type { Redis } from 'ioredis'
import type { Drizzle } from './database.js'

export interface ProductionOptions {
  /** The origins of other sites whose pages may call the atlas, as in `https://app.example.com`. Default: none. */
  origins?: string[]
  /** How often one client may sign up, change a user, or log in as one user, per minute. 0 for no limits. Default 10. */
  rateLimit?: number
  /** The delay of the event loop in milliseconds, from which requests get 503. Default 0, for no limit. */
  maxLag?: number
  /** How long a shutdown may take, in milliseconds. Default 10,000. */
  shutdownTimeout?: number
  /** Shares logouts, events and the counts of rate limits between processes. */
  redis?: Redis | undefined
}

// For answers without their own policy: they load nothing and can't be in a frame.
const contentSecurityPolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }
}

// Without `flush`, event streams would be delayed.
const compression = {
  encodings: ['br' as const, 'gzip' as const],
  brotliOptions: { flush: constants.BROTLI_OPERATION_FLUSH },
  zlibOptions: { flush: constants.Z_SYNC_FLUSH }
}

/** Sends 304 for successful reads only (RFC 9110, section 13.2). The plugin sends it for errors and changes too. */
async function sendNotModified({ method, headers }: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const tag = String(reply.getHeader('etag'))
  const isRead = (method === 'GET' || method === 'HEAD') && reply.statusCode === 200
  if (!isRead || !headers['if-none-match']?.split(/, */).includes(tag)) return payload
  reply.code(304)
  return ''
}

/** Registers what a server needs on the internet, before the routes that it applies to. */
export async function registerProduction(app: FastifyInstance, db: Drizzle, options: ProductionOptions): Promise<void> {
  const { origins = [], rateLimit = 10, maxLag = 0, shutdownTimeout = 10_000, redis } = options
  await app.register(helmet, { contentSecurityPolicy })
  // Without origins, it would answer OPTIONS with 404.
  if (origins.length > 0) await app.register(cors, { origin: origins, ...corsOptions })
  // Weak, because compressed bytes differ.
  await app.register(etag, { weak: true, replyWith304: false })
  app.addHook('onSend', sendNotModified)
  await app.register(compress, compression)
  await app.register(production, {
    // A full Redis answers a ping, but can't store logouts.
    isReady: () => Promise.all([db.execute(sql`select 1`), redis?.set('atlas:health', '', 'EX', 60)]),
    rateLimit: rateLimit > 0 && { nameSpace: 'atlas:limit:', redis, skipOnError: true },
    maxEventLoopDelay: maxLag > 0 && maxLag,
    shutdownDelay: shutdownTimeout
  })
}

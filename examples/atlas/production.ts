import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { corsOptions, Unavailable } from 'fastify-services'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { compressOnce } from './compressed.js'

export interface ProductionOptions {
  /** The origins of other sites whose pages may call the atlas, as in `https://app.example.com`. Default: none. */
  origins?: string[]
  /**
   * How many milliseconds a turn of the event loop may take, on average over the last second, before requests get 503. A single long turn
   * among idle ones is not enough: the process must have had no rest. Default 0, for no limit.
   */
  maxLag?: number
  /** Where processes share what was logged out, and how often clients have tried. Default: the database has the one, each process counts the other. */
  redis?: Redis | undefined
}

// Of routes that have none of their own: what they answer loads nothing, and stands in no frame.
const contentSecurityPolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }
}

// Each chunk of a stream leaves when it is there, and not when enough of them have come together.
const streaming = {
  encodings: ['br' as const, 'gzip' as const],
  brotliOptions: { flush: constants.BROTLI_OPERATION_FLUSH },
  zlibOptions: { flush: constants.Z_SYNC_FLUSH }
}

// What a start takes, of a process that was not asked anything yet. The average is over less.
const startTime = 2000

/** Makes what answers requests while the process is busy, other than with its own start. */
function createBusy(app: FastifyInstance): () => Promise<void> {
  let end = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    end = performance.now() + startTime
  })
  return async () => {
    if (performance.now() > end) throw new Unavailable('The server is busy, try again later', { retryAfter: 5 })
  }
}

/** RFC 9110, section 13.2: 304 is for a read that succeeds. The plugin gives it to errors, and to changes that were made, too. */
async function answerUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const tag = String(reply.getHeader('etag'))
  const isRead = (method === 'GET' || method === 'HEAD') && reply.statusCode === 200
  if (!isRead || !headers['if-none-match']?.split(/, */).includes(tag)) return payload
  reply.code(304)
  return ''
}

/** Registers what a server needs on the internet, before the routes that it is for. */
export async function registerProduction(app: FastifyInstance, knex: Knex, options: ProductionOptions): Promise<void> {
  const { origins = [], maxLag = 0, redis } = options
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id))
  await app.register(helmet, { contentSecurityPolicy })
  // Where it allows nobody, it would answer OPTIONS with 404.
  if (origins.length > 0) await app.register(cors, { origin: origins, ...corsOptions })
  await app.register(underPressure, { maxEventLoopDelay: maxLag, pressureHandler: createBusy(app) })
  // Weak: the bytes differ where they are compressed.
  await app.register(etag, { weak: true, replyWith304: false })
  app.addHook('onSend', answerUnchanged)
  compressOnce(app, ['/docs', '/explorer', '/openapi.json', '/page/'])
  await app.register(compress, streaming)

  // Written to Redis: one that takes no more writes answers a ping.
  app.get('/health', { schema: { hide: true } }, async () => {
    try {
      await Promise.all([knex.raw('select 1'), redis?.set('atlas:health', '', 'EX', 60)])
    } catch (cause) {
      throw new Unavailable('The database or Redis is not available', { retryAfter: 5 }, { cause })
    }
    return { status: 'ok' }
  })
}

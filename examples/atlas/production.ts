import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Unavailable } from 'fastify-services'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'

export interface ProductionOptions {
  /** The origins of other sites whose pages may call the atlas, as in `https://app.example.com`. Default: none. */
  origins?: string[]
  /** By how many milliseconds other work may delay a request before it gets 503. Default 0, for no limit. */
  maxLag?: number
  /** Where processes share what was logged out, and how often clients have tried. Default: the database has the one, each process counts the other. */
  redis?: Redis | undefined
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const allowedHeaders = ['Authorization', 'Content-Type', 'X-Service-Method']
const exposedHeaders = ['Allow', 'ETag', 'Location', 'Retry-After', 'X-Request-Id']

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

class Busy extends Unavailable {
  constructor() {
    super('The server is busy, try again later', { retryAfter: 5 })
  }
}

/** Registers what a server needs on the internet, before the routes that it is for. */
export async function registerProduction(app: FastifyInstance, knex: Knex, options: ProductionOptions): Promise<void> {
  const { origins = [], maxLag = 0, redis } = options
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id))
  await app.register(helmet, { contentSecurityPolicy })
  // Where it allows nobody, it would answer OPTIONS with 404.
  if (origins.length > 0) await app.register(cors, { origin: origins, methods, allowedHeaders, exposedHeaders })
  await app.register(underPressure, { maxEventLoopDelay: maxLag, customError: Busy })
  // Weak: the bytes differ where they are compressed.
  await app.register(etag, { weak: true })
  await app.register(compress, streaming)

  app.get('/health', { schema: { hide: true } }, async () => {
    try {
      await Promise.all([knex.raw('select 1'), redis?.ping()])
    } catch (cause) {
      throw new Unavailable('The database or Redis is not available', { retryAfter: 5 }, { cause })
    }
    return { status: 'ok' }
  })
}

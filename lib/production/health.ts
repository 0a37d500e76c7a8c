import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '../../index.js'
import { withTimeout } from '../core/async.js'

const checkTime = 5000
const retryAfter = 5

const options = {
  schema: { hide: true },
  config: { rateLimit: false as const, pressureHandler: () => undefined },
  onRequest: async (_request: FastifyRequest, reply: FastifyReply) => void reply.header('cache-control', 'no-store')
}

/**
 * Adds two routes: `path` says whether the process can answer calls, and `path/live` whether it
 * runs. Neither counts for rate limits, nor is it in the OpenAPI document.
 */
export function registerHealth(app: FastifyInstance, path: string, isReady: () => unknown = () => true): void {
  // Fastify answers 503 by itself while it closes, unless `return503OnClosing` is false.
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  const check = shareRunning(() => askReady(isReady))
  app.get(path, options, async () => {
    if (isClosing) throw new Unavailable('The server is shutting down', { retryAfter })
    await check().catch((cause) => {
      throw new Unavailable('The server is not ready', { retryAfter }, { cause })
    })
    return { status: 'ok' }
  })
  app.get(`${path}/live`, options, async () => ({ status: 'ok' }))
}

/** Lets concurrent callers share one run, so that health checks can't flood the database. */
function shareRunning(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

/** @throws {Error} if the check fails, gives `false` or takes too long */
async function askReady(isReady: () => unknown): Promise<void> {
  if ((await withTimeout(checkTime, isReady())) === false) throw new Error('`isReady` has answered false')
}

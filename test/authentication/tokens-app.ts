import Fastify, { type FastifyInstance } from 'fastify'
import plugin from 'fastify-services'
import type { Test } from 'tap'

/** An application in which tokens can be made. */
export async function createApp(t: Test): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(plugin)
  return app
}

/** Options of these tokens. */
export const options = { issuer: 'me', audience: 'authentication', expiresIn: '90s', algorithm: 'HS256' } as const

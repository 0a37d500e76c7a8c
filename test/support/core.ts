import Fastify, { type FastifyInstance } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import type { Test } from 'tap'

/** A line of the log: what was given with `err`, and beside it. */
export interface Logged {
  readonly msg: string
  readonly err: { readonly message: string }
  readonly path: string
  readonly event: string
}

/** An application with the plugin, closed when the test ends, and the errors that it has logged. */
export async function createApp(
  t: Test,
  options: ServicesOptions = {}
): Promise<{ app: FastifyInstance; logged: Logged[] }> {
  const logged: Logged[] = []
  const stream = { write: (line: string) => logged.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'error', stream } })
  t.teardown(() => app.close())
  await app.register(services, options)
  return { app, logged }
}

/** Lets what is under way in the microtasks of this turn, and of what they start, come to an end. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

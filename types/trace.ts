import type { HookContext } from './hooks.js'

/**
 * A call of a service, as `diagnostics_channel.tracingChannel('fastify-services:call')` publishes it: one object for all events of a call. A
 * subscriber may keep what it needs on it, a span for example.
 */
export interface TracedCall {
  readonly path: string
  readonly method: string
  /** `'rest'` for a call over HTTP, `undefined` for one from the server itself. */
  readonly provider: string | undefined
  readonly context: HookContext
  /** What the call gave, at its end. */
  result?: unknown
  /** What it threw. */
  error?: unknown
}

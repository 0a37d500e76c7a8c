import { tracingChannel } from 'node:diagnostics_channel'
import type { HookContext, TracedCall } from '../../types/hooks.js'
import type { Run } from '../core/compose.js'

const channel = tracingChannel<string, TracedCall>('fastify-services:call')
const { start, end, asyncStart, asyncEnd, error } = channel

// `channel.hasSubscribers` takes twice as long.
const hasSubscribers = () =>
  start.hasSubscribers ||
  end.hasSubscribers ||
  asyncStart.hasSubscribers ||
  asyncEnd.hasSubscribers ||
  error.hasSubscribers

/** Publishes each call to the tracing channel `fastify-services:call`, if it has a subscriber. */
export function traceCalls(run: Run): Run {
  return (context) => (hasSubscribers() ? publish(context, run) : run(context))
}

function publish(context: HookContext, run: Run): Promise<void> {
  const { path, method } = context
  const { provider } = Object(context.params)
  const call = async () => {
    await run(context)
    return context.result
  }
  return channel.tracePromise(call, { path, method, provider, context }) as Promise<void>
}

import { tracingChannel } from 'node:diagnostics_channel'
import type { HookContext } from '../../types/hooks.js'
import type { TracedCall } from '../../types/trace.js'
import type { Run } from '../core/compose.js'

const channel = tracingChannel<string, TracedCall>('fastify-services:call')
const { start, end, asyncStart, asyncEnd, error } = channel

// `channel.hasSubscribers` says the same, and takes twice as long.
const hasSubscribers = () =>
  start.hasSubscribers ||
  end.hasSubscribers ||
  asyncStart.hasSubscribers ||
  asyncEnd.hasSubscribers ||
  error.hasSubscribers

/** Publishes each call that a function runs, while there is a subscriber. */
export function traced(run: Run): Run {
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

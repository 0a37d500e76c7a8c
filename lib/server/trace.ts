import { tracingChannel } from 'node:diagnostics_channel'
import type { HookContext } from '../../types/hooks.js'
import type { TracedCall } from '../../types/trace.js'
import type { Run } from '../core/compose.js'

const channel = tracingChannel<string, TracedCall>('fastify-services:call')

/** Publishes each call that a function runs, while there is a subscriber. */
export function traced(run: Run): Run {
  return (context) => (channel.hasSubscribers ? publish(context, run) : run(context))
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

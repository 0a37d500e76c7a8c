import { tracingChannel } from 'node:diagnostics_channel'
import type { AroundHook, HookContext, TracedCall } from '../../types/hooks.js'
import { updateSentFields } from '../core/adapters/update.js'
import { callStateOf } from '../core/call-state.js'
import type { CallEnvironment, Invoke, Run } from '../core/compose.js'
import { traitsOf } from '../core/hooks.js'
import { checkArguments } from '../core/methods.js'
import { hookApplicationOf } from '../core/plugin-state.js'
import { metaOf } from '../core/service-meta.js'
import { keepHttp, trackFailure, trackResult, untrackAfter } from './results.js'
import { attachSignal, throwIfAborted } from './signal.js'

/** Traces each call, attaches `params.signal`, and closes streams that nobody reads. */
export const serverEnvironment: CallEnvironment = {
  trackResult,
  trackFailure,
  check: checkArguments,
  attachSignal,
  toApp: hookApplicationOf,
  sortHooks: (hooks) => hooks.sort((first, second) => rank(first) - rank(second)),
  untrack: untrackAfter,

  wrapRun(run, service) {
    const meta = metaOf(service)
    return traceCalls((context) => {
      const { awaitAfter } = meta
      return awaitAfter === undefined ? run(context) : run(context).then(() => awaitAfter(context))
    })
  },

  wrapMethod(invoke, service) {
    const meta = metaOf(service)
    const invokeMethod: Invoke = (context) => {
      const { maySend, walk } = callStateOf(context)
      if (walk !== undefined) return walk.run(context, invoke)
      return maySend === undefined ? invoke(context) : updateSentFields(context, maySend, invoke)
    }
    return (context) => {
      throwIfAborted(context)
      keepHttp(context)
      const { interceptor } = meta
      return interceptor === undefined ? invokeMethod(context) : interceptor(context, invokeMethod)
    }
  }
}

function rank(hook: AroundHook): number {
  const { readsAnswer, isOutermost, isInnermost } = traitsOf(hook)
  return readsAnswer ? -1 : isOutermost ? 0 : isInnermost ? 2 : 1
}

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
function traceCalls(run: Run): Run {
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

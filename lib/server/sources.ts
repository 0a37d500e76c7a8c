import type { HookContext } from '../../types/hooks.js'
import type { Caller } from '../core/caller.js'
import { callerOf } from '../core/context.js'
import type { Results } from '../core/service.js'
import { close, hush, isStream, type Stream, unhush } from './stream.js'

// The streams that were results of a call. Few calls have one.
const seen = new WeakMap<HookContext, Set<Stream>>()

/**
 * Looks after a value that may be a stream: it is closed when the answer to the call is over, whether it was sent, replaced, refused
 * or forgotten. One that a hook reads from to make another is read to its end by then.
 */
export function adopt(value: unknown, context: HookContext): void {
  if (typeof value !== 'object' || value === null) return
  const stream = value instanceof Response ? value.body : value
  if (!isStream(stream)) return
  const streams = seen.get(context) ?? new Set()
  seen.set(context, streams)
  if (streams.has(stream)) return
  streams.add(stream)
  hush(stream)
  ownCaller(context)?.onEnd(() => close(stream))
}

/** The caller of a call over HTTP, `undefined` for a call of the server, also for one that hands the params of another on. */
function ownCaller(context: HookContext): Caller | undefined {
  const caller = callerOf(context)
  return caller?.call === context ? caller : undefined
}

/** Closes the streams that are nobody's any more. */
export const sources: Results = {
  see(context) {
    adopt(context.result, context)
    adopt(context.dispatch, context)
  },
  handOver(context, hasFailed) {
    for (const stream of seen.get(context) ?? []) {
      if (hasFailed) close(stream)
      else unhush(stream)
    }
  }
}

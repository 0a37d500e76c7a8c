import type { HookContext } from '../../types/hooks.js'
import type { Caller } from '../core/caller.js'
import { close, hush, type Stream, streamIn, unhush } from './stream.js'

// The streams that were results of a call. Few calls have one.
const seen = new WeakMap<HookContext, Set<Stream>>()

/**
 * Looks after a value that may be a stream: it is closed when the answer to the call is over, whether it was sent, replaced, refused
 * or forgotten. One that a hook reads from to make another is read to its end by then.
 * @param caller who has made the call, where it came over HTTP
 */
export function adopt(value: unknown, context: HookContext, caller: Caller | undefined): void {
  const stream = streamIn(value)
  if (stream === undefined) return
  const streams = seen.get(context) ?? new Set()
  seen.set(context, streams)
  if (streams.has(stream)) return
  streams.add(stream)
  hush(stream)
  caller?.onEnd(() => close(stream))
}

/** The streams of a call of the server are its caller's now, or nobody's when it has failed. */
export function release(context: HookContext, hasFailed: boolean): void {
  for (const stream of seen.get(context) ?? []) {
    if (hasFailed) close(stream)
    else unhush(stream)
  }
}

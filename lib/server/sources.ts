import type { HookContext } from '../../types/hooks.js'
import type { Caller } from '../core/caller.js'
import { breakOff, close, listenForLoss, type Stream, streamIn } from './stream.js'

/** The streams that were results of a call, in the order of their coming, with what takes our listeners off them. */
type Streams = Map<Stream, () => void>

// Few calls have one.
const seen = new WeakMap<HookContext, Streams>()

/**
 * Looks after a value that may be a stream: it is closed when the answer to the call is over, whether it was sent, replaced, refused
 * or forgotten. An error that comes before somebody listens does not end the process: who reads the stream finds it there.
 * @param caller who has made the call, where it came over HTTP
 */
export function adopt(value: unknown, context: HookContext, caller: Caller | undefined): void {
  const stream = streamIn(value)
  if (stream === undefined) return
  const streams = seen.get(context) ?? register(context, caller)
  if (streams.has(stream)) return
  const forget = listenForLoss(stream, (error) => {
    // A hook reads from it, by `pipe` perhaps, which hands no error on: the streams after it would wait for ever.
    const all = [...streams.keys()]
    for (const later of all.slice(all.indexOf(stream) + 1)) breakOff(later, error)
  })
  streams.set(stream, forget)
  if (caller?.isOver) close(stream)
}

function register(context: HookContext, caller: Caller | undefined): Streams {
  const streams: Streams = new Map()
  seen.set(context, streams)
  caller?.onEnd(() => {
    for (const stream of streams.keys()) close(stream)
  })
  return streams
}

/** The streams of a call of the server are its caller's now, and so are their errors; nobody's when the call has failed. */
export function release(context: HookContext, hasFailed: boolean): void {
  for (const [stream, forget] of seen.get(context) ?? []) {
    if (hasFailed) close(stream)
    else forget()
  }
}

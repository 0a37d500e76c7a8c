import type { HookContext } from '../../../types/hooks.js'
import { callStateOf } from '../../core/call-state.js'
import type { Caller } from '../../core/http-call.js'
import { breakOff, close, listenForLoss, type Stream, streamIn } from './stream.js'

/**
 * Watches a value that may be a stream. It is closed when the response has ended, whether it was
 * sent, replaced, refused or forgotten. An error before something listens does not end the process:
 * whoever reads the stream gets it.
 * @param caller who has made the call, where it came over HTTP
 */
export function adopt(value: unknown, context: HookContext, caller: Caller | undefined): void {
  const stream = streamIn(value)
  if (stream === undefined) return
  const noted = callStateOf(context)
  noted.streams ??= register(caller)
  const { streams } = noted
  if (streams.has(stream)) return
  const forget = listenForLoss(stream, (error) => {
    // A hook reads from it, perhaps by `pipe`, which passes no error on: the streams after it would
    // wait for ever.
    const all = [...streams.keys()]
    for (const later of all.slice(all.indexOf(stream) + 1)) breakOff(later, error)
  })
  streams.set(stream, forget)
  if (caller?.isOver) close(stream)
}

function register(caller: Caller | undefined): Map<Stream, () => void> {
  const streams = new Map<Stream, () => void>()
  caller?.onEnd(() => {
    for (const stream of streams.keys()) close(stream)
  })
  return streams
}

/**
 * Ends the watch when a call of the server is over: its streams and their errors belong to whoever
 * made the call. If the call has failed they belong to nobody, and are closed.
 */
export function release(context: HookContext, hasFailed: boolean): void {
  callStateOf(context).streams?.forEach((forget, stream) => {
    if (hasFailed) close(stream)
    else forget()
  })
}

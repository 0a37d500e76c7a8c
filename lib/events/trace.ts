import { tracingChannel } from 'node:diagnostics_channel'
import type { EventStream, StopReason } from './stream.js'

/**
 * A stream, as `diagnostics_channel.tracingChannel('fastify-services:stream')` publishes it: one
 * object when it begins (`start`) and when it has ended (`asyncEnd`). A subscriber may keep what it
 * needs on it, a span for example (docs/events.md#traces).
 */
export interface TracedStream {
  /** The paths of its lists, as the client has named them. */
  readonly lists: readonly string[]
  /** How many messages were told, at its end. */
  messages?: number
  /** Why it has ended: `'left'` where the client has gone, or did not read. */
  reason?: StopReason | 'left'
}

const streamChannel = tracingChannel<string, TracedStream>('fastify-services:stream')

/** Publishes when a stream begins and ends, while there is a subscriber. */
export function traceStream(stream: EventStream, lists: readonly string[]): void {
  if (!streamChannel.start.hasSubscribers && !streamChannel.asyncEnd.hasSubscribers) return
  const trace: TracedStream = { lists }
  streamChannel.start.publish(trace)
  stream.source.once('close', () => {
    trace.messages = stream.messages
    trace.reason = stream.reason ?? 'left'
    streamChannel.asyncEnd.publish(trace)
  })
}

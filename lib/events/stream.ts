import { tracingChannel } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import type { ServiceError } from '../core/errors.js'
import type { CallerCredentials } from '../shared/caller-requests.js'
import type { ListRequest } from './list-request.js'
import type { ListScope } from './list-scope.js'
import type { Topic } from './topic.js'

/** Why a stream, or one of its lists, has ended. */
type StopReason = 'expired' | 'revoked' | 'forbidden' | 'closing' | 'limit'

export interface Subscription {
  readonly list: ListRequest
  readonly topic: Topic
  readonly stream: EventStream
  /** The index of the list in the request of the stream; `undefined` for a single list. */
  readonly index: number | undefined
  /** Whether the topic is that of related records, which the list includes. */
  readonly isRelated?: boolean
  /** The latest answer to which records the list has. */
  scope: ListScope
}

export interface StreamSettings {
  /** The path of the stream, as frames name it. */
  readonly path: string
  /** How many bytes may wait for a subscriber that does not read. */
  readonly waiting: number
  /** Returns the position after all events so far. */
  newest(): string
}

/** How many events of one stream may wait for `publish` or their record. */
const maxPending = 1000
const maxHighWaterMark = 16_384

// All frames of one turn of the event loop are written together.
const unwritten = new Set<EventStream>()

function flushAll(): void {
  for (const stream of unwritten) stream.flush()
  unwritten.clear()
}

/** Returns a server-sent event. @param data one line of JSON */
export const toFrame = (data: string, id?: string, retry?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${data}\n\n`

export class EventStream {
  readonly source: Readable
  readonly credentials: CallerCredentials
  /** The keys by which the caller is recognized. */
  readonly callers: readonly string[]
  readonly subscriptions = new Set<Subscription>()
  /** When its scopes are rechecked, by `performance.now()`. */
  recheckAt = 0
  /** How many messages were sent. */
  messages = 0
  /** Why the server has ended it. */
  reason: StopReason | undefined
  readonly #settings: StreamSettings
  #text = ''
  #needsReset = false
  #hasBegun = false
  #isOver = false
  #isStalled = false
  #resets = 0
  #pending = 0
  #last: Promise<unknown> = Promise.resolve()
  /** Frames about ended lists that are not on their way yet. A reset does not replace them. */
  readonly #refusals = new Set<string>()

  constructor(settings: StreamSettings, credentials: CallerCredentials, callers: readonly string[]) {
    this.#settings = settings
    this.credentials = credentials
    this.callers = callers
    // `read` is not called above the mark, so the mark must not exceed what may wait.
    const highWaterMark = Math.min(maxHighWaterMark, settings.waiting)
    this.source = new Readable({ highWaterMark, read: () => this.#resume() })
    this.source.once('close', () => {
      this.#isOver = true
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether everything is on its way, so that the stream is at the newest position. */
  get isSettled(): boolean {
    return this.#pending === 0 && !this.#needsReset
  }

  /** Whether events were dropped, and the `reset` for them is not on its way yet. */
  get needsReset(): boolean {
    return this.#needsReset
  }

  send(frames: string | Promise<string>): void {
    if (this.#isOver || this.#needsReset) return
    this.messages += 1
    if (this.#pending === 0 && typeof frames === 'string') this.#write(frames)
    else if (this.#pending >= maxPending) this.reset()
    else this.#sendLater(frames)
  }

  #sendLater(frames: string | Promise<string>): void {
    this.#pending += 1
    const resets = this.#resets
    // Write in the tick that ends the wait. Otherwise later events overtake these.
    this.#last = Promise.all([frames, this.#last]).then(
      ([text]) => {
        this.#pending -= 1
        // A reset in the meantime covers these frames.
        if (resets === this.#resets || !this.#hasBegun) this.#write(text)
      },
      () => {
        this.#pending -= 1
        this.reset()
      }
    )
  }

  sendChanged(path: string, index: number | undefined): void {
    const subscriptions = index === undefined ? undefined : [index]
    this.send(toFrame(JSON.stringify({ path, event: 'changed', subscriptions })))
  }

  /** Sends that a list has ended, and why. */
  sendStopped(index: number | undefined, error: ServiceError): void {
    const subscriptions = index === undefined ? undefined : [index]
    const data = { path: this.#settings.path, event: 'stopped', reason: 'forbidden', subscriptions, error }
    const frame = toFrame(JSON.stringify(data))
    this.#refusals.add(frame)
    this.send(frame)
  }

  /** Drops what waits, and sends `reset` once the subscriber reads again, so that it refetches. */
  reset(): void {
    this.#needsReset = true
    this.#resets += 1
    if (!this.#hasBegun) return
    this.#text = ''
    if (this.source.readableLength < this.source.readableHighWaterMark) this.#resume()
  }

  /** Drops pending events, if any: they were judged by a scope that no longer applies. */
  dropPending(): void {
    if (!this.isSettled) this.reset()
  }

  /** Sends a heartbeat. A subscriber that has read nothing since the last one is disconnected. */
  beat(frame: string): void {
    const isWaiting = this.source.readableLength > 0
    if (isWaiting && this.#isStalled) this.source.destroy()
    else if (!isWaiting && this.#hasBegun && this.#text === '') this.#write(frame)
    this.#isStalled = isWaiting
  }

  /** Ends the stream with a reason. A subscriber that does not read is disconnected. */
  stop(reason: StopReason, retry?: number): void {
    if (this.#isOver) return
    this.reason = reason
    const data = JSON.stringify({ path: this.#settings.path, event: 'stopped', reason })
    this.#text += toFrame(data, undefined, retry)
    this.flush()
    this.#isOver = true
    if (this.source.readableLength > this.source.readableHighWaterMark) this.source.destroy()
    else this.source.push(null)
    setTimeout(() => this.source.destroy(), 1000).unref()
  }

  flush(): void {
    if (this.#text === '' || this.#isOver) return
    const text = this.#text
    this.#text = ''
    for (const frame of this.#refusals) if (text.includes(frame)) this.#refusals.delete(frame)
    this.source.push(text)
  }

  #write(frames: string): void {
    if (frames === '' || this.#isOver) return
    if (!this.#hasBegun) this.#begin(frames)
    else if (this.#text.length + frames.length + this.source.readableLength > this.#settings.waiting) this.reset()
    else this.#add(frames)
  }

  #begin(frames: string): void {
    this.#hasBegun = true
    this.source.push(frames)
    if (this.#needsReset) this.#resume()
  }

  #add(frames: string): void {
    this.#text += frames
    if (unwritten.size === 0) setImmediate(flushAll)
    unwritten.add(this)
  }

  #resume(): void {
    this.#isStalled = false
    if (!this.#needsReset || this.#isOver) return
    this.#needsReset = false
    const reset = toFrame(JSON.stringify({ path: this.#settings.path, event: 'reset' }), this.#settings.newest())
    // Not `#write`: with a small limit, these frames would be too long and cause the next reset.
    this.#add(reset + [...this.#refusals].join(''))
  }
}

/**
 * A stream, as `diagnostics_channel.tracingChannel('fastify-services:stream')` publishes it: the
 * same object when the stream begins (`start`) and when it has ended (`asyncEnd`), so that a
 * subscriber of the channel can keep a span on it (docs/events.md#traces).
 */
export interface TracedStream {
  /** The paths of its lists, as the client has sent them. */
  readonly lists: readonly string[]
  /** How many messages were sent. Set at the end. */
  messages?: number
  /** Why it has ended: `'left'` if the client has disconnected, or did not read. */
  reason?: StopReason | 'left'
}

const streamChannel = tracingChannel<string, TracedStream>('fastify-services:stream')

/** Publishes the begin and the end of a stream, if the tracing channel has a subscriber. */
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

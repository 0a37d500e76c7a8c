import { Readable } from 'node:stream'
import type { ServiceError } from '../core/errors.js'
import type { CallerIdentity } from './question.js'

/** Why a stream, or one of its lists, has ended. */
export type StopReason = 'expired' | 'revoked' | 'forbidden' | 'closing' | 'limit'

/** When a stream ends, in ms since 1970, and why. */
export interface StreamEnd {
  readonly at: number
  readonly reason: 'expired' | 'closing'
}

/** What all streams of a door have in common. */
export interface StreamSettings {
  /** The path of the door, as frames name it. */
  readonly path: string
  /** How many bytes may wait for one that does not read. */
  readonly waiting: number
  /** The position behind all events that have come. */
  newest(): string
  onClose(stream: EventStream): void
}

// How many events may wait for their rule or their record, for one stream.
const mostPending = 1000
const mostRead = 16_384

// The frames of one turn of the event loop are written at once.
const unwritten = new Set<EventStream>()

function flushAll(): void {
  for (const stream of unwritten) stream.flush()
  unwritten.clear()
}

/** A frame with its data, one line of JSON. */
export const toFrame = (data: string, id?: string, retry?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${data}\n\n`

/** The stream of events to one subscriber. */
export class EventStream {
  /** What is sent. */
  readonly source: Readable
  readonly credentials: CallerIdentity
  /** By what the user is known. */
  readonly callers: readonly string[]
  /** When it ends at the latest. */
  readonly end: StreamEnd
  /** How many messages were told. */
  messages = 0
  /** Why the server has ended it. */
  reason: StopReason | undefined
  readonly #settings: StreamSettings
  #text = ''
  #isLost = false
  #isBegun = false
  #isOver = false
  #isStuck = false
  #losses = 0
  #pending = 0
  #last: Promise<unknown> = Promise.resolve()
  /**
   * The frames of lists that have ended, until they are on their way: no reset says what they do.
   */
  readonly #refusals = new Set<string>()

  constructor(settings: StreamSettings, credentials: CallerIdentity, callers: readonly string[], end: StreamEnd) {
    this.#settings = settings
    this.credentials = credentials
    this.callers = callers
    this.end = end
    // Above the mark nothing is resumed: what may wait is never less than that.
    const highWaterMark = Math.min(mostRead, settings.waiting)
    this.source = new Readable({ highWaterMark, read: () => this.#resume() })
    this.source.once('close', () => {
      this.#isOver = true
      settings.onClose(this)
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether all that was told is on its way, so that the position of the stream is the newest. */
  get isSettled(): boolean {
    return this.#pending === 0 && !this.#isLost
  }

  /** Whether events were lost, and no `reset` is on its way yet. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Tells something, behind all that was told before: frames, or what becomes of them. */
  tell(frames: string | Promise<string>): void {
    if (this.#isOver || this.#isLost) return
    this.messages += 1
    if (this.#pending === 0 && typeof frames === 'string') this.#write(frames)
    else if (this.#pending >= mostPending) this.lose()
    else this.#wait(frames)
  }

  #wait(frames: string | Promise<string>): void {
    this.#pending += 1
    const losses = this.#losses
    // The step that writes is the one that ends the waiting: what is told in between would be
    // written before.
    this.#last = Promise.all([frames, this.#last]).then(
      ([text]) => {
        this.#pending -= 1
        // What was lost meanwhile is behind a reset.
        if (losses === this.#losses || !this.#isBegun) this.#write(text)
      },
      () => {
        this.#pending -= 1
        this.lose()
      }
    )
  }

  /** Tells that something may have changed in a list. */
  tellChanged(path: string, index: number | undefined): void {
    const subscriptions = index === undefined ? undefined : [index]
    this.tell(toFrame(JSON.stringify({ path, event: 'changed', subscriptions })))
  }

  /** Tells that one of the lists is told of no more, and why. */
  tellStopped(index: number | undefined, error: ServiceError): void {
    const subscriptions = index === undefined ? undefined : [index]
    const data = { path: this.#settings.path, event: 'stopped', reason: 'forbidden', subscriptions, error }
    const frame = toFrame(JSON.stringify(data))
    this.#refusals.add(frame)
    this.tell(frame)
  }

  /** Tells that events were missed, once the subscriber reads again. */
  lose(): void {
    this.#isLost = true
    this.#losses += 1
    if (!this.#isBegun) return
    this.#text = ''
    if (this.source.readableLength < this.source.readableHighWaterMark) this.#resume()
  }

  /**
   * Drops the events that wait for `publish` or a record, if any: they were judged by a rule that
   * no longer applies.
   */
  dropPending(): void {
    if (!this.isSettled) this.lose()
  }

  /** A sign of life. One that has not read since the last is let go at the next. */
  beat(frame: string): void {
    const isWaiting = this.source.readableLength > 0
    if (isWaiting && this.#isStuck) this.source.destroy()
    else if (!isWaiting && this.#isBegun && this.#text === '') this.#write(frame)
    this.#isStuck = isWaiting
  }

  /** Ends the stream with its reason. One that does not read would never end by itself. */
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
    if (!this.#isBegun) this.#begin(frames)
    else if (this.#text.length + frames.length + this.source.readableLength > this.#settings.waiting) this.lose()
    else this.#add(frames)
  }

  #begin(frames: string): void {
    this.#isBegun = true
    this.source.push(frames)
    if (this.#isLost) this.#resume()
  }

  #add(frames: string): void {
    this.#text += frames
    if (unwritten.size === 0) setImmediate(flushAll)
    unwritten.add(this)
  }

  #resume(): void {
    this.#isStuck = false
    if (!this.#isLost || this.#isOver) return
    this.#isLost = false
    const reset = toFrame(JSON.stringify({ path: this.#settings.path, event: 'reset' }), this.#settings.newest())
    // However little may wait, these frames do: a check would lose them, and resume again, without
    // end.
    this.#add(reset + [...this.#refusals].join(''))
  }
}

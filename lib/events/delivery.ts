import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../core/async.js'
import { attempt } from '../core/errors.js'
import { encodeSegment } from '../core/path.js'
import { JudgedEvent, type Telling } from './audience.js'
import { isSameCaller } from './callers.js'
import type { Channel } from './channel.js'
import type { LogEntry, LoggedEvent } from './log.js'
import type { EventsOptions } from './options.js'
import { askQuestion, type Question } from './question.js'
import { type EventStream, toFrame } from './stream.js'
import type { Subscription, Subscriptions } from './subscription.js'

/** What one list is told. */
interface Notice {
  readonly subscription: Subscription
  readonly telling: Telling
  /** The record as JSON, where it is sent. */
  readonly record?: string | undefined
}

/** An event on its way to all that it concerns. */
class Dispatch {
  readonly entry: LogEntry
  readonly channel: Channel
  // Most subscribers are told the same, which is made once.
  readonly #heads = new Map<string, string>()

  constructor(entry: LogEntry, channel: Channel) {
    this.entry = entry
    this.channel = channel
  }

  /** The beginning of what a list is told, as JSON without the last bracket. */
  headOf({ subscription, telling, record }: Notice): string {
    const { name } = subscription.list
    if (record !== undefined) return `${this.#begin(name, 'event')},"data":${record}`
    const key = `${telling} ${name}`
    const head = this.#heads.get(key) ?? this.#begin(name, telling) + this.#dataOf(telling)
    this.#heads.set(key, head)
    return head
  }

  #begin(path: string, telling: Telling): string {
    return JSON.stringify({ path, event: telling === 'event' ? this.entry.event.event : telling }).slice(0, -1)
  }

  #dataOf(telling: Telling): string {
    return telling === 'event' ? `,"data":${JSON.stringify({ [this.channel.idField]: this.entry.event.id })}` : ''
  }
}

/** Brings events to the streams that they concern. */
export class Delivery {
  readonly #app: FastifyInstance
  readonly #publish: EventsOptions['publish']
  readonly #patience: number
  readonly #subscriptions: Subscriptions

  constructor(app: FastifyInstance, subscriptions: Subscriptions, publish: EventsOptions['publish'], patience: number) {
    this.#app = app
    this.#subscriptions = subscriptions
    this.#publish = publish
    this.#patience = patience
  }

  /** Tells all who listen of an event. */
  deliver(entry: LogEntry, channel: Channel): void {
    const dispatch = new Dispatch(entry, channel)
    const byStream = new Map<EventStream, Notice[]>()
    for (const [subscription, telling] of this.#subscriptions.concerned(channel, entry.event)) {
      const notices = byStream.get(subscription.stream)
      if (notices === undefined) byStream.set(subscription.stream, [{ subscription, telling }])
      else notices.push({ subscription, telling })
    }
    for (const [stream, notices] of byStream) {
      try {
        stream.tell(this.#framesOf(dispatch, stream, notices, sendsRecord(entry, channel)))
      } catch (err) {
        this.#app.log.error({ err, path: channel.path }, 'An event could not be told: a subscriber is to ask again')
        stream.lose()
      }
    }
  }

  /**
   * Returns the frames of an event that a stream has missed, by its present rules. They have no
   * records: there may be thousands of events, and each would cost a read.
   */
  async replay(entry: LogEntry, channel: Channel, stream: EventStream): Promise<string> {
    const judged = new JudgedEvent(entry.event)
    const notices = this.#subscriptions.of(stream).flatMap((subscription) => {
      if (subscription.channel !== channel) return []
      const telling = judged.tellingFor(subscription.rule)
      return telling === undefined ? [] : [{ subscription, telling }]
    })
    return this.#framesOf(new Dispatch(entry, channel), stream, notices, false)
  }

  #framesOf(
    dispatch: Dispatch,
    stream: EventStream,
    notices: readonly Notice[],
    hasRecord: boolean
  ): string | Promise<string> {
    const isLater = this.#publish !== undefined || (hasRecord && notices.some(({ telling }) => telling === 'event'))
    if (!isLater) return toFrames(dispatch, stream, notices)
    return this.#complete(dispatch, notices, hasRecord).then((complete) => toFrames(dispatch, stream, complete))
  }

  /** The notices that may be sent, with their records. Lists that show the same record share it. */
  async #complete({ entry }: Dispatch, notices: readonly Notice[], hasRecord: boolean): Promise<readonly Notice[]> {
    const records = new Map<string, Promise<string | undefined>>()
    const completed = notices.map(async (notice) => {
      const { subscription, telling } = notice
      if (!(await this.#mayHear(entry.event, subscription))) return []
      if (telling !== 'event' || !hasRecord) return [notice]
      const { path } = subscription.list
      const record = records.get(path) ?? this.#recordFor(entry.event, subscription)
      records.set(path, record)
      return [{ ...notice, record: await record }]
    })
    return (await Promise.all(completed)).flat()
  }

  async #mayHear({ service, event, id }: LoggedEvent, { list, rule }: Subscription): Promise<boolean> {
    if (this.#publish === undefined) return true
    const { log } = this.#app
    try {
      const isAllowed = this.#publish({ path: service, event, id }, { path: list.name, params: rule.params })
      return (await withTimeout(this.#patience, isAllowed)) === true
    } catch (err) {
      log.error({ err, path: service, event }, `\`publish\` has failed: the event is not sent`)
      return false
    }
  }

  /**
   * Reads the record as the subscriber would, so that it is never older than what `find` shows, and
   * never more than the subscriber may see.
   * @returns the answer as JSON; `undefined` if there is none, or another route has the same URL:
   * clients may choose ids
   */
  async #recordFor({ id }: LoggedEvent, { list, stream, channel }: Subscription): Promise<string | undefined> {
    // No URL can name some ids, such as `..`.
    const segment = attempt(() => encodeSegment(id, 'An id'))
    if (segment === undefined) return undefined
    const url = `/${list.path}/${segment}`
    const question: Question = { method: 'get', params: undefined, path: undefined }
    const controller = new AbortController()
    try {
      const request = { url, credentials: stream.credentials, signal: controller.signal }
      const asking = askQuestion(this.#app, question, request)
      const { statusCode, body, headers } = await withTimeout(this.#patience, asking)
      const isJSON = /^application\/json\b/.test(String(headers['content-type']))
      if (statusCode !== 200 || !isJSON || question.path !== channel.path) return undefined
      return /[\r\n]/.test(body) ? JSON.stringify(JSON.parse(body)) : body
    } catch (err) {
      controller.abort()
      this.#app.log.error({ err, path: channel.path }, 'A record could not be read for a subscriber, who gets its id')
      return undefined
    }
  }
}

/** Whether a live event carries the record. One that was removed is gone. */
const sendsRecord = ({ event }: LogEntry, { hasRecords }: Channel): boolean => hasRecords && event.event !== 'removed'

/**
 * The frames of an event for one stream: one for all lists that are told the same. The last moves
 * the position.
 */
function toFrames(dispatch: Dispatch, stream: EventStream, notices: readonly Notice[]): string {
  const { id, event } = dispatch.entry
  const call = event.call !== undefined && isSameCaller(event.callers, stream.callers) ? `,"call":"${event.call}"` : ''
  const byHead = new Map<string, (number | undefined)[]>()
  for (const notice of notices) {
    const head = dispatch.headOf(notice)
    byHead.set(head, [...(byHead.get(head) ?? []), notice.subscription.index])
  }
  const frames = [...byHead].map(([head, indexes], place) => {
    const subscriptions = indexes[0] === undefined ? '' : `,"subscriptions":${JSON.stringify(indexes)}`
    const isLast = place === byHead.size - 1
    return toFrame(`${head}${subscriptions}${call}}`, isLast ? id : undefined)
  })
  return frames.join('')
}

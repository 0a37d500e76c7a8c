import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../core/async.js'
import { attempt } from '../core/errors.js'
import { encodeSegment } from '../core/path.js'
import type { Probe } from '../core/request-state.js'
import { haveCommonCaller } from './callers.js'
import type { LogEntry, LoggedEvent } from './log.js'
import type { EventsOptions } from './options.js'
import { sendProbe } from './probe.js'
import { type EventStream, type Subscription, toFrame } from './stream.js'
import { ComparedEvent, type Subscriptions, type Visibility } from './subscriptions.js'
import type { Topic } from './topic.js'

/** The message to one subscription. */
interface Notice {
  readonly subscription: Subscription
  readonly visibility: Visibility
  /** The record as JSON, if it is sent. */
  readonly record?: string | undefined
}

/** An event of a related record is none of the list, which only has to be read again. */
const toNotice = (subscription: Subscription, visibility: Visibility): Notice => ({
  subscription,
  visibility: subscription.isRelated ? 'changed' : visibility
})

/** An event on its way to the subscribers. */
interface OutgoingEvent {
  readonly entry: LogEntry
  readonly topic: Topic
  /** The beginnings of frames. Most subscribers get the same one, which is made once. */
  readonly heads: Map<string, string>
}

/** Returns the beginning of a frame's data: an object in JSON without its last bracket. */
function headOf({ entry: { event }, topic, heads }: OutgoingEvent, { subscription, visibility, record }: Notice) {
  const path = subscription.list.name
  if (record !== undefined) return `${JSON.stringify({ path, event: event.event }).slice(0, -1)},"data":${record}`
  const key = `${visibility} ${path}`
  let head = heads.get(key)
  if (head === undefined) {
    const isEvent = visibility === 'event'
    const data = isEvent ? { [topic.idField]: event.id } : undefined
    head = JSON.stringify({ path, event: isEvent ? event.event : visibility, data }).slice(0, -1)
    heads.set(key, head)
  }
  return head
}

/** Sends events to the streams that they affect. */
export class Delivery {
  readonly #app: FastifyInstance
  readonly #publish: EventsOptions['publish']
  /** How long `publish`, or the `get` of a record, may take, in ms. */
  readonly #timeout: number
  readonly #subscriptions: Subscriptions

  constructor(app: FastifyInstance, subscriptions: Subscriptions, publish: EventsOptions['publish'], timeout: number) {
    this.#app = app
    this.#subscriptions = subscriptions
    this.#publish = publish
    this.#timeout = timeout
  }

  deliver(entry: LogEntry, topic: Topic): void {
    const outgoing = { entry, topic, heads: new Map<string, string>() }
    const byStream = new Map<EventStream, Notice[]>()
    for (const affected of this.#subscriptions.affectedBy(topic, entry.event)) {
      const notice = toNotice(...affected)
      const { stream } = notice.subscription
      const notices = byStream.get(stream)
      if (notices === undefined) byStream.set(stream, [notice])
      else notices.push(notice)
    }
    for (const [stream, notices] of byStream) {
      try {
        stream.send(this.#framesOf(outgoing, stream, notices, sendsRecord(entry, topic)))
      } catch (err) {
        this.#app.log.error({ err, path: topic.path }, 'An event could not be sent: a subscriber has to refetch')
        stream.reset()
      }
    }
  }

  /**
   * Returns the frames of an event that a stream has missed, by its present scopes. They have no
   * records: there may be thousands of events, and each would cost a read.
   */
  async replay(entry: LogEntry, topic: Topic, stream: EventStream): Promise<string> {
    const compared = new ComparedEvent(entry.event)
    const notices = [...stream.subscriptions].flatMap((subscription) => {
      if (subscription.topic !== topic) return []
      const visibility = compared.visibilityFor(subscription.scope)
      return visibility === undefined ? [] : [toNotice(subscription, visibility)]
    })
    return this.#framesOf({ entry, topic, heads: new Map() }, stream, notices, false)
  }

  #framesOf(
    outgoing: OutgoingEvent,
    stream: EventStream,
    notices: readonly Notice[],
    hasRecord: boolean
  ): string | Promise<string> {
    const isAsync =
      this.#publish !== undefined || (hasRecord && notices.some(({ visibility }) => visibility === 'event'))
    if (!isAsync) return toFrames(outgoing, stream, notices)
    return this.#complete(outgoing, notices, hasRecord).then((complete) => toFrames(outgoing, stream, complete))
  }

  /**
   * Drops what `publish` forbids, and adds the records. Lists with the same path share one read.
   */
  async #complete(
    { entry }: OutgoingEvent,
    notices: readonly Notice[],
    hasRecord: boolean
  ): Promise<readonly Notice[]> {
    const records = new Map<string, Promise<string | undefined>>()
    const completed = notices.map(async (notice) => {
      const { subscription, visibility } = notice
      if (!(await this.#isPublished(entry.event, subscription))) return []
      if (visibility !== 'event' || !hasRecord) return [notice]
      const { path } = subscription.list
      const record = records.get(path) ?? this.#recordFor(entry.event, subscription)
      records.set(path, record)
      return [{ ...notice, record: await record }]
    })
    return (await Promise.all(completed)).flat()
  }

  async #isPublished({ service, event, id }: LoggedEvent, { list, scope }: Subscription): Promise<boolean> {
    if (this.#publish === undefined) return true
    const { log } = this.#app
    try {
      const isAllowed = this.#publish({ path: service, event, id }, { path: list.name, params: scope.params })
      return (await withTimeout(this.#timeout, isAllowed)) === true
    } catch (err) {
      log.error({ err, path: service, event }, `\`publish\` has failed: the event is not sent`)
      return false
    }
  }

  /**
   * Reads the record as the subscriber would. So it is never older than the result of `find`, and
   * never shows more than the subscriber may see.
   *
   * @returns the record as JSON; `undefined` if there is none, or if the URL belongs to another
   * route, since clients may choose ids
   */
  async #recordFor({ id }: LoggedEvent, { list, stream, topic }: Subscription): Promise<string | undefined> {
    // Some ids, such as `..`, fit in no URL.
    const segment = attempt(() => encodeSegment(id, 'An id'))
    if (segment === undefined) return undefined
    const url = `/${list.path}/${segment}`
    const probe: Probe = { method: 'get', params: undefined, path: undefined }
    const controller = new AbortController()
    try {
      const request = { url, credentials: stream.credentials, signal: controller.signal }
      const response = sendProbe(this.#app, probe, request)
      const { statusCode, body, headers } = await withTimeout(this.#timeout, response)
      const isJSON = /^application\/json\b/.test(String(headers['content-type']))
      if (statusCode !== 200 || !isJSON || probe.path !== topic.path) return undefined
      return /[\r\n]/.test(body) ? JSON.stringify(JSON.parse(body)) : body
    } catch (err) {
      controller.abort()
      this.#app.log.error({ err, path: topic.path }, 'A record could not be read for a subscriber, who gets its id')
      return undefined
    }
  }
}

/** Whether a live event carries the record. A removed record can't be read any more. */
const sendsRecord = ({ event }: LogEntry, { hasRecords }: Topic): boolean => hasRecords && event.event !== 'removed'

/**
 * Returns the frames of an event for one stream: one for all lists that get the same text. Only the
 * last has the id, so that a subscriber that has got some of them resumes before all.
 */
function toFrames(outgoing: OutgoingEvent, stream: EventStream, notices: readonly Notice[]): string {
  const { id, event } = outgoing.entry
  const isByCaller = event.call !== undefined && haveCommonCaller(event.callers, stream.callers)
  const call = isByCaller ? `,"call":"${event.call}"` : ''
  const byHead = new Map<string, (number | undefined)[]>()
  for (const notice of notices) {
    const head = headOf(outgoing, notice)
    byHead.set(head, [...(byHead.get(head) ?? []), notice.subscription.index])
  }
  const frames = [...byHead].map(([head, indexes], position) => {
    const subscriptions = indexes[0] === undefined ? '' : `,"subscriptions":${JSON.stringify(indexes)}`
    const isLast = position === byHead.size - 1
    return toFrame(`${head}${subscriptions}${call}}`, isLast ? id : undefined)
  })
  return frames.join('')
}

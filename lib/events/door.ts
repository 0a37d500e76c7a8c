import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { attempt, ServiceError, toServiceError, Unavailable } from '../core/errors.js'
import { isClosed } from '../core/http-call.js'
import type { Channel } from './channel.js'
import { Delivery } from './delivery.js'
import { Intake } from './intake.js'
import { type EventLog, type LogEntry, memoryLog } from './log.js'
import { defaultLimits, type EventsLimits, type EventsOptions } from './options.js'
import { type CallerIdentity, identityOf } from './question.js'
import { ChannelFinder, type ListRequest, urlPathOf } from './requests.js'
import { type Rule, RuleInquiry } from './rule.js'
import { EventStream, type StreamSettings, toFrame } from './stream.js'
import { type Subscription, Subscriptions } from './subscription.js'
import { traceStream } from './trace.js'
import { Watch } from './watch.js'

/** A list that was asked for, and what came of it. */
interface ListAnswer {
  readonly list: ListRequest | undefined
  readonly channel: Channel | undefined
  readonly outcome: Rule | ServiceError
}

type Accepted = ListAnswer & { readonly list: ListRequest; readonly channel: Channel; readonly outcome: Rule }
const isAccepted = (answer: ListAnswer): answer is Accepted => !(answer.outcome instanceof ServiceError)

const needsLogin = ({ outcome }: ListAnswer) => outcome instanceof ServiceError && outcome.code === 401

const acceptedCallers = (answers: readonly ListAnswer[]): readonly string[] => [
  ...new Set(answers.filter(isAccepted).flatMap(({ outcome }) => outcome.callers))
]

/** How long events are kept after the last stream has ended, for those who come back. In ms. */
const retention = 300_000

/** All streams of a registration, with what they tell of. */
export class Door {
  readonly path: string
  readonly limits: EventsLimits
  readonly watch: Watch
  readonly intake: Intake
  readonly #app: FastifyInstance
  readonly #log: EventLog
  readonly #channels = new Map<string, Channel>()
  readonly #subscriptions = new Subscriptions()
  readonly #delivery: Delivery
  readonly #settings: StreamSettings
  readonly #finder = new ChannelFinder()
  #wantedUntil = 0
  /** Whether there were events that the log was not given. */
  #hasGap = false
  #isClosing = false

  constructor(app: FastifyInstance, path: string, options: EventsOptions) {
    this.path = path
    this.limits = { ...defaultLimits, ...options.limits }
    this.#app = app
    this.#log = options.log ?? memoryLog()
    this.intake = new Intake(app, this.#log, options.durable === true, this.limits.patience)
    this.#delivery = new Delivery(app, this.#subscriptions, options.publish, this.limits.patience)
    this.watch = new Watch(app, this.#subscriptions, options, () => this.#log.newest())
    this.#settings = {
      path,
      waiting: this.limits.waiting,
      newest: () => this.#log.newest(),
      onClose: (stream) => this.#forget(stream)
    }
    this.#log.listen({
      onEvent: (entry) => this.#deliver(entry),
      onLoss: () => {
        for (const stream of this.watch.streams) stream.lose()
      }
    })
  }

  get channels(): readonly Channel[] {
    return [...this.#channels.values()]
  }

  add(channel: Channel): void {
    this.#channels.set(channel.path, channel)
    this.#finder.add(channel)
  }

  /** Waits for the log. */
  async openLog(): Promise<void> {
    await this.#log.open?.()
  }

  /**
   * Whether somebody listens, or may come back for what happens now. Otherwise events cost nothing.
   */
  readonly isWanted = (): boolean => {
    if (this.watch.streams.size > 0 || this.watch.openings.size > 0 || this.#log.forget === undefined) return true
    if (performance.now() < this.#wantedUntil) return true
    this.#hasGap = true
    return false
  }

  #deliver(entry: LogEntry): void {
    const channel = this.#channels.get(entry.event.service)
    if (channel === undefined || this.watch.streams.size === 0) return
    this.#delivery.deliver(entry, channel)
  }

  /**
   * Answers a request with a stream of the lists.
   * @param lists what is asked for, with an error in the place of what can't be; `undefined` for
   * all that the caller may find
   * @throws the error of a list that may not be heard, and Unavailable where there are too many
   * streams
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    lists?: readonly (ListRequest | ServiceError)[]
  ): Promise<FastifyReply> {
    if (this.#isClosing) throw new Unavailable('The server is about to close')
    if (this.watch.streams.size + this.watch.openings.size >= this.limits.subscribers) throw tooManyStreams(reply)
    const controller = new AbortController()
    // Each of the lists listens to it.
    setMaxListeners(0, controller.signal)
    reply.raw.once('close', () => controller.abort())
    const rechecked = new Set<string>()
    this.watch.openings.add(rechecked)
    try {
      if (this.#hasGap) this.#log.forget?.()
      this.#hasGap = false
      const credentials = identityOf(request)
      const named = lists ?? this.#allLists()
      let answers: readonly ListAnswer[]
      do {
        rechecked.clear()
        const inquiry = new RuleInquiry(this.#app, credentials, controller.signal)
        const ask = (list: ListRequest | ServiceError) => this.#ask(list, request, inquiry)
        // Where the first list needs another login, the others decide nothing.
        const first = await Promise.all(named.slice(0, lists && 1).map(ask))
        answers = first.some(needsLogin)
          ? first
          : [...first, ...(await Promise.all(named.slice(first.length).map(ask)))]
        if (isGone(reply)) return reply
      } while (acceptedCallers(answers).some((caller) => rechecked.has(caller)))
      if (this.#isClosing) throw new Unavailable('The server is about to close')
      this.#start(request, reply, answers, credentials, lists === undefined)
    } finally {
      this.watch.openings.delete(rechecked)
    }
    return reply
  }

  #allLists(): ListRequest[] {
    return this.channels
      .filter(({ path }) => !path.includes(':'))
      .map(({ path }) => ({ path, name: path, query: {}, isJSON: false }))
  }

  async #ask(named: ListRequest | ServiceError, request: FastifyRequest, inquiry: RuleInquiry): Promise<ListAnswer> {
    if (named instanceof ServiceError) return { list: undefined, channel: undefined, outcome: named }
    try {
      const { channel, path } = this.#finder.find(named.name, urlPathOf(request))
      const list = { ...named, path }
      return { list, channel, outcome: await inquiry.ask(channel, list) }
    } catch (error) {
      return { list: undefined, channel: undefined, outcome: toServiceError(error) }
    }
  }

  #start(
    request: FastifyRequest,
    reply: FastifyReply,
    answers: readonly ListAnswer[],
    credentials: CallerIdentity,
    isOfAll: boolean
  ): void {
    const accepted = answers.filter(isAccepted)
    const errors = answers.flatMap(({ outcome }) => (outcome instanceof ServiceError ? [outcome] : []))
    const grave = errors.find(({ code }) => code === 401 || code >= 500)
    const refusal = (isOfAll ? undefined : grave) ?? (accepted.length === 0 ? errors[0] : undefined)
    if (refusal !== undefined) {
      if (refusal.code === 401) reply.header('www-authenticate', 'Bearer')
      throw refusal
    }
    const callers = acceptedCallers(accepted)
    const payer = payerOf(callers, request)
    if (this.watch.countOf(payer) >= this.limits.perUser) throw tooManyStreams(reply)
    const rules = accepted.map(({ outcome }) => outcome)
    const stream = new EventStream(this.#settings, credentials, callers, this.watch.endOf(rules))
    const isAlone = isOfAll || answers.length === 1
    // An answer may be over before anybody reads the stream: that to HEAD, or one for which a hook
    // sends something else.
    reply.raw.once('close', () => stream.source.destroy())
    for (const answer of accepted) {
      const index = isAlone ? undefined : answers.indexOf(answer)
      const { list, channel, outcome } = answer
      const subscription: Subscription = { list, channel, stream, index, rule: outcome }
      this.#subscriptions.add(subscription)
    }
    this.watch.add(stream, payer)
    traceStream(
      stream,
      accepted.map(({ list }) => list.path)
    )
    const lastId = request.headers['last-event-id']
    stream.tell(this.#firstFrames(stream, isOfAll ? [] : answers, typeof lastId === 'string' ? lastId : undefined))
    // A server in front, such as Koa, may have set another status.
    reply.code(200).headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      // The connection ends with the stream, and keeps no server from closing.
      ...(request.raw.httpVersionMajor === 1 && { connection: 'close' })
    })
    // What Fastify's `handlerTimeout` is for is over when the stream is handed to the response: the
    // timer would break it off, and `hijack` ends it. Later, since traces of the handler end with
    // its promise, but not after a `hijack`.
    reply.raw.once('pipe', () => setImmediate(() => reply.hijack()))
    reply.send(stream.source)
  }

  /** What a stream begins with: its position, the lists that were refused, and what was missed. */
  #firstFrames(
    stream: EventStream,
    answers: readonly ListAnswer[],
    lastId: string | undefined
  ): string | Promise<string> {
    const position = this.#log.newest()
    const { heartbeat, wait } = this.watch
    const frame = (data: object, id?: string) => toFrame(JSON.stringify({ path: this.path, ...data }), id)
    // Lists over the limit have an error in common, and so a frame: there may be thousands.
    const errors = new Set(answers.map(({ outcome }) => outcome).filter((outcome) => outcome instanceof ServiceError))
    const refused = [...errors].map((error) => {
      const subscriptions = [...answers.keys()].filter((index) => answers[index]?.outcome === error)
      const reason = (subscriptions.at(-1) as number) < this.limits.subscriptions ? 'forbidden' : 'limit'
      return frame({ event: 'stopped', reason, subscriptions, error })
    })
    const begin = (id: string) => frame({ event: 'connected', heartbeat, wait }, id) + refused.join('')
    if (lastId === undefined) return begin(position)
    return this.#missed(stream, lastId, position).then((frames) => {
      // The stream tells `reset` by itself.
      if (stream.isLost) return begin(position)
      if (frames === undefined) return begin(position) + frame({ event: 'reset' }, position)
      return begin(lastId) + frames
    })
  }

  /**
   * The frames of what came between two positions; `undefined` where the log does not have all of
   * it.
   */
  async #missed(stream: EventStream, after: string, position: string): Promise<string | undefined> {
    try {
      const entries = await this.#log.read(after)
      if (entries === undefined) return undefined
      const end = entries.findIndex(({ id }) => id === position)
      // What came since is told as it comes.
      const missed = position === after ? [] : entries.slice(0, end + 1)
      const frames = missed.map((entry) => {
        const channel = this.#channels.get(entry.event.service)
        return channel === undefined ? '' : this.#delivery.replay(entry, channel, stream)
      })
      const text = (await Promise.all(frames)).join('')
      return text.length > this.limits.waiting ? undefined : text
    } catch (err) {
      this.#app.log.error({ err }, 'The log of events could not be read: a subscriber is to ask again')
      return undefined
    }
  }

  #forget(stream: EventStream): void {
    this.#subscriptions.deleteAll(stream)
    this.watch.delete(stream)
    if (this.watch.streams.size === 0) this.#wantedUntil = performance.now() + retention
  }

  /** Ends all streams: their clients connect again, to another process or after the restart. */
  endStreams(): void {
    this.#isClosing = true
    this.watch.close()
  }

  /** Ends the log, when all calls are done. */
  async close(): Promise<void> {
    this.intake.close()
    await attempt(() => this.#log.close?.())
  }
}

const isGone = ({ raw }: FastifyReply) => isClosed(raw)

/**
 * By whom streams are counted: the user, or the address of callers who are not known. A token that
 * nobody has verified says nothing.
 */
const payerOf = (callers: readonly string[], { ip }: FastifyRequest): string | undefined =>
  callers.find((caller) => caller.startsWith('user ')) ?? (ip && `address ${ip}`)

function tooManyStreams(reply: FastifyReply): Unavailable {
  reply.header('retry-after', '30')
  return new Unavailable('There are too many streams of events: try again later')
}

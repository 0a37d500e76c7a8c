import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { servicesAdded } from '../core/description.js'
import { attempt, NotFound, ServiceError, toServiceError, Unavailable } from '../core/errors.js'
import { isClosed } from '../core/http-call.js'
import { fillPath } from '../core/path.js'
import { type ServiceHost, serviceHostOf } from '../core/plugin-state.js'
import { type CallerCredentials, credentialsOf } from '../shared/caller-requests.js'
import { CallEvents } from './call-events.js'
import { isUserKey } from './callers.js'
import { Delivery } from './delivery.js'
import { type ListRequest, urlPathOf } from './list-request.js'
import { type ListScope, ScopeResolver } from './list-scope.js'
import { type EventLog, type LogEntry, memoryLog } from './log.js'
import { OpenStreams } from './open-streams.js'
import { defaultLimits, type EventsLimits, type EventsOptions } from './options.js'
import { EventStream, type StreamSettings, toFrame, traceStream } from './stream.js'
import { Subscriptions } from './subscriptions.js'
import type { Topic } from './topic.js'

/** A list of a request for a stream that the caller may `find`. */
interface AcceptedList {
  readonly list: ListRequest
  readonly topic: Topic
  readonly scope: ListScope
  /** The lists of the related records that it includes, under its own name. */
  readonly related?: readonly AcceptedList[]
}

type ResolvedList = AcceptedList | ServiceError
const isAccepted = (resolved: ResolvedList): resolved is AcceptedList => !(resolved instanceof ServiceError)
const isRefused = (resolved: ResolvedList): resolved is ServiceError => !isAccepted(resolved)

const acceptedCallers = (lists: readonly ResolvedList[]): readonly string[] => [
  ...new Set(lists.filter(isAccepted).flatMap(({ scope }) => scope.callers))
]

/** The service of log entries that tell the other processes of a recheck. No path begins so. */
const recheckService = '/recheck'

/** Opens the streams of one registration of the plugin, and brings events from the log to them. */
export class EventServer {
  readonly path: string
  readonly limits: EventsLimits
  readonly streams: OpenStreams
  readonly callEvents: CallEvents
  readonly #app: FastifyInstance
  readonly #host: ServiceHost
  readonly #log: EventLog
  readonly #topics = new Map<string, Topic>()
  readonly #subscriptions = new Subscriptions()
  readonly #delivery: Delivery
  readonly #settings: StreamSettings
  /** Names this process in the log. */
  readonly #process = randomUUID()
  #isClosing = false

  constructor(app: FastifyInstance, path: string, options: EventsOptions) {
    this.path = path
    this.limits = { ...defaultLimits, ...options.limits }
    this.#app = app
    this.#host = serviceHostOf(app)
    this.#log = options.log ?? memoryLog()
    this.callEvents = new CallEvents(app, this.#log, options.durable === true, this.limits.timeout)
    this.#delivery = new Delivery(app, this.#subscriptions, options.publish, this.limits.timeout)
    this.streams = new OpenStreams(app, this.#subscriptions, options, () => this.#log.newest())
    this.#settings = {
      path,
      waiting: this.limits.waiting,
      newest: () => this.#log.newest()
    }
    this.#log.listen({
      onEvent: (entry) => this.#deliver(entry),
      onLoss: () => this.streams.resetAll()
    })
  }

  get topics(): readonly Topic[] {
    return [...this.#topics.values()]
  }

  add(topic: Topic): void {
    this.#topics.set(topic.path, topic)
  }

  async openLog(): Promise<void> {
    await this.#log.open?.()
  }

  /**
   * Rechecks the lists of users, in all processes that share the log.
   *
   * @param keys the keys of the users
   * @returns when it is done in this process
   */
  async recheck(keys: readonly string[]): Promise<void> {
    this.tellRecheck(keys)
    await this.streams.recheck(keys)
  }

  tellRecheck(keys: readonly string[]): void {
    if (this.#log.isShared !== true) return
    const event = { service: recheckService, event: 'recheck', id: undefined, callers: [this.#process, ...keys] }
    this.callEvents.append({ ...event, facts: {}, touched: [], route: {}, call: undefined })
  }

  #deliver(entry: LogEntry): void {
    const { service, callers } = entry.event
    if (service === recheckService && !callers.includes(this.#process)) void this.streams.recheck(callers)
    const topic = this.#topics.get(service)
    if (topic === undefined || this.streams.size === 0) return
    this.#delivery.deliver(entry, topic)
  }

  /**
   * Answers a request with a stream of lists.
   *
   * @param lists with an error in place of each invalid one; `undefined` for all lists that the
   * caller may find
   * @throws {ServiceError} if a list needs a login, or if all lists are refused
   * @throws {Unavailable} if there are too many streams
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    lists?: readonly (ListRequest | ServiceError)[]
  ): Promise<FastifyReply> {
    this.#checkIsOpen()
    if (this.streams.size + this.streams.openings.size >= this.limits.subscribers) throw tooManyStreams(reply)
    const controller = new AbortController()
    // Each list adds a listener.
    setMaxListeners(0, controller.signal)
    reply.raw.once('close', () => controller.abort())
    const recheckedKeys = new Set<string>()
    this.streams.openings.add(recheckedKeys)
    try {
      const credentials = credentialsOf(request)
      let resolved: readonly ResolvedList[]
      do {
        recheckedKeys.clear()
        const resolver = new ScopeResolver(this.#app, credentials, controller.signal)
        resolved = await this.#resolveAll(lists, request, resolver)
        if (isClosed(reply.raw)) return reply
      } while (acceptedCallers(resolved).some((key) => recheckedKeys.has(key)))
      this.#checkIsOpen()
      this.#start(request, reply, resolved, credentials, lists === undefined)
    } finally {
      this.streams.openings.delete(recheckedKeys)
    }
    return reply
  }

  #checkIsOpen(): void {
    if (this.#isClosing) throw new Unavailable('The server is about to close')
  }

  async #resolveAll(
    lists: readonly (ListRequest | ServiceError)[] | undefined,
    request: FastifyRequest,
    resolver: ScopeResolver
  ): Promise<readonly ResolvedList[]> {
    const resolve = (list: ListRequest | ServiceError) => this.#resolve(list, request, resolver)
    if (lists === undefined) return Promise.all(this.#allLists().map(resolve))
    // If the first list needs a login, the others need not be asked for.
    const first = await Promise.all(lists.slice(0, 1).map(resolve))
    return first.some((resolved) => isRefused(resolved) && resolved.code === 401)
      ? first
      : [...first, ...(await Promise.all(lists.slice(1).map(resolve)))]
  }

  #allLists(): ListRequest[] {
    return this.topics
      .filter(({ path }) => !path.includes(':'))
      .map(({ path }) => ({ path, name: path, query: {}, isJSON: false }))
  }

  async #resolve(
    requested: ListRequest | ServiceError,
    request: FastifyRequest,
    resolver: ScopeResolver
  ): Promise<ResolvedList> {
    if (requested instanceof ServiceError) return requested
    try {
      const { topic, path } = this.#findTopic(requested.name, urlPathOf(request))
      const list = { ...requested, path }
      const scope = await resolver.resolve(topic, list)
      if (scope instanceof ServiceError) return scope
      return { list, topic, scope, related: await this.#resolveRelated({ list, topic, scope }, resolver) }
    } catch (error) {
      return toServiceError(error)
    }
  }

  /** Resolves the lists of related records whose services publish events, and that the caller may find. */
  async #resolveRelated({ list, topic, scope }: AcceptedList, resolver: ScopeResolver): Promise<AcceptedList[]> {
    const { name, query } = list
    const topics = [...new Set(servicesAdded(topic.entry, query))].flatMap((path) => this.#topics.get(path) ?? [])
    const resolved = topics.map(async (topic): Promise<ResolvedList> => {
      const path = fillPath(encodeURI(topic.path), Object(scope.params.route))
      const related = { path, name, query: {}, isJSON: false }
      const found = await resolver.resolve(topic, related)
      return found instanceof ServiceError ? found : { list: related, topic, scope: found }
    })
    return (await Promise.all(resolved)).filter(isAccepted)
  }

  /**
   * Finds the topic and the URL path of a list. A client with the base URL `https://host/api` says
   * `notes` for `/api/notes`, so each prefix of the URL of the stream is tried as the base path.
   *
   * @param name the path of the list, as the client has sent it
   */
  #findTopic(name: string, streamPath: string): { readonly topic: Topic; readonly path: string } {
    const segments = streamPath.split('/')
    for (const [length] of segments.entries()) {
      const path = [...segments.slice(0, length), name].join('/')
      const service = this.#host.serviceAt(`/${path}`)
      const topic = service?.path === '' ? this.#topics.get(service.entry.path) : undefined
      if (topic !== undefined) return { topic, path }
    }
    throw new NotFound(`There are no events of '${name.slice(0, 100)}'`)
  }

  #start(
    request: FastifyRequest,
    reply: FastifyReply,
    resolved: readonly ResolvedList[],
    credentials: CallerCredentials,
    isOfAll: boolean
  ): void {
    const accepted = resolved.filter(isAccepted)
    const refusal = requestErrorOf(resolved, isOfAll)
    if (refusal !== undefined) {
      if (refusal.code === 401) reply.header('www-authenticate', 'Bearer')
      throw refusal
    }
    const callers = acceptedCallers(accepted)
    const quotaKey = quotaKeyOf(callers, request)
    if (this.streams.countOf(quotaKey) >= this.limits.perUser) throw tooManyStreams(reply)
    const stream = new EventStream(this.#settings, credentials, callers)
    // The response may end before the stream is read: for HEAD, or if a hook sends something else.
    reply.raw.once('close', () => stream.source.destroy())
    const isSingle = isOfAll || resolved.length === 1
    for (const item of accepted) {
      const { related = [], ...own } = item
      const index = isSingle ? undefined : resolved.indexOf(item)
      this.#subscriptions.add({ ...own, stream, index })
      for (const list of related) this.#subscriptions.add({ ...list, stream, index, isRelated: true })
    }
    this.streams.add(stream, quotaKey)
    const paths = accepted.map(({ list }) => list.path)
    traceStream(stream, paths)
    const lastId = request.headers['last-event-id']
    stream.send(this.#firstFrames(stream, isOfAll ? [] : resolved, typeof lastId === 'string' ? lastId : undefined))
    sendStream(request, reply, stream)
  }

  /** Returns the first frames of a stream: the position, the refused lists, and missed events. */
  #firstFrames(
    stream: EventStream,
    resolved: readonly ResolvedList[],
    lastId: string | undefined
  ): string | Promise<string> {
    const position = this.#log.newest()
    const { heartbeat, wait } = this.streams
    const frame = (data: object, id?: string) => toFrame(JSON.stringify({ path: this.path, ...data }), id)
    // One frame per error: lists over the limit share theirs, and there may be thousands of them.
    const refused = [...new Set(resolved.filter(isRefused))].map((error) => {
      const subscriptions = [...resolved.keys()].filter((index) => resolved[index] === error)
      const reason = (subscriptions.at(-1) as number) < this.limits.subscriptions ? 'forbidden' : 'limit'
      return frame({ event: 'stopped', reason, subscriptions, error })
    })
    const begin = (id: string) => frame({ event: 'connected', heartbeat, wait }, id) + refused.join('')
    if (lastId === undefined) return begin(position)
    return this.#missedFrames(stream, lastId, position).then((frames) => {
      // The stream sends `reset` by itself.
      if (stream.needsReset) return begin(position)
      if (frames === undefined) return begin(position) + frame({ event: 'reset' }, position)
      return begin(lastId) + frames
    })
  }

  /** Returns the frames between two positions; `undefined` if the log does not have all events. */
  async #missedFrames(stream: EventStream, after: string, position: string): Promise<string | undefined> {
    try {
      const entries = await this.#log.read(after)
      if (entries === undefined) return undefined
      const end = entries.findIndex(({ id }) => id === position)
      // Events after the position are delivered live.
      const missed = position === after ? [] : entries.slice(0, end + 1)
      const frames = missed.map((entry) => {
        const topic = this.#topics.get(entry.event.service)
        return topic === undefined ? '' : this.#delivery.replay(entry, topic, stream)
      })
      const text = (await Promise.all(frames)).join('')
      return text.length > this.limits.waiting ? undefined : text
    } catch (err) {
      this.#app.log.error({ err }, 'The log of events could not be read: a subscriber has to refetch')
      return undefined
    }
  }

  /** Ends all streams. Their clients connect again, to another process or after the restart. */
  endStreams(): void {
    this.#isClosing = true
    this.streams.close()
  }

  /** Closes the log, once all calls are done. */
  async close(): Promise<void> {
    this.callEvents.close()
    await attempt(() => this.#log.close?.())
  }
}

function requestErrorOf(resolved: readonly ResolvedList[], isOfAll: boolean): ServiceError | undefined {
  const errors = resolved.filter(isRefused)
  const graveError = isOfAll ? undefined : errors.find(({ code }) => code === 401 || code >= 500)
  return graveError ?? (errors.length === resolved.length ? errors[0] : undefined)
}

function sendStream({ raw }: FastifyRequest, reply: FastifyReply, { source }: EventStream): void {
  // A framework around this one, such as Koa, may have set another status.
  reply.code(200).headers({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // Otherwise the kept-alive connection would delay the close of the server.
    ...(raw.httpVersionMajor === 1 && { connection: 'close' })
  })
  // `hijack` ends the timer of Fastify's `handlerTimeout`, which would break the stream off. Not at
  // once, since traces of the handler end with its promise, but not after a `hijack`.
  reply.raw.once('pipe', () => setImmediate(() => reply.hijack()))
  reply.send(source)
}

/**
 * Returns the key by which streams are limited: of the user, or the address if the caller is not
 * known. A token that no guard has verified does not count.
 */
const quotaKeyOf = (callers: readonly string[], { ip }: FastifyRequest): string | undefined =>
  callers.find(isUserKey) ?? (ip && `address ${ip}`)

function tooManyStreams(reply: FastifyReply): Unavailable {
  reply.header('retry-after', '30')
  return new Unavailable('There are too many streams of events: try again later')
}

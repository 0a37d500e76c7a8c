import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../core/errors.js'
import type { LoginVerifier } from '../core/logins.js'
import { isUserKey } from './callers.js'
import { type ListScope, ScopeResolver } from './list-scope.js'
import type { EventsOptions } from './options.js'
import type { EventStream, Subscription } from './stream.js'
import type { Subscriptions } from './subscriptions.js'

// In ms. A stream ends a little before its login does, if there is time for that.
const expiryMargin = 2000
/** In ms: clients spread their refetches over this time per stream, up to `maxWait`. */
const waitPerStream = 5
const maxWait = 30_000
/** How many streams are rechecked per heartbeat, at least. */
const minRechecks = 50
/** How many streams are rechecked before other work gets a turn. */
const maxAtOnce = 20

/** The streams that are open: sends heartbeats, checks their logins and scopes, and ends them. */
export class OpenStreams {
  /**
   * The requests that wait for their scopes: for each, the keys of users that were rechecked in the
   * meantime.
   */
  readonly openings = new Set<Set<string>>()
  /** In ms. */
  readonly heartbeat: number
  readonly #app: FastifyInstance
  readonly #subscriptions: Subscriptions
  readonly #recheck: number
  readonly #lifetime: number
  readonly #newest: () => string
  readonly #streams = new Set<EventStream>()
  readonly #byKey = new Map<string, Set<EventStream>>()
  readonly #interval: NodeJS.Timeout

  constructor(app: FastifyInstance, subscriptions: Subscriptions, options: EventsOptions, newest: () => string) {
    const { heartbeat = 15_000, recheck = 300_000, lifetime = 1_800_000 } = options
    this.heartbeat = heartbeat
    this.#app = app
    this.#subscriptions = subscriptions
    this.#recheck = recheck
    this.#lifetime = lifetime
    this.#newest = newest
    this.#interval = setInterval(() => this.#beat(), heartbeat).unref()
  }

  get size(): number {
    return this.#streams.size
  }

  /** How long clients wait at most before they refetch, in ms, so that not all do at once. */
  get wait(): number {
    return Math.min(this.size * waitPerStream, maxWait)
  }

  countOf(quotaKey: string | undefined): number {
    return quotaKey === undefined ? 0 : (this.#byKey.get(quotaKey)?.size ?? 0)
  }

  /**
   * Adds a stream with its subscriptions, until it closes.
   *
   * @param quotaKey the key by which streams are limited
   */
  add(stream: EventStream, quotaKey: string | undefined): void {
    const keys = new Set(stream.callers.filter(isUserKey))
    if (quotaKey !== undefined) keys.add(quotaKey)
    for (const key of keys) this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(stream))
    this.#streams.add(stream)
    stream.recheckAt = performance.now() + this.#recheck * (0.5 + Math.random() / 2)
    const timer = this.#endInTime(stream)
    stream.source.once('close', () => {
      clearTimeout(timer)
      this.#streams.delete(stream)
      for (const subscription of stream.subscriptions) this.#subscriptions.delete(subscription)
      for (const key of keys) {
        const streams = this.#byKey.get(key)
        streams?.delete(stream)
        if (streams?.size === 0) this.#byKey.delete(key)
      }
    })
  }

  #endInTime(stream: EventStream): NodeJS.Timeout {
    const now = Date.now()
    const scopes = [...stream.subscriptions].map(({ scope }) => scope)
    const expires = Math.min(...scopes.map(({ expires = Number.POSITIVE_INFINITY }) => expires))
    const end = expires - expiryMargin > now ? expires - expiryMargin : expires
    const until = now + this.#lifetime * (0.5 + Math.random() / 2)
    return end < until
      ? setTimeout(() => stream.stop('expired'), Math.max(0, end - now)).unref()
      : setTimeout(() => stream.stop('closing', this.#retryTime()), until - now).unref()
  }

  /** Events of all streams may be lost, and changes of their users, too. */
  resetAll(): void {
    for (const stream of this.#streams) {
      stream.reset()
      stream.recheckAt = performance.now()
    }
  }

  /** Returns after how many ms a client connects again. Random, so that not all do at once. */
  #retryTime(): number {
    return Math.round(1000 + Math.random() * Math.max(1000, this.wait))
  }

  #beat(): void {
    const id = this.#newest()
    for (const stream of this.#streams) stream.beat(stream.isSettled ? `:\nid: ${id}\n\n` : ':\n\n')
    void this.#checkLogins()
    const now = performance.now()
    const due = [...this.#streams].filter(({ recheckAt }) => recheckAt <= now)
    due.sort((first, second) => first.recheckAt - second.recheckAt)
    // Twice the average number per heartbeat, so that no stream waits for ever.
    const count = Math.max(minRechecks, (2 * this.size * this.heartbeat) / this.#recheck)
    for (const stream of due.slice(0, count)) {
      stream.recheckAt = now + this.#recheck
      void this.#resolveScopes(stream)
    }
  }

  /** Ends the streams of revoked logins. Each login is checked once, not once per stream. */
  async #checkLogins(): Promise<void> {
    const answers = new Map<unknown, Promise<boolean>>()
    const checks = [...this.#streams].map(async (stream) => {
      const login = [...stream.subscriptions].find(({ scope }) => scope.login !== undefined)?.scope.login
      const { isStillGood } = (login?.maker ?? {}) as Partial<LoginVerifier>
      if (login === undefined || isStillGood === undefined) return
      const key = Object(login.values.authentication).accessToken ?? login
      const answer = answers.get(key) ?? isStillGood.call(login.maker, login)
      answers.set(key, answer)
      if (!(await answer)) stream.stop('revoked')
    })
    await Promise.all(checks)
  }

  /**
   * Resolves the scopes of the lists of users again. Until that is done, these lists get `changed`
   * only.
   *
   * @param keys the keys of the users
   */
  async recheck(keys: readonly string[]): Promise<void> {
    for (const recheckedKeys of this.openings) for (const key of keys) recheckedKeys.add(key)
    const streams = [...new Set(keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]))]
    for (const stream of streams) {
      for (const subscription of stream.subscriptions)
        this.#subscriptions.changeScope(subscription, { ...subscription.scope, conditions: undefined })
      stream.dropPending()
    }
    const rechecks: Promise<void>[] = []
    for (const stream of streams) {
      rechecks.push(this.#resolveScopes(stream))
      // Thousands of rules at once would hold up all requests for a second.
      if (rechecks.length % maxAtOnce === 0) await new Promise(setImmediate)
    }
    await Promise.all(rechecks)
  }

  async #resolveScopes(stream: EventStream): Promise<void> {
    const resolver = new ScopeResolver(this.#app, stream.credentials)
    await Promise.all([...stream.subscriptions].map((subscription) => this.#resolveScope(subscription, resolver)))
  }

  async #resolveScope(subscription: Subscription, resolver: ScopeResolver): Promise<void> {
    const { stream, topic, list, index, scope } = subscription
    let newScope: ListScope | ServiceError
    try {
      newScope = await resolver.resolve(topic, list)
    } catch (err) {
      this.#app.log.error({ err, path: list.path }, 'The rule of a list could not be asked for again')
      return
    }
    if (stream.isOver || !stream.subscriptions.has(subscription)) return
    // A recheck that began later has changed the scope: this answer may be older.
    if (subscription.scope !== scope) return
    if (newScope instanceof ServiceError) return this.#endSubscription(subscription, newScope)
    this.#subscriptions.changeScope(subscription, newScope)
    if (newScope.text === scope.text && scope.text !== undefined) return
    stream.dropPending()
    stream.sendChanged(list.name, index)
  }

  /** Ends a subscription whose caller may not `find` the list any more. */
  #endSubscription(subscription: Subscription, error: ServiceError): void {
    const { stream, index } = subscription
    const { code } = error
    if (code >= 500 || code === 429) {
      // A busy or broken server has not decided anything: keep the scope, and ask again soon.
      stream.recheckAt = performance.now()
      return
    }
    this.#subscriptions.delete(subscription)
    stream.dropPending()
    // The list itself goes on, without those records.
    if (subscription.isRelated) stream.sendChanged(subscription.list.name, index)
    else if (code === 401) stream.stop('revoked')
    else if (stream.subscriptions.size === 0) stream.stop('forbidden')
    else stream.sendStopped(index, error)
  }

  close(): void {
    clearInterval(this.#interval)
    for (const stream of this.#streams) stream.stop('closing', this.#retryTime())
  }
}

import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../core/errors.js'
import type { LoginVerifier } from '../core/logins.js'
import { userKey } from './callers.js'
import type { EventsOptions } from './options.js'
import { type Rule, RuleInquiry } from './rule.js'
import type { EventStream, StreamEnd } from './stream.js'
import type { Subscription, Subscriptions } from './subscription.js'

// In ms: a login is over for its client a little before it ends. A stream that begins later than
// that lasts until the end itself.
const margin = 2000
/** In ms: what reads of all subscribers may be spread over, for each of them, and in all. */
const waitOfEach = 5
const longestWait = 30_000
/** How many streams have their rules asked for at a time, at least. */
const turn = 50

/**
 * Watches over the streams that are open: signs of life, their logins, their rules, and their ends.
 */
export class Watch {
  readonly streams = new Set<EventStream>()
  /**
   * For each request that waits for its rules: the users whose rules were asked for again
   * meanwhile.
   */
  readonly openings = new Set<Set<string>>()
  /** In ms. */
  readonly heartbeat: number
  readonly #app: FastifyInstance
  readonly #subscriptions: Subscriptions
  readonly #recheck: number
  readonly #lifetime: number
  readonly #newest: () => string
  readonly #counts = new Map<string, number>()
  /** By whom each stream is counted. */
  readonly #payers = new Map<EventStream, string | undefined>()
  readonly #timers = new Map<EventStream, NodeJS.Timeout>()
  readonly #due = new Map<EventStream, number>()
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

  /** Over how many ms clients are to spread their reads. */
  get wait(): number {
    return Math.min(this.streams.size * waitOfEach, longestWait)
  }

  /** How many streams a caller has. */
  countOf(caller: string | undefined): number {
    return caller === undefined ? 0 : (this.#counts.get(caller) ?? 0)
  }

  /**
   * When a stream with these rules ends, in ms since 1970: with the login, or before its client has
   * been connected for too long.
   */
  endOf(rules: readonly Rule[]): StreamEnd {
    const expires = Math.min(...rules.map(({ expires = Number.POSITIVE_INFINITY }) => expires))
    const early = expires - margin
    const end = early > Date.now() ? early : expires
    const until = Date.now() + this.#lifetime * (0.5 + Math.random() / 2)
    return end < until ? { at: end, reason: 'expired' } : { at: until, reason: 'closing' }
  }

  /** @param caller by whom it is counted */
  add(stream: EventStream, caller: string | undefined): void {
    this.streams.add(stream)
    this.#payers.set(stream, caller)
    if (caller !== undefined) this.#counts.set(caller, this.countOf(caller) + 1)
    const { at, reason } = stream.end
    const end = () => stream.stop(reason, reason === 'closing' ? this.#retry() : undefined)
    this.#timers.set(stream, setTimeout(end, Math.max(0, at - Date.now())).unref())
    this.#due.set(stream, performance.now() + this.#recheck * (0.5 + Math.random() / 2))
  }

  delete(stream: EventStream): void {
    this.streams.delete(stream)
    const caller = this.#payers.get(stream)
    this.#payers.delete(stream)
    const left = this.countOf(caller) - 1
    if (caller !== undefined) {
      if (left > 0) this.#counts.set(caller, left)
      else this.#counts.delete(caller)
    }
    clearTimeout(this.#timers.get(stream))
    this.#timers.delete(stream)
    this.#due.delete(stream)
  }

  /** After how many ms a client is to connect again: not all at the same time. */
  #retry(): number {
    return Math.round(1000 + Math.random() * Math.max(1000, this.wait))
  }

  #beat(): void {
    const id = this.#newest()
    for (const stream of this.streams) stream.beat(stream.isSettled ? `:\nid: ${id}\n\n` : ':\n\n')
    void this.#checkLogins()
    const now = performance.now()
    const due = [...this.#due].filter(([, at]) => at <= now).sort(([, first], [, second]) => first - second)
    // Twice as many as are due at each beat on average: all of them come to their turn.
    const most = Math.max(turn, (2 * this.#due.size * this.heartbeat) / this.#recheck)
    for (const [stream] of due.slice(0, most)) {
      this.#due.set(stream, now + this.#recheck)
      void this.#check(stream)
    }
  }

  /**
   * Ends the streams of logins that are no longer good. Each login is asked about once, however
   * many streams it has.
   */
  async #checkLogins(): Promise<void> {
    const answers = new Map<unknown, Promise<boolean>>()
    const checks = [...this.streams].map(async (stream) => {
      const login = this.#subscriptions.of(stream).find(({ rule }) => rule.login !== undefined)?.rule.login
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
   * Asks for the rules of all lists of a user again. Until that is done, its lists are told
   * `changed` alone.
   * @param user the user, or the id
   */
  async recheck(user: unknown): Promise<void> {
    const caller = userKey(user)
    if (caller === undefined) return
    for (const users of this.openings) users.add(caller)
    const streams = [...this.streams].filter(({ callers }) => callers.includes(caller))
    for (const stream of streams) {
      for (const subscription of this.#subscriptions.of(stream))
        this.#subscriptions.replaceRule(subscription, { ...subscription.rule, conditions: undefined })
      stream.dropPending()
    }
    await Promise.all(streams.map((stream) => this.#check(stream)))
  }

  async #check(stream: EventStream): Promise<void> {
    const inquiry = new RuleInquiry(this.#app, stream.credentials)
    await Promise.all(this.#subscriptions.of(stream).map((subscription) => this.#checkList(subscription, inquiry)))
  }

  async #checkList(subscription: Subscription, inquiry: RuleInquiry): Promise<void> {
    const { stream, channel, list, index, rule } = subscription
    let outcome: Rule | ServiceError
    try {
      outcome = await inquiry.ask(channel, list)
    } catch (err) {
      this.#app.log.error({ err, path: list.path }, 'The rule of a list could not be asked for again')
      return
    }
    if (stream.isOver || !this.#subscriptions.has(subscription)) return
    // A rule that was asked for again meanwhile stays: this answer may be of before.
    if (subscription.rule !== rule) return
    if (outcome instanceof ServiceError) return this.#refuse(subscription, outcome)
    this.#subscriptions.replaceRule(subscription, outcome)
    if (outcome.text === rule.text && rule.conditions !== undefined) return
    stream.dropPending()
    stream.tellChanged(list.name, index)
  }

  /** Ends a list that its caller may not have any more. */
  #refuse(subscription: Subscription, error: ServiceError): void {
    const { stream, index } = subscription
    const { code } = error
    // A server that is busy or broken has not decided anything: the rule of before holds, and is
    // asked for again soon.
    if (code >= 500 || code === 429) return void this.#due.set(stream, performance.now())
    this.#subscriptions.delete(subscription)
    stream.dropPending()
    if (code === 401) stream.stop('revoked')
    else if (this.#subscriptions.of(stream).length === 0) stream.stop('forbidden')
    else stream.tellStopped(index, error)
  }

  close(): void {
    clearInterval(this.#interval)
    for (const stream of this.streams) stream.stop('closing', this.#retry())
  }
}

import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { withTimeout } from '../core/async.js'
import { callStateIn, callStateOf } from '../core/call-state.js'
import { Unavailable } from '../core/errors.js'
import { commitOf } from '../database/commit.js'
import type { EventLog, LoggedEvent } from './log.js'

/**
 * In ms. A commit whose answer was lost may become visible only later, so subscribers refetch
 * again then.
 */
const laterLosses = [5000, 30_000]

/** Puts the events of calls into the log, once their transactions are committed. */
export class CallEvents {
  /** Whether the log has reported that it can't be reached. */
  isLogAway = false
  readonly #app: FastifyInstance
  readonly #log: EventLog
  /** How long a call waits for the log, in ms. */
  readonly #timeout: number
  readonly #isDurable: boolean
  /** The transaction, or the error of a call, of the last loss. Its other calls report it, too. */
  #lastLoss: object | undefined
  /** When the last timers began. */
  #timed = Number.NEGATIVE_INFINITY
  /** The timers of the later losses, the next one first. */
  #timers: NodeJS.Timeout[] = []

  constructor(app: FastifyInstance, log: EventLog, isDurable: boolean, timeout: number) {
    this.#app = app
    this.#log = log
    this.#isDurable = isDurable
    this.#timeout = timeout
    log.listen({
      onEvent() {},
      onLoss() {},
      onAway: (err) => {
        this.isLogAway = true
        app.log.error({ err }, 'The log of events can not be reached: events wait, and come late')
      },
      onBack: () => {
        this.isLogAway = false
        app.log.info('The log of events can be reached again')
      }
    })
  }

  /**
   * Appends an event to the log: at once, or when the transaction of the call is committed.
   *
   * @param context the call that has caused it, if any
   */
  append(event: LoggedEvent, context?: HookContext): void {
    const commit = commitOf(context?.params)
    if (context === undefined || commit === undefined) this.#append(event, context)
    else
      void commit.then((end) => {
        if (end === undefined) this.reportLoss(context.params.transaction)
        else if (end) this.#append(event)
      })
  }

  /** @param context the call that should wait, if `durable` is set */
  #append(event: LoggedEvent, context?: HookContext): void {
    const appended = (async () => this.#log.append(event))()
    appended.catch((err: unknown) => {
      // One line for the whole time is enough.
      if (this.isLogAway) return
      this.#app.log.error({ err, path: event.service, event: event.event }, 'The log of events has failed')
    })
    if (context === undefined || !this.#isDurable) return
    const state = callStateOf(context)
    state.appendedEvents = [...(state.appendedEvents ?? []), appended]
  }

  /**
   * Writes the events of a call in its transaction, if it has one and the log can do that.
   *
   * @param name the name of the events
   * @throws the error of the statement; then the transaction must not be committed
   */
  async writeWithin(context: HookContext, name: string, toEvents: () => readonly LoggedEvent[]): Promise<void> {
    const { params } = context
    const commit = commitOf(params)
    if (commit === undefined) return
    const writing = this.#log.appendWithin?.(params.transaction, toEvents())
    await writing
    if (writing !== undefined) callStateOf(context).writtenEvents = { log: this.#log, name }
    // If the commit fails, the call fails and emits nothing, so `append` would not learn of it.
    void commit.then((end) => {
      // Written events are there if it was committed.
      if (writing !== undefined && end !== false) this.#log.collect?.()
      else if (end === undefined) this.reportLoss(params.transaction)
    })
  }

  /** Whether the events of a call with this name are written in its transaction. */
  isWritten(context: HookContext | undefined, name: string): boolean {
    const written = callStateIn(context)?.writtenEvents
    return written?.log === this.#log && written.name === name
  }

  /**
   * Tells all subscribers to refetch, now and later.
   *
   * @param cause the transaction, or the error of a call: several calls may share it
   */
  reportLoss(cause: object): void {
    if (this.#lastLoss === cause) return
    this.#lastLoss = cause
    this.#log.lose?.()
    // A failing database loses many commits at once: they share the later refetches.
    const now = performance.now()
    if (now - this.#timed < 1000) return
    this.#timed = now
    for (const timer of this.#timers) clearTimeout(timer)
    const lose = () => {
      this.#timers.shift()
      this.#log.lose?.()
    }
    this.#timers = laterLosses.map((ms) => setTimeout(lose, ms).unref())
  }

  /** Reports the later losses now. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#timers.length > 0) this.#log.lose?.()
  }

  /**
   * Waits until the events of a call are in the log.
   *
   * @throws {Unavailable} if they are not in time
   */
  async awaitEvents(context: HookContext): Promise<void> {
    const appended = callStateIn(context)?.appendedEvents
    if (appended === undefined) return
    try {
      await withTimeout(this.#timeout, Promise.all(appended))
    } catch (cause) {
      const message = `'${context.method}' of '${context.path}' is done, but its event is not in the log yet`
      throw new Unavailable(message, { retryAfter: 5 }, { cause })
    }
  }
}

import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { withTimeout } from '../core/async.js'
import { callStateIn, callStateOf } from '../core/call-state.js'
import { Unavailable } from '../core/errors.js'
import type { EventLog, LoggedEvent } from './log.js'

/**
 * In ms. A commit whose answer was lost may become visible only later, so subscribers refetch
 * again then.
 */
const laterLosses = [5000, 30_000]

/** Puts the events of calls into the log, and knows the events of each call. */
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
  readonly #timers = new Set<NodeJS.Timeout>()
  /** When the last timers began. */
  #timed = Number.NEGATIVE_INFINITY

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

  /** Appends an event to the log. @param context the call that has caused it, if it should wait */
  append(event: LoggedEvent, context?: HookContext): void {
    const appended = this.#append(event)
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
   * Writes the events of a call in its transaction, if the log can do that.
   *
   * @param name the name of the events
   * @throws the error of the statement; then the transaction must not be committed
   */
  async writeWithin(
    context: HookContext,
    transaction: object,
    name: string,
    toEvents: () => readonly LoggedEvent[]
  ): Promise<void> {
    if (this.#log.appendWithin === undefined) return
    const writing = this.#log.appendWithin(transaction, toEvents())
    if (writing === undefined) return
    await writing
    callStateOf(context).writtenEvents = { log: this.#log, name }
  }

  /** Whether the events of a call with this name are written in its transaction. */
  isWritten(context: HookContext, name: string): boolean {
    const written = callStateIn(context)?.writtenEvents
    return written?.log === this.#log && written.name === name
  }

  /** Lets the log collect the events that transactions have written. */
  collect(): void {
    this.#log.collect?.()
  }

  /**
   * Handles a transaction of which nobody knows whether it was committed. Events that are written
   * in it are there if it was; others may be missing.
   */
  handleLostCommit(context: HookContext, transaction: object, name: string): void {
    if (this.isWritten(context, name)) this.collect()
    else this.reportLoss(transaction)
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
    if (performance.now() - this.#timed < 1000) return
    this.#timed = performance.now()
    for (const ms of laterLosses) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        this.#log.lose?.()
      }, ms).unref()
      this.#timers.add(timer)
    }
  }

  /** Reports the later losses now. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#timers.size > 0) this.#log.lose?.()
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

  async #append(event: LoggedEvent): Promise<void> {
    await this.#log.append(event)
  }
}

import type { FastifyInstance } from 'fastify'
import type { HookContext } from '../../types/hooks.js'
import { withTimeout } from '../core/async.js'
import { Unavailable } from '../core/errors.js'
import type { EventLog, LoggedEvent } from './log.js'

/** The events that a call has caused. */
interface CausedEvents {
  /** The name of those that are written in the transaction of the call. */
  written?: string
  /** Each is done when its event is in the log. */
  readonly appended: Promise<void>[]
}

/**
 * In ms. A commit without an answer may become visible only later, so subscribers read again then.
 */
const laterTimes = [5000, 30_000]

/** Gives events to the log, and knows which of them a call has caused. */
export class Intake {
  /** Whether the log says that it can't be reached. */
  isLogAway = false
  readonly #app: FastifyInstance
  readonly #log: EventLog
  readonly #patience: number
  readonly #isDurable: boolean
  readonly #caused = new WeakMap<HookContext, CausedEvents>()
  /**
   * The transactions, and the errors of calls, of which it was said that their events may be
   * missing.
   */
  readonly #doubted = new WeakSet<object>()
  /** Of what is told again later. */
  readonly #timers = new Set<NodeJS.Timeout>()
  /** When the last of them began. */
  #timed = Number.NEGATIVE_INFINITY

  constructor(app: FastifyInstance, log: EventLog, isDurable: boolean, patience: number) {
    this.#app = app
    this.#log = log
    this.#isDurable = isDurable
    this.#patience = patience
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

  /** Takes an event into the log. @param context the call that has caused it */
  take(event: LoggedEvent, context?: HookContext): void {
    const appended = this.#append(event)
    appended.catch((err: unknown) => {
      // The line that says that the log is away stands for all events that are lost by it.
      if (this.isLogAway) return
      this.#app.log.error({ err, path: event.service, event: event.event }, 'The log of events has failed')
    })
    if (context !== undefined && this.#isDurable) this.#causedBy(context).appended.push(appended)
  }

  /**
   * Writes the events of a call in its transaction, where the log can do that.
   * @param name that of the events
   * @throws what the statement throws: the change must not be committed then
   */
  async takeWithin(
    context: HookContext,
    transaction: object,
    name: string,
    toEvents: () => readonly LoggedEvent[]
  ): Promise<void> {
    if (this.#log.appendWithin === undefined) return
    const written = this.#log.appendWithin(transaction, toEvents())
    if (written === undefined) return
    await written
    this.#causedBy(context).written = name
  }

  /** Whether events of a call that have this name are written in its transaction. */
  isWritten(context: HookContext, name: string): boolean {
    return this.#caused.get(context)?.written === name
  }

  /** Asks the log for what a transaction has written. */
  collect(): void {
    this.#log.collect?.()
  }

  /**
   * Says that events of a call may be missing, where nobody knows whether its transaction was
   * committed. What is written in that is there only if it was.
   */
  doubt(context: HookContext, transaction: object, name: string): void {
    if (this.isWritten(context, name)) this.collect()
    else this.lose(transaction)
  }

  /** Says that events may be missing, at once and later, for each transaction or error. */
  lose(cause: object): void {
    if (this.#doubted.has(cause)) return
    this.#doubted.add(cause)
    this.#log.lose?.()
    // A database that fails loses many commits at once: subscribers read again for all of them.
    if (performance.now() - this.#timed < 1000) return
    this.#timed = performance.now()
    for (const ms of laterTimes) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        this.#log.lose?.()
      }, ms).unref()
      this.#timers.add(timer)
    }
  }

  /** Says now what was to be said later. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#timers.size > 0) this.#log.lose?.()
  }

  /**
   * Waits until the events of a call are in the log.
   * @throws Unavailable when they are not, in time
   */
  async awaitEvents(context: HookContext): Promise<void> {
    const caused = this.#caused.get(context)
    if (caused === undefined) return
    try {
      await withTimeout(this.#patience, Promise.all(caused.appended))
    } catch (cause) {
      const message = `'${context.method}' of '${context.path}' is done, but its event is not in the log yet`
      throw new Unavailable(message, { retryAfter: 5 }, { cause })
    }
  }

  #causedBy(context: HookContext): CausedEvents {
    const caused = this.#caused.get(context) ?? { appended: [] }
    this.#caused.set(context, caused)
    return caused
  }

  async #append(event: LoggedEvent): Promise<void> {
    await this.#log.append(event)
  }
}

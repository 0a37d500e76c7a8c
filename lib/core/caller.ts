import { read } from './errors.js'

/**
 * Under this name the params of a call over HTTP carry who has made it, and copies of the params do too. It is a function that gives
 * the Caller, so that what copies or freezes objects deeply leaves it alone.
 */
export const caller: unique symbol = Symbol('caller')

/** Params, as far as that goes. */
export interface Carrier {
  [caller]?: () => Caller
}

/** Who has made the call with these params, `undefined` for a call of the server. */
export function callerIn(params: unknown): Caller | undefined {
  const give = (params as Carrier | null | undefined)?.[caller]
  return typeof give === 'function' ? give() : undefined
}

/** The answer to a request, as Node has it: of HTTP/1, or of HTTP/2 where it has a `stream`. */
interface RawReply {
  readonly destroyed?: boolean
  readonly writableEnded: boolean
  readonly stream?: { readonly destroyed: boolean }
  once(event: 'close', listener: () => void): unknown
}

/** Whether the connection of an answer is closed: nothing can be sent any more. */
export function isClosed(raw: unknown): boolean {
  const { destroyed, stream } = raw as RawReply
  return Boolean(destroyed ?? stream?.destroyed)
}

/** Who has made a call over HTTP. It tells whether they still wait for the answer (`params.signal`). */
export class Caller {
  readonly request: unknown
  /** What the params of the call carry. */
  readonly token = () => this
  /** The context of that call. Calls of the server that hand its params on have the same caller. */
  context: unknown
  /** Whether the call has ended and gives the answer itself. An answer that was given without that is a timeout's, or the host's. */
  hasAnswered = false
  /** Whether the time for the call has passed. */
  hasExpired = false
  readonly #raw: RawReply
  #controller: AbortController | undefined

  constructor(request: unknown, raw: unknown) {
    this.request = request
    this.#raw = raw as RawReply
  }

  /** Whether the call was given up: its client has left before the answer, or has got another one. */
  get isGone(): boolean {
    if (this.hasExpired) return true
    const { writableEnded } = this.#raw
    return this.hasAnswered ? !writableEnded && isClosed(this.#raw) : writableEnded || isClosed(this.#raw)
  }

  /** Whether the answer is over, given or not. */
  get isOver(): boolean {
    return this.isGone || isClosed(this.#raw)
  }

  /** Aborts when the call is given up. An AbortController is dear: there is none until somebody asks. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.onEnd(() => this.#abort())
    }
    return this.#controller.signal
  }

  /** @throws the reason, when the call was given up */
  throwIfGone(): void {
    if (!this.isGone) return
    const { signal } = this
    this.#abort()
    throw signal.reason
  }

  /** The time for the call has passed: it gets another answer. */
  expire(): void {
    this.hasExpired = true
    this.#abort()
  }

  /** Whether an error says nothing but that the call was given up. */
  isReason(error: unknown): boolean {
    if (!this.#controller?.signal.aborted) return false
    const { reason } = this.#controller.signal
    return error === reason || read(error, 'cause') === reason
  }

  /** Calls back when the answer is over, however it ends; at once where it is over already. */
  onEnd(callback: () => void): void {
    if (this.isOver) callback()
    else this.#raw.once('close', callback)
  }

  #abort(): void {
    if (!this.isGone) return
    const [message, name] =
      this.hasExpired || this.#raw.writableEnded
        ? ['The call has taken too long', 'TimeoutError']
        : ['The client has left', 'AbortError']
    this.#controller?.abort(new DOMException(message, name))
  }
}

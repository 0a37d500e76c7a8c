/** Under this name the params of a call over HTTP carry who has made it. Copies of the params carry it too. */
export const caller: unique symbol = Symbol('caller')

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
  /** The context of that call. Calls of the server that hand its params on have the same caller. */
  call: unknown
  /** Whether the call has given its answer. One that was given before is somebody else's. */
  hasAnswered = false
  readonly #raw: RawReply
  #hasExpired = false
  #controller: AbortController | undefined

  constructor(request: unknown, raw: unknown) {
    this.request = request
    this.#raw = raw as RawReply
  }

  /** Whether nobody waits for the call any more: the client has left, or has got another answer. */
  get isGone(): boolean {
    return this.#hasExpired || isClosed(this.#raw) || (this.#raw.writableEnded && !this.hasAnswered)
  }

  /** Aborts when nobody waits for the call any more. An AbortController is dear: there is none until somebody asks. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.onEnd(() => this.#abort())
    }
    return this.#controller.signal
  }

  /** The time for the call has passed: it gets another answer. */
  expire(): void {
    this.#hasExpired = true
    this.#abort()
  }

  /** Whether an error says nothing but that nobody waits for the call any more. */
  isReason(error: unknown): boolean {
    return this.#controller?.signal.aborted === true && error === this.#controller.signal.reason
  }

  /** Calls back when the answer is over, however it ends; at once where it is over already. */
  onEnd(callback: () => void): void {
    if (this.isGone) callback()
    else this.#raw.once('close', callback)
  }

  #abort(): void {
    const { writableEnded } = this.#raw
    if (writableEnded && this.hasAnswered) return
    const [message, name] =
      writableEnded || this.#hasExpired
        ? ['The call has taken too long', 'TimeoutError']
        : ['The client has left', 'AbortError']
    this.#controller?.abort(new DOMException(message, name))
  }
}

import { readProperty } from './errors.js'

/**
 * The property of params that holds the caller over HTTP. Copies of the params keep it. Its value
 * is a function that returns the Caller, since code that clones or freezes objects deeply leaves
 * functions alone.
 */
export const caller: unique symbol = Symbol('caller')

/** Params that may carry their caller. */
export interface Carrier {
  [caller]?: () => Caller
}

/** Returns who has made the call with these params, `undefined` for a call of the server. */
export function callerIn(params: unknown): Caller | undefined {
  const give = (params as Carrier | null | undefined)?.[caller]
  return typeof give === 'function' ? give() : undefined
}

/** The property of another framework's context that holds our context of the same call. */
export const outerContext: unique symbol = Symbol('outer context')

/**
 * The client whose own call a context is. `undefined` for a call of the server, even if it passes
 * on the params of a call over HTTP.
 */
export function clientOf(context: {
  readonly params: unknown
  [outerContext]?: { readonly context: unknown }
}): Caller | undefined {
  const client = callerIn(context.params)
  return client?.context === (context[outerContext]?.context ?? context) ? client : undefined
}

/** The verbs of requests that change nothing. */
export const readVerbs: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'QUERY'])

/** Node's response: of HTTP/1, or of HTTP/2, which has a `stream`. */
interface RawReply {
  readonly destroyed?: boolean
  readonly writableEnded: boolean
  readonly stream?: { readonly destroyed: boolean }
  readonly headersSent?: boolean
  hasHeader?(name: string): boolean
  setHeader?(name: string, value: string): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Whether the connection of a response is closed, so that nothing can be sent any more. */
export function isClosed(raw: unknown): boolean {
  const { destroyed, stream } = raw as RawReply
  return Boolean(destroyed ?? stream?.destroyed)
}

/**
 * The client that has made a call over HTTP. It knows whether the client still waits for the answer
 * (`params.signal`).
 */
export class Caller {
  readonly request: unknown
  /** The value that the params of the call have under `caller`. */
  readonly token = () => this
  /**
   * The context of that call. Calls of the server that pass on its params have the same caller, and
   * contexts of their own.
   */
  context: unknown
  /**
   * Whether the call has ended, so that its own answer is sent. An answer that was sent before
   * comes from a timeout, or from the application.
   */
  hasAnswered = false
  /** Whether the call has taken longer than its timeout. */
  hasExpired = false
  /** Whether the answer to a commit within the call was lost, so that nobody knows its outcome. */
  hasLostCommit = false
  readonly #raw: RawReply
  #controller: AbortController | undefined

  constructor(request: unknown, raw: unknown) {
    this.request = request
    this.#raw = raw as RawReply
  }

  /**
   * Whether the call was abandoned: the client has left before the answer, or was sent another one.
   */
  get isGone(): boolean {
    if (this.hasExpired) return true
    const { writableEnded } = this.#raw
    return this.hasAnswered ? !writableEnded && isClosed(this.#raw) : writableEnded || isClosed(this.#raw)
  }

  /** Whether the response has ended, sent or not. */
  get isOver(): boolean {
    return this.isGone || isClosed(this.#raw)
  }

  /**
   * Aborts when the call is abandoned. It is created when it is first read, since an
   * AbortController is expensive.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.onEnd(() => this.#abort())
    }
    return this.#controller.signal
  }

  /** @throws the reason, when the call was abandoned */
  throwIfGone(): void {
    if (!this.isGone) return
    const { signal } = this
    this.#abort()
    throw signal.reason
  }

  /** Sets a header of the answer, also if the call fails, unless it has the header already. */
  setHeader(name: string, value: string): void {
    const raw = this.#raw
    if (!raw.headersSent && !raw.hasHeader?.(name)) raw.setHeader?.(name, value)
  }

  /** Marks the call as one that took too long: the client gets another answer. */
  expire(): void {
    this.hasExpired = true
    this.#abort()
  }

  /** Whether an error only says that the call was abandoned. */
  isReason(error: unknown): boolean {
    if (!this.#controller?.signal.aborted) return false
    const { reason } = this.#controller.signal
    return error === reason || readProperty(error, 'cause') === reason
  }

  /** Calls back when the response has ended, in whatever way; at once if it has ended already. */
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

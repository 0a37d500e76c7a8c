import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify'
import { skipFastifyTimeout } from '../../compat/skip-timeout.js'
import { readProperty } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { closeStream, toStream } from './streams.js'

const { FST_ERR_HANDLER_TIMEOUT: TimeoutError } = errorCodes
const { code } = new TimeoutError()
const isTimeout = (error: unknown) => readProperty(error, 'code') === code

/**
 * Ends a call when the `handlerTimeout` of its route has passed. Fastify does so itself, except for
 * requests with a body: once the body is read, it believes that the client has left, and drops its
 * timer (fastify/fastify#6725).
 */
export class HandlerTimeout {
  readonly #ms: number
  readonly #caller: Caller
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #send: FastifyReply['send']
  #timer: NodeJS.Timeout
  /** Whether an answer was handed to Fastify. `onSend` hooks of the application may hold it. */
  #hasBegun = false
  #hadType = false
  #nestedSends = 0

  constructor(ms: number, caller: Caller, request: FastifyRequest, reply: FastifyReply) {
    this.#ms = ms
    this.#caller = caller
    this.#request = request
    this.#reply = reply
    this.#send = reply.send
    reply.send = (payload) => this.#guardedSend(payload)
    const { signal } = request
    signal.addEventListener('abort', () => {
      if (isTimeout(signal.reason)) this.#onFastifyTimeout()
    })
    this.#timer = setTimeout(() => this.#onTimeout(), ms)
    caller.onEnd(() => clearTimeout(this.#timer))
  }

  /**
   * Drops an answer that comes after the timeout, while `onSend` hooks hold an earlier one: two
   * answers would end the process. The answer of an error handler to a hook that has failed is
   * sent: Fastify has removed the content type by then, or sends it within another `send`.
   */
  #guardedSend(payload?: unknown): FastifyReply {
    const reply = this.#reply
    const isLate = this.#caller.hasExpired && this.#hasBegun && this.#nestedSends === 0
    if (isLate && (isTimeout(payload) || !this.#hadType || reply.hasHeader('content-type'))) {
      const stream = toStream(payload)
      if (stream !== undefined) closeStream(stream)
      this.#endInTime()
      return reply
    }
    this.#hasBegun = true
    this.#nestedSends++
    try {
      return this.#send.call(reply, payload)
    } finally {
      this.#hadType = reply.hasHeader('content-type')
      this.#nestedSends--
    }
  }

  #onFastifyTimeout(): void {
    const isHeld = this.#hasBegun && !this.#reply.raw.headersSent
    if (isHeld) skipFastifyTimeout(this.#reply)
    this.#caller.expire()
    if (isHeld) this.#endInTime()
  }

  #onTimeout(): void {
    const reply = this.#reply
    if (this.#caller.isGone || reply.sent) return
    const error = new TimeoutError(String(this.#ms), this.#request.routeOptions.url)
    if (reply.raw.headersSent) reply.raw.destroy(error)
    else if (this.#hasBegun) this.#endInTime()
    else {
      this.#caller.expire()
      reply.send(error)
    }
  }

  /** Ends the connection if hooks of the application hold the answer for as long again. */
  #endInTime(): void {
    clearTimeout(this.#timer)
    // A response that has ended needs no timer, so this one must not keep the process alive.
    this.#timer = setTimeout(() => this.#reply.sent || this.#reply.raw.destroy(), this.#ms).unref()
  }
}

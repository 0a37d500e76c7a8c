import type { Socket } from 'node:net'
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify'
import { readProperty } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { close, streamIn } from './stream.js'

const { FST_ERR_HANDLER_TIMEOUT: HandlerTimeout } = errorCodes
const { code } = new HandlerTimeout()
const isTimeout = (error: unknown) => readProperty(error, 'code') === code

/**
 * Ends a call when the `handlerTimeout` of its route, in ms, has passed. Fastify does so itself,
 * except for requests with a body: when the body is read, it takes the client for gone and drops
 * its timer (fastify/fastify#6725).
 */
export function startDeadline(ms: number, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  let hasBegun = false
  let isTyped = false
  let sendsAtOnce = 0
  const { send } = reply
  // Two answers end the process, and `onSend` hooks of the application may delay the first one.
  // Where they fail, an error handler sends another one: Fastify removes the type of what has
  // failed before, or calls them while it sends.
  reply.send = (payload) => {
    const isLate = caller.hasExpired && hasBegun && sendsAtOnce === 0
    if (isLate && (isTimeout(payload) || !isTyped || reply.hasHeader('content-type'))) {
      const stream = streamIn(payload)
      if (stream !== undefined) close(stream)
      endInTime()
      return reply
    }
    hasBegun = true
    sendsAtOnce++
    try {
      return send.call(reply, payload)
    } finally {
      isTyped = reply.hasHeader('content-type')
      sendsAtOnce--
    }
  }
  const { signal } = request
  signal.addEventListener('abort', () => {
    if (!isTimeout(signal.reason)) return
    const isHeld = hasBegun && !reply.raw.headersSent
    if (isHeld) leaveAnswer(reply)
    caller.expire()
    if (isHeld) endInTime()
  })

  let timer = setTimeout(() => {
    if (caller.isGone || reply.sent) return
    const error = new HandlerTimeout(String(ms), request.routeOptions.url)
    if (reply.raw.headersSent) reply.raw.destroy(error)
    else if (hasBegun) endInTime()
    else {
      caller.expire()
      reply.send(error)
    }
  }, ms)
  caller.onEnd(() => clearTimeout(timer))

  /** Ends the connection if hooks of the application hold the answer for as long again. */
  function endInTime() {
    clearTimeout(timer)
    // A response that is over needs no timer, which must not keep the process.
    timer = setTimeout(() => reply.sent || reply.raw.destroy(), ms).unref()
  }
}

/**
 * Lets the timer of Fastify, which runs, leave an answer alone that hooks of the application hold:
 * it would mark what they let go as an error.
 */
function leaveAnswer(reply: FastifyReply): void {
  Object.defineProperty(reply, 'sent', { value: true, configurable: true })
  // Before all that the end of the call leads to.
  process.nextTick(() => Reflect.deleteProperty(reply, 'sent'))
}

type Raw = FastifyReply['raw']

// A connection has one listener, however many requests wait on it.
const waiting = new WeakMap<Socket, Set<Raw>>()

/**
 * Ends a response that waits behind others on its connection (pipelining in HTTP/1) when the
 * connection closes. Node notifies only the response whose turn it is: the others would hold what
 * they have for ever.
 */
export function endWithConnection({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.socket !== null) return
  // Hooks of the application may have waited until nobody was there any more.
  if (socket.destroyed) return void raw.destroy()
  const responses = waiting.get(socket) ?? watch(socket)
  responses.add(raw)
  raw.once('close', () => responses.delete(raw))
}

function watch(socket: Socket): Set<Raw> {
  const responses = new Set<Raw>()
  waiting.set(socket, responses)
  socket.once('close', () => {
    for (const raw of responses) {
      // Node ends a response that has got its turn by now.
      if (raw.socket !== null) continue
      raw.destroy()
      raw.emit('close')
    }
  })
  return responses
}

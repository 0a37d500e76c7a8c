import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext, Middleware } from '../../../types/fastify.js'
import { isJSON } from '../../core/content.js'
import { GeneralError } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { isPromise } from '../../core/objects.js'
import { notesOn } from '../request/request.js'
import { encoderOf, resetEncoder, setSerializer } from './host-serializer.js'
import { logError } from './log.js'
import { runMiddleware, watch } from './middleware.js'
import { toPayload, toPayloadAtOnce } from './payload.js'
import { keepHeaders } from './reply.js'
import type { EnvelopeSerializer, Serialize, Serializer } from './serializer.js'
import { adopt } from './sources.js'
import { isStream, type Stream, toBytes } from './stream.js'

const typeOfData = 'application/json; charset=utf-8'

/** Returns what the handler of a route returns to Fastify: the payload, or the reply if something else sends. */
export type Answer = (context: HookContext, caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown

/** Makes the function that answers a call that has succeeded: after-middleware, then the formatter. */
export function createAnswer(
  after: readonly Middleware[],
  custom: Formatter | undefined,
  serializer: Serializer,
  envelopes?: EnvelopeSerializer,
  textType?: (text: string) => string
): Answer {
  const format = custom ?? createFormatter(serializer, envelopes, textType)
  // Most services have neither, so there is nothing to wait for.
  if (after.length === 0 && custom === undefined)
    return (_context, _caller, request, reply) => format(request, reply) ?? undefined
  return async (context, caller, request, reply) => {
    keepHeaders(reply)
    if (after.length > 0) {
      const held = envelopes && hold(reply, envelopes)
      const isOver = await runMiddleware(after, request, reply, held?.toSent)
      adopt(reply.data, context, caller)
      if (isOver) return reply
      held?.release()
    }
    const held = custom && envelopes && hold(reply, envelopes)
    const isAnswered = custom && watch(reply, held?.toSent)
    let payload: unknown
    let isAsync = false
    try {
      payload = format(request, reply)
      isAsync = isPromise(payload)
      if (isAsync) payload = await payload
      checkPayload(payload)
    } catch (error) {
      if (!isAnswered?.()) throw error
      logError(request.log, 'error', error, 'A formatter failed after it had answered')
      return reply
    }
    if (custom !== undefined) adopt(payload, context, caller)
    if (caller.isGone) return reply
    // A formatter that returns nothing sends by itself: one that is not async may do so later.
    if (payload === undefined) return isAnswered?.() || !isAsync ? reply : undefined
    // The default formatter returns a payload already.
    return (custom === undefined ? payload : await toPayload(payload, reply, held?.toBytes)) ?? undefined
  }
}

/**
 * Holds what middleware or a formatter sends, or returns, to what may leave: the result, an envelope around it, objects of a stream. A text is no record, and is
 * sent as it is: Fastify gives texts to a serializer.
 */
function hold(reply: FastifyReply, envelopes: EnvelopeSerializer) {
  const serialize = envelopes(reply, reply.data)
  const reset = setSerializer(reply, serialize, (payload) => {
    if (!reply.hasHeader('content-type')) reply.type(typeOfData)
    return serialize(payload)
  })
  let isHeld = true
  const release = () => {
    if (isHeld) reset()
    isHeld = false
  }
  const { callNotFound } = reply
  reply.callNotFound = () => {
    release()
    return callNotFound.call(reply)
  }
  return {
    release,
    toBytes: (stream: Stream) => toBytes(stream, reply, serialize),
    toSent(payload: unknown) {
      if (typeof payload === 'string') release()
      return toPayloadAtOnce(payload, reply, isHeld ? serialize : undefined)
    }
  }
}

/** @throws {GeneralError} for what JSON has nothing for: Fastify would send an answer without content */
function checkPayload(payload: unknown): void {
  if (typeof payload !== 'symbol' && (typeof payload !== 'function' || isStream(payload))) return
  throw new GeneralError(
    `A formatter has returned a ${typeof payload}, which can't be sent. Return data, text, bytes, a stream or a Response`
  )
}

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams, `Blob` and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (docs/http.md#responses).
 * @param envelopes serializes by what a resource lets leave: an object of a stream does, too
 * @param textType gives the content type of a text that is sent as it is
 */
export function createFormatter(
  serializer: Serializer,
  envelopes?: EnvelopeSerializer,
  textType?: (text: string) => string
): Formatter {
  return (_request: FastifyRequest, reply: FastifyReply) => {
    const { data } = reply
    const encode = encoderOf(reply)
    const isBytes = ArrayBuffer.isView(data)
    if (
      isBytes ||
      data === undefined ||
      data === null ||
      data instanceof Response ||
      data instanceof Blob ||
      isStream(data)
    ) {
      // The type is that of what a serializer makes, which these never reach.
      if (encode !== undefined && !hasTypeOfCall(reply)) reply.removeHeader('content-type')
      if (isBytes) return data
      return toPayload(data ?? null, reply, (stream, reply) => toBytes(stream, reply, envelopes && serializer(reply)))
    }
    if (textType && typeof data === 'string' && data !== '' && !reply.hasHeader('content-type')) {
      resetEncoder(reply)
      reply.type(textType(data))
    } else if (encode !== undefined) {
      // Fastify gives texts to a serializer, but not to hooks.
      if (typeof data !== 'string') setSerializer(reply, ofResult(reply, data))
      return data
    }
    const type = String(reply.getHeader('content-type') ?? '')
    if (type === '') reply.type(typeOfData)
    // Fastify does not serialize strings: it takes them for what is serialized already.
    if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
    setSerializer(reply, ofResult(reply, data))
    return data
  }

  function ofResult(reply: FastifyReply, data: unknown): Serialize {
    return envelopes === undefined ? serializer(reply) : envelopes(reply, data)
  }
}

/** Whether the call itself has set the type of its result. One that stood there before is that of another serializer. */
function hasTypeOfCall(reply: FastifyReply): boolean {
  const { headersBefore, typeBefore = headersBefore?.['content-type'] } = notesOn(reply.request)
  return typeBefore !== undefined && typeBefore !== reply.getHeader('content-type')
}

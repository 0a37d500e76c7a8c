import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext, Middleware } from '../../../types/fastify.js'
import { isJSON } from '../../core/content.js'
import { GeneralError } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { isPromise } from '../../core/objects.js'
import { notesOn, restrictHook } from '../request/request.js'
import { encoderOf, resetEncoder, setSerializer } from './host-serializer.js'
import { logError } from './log.js'
import { runMiddleware, watch } from './middleware.js'
import { toPayload, toPayloadAtOnce } from './payload.js'
import type { Leaving } from './projection.js'
import { keepHeaders } from './reply.js'
import type { Serialize, Serializer } from './serializer.js'
import { adopt } from './sources.js'
import { isStream, mapItems, toBytes } from './stream.js'

const typeOfData = 'application/json; charset=utf-8'

/** Returns what the handler of a route returns to Fastify: the payload, or the reply if something else sends. */
export type Answer = (context: HookContext, caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown

/** How the results of a method are sent. */
export interface Sending {
  readonly serializer: Serializer
  /** Gives what may leave of a result. Only a resource says so. */
  readonly leavingOf?: ((reply: FastifyReply) => Leaving) | undefined
  /** Gives the content type of a text that is sent as it is. */
  readonly textType?: ((text: string) => string) | undefined
}

/** Makes the function that answers a call that has succeeded: after-middleware, then the formatter. */
export function createAnswer(after: readonly Middleware[], custom: Formatter | undefined, sending: Sending): Answer {
  const { serializer, leavingOf, textType } = sending
  // Most services have neither, so there is nothing to wait for.
  if (after.length === 0 && custom === undefined)
    return (_context, _caller, _request, reply) => {
      if (leavingOf === undefined) return formatData(reply, serializer, textType) ?? undefined
      const leaving = leavingOf(reply)
      if (isStream(reply.data)) return sendAsItIs(reply, (item) => leaving.serialize(leaving.project(item)))
      const isNull = reply.data === null
      restrict(reply, leaving)
      // What is no record where one is to be leaves as nothing, and has content.
      if (reply.data === null && !isNull) return reply.type(typeOfData).send('null')
      return formatData(reply, () => leaving.serialize, textType) ?? undefined
    }
  return async (context, caller, request, reply) => {
    keepHeaders(reply)
    const leaving = leavingOf?.(reply)
    if (leaving !== undefined) restrict(reply, leaving)
    adopt(reply.data, context, caller)
    const serialize = leaving?.serialize
    const toSent = serialize && ((payload: unknown) => letLeave(toPayloadAtOnce(payload, reply), reply, serialize))
    if (after.length > 0) {
      // Middleware may send the result itself.
      const isOver = await runMiddleware(after, request, reply, toSent)
      adopt(reply.data, context, caller)
      if (isOver) return reply
    }
    if (custom === undefined) {
      const payload = await formatData(reply, serialize ? () => serialize : serializer, textType)
      return caller.isGone ? reply : (payload ?? undefined)
    }
    const isAnswered = watch(reply, toSent)
    let payload: unknown
    let isAsync = false
    try {
      payload = custom(request, reply)
      isAsync = isPromise(payload)
      if (isAsync) payload = await payload
      checkPayload(payload)
    } catch (error) {
      if (!isAnswered()) throw error
      logError(request.log, 'error', error, 'A formatter failed after it had answered')
      return reply
    }
    adopt(payload, context, caller)
    if (caller.isGone) return reply
    // A formatter that returns nothing sends by itself: one that is not async may do so later.
    if (payload === undefined) return isAnswered() || !isAsync ? reply : undefined
    const sent = await toPayload(payload, reply)
    return (serialize ? letLeave(sent, reply, serialize) : sent) ?? undefined
  }
}

/** Puts what may leave of a result in its place on the reply: formatters, middleware and hooks of the application read nothing else. */
function restrict(reply: FastifyReply, { project }: Leaving): void {
  const { data } = reply
  if (isStream(data)) reply.data = mapItems(data, project)
  else if (!isSentAsItIs(data)) reply.data = project(data)
  restrictHook(reply)
}

/** Has what middleware or a formatter sends serialized, unless Fastify sends it as it is: texts, bytes, streams, errors. */
function letLeave(payload: unknown, reply: FastifyReply, serialize: Serialize): unknown {
  if (isSentAsItIs(payload) || payload instanceof Error) return payload
  if (encoderOf(reply) === undefined && !reply.hasHeader('content-type')) reply.type(typeOfData)
  setSerializer(reply, serialize)
  return payload
}

const isSentAsItIs = (data: unknown): boolean =>
  data === null ||
  data === undefined ||
  typeof data === 'string' ||
  ArrayBuffer.isView(data) ||
  data instanceof Response ||
  data instanceof Blob ||
  isStream(data)

/** @throws {GeneralError} for what JSON has nothing for: Fastify would send an answer without content */
function checkPayload(payload: unknown): void {
  if (typeof payload !== 'symbol' && (typeof payload !== 'function' || isStream(payload))) return
  throw new GeneralError(
    `A formatter has returned a ${typeof payload}, which can't be sent. Return data, text, bytes, a stream or a Response`
  )
}

/**
 * The default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams, `Blob` and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (docs/http.md#responses).
 */
function formatData(reply: FastifyReply, serializer: Serializer, textType: Sending['textType']): unknown {
  const { data } = reply
  if (typeof data !== 'string' && isSentAsItIs(data)) return sendAsItIs(reply)
  const encode = encoderOf(reply)
  if (textType && typeof data === 'string' && data !== '' && !reply.hasHeader('content-type')) {
    resetEncoder(reply)
    reply.type(textType(data))
  } else if (encode !== undefined) {
    // Fastify gives texts to a serializer, but not to hooks.
    if (typeof data !== 'string') setSerializer(reply, serializer(reply))
    return data
  }
  const type = String(reply.getHeader('content-type') ?? '')
  if (type === '') reply.type(typeOfData)
  // Fastify does not serialize strings: it takes them for what is serialized already.
  if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
  setSerializer(reply, serializer(reply))
  return data
}

/** @param serializeItem makes JSON of an object of a stream */
function sendAsItIs(reply: FastifyReply, serializeItem?: Serialize): unknown {
  const { data } = reply
  // The type is that of what a serializer makes, which these never reach.
  if (encoderOf(reply) !== undefined && !hasTypeOfCall(reply)) reply.removeHeader('content-type')
  if (ArrayBuffer.isView(data)) return data
  return toPayload(data ?? null, reply, (stream, reply) => toBytes(stream, reply, serializeItem)) ?? undefined
}

/** Whether the call itself has set the type of its result. One that stood there before is that of another serializer. */
function hasTypeOfCall(reply: FastifyReply): boolean {
  const { headersBefore, typeBefore = headersBefore?.['content-type'] } = notesOn(reply.request)
  return typeBefore !== undefined && typeBefore !== reply.getHeader('content-type')
}

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

/**
 * Returns what the handler of a route returns to Fastify: the payload, or the reply if something
 * else sends.
 */
export type Answer = (context: HookContext, caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown

/** How the results of a method are sent. */
export interface Sending {
  readonly serializer: Serializer
  /** Gives what may leave of a result. Only a resource says so. */
  readonly leavingOf?: ((reply: FastifyReply) => Leaving) | undefined
  /** Gives the content type of a text that is sent as it is. */
  readonly textType?: ((text: string) => string) | undefined
}

/**
 * Makes the function that answers a call that has succeeded: after-middleware, then the formatter.
 */
export function createAnswer(after: readonly Middleware[], custom: Formatter | undefined, sending: Sending): Answer {
  const { serializer, leavingOf, textType } = sending
  // Most services have neither, so there is nothing to wait for.
  if (after.length === 0 && custom === undefined)
    return (_context, _caller, _request, reply) => {
      if (leavingOf === undefined) return formatData(reply, serializer, textType)
      const { projectItem, serialize } = leavingOf(reply)
      if (isStream(reply.data)) return sendAsItIs(reply, (item) => serialize(projectItem(item)))
      restrict(reply, leavingOf)
      return formatData(reply, () => serialize, textType)
    }
  return async (context, caller, request, reply) => {
    keepHeaders(reply)
    const anew = leavingOf && restrict(reply, leavingOf)
    adopt(reply.data, context, caller)
    const letLeave = leavingOf && ((payload: unknown) => serializeWith(leavingOf(reply).serialize, payload, reply))
    const toSent = anew && letLeave && ((payload: unknown) => letLeave(toPayloadAtOnce(anew(payload), reply)))
    if (after.length > 0) {
      // Middleware may send the result itself.
      const isOver = await runMiddleware(after, request, reply, toSent)
      adopt(reply.data, context, caller)
      if (isOver) return reply
    }
    if (custom === undefined) {
      if (anew) reply.data = anew(reply.data)
      const serializerOf: Serializer = leavingOf ? (reply) => leavingOf(reply).serialize : serializer
      return formatData(reply, serializerOf, textType)
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
    const sent = await toPayload(anew ? anew(payload) : payload, reply)
    return (letLeave ? letLeave(sent) : sent) ?? undefined
  }
}

/**
 * Puts what may leave of a result in its place on the reply: formatters, middleware and hooks of
 * the application read nothing else.
 *
 * @returns what gives it by another schema, where a status or a type that was set since has one.
 * Anything else stays as it is
 */
function restrict(reply: FastifyReply, leavingOf: (reply: FastifyReply) => Leaving): (payload: unknown) => unknown {
  const { data: result } = reply
  const first = leavingOf(reply)
  if (isStream(result)) reply.data = mapItems(result, (item) => leavingOf(reply).projectItem(item) ?? jsonNull)
  else if (!isSentAsItIs(result)) reply.data = restricted(result, first)
  restrictHook(reply)
  const { data } = reply
  return (payload) => {
    if (payload !== data || isSentAsItIs(result)) return payload
    const leaving = leavingOf(reply)
    return leaving === first ? payload : restricted(result, leaving)
  }
}

const restricted = (data: unknown, { project }: Leaving) => project(data) ?? jsonNull

/**
 * What leaves of what is no record where one is to be: its JSON is `null`, while `null` itself is
 * an answer without content, and no item of a stream.
 */
const jsonNull = Object.freeze({ toJSON: () => null })

/**
 * Has what middleware or a formatter sends serialized, unless Fastify sends it as it is: texts,
 * bytes, streams, errors.
 */
function serializeWith(serialize: Serialize, payload: unknown, reply: FastifyReply): unknown {
  if (isSentAsItIs(payload)) return payload
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
  data instanceof Error ||
  isStream(data)

/**
 * @throws {GeneralError} for what JSON has nothing for: Fastify would send an answer without
 * content
 */
function checkPayload(payload: unknown): void {
  if (typeof payload !== 'symbol' && (typeof payload !== 'function' || isStream(payload))) return
  throw new GeneralError(
    `A formatter has returned a ${typeof payload}, which can't be sent. Return data, text, bytes, a stream or a Response`
  )
}

/**
 * The default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams,
 * `Blob` and `Response` objects are sent as they are, a stream of objects as newline-delimited JSON
 * (docs/http.md#responses).
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

/**
 * Whether the call itself has set the type of its result. One that stood there before is that of
 * another serializer.
 */
function hasTypeOfCall(reply: FastifyReply): boolean {
  const { headersBefore, typeBefore = headersBefore?.['content-type'] } = notesOn(reply.request)
  return typeBefore !== undefined && typeBefore !== reply.getHeader('content-type')
}

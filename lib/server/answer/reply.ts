import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter, HookContext, Middleware } from '../../../types/fastify.js'
import { serializerOfReply } from '../../compat/reply-serializer.js'
import { isJSON } from '../../core/content.js'
import { GeneralError } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { isPromise } from '../../core/objects.js'
import { requestStateOf } from '../../core/request-state.js'
import { isStream, mapStream, type Stream } from '../../shared/streams.js'
import { applyHttp, keepHeaders } from './headers.js'
import { logError } from './log.js'
import { runMiddleware, watchSend } from './middleware.js'
import type { LinkNextPage } from './next-link.js'
import { classify, type ResultKind, toPayload, toPayloadAtOnce } from './payload.js'
import type { Projector } from './project.js'
import { resetSerializer, type Serialize, type Serializer, setSerializer } from './serializer.js'
import { isText, toByteStream, trackStream } from './streams.js'

const jsonType = 'application/json; charset=utf-8'

/** How the results of a method are sent. */
interface ResultOptions {
  /** The status of a result without a status of its own. */
  readonly status: number
  /** Middleware that runs after the call. */
  readonly after: readonly Middleware[]
  readonly formatter: Formatter | undefined
  readonly serializer: Serializer
  /** Reads a result of a resource that is no stream. */
  readonly read?: ((result: unknown) => unknown) | undefined
  /** Projects the results of a resource. */
  readonly projector?: Projector | undefined
  /** Links a page to the next one. */
  readonly linkNextPage?: LinkNextPage | undefined
  /** Returns the content type of a text that is sent as it is. */
  readonly textType?: ((text: string) => string) | undefined
}

export type SendResult = (context: HookContext, caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown

/**
 * Creates the function that answers a successful call (docs/http.md#responses). Its result is for
 * Fastify: the payload, or the reply if something else sends.
 */
export function createSendResult(options: ResultOptions): SendResult {
  const { status, after, formatter, read, linkNextPage } = options
  const isDirect = after.length === 0 && formatter === undefined
  return (context, caller, request, reply) => {
    const result = context.dispatch === undefined ? context.result : context.dispatch
    let kind = classify(result)
    const data = read === undefined || kind === 'stream' || kind === 'error' ? result : read(result)
    if (data !== result) kind = classify(data)
    applyHttp(context, kind === 'none' ? 204 : status, reply)
    linkNextPage?.(context, data, request, reply)
    reply.data = data ?? null
    // Most services have neither middleware nor a formatter, so there is nothing to wait for.
    return isDirect ? sendAtOnce(reply, kind, options) : sendThrough(context, caller, request, reply, kind, options)
  }
}

function sendAtOnce(reply: FastifyReply, kind: ResultKind, options: ResultOptions): unknown {
  const { serializer, projector } = options
  if (projector === undefined) return formatData(reply, kind, serializer, options)
  const { serialize } = projector
  if (kind === 'stream') return sendAsIs(reply, kind, (item) => serialize(projector.projectItem(item)))
  if (kind === 'json') reply.data = projector.project(reply.data) ?? jsonNull
  requestStateOf(reply.request).showSent(reply.data)
  return formatData(reply, kind, () => serialize, options)
}

/** Sends a result through middleware and the formatter of the application. */
async function sendThrough(
  context: HookContext,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: ResultKind,
  options: ResultOptions
): Promise<unknown> {
  const { after, formatter, projector } = options
  keepHeaders(reply)
  if (projector) projectData(reply, kind, projector)
  const serialized = (payload: unknown) => (projector ? withSerializer(payload, reply, projector) : payload)
  const convert = projector && ((payload: unknown) => serialized(toPayloadAtOnce(payload, reply)))
  trackStream(reply.data, context, caller)
  if (after.length > 0) {
    // Middleware may send the result itself.
    const isOver = await runMiddleware(after, request, reply, convert)
    trackStream(reply.data, context, caller)
    if (isOver) return reply
  }
  if (formatter === undefined) {
    const serializer: Serializer = projector ? () => projector.serialize : options.serializer
    return formatData(reply, classify(reply.data), serializer, options)
  }
  const isAnswered = watchSend(reply, convert)
  let payload: unknown
  let isAsync = false
  try {
    payload = formatter(request, reply)
    isAsync = isPromise(payload)
    if (isAsync) payload = await payload
    checkPayload(payload)
  } catch (error) {
    if (!isAnswered()) throw error
    logError(request.log, 'error', error, 'A formatter failed after it had answered')
    return reply
  }
  trackStream(payload, context, caller)
  if (caller.isGone) return reply
  // A formatter that returns nothing sends by itself: one that is not async may do so later.
  if (payload === undefined) return isAnswered() || !isAsync ? reply : undefined
  return serialized(await toPayload(payload, reply)) ?? undefined
}

/**
 * Replaces `reply.data` of a resource by its projection: middleware and formatters of the
 * application read no hidden field.
 */
function projectData(reply: FastifyReply, kind: ResultKind, projector: Projector): void {
  const { data } = reply
  if (kind === 'stream')
    reply.data = mapStream(data as Stream, (item) => (isText(item) ? item : (projector.projectItem(item) ?? jsonNull)))
  else if (kind === 'json') reply.data = projector.project(data) ?? jsonNull
  requestStateOf(reply.request).showSent(reply.data)
}

/** Lets Fastify serialize a payload of a resource, unless it sends it as it is. */
function withSerializer(payload: unknown, reply: FastifyReply, { serialize }: Projector): unknown {
  if (classify(payload) !== 'json') return payload
  const custom = serializerOfReply(reply)
  if (custom === undefined && !reply.hasHeader('content-type')) reply.type(jsonType)
  setSerializer(reply, serialize, custom)
  return payload
}

/**
 * Sent where a projection returns nothing. Its JSON is `null`, while `null` itself is an answer
 * without content, and no item of a stream.
 */
const jsonNull = Object.freeze({ toJSON: () => null })

/** @throws {GeneralError} for a value without JSON: Fastify would send an answer without content */
function checkPayload(payload: unknown): void {
  if (typeof payload !== 'symbol' && (typeof payload !== 'function' || isStream(payload))) return
  throw new GeneralError(
    `A formatter has returned a ${typeof payload}, which can't be sent. Return data, text, bytes, a stream or a Response`
  )
}

/**
 * The default formatter: the data as JSON, strings, numbers and booleans too. Bytes, streams,
 * `Blob` and `Response` objects are sent as they are, a stream of objects as newline-delimited
 * JSON.
 */
function formatData(
  reply: FastifyReply,
  kind: ResultKind,
  serializer: Serializer,
  { textType }: ResultOptions
): unknown {
  if (kind !== 'json' && kind !== 'text') return sendAsIs(reply, kind)
  const { data } = reply
  const custom = serializerOfReply(reply)
  if (textType && typeof data === 'string' && data !== '' && !reply.hasHeader('content-type')) {
    resetSerializer(reply)
    reply.type(textType(data))
  } else if (custom !== undefined) {
    // Fastify gives strings to a serializer, but not to hooks.
    if (typeof data !== 'string') setSerializer(reply, serializer(reply), custom)
    return data
  }
  const type = String(reply.getHeader('content-type') ?? '')
  if (type === '') reply.type(jsonType)
  // Fastify does not serialize strings: it takes them for JSON.
  if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
  setSerializer(reply, serializer(reply), undefined)
  return data
}

/** @param serializeItem makes JSON of an object of a stream */
function sendAsIs(reply: FastifyReply, kind: ResultKind, serializeItem?: Serialize): unknown {
  // The type was set for a serializer, which does not run here.
  if (serializerOfReply(reply) !== undefined && !hasTypeOfCall(reply)) reply.removeHeader('content-type')
  const { data } = reply
  if (kind === 'bytes') return data
  return toPayload(data ?? null, reply, (stream, reply) => toByteStream(stream, reply, serializeItem)) ?? undefined
}

/** Whether the call itself has set the content type. An earlier one is of another serializer. */
function hasTypeOfCall(reply: FastifyReply): boolean {
  const { headersBefore, typeBefore = headersBefore?.['content-type'] } = requestStateOf(reply.request)
  return typeBefore !== undefined && typeBefore !== reply.getHeader('content-type')
}

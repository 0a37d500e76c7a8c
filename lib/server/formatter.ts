import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from '../../types/fastify.js'
import { isJSON } from '../core/media-type.js'
import { toPayload } from './payload.js'
import type { Serializer } from './serializer.js'
import { isStream, toBytes } from './stream.js'

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (docs/http.md#answers).
 * @param ofItem serializes an object of a stream
 * @param textType gives the content type of a text that is sent as it is
 */
export function createFormatter(
  serializer: Serializer,
  ofItem?: Serializer,
  textType?: (text: string) => string
): Formatter {
  return (_request: FastifyRequest, reply: FastifyReply) => {
    const { data } = reply
    if (ArrayBuffer.isView(data)) return data
    if (data === undefined || data === null || data instanceof Response || isStream(data))
      return toPayload(data ?? null, reply, (stream, reply) => toBytes(stream, reply, ofItem?.(reply)))
    if (textType && typeof data === 'string' && data !== '' && !reply.hasHeader('content-type'))
      reply.type(textType(data))
    const type = String(reply.getHeader('content-type') ?? '')
    if (type === '') reply.type('application/json; charset=utf-8')
    // Fastify does not serialize strings: it takes them for what is serialized already.
    if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
    reply.serializer(serializer(reply))
    return data
  }
}

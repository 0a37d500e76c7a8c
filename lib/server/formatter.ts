import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from '../../types/fastify.js'
import type { Serializer } from './schema.js'
import { isStream, toBytes } from './stream.js'

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (wire contract: "Service result → response").
 */
export function createFormatter(serializer?: Serializer): Formatter {
  return (_request: FastifyRequest, reply: FastifyReply) => {
    const { data } = reply
    if (data === null || data === undefined) return undefined
    if (typeof data === 'string') {
      reply.type('application/json; charset=utf-8')
      return JSON.stringify(data)
    }
    if (typeof data !== 'object' || ArrayBuffer.isView(data) || data instanceof Response) return data
    if (isStream(data)) return toBytes(data, reply)
    const serialize = serializer?.(reply)
    if (serialize !== undefined) reply.serializer(serialize)
    return data
  }
}

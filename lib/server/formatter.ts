import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from '../../types/fastify.js'
import { GeneralError } from '../core/errors.js'
import { isJSON } from './negotiate.js'
import { toPayload } from './payload.js'
import type { Serializer } from './schema.js'
import { isStream } from './stream.js'

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (wire contract: "Service result → response").
 */
export function createFormatter(serializer?: Serializer): Formatter {
  return (_request: FastifyRequest, reply: FastifyReply) => {
    const { data } = reply
    if (ArrayBuffer.isView(data)) return data
    if (data === undefined || data === null || data instanceof Response || isStream(data))
      return toPayload(data ?? null, reply)
    const type = String(reply.getHeader('content-type') ?? '')
    if (type === '') reply.type('application/json; charset=utf-8')
    // Fastify does not serialize strings: it takes them for what is serialized already.
    if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
    const serialize = serializer?.(reply)
    reply.serializer(serialize === undefined ? stringify : guard(serialize))
    return data
  }
}

// V8's messages about values that it can't serialize reveal internals of the server, and a `toJSON` may throw anything.
function guard(serialize: (data: unknown) => string | undefined): (data: unknown) => string {
  return (data) => {
    try {
      const text = serialize(data)
      if (text !== undefined) return text
    } catch (error) {
      throw new GeneralError('The result can not be serialized', undefined, { cause: error })
    }
    throw new GeneralError('The result can not be serialized')
  }
}

const stringify = guard(JSON.stringify)

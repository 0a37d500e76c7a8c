import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from '../../types/fastify.js'
import { GeneralError } from '../core/errors.js'
import type { Serializer } from './schema.js'
import { isStream, toBytes } from './stream.js'

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (wire contract: "Service result → response").
 */
export function createFormatter(serializer?: Serializer): Formatter {
  return (_request: FastifyRequest, reply: FastifyReply) => {
    const { data } = reply
    if (data === undefined || data === null) return null
    if (ArrayBuffer.isView(data) || data instanceof Response) return data
    if (typeof data === 'object' && isStream(data)) return toBytes(data, reply)
    reply.type('application/json; charset=utf-8')
    // Fastify does not serialize strings: it takes them for what is serialized already.
    if (typeof data === 'string') return JSON.stringify(data)
    const serialize = serializer?.(reply)
    reply.serializer(serialize === undefined ? stringify : guard(serialize))
    return data
  }
}

// The engine's words about what it can't serialize tell of the server, not of the call; a toJSON may throw anything.
function guard(serialize: (data: unknown) => string): (data: unknown) => string {
  return (data) => {
    try {
      return serialize(data)
    } catch (error) {
      throw new GeneralError('The result can not be serialized', undefined, { cause: error })
    }
  }
}

const stringify = guard(JSON.stringify)

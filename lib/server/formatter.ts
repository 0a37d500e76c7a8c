import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Formatter } from '../../types/fastify.js'
import { GeneralError } from '../core/errors.js'
import { isJSON } from './negotiate.js'
import type { Serializer } from './schema.js'
import { discard, isStream, toBytes } from './stream.js'

/**
 * Makes the default formatter: the data as JSON, strings, numbers and booleans too. Buffers, streams and `Response` objects are
 * sent as they are, a stream of objects as newline-delimited JSON (wire contract: "Service result → response").
 */
export function createFormatter(serializer?: Serializer): Formatter {
  return ({ method }: FastifyRequest, reply: FastifyReply) => {
    const data = reply.data instanceof Response ? unwrap(reply.data, reply) : reply.data
    if (data === undefined || data === null || ArrayBuffer.isView(data)) return data ?? null
    if (typeof data === 'object' && isStream(data)) {
      if (method !== 'HEAD') return toBytes(data, reply)
      discard(data)
      return null
    }
    const type = String(reply.getHeader('content-type') ?? '')
    if (type === '') reply.type('application/json; charset=utf-8')
    // Fastify does not serialize strings: it takes them for what is serialized already.
    if (typeof data === 'string') return type === '' || isJSON(type) ? JSON.stringify(data) : data
    const serialize = serializer?.(reply)
    reply.serializer(serialize === undefined ? stringify : guard(serialize))
    return data
  }
}

function unwrap(response: Response, reply: FastifyReply): unknown {
  if (reply.hook?.http?.status === undefined) reply.code(response.status)
  // fetch has decoded the body already.
  const ofBody = response.url === '' ? [] : ['content-encoding', 'content-length']
  for (const [name, value] of response.headers) if (!ofBody.includes(name)) reply.header(name, value)
  return response.body
}

// The engine's words about what it can't serialize tell of the server, not of the call; a toJSON may throw anything.
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

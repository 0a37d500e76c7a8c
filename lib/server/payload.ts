import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unwrap } from './response.js'
import { isStream, toBytes } from './stream.js'

/**
 * What a formatter gives, as Fastify can send it: the body of a `Response` and bytes for a stream, and none of either where the answer has
 * no body.
 */
export function toPayload(given: unknown, { method }: FastifyRequest, reply: FastifyReply): unknown {
  const value = given instanceof Response ? unwrap(given, reply) : given
  const stream = isStream(value) ? value : undefined
  if (value !== null && stream === undefined) return value
  // Fastify says of what is not there that its length is 0, also to HEAD.
  if (method === 'HEAD') return Readable.from([], { objectMode: false })
  return stream === undefined || withoutBody.includes(reply.statusCode) ? null : toBytes(stream, reply)
}

const withoutBody = [204, 205, 304]

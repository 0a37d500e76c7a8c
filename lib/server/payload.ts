import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { unwrap } from './response.js'
import { close, isStream, toBytes, toBytesAtOnce } from './stream.js'

// Fastify says of what is not there that its length is 0, also to HEAD.
const unread = () => Readable.from([], { objectMode: false })
const withoutBody = [204, 205, 304]

/**
 * What a formatter gives, as Fastify can send it: of a `Response` its body, of a stream its bytes. Where an answer has no body a stream is
 * closed.
 */
export function toPayload(
  given: unknown,
  reply: FastifyReply,
  convert: typeof toBytes | typeof toBytesAtOnce = toBytes
) {
  const value = given instanceof Response ? unwrap(given, reply) : given
  const stream = isStream(value) ? value : undefined
  if (value !== null && stream === undefined) return value
  const isHead = reply.request.method === 'HEAD'
  if (stream !== undefined && !isHead && !withoutBody.includes(reply.statusCode)) return convert(stream, reply)
  if (stream !== undefined) close(stream)
  return isHead ? unread() : null
}

/** The same for `reply.send`, which can not wait. */
export const toPayloadAtOnce = (given: unknown, reply: FastifyReply) => toPayload(given, reply, toBytesAtOnce)

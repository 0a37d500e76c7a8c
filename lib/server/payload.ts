import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { unwrap } from './response.js'
import { close, isStream, type Stream, toBytes, toBytesAtOnce } from './stream.js'

// An empty stream for HEAD: for `null` Fastify would send a `Content-Length` of 0.
const unread = () => Readable.from([], { objectMode: false })
const withoutBody = [204, 205, 304]

/**
 * Turns what a formatter returns into what Fastify can send: the body of a `Response`, the bytes of a stream. If the
 * answer has no body, a stream is closed.
 */
export function toPayload(
  given: unknown,
  reply: FastifyReply,
  convert: (stream: Stream, reply: FastifyReply) => Readable | Promise<Readable> = toBytes
) {
  const value = given instanceof Response ? unwrap(given, reply) : given
  const stream = isStream(value) ? value : undefined
  if (value !== null && stream === undefined) return value
  const isHead = reply.request.method === 'HEAD'
  if (stream !== undefined && !isHead && !withoutBody.includes(reply.statusCode)) return convert(stream, reply)
  if (stream !== undefined) close(stream)
  return isHead ? unread() : null
}

/** The same without waiting, for `reply.send`. */
export const toPayloadAtOnce = (given: unknown, reply: FastifyReply) => toPayload(given, reply, toBytesAtOnce)

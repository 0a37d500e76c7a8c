import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isHopByHop, keepHeaders } from './reply.js'
import { close, isStream, type Stream, toBytes, toBytesAtOnce } from './stream.js'

// An empty stream for HEAD: for `null` Fastify would send a `Content-Length` of 0.
const unread = () => Readable.from([], { objectMode: false })
const withoutBody = [204, 205, 304]

/**
 * Turns what a formatter returns into what Fastify can send: the body of a `Response`, the bytes of
 * a `Blob` or a stream. If the answer has no body, a stream is closed.
 */
export function toPayload(
  formatted: unknown,
  reply: FastifyReply,
  convert: (stream: Stream, reply: FastifyReply) => Readable | Promise<Readable> = toBytes
) {
  const value =
    formatted instanceof Response
      ? unwrap(formatted, reply)
      : formatted instanceof Blob
        ? openBlob(formatted, reply)
        : formatted
  const stream = isStream(value) ? value : undefined
  if (value !== null && stream === undefined) return value
  const isHead = reply.request.method === 'HEAD'
  if (stream !== undefined && !isHead && !withoutBody.includes(reply.statusCode)) return convert(stream, reply)
  if (stream !== undefined) close(stream)
  return isHead ? unread() : null
}

/** The bytes of a `Blob` or a `File`, with its type. */
function openBlob(blob: Blob, reply: FastifyReply): Stream {
  if (!reply.hasHeader('content-type')) reply.type(blob.type || 'application/octet-stream')
  return blob.stream() as Stream
}

/** The same without waiting, for `reply.send`. */
export const toPayloadAtOnce = (value: unknown, reply: FastifyReply) => toPayload(value, reply, toBytesAtOnce)

/** Whether undici, which makes `fetch` in Node, decodes zstd: it does from 7.11 on. */
export function decodesZstd(version: string | undefined): boolean {
  const [major, minor] = String(version).split('.').map(Number)
  return Number(major) * 1000 + Number(minor) >= 7011
}

const count = 4 + Number(decodesZstd(process.versions.undici))
const coding = `(${['x-gzip', 'gzip', 'deflate', 'br', 'zstd'].slice(0, count).join('|')})`
// The encodings that fetch decodes. Of several it decodes all, or none if it does not know one.
const decoded = new RegExp(`^\\s*${coding}\\s*(,\\s*${coding}\\s*)*$`, 'i')

/**
 * Puts the status and the end-to-end headers of a `Response` on the reply, and returns its body.
 * Headers about an encoding that `fetch` has decoded are left out.
 */
export function unwrap(response: Response, reply: FastifyReply): ReadableStream | null {
  const { headers, status, body, url } = response
  keepHeaders(reply)
  if (reply.hook?.http?.status === undefined) reply.code(status)
  const isDecoded = url !== '' && decoded.test(headers.get('content-encoding') ?? '')
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase())
  for (const [name, value] of headers) {
    if (isHopByHop(name) || named.includes(name)) continue
    if (reply.statusCode === 204 && /^content-(type|length|encoding)$/.test(name)) continue
    if (name === 'content-length' ? isDecoded || body === null : isDecoded && name === 'content-encoding') continue
    reply.header(name, value)
  }
  return body
}

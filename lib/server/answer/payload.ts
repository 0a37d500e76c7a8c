import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isStream, type Stream } from '../../shared/streams.js'
import { isHopByHop, keepHeaders } from './headers.js'
import { closeStream, toByteStream, toByteStreamAtOnce } from './streams.js'

/** How a result is sent. Everything but `json` and `text` goes to Fastify as it is. */
export type ResultKind = 'json' | 'text' | 'bytes' | 'stream' | 'web' | 'error' | 'none'

/** Classifies a result: `web` is a `Response` or a `Blob`. */
export function classify(data: unknown): ResultKind {
  if (data === null || data === undefined) return 'none'
  if (typeof data === 'string') return 'text'
  if (typeof data !== 'object' && typeof data !== 'function') return 'json'
  if (ArrayBuffer.isView(data)) return 'bytes'
  if (data instanceof Response || data instanceof Blob) return 'web'
  if (data instanceof Error) return 'error'
  return isStream(data) ? 'stream' : 'json'
}

// An empty stream for HEAD: for `null` Fastify would send a `Content-Length` of 0.
const emptyStream = () => Readable.from([], { objectMode: false })
const statusesWithoutBody = [204, 205, 304]

/**
 * Converts a value into what Fastify can send: the body of a `Response`, the bytes of a `Blob` or a
 * stream. If the answer has no body, a stream is closed.
 */
export function toPayload(
  value: unknown,
  reply: FastifyReply,
  convert: (stream: Stream, reply: FastifyReply) => Readable | Promise<Readable> = toByteStream
) {
  const body = value instanceof Response ? unwrap(value, reply) : value instanceof Blob ? openBlob(value, reply) : value
  const stream = isStream(body) ? body : undefined
  if (body !== null && stream === undefined) return body
  const isHead = reply.request.method === 'HEAD'
  if (stream !== undefined && !isHead && !statusesWithoutBody.includes(reply.statusCode)) return convert(stream, reply)
  if (stream !== undefined) closeStream(stream)
  return isHead ? emptyStream() : null
}

/** Converts a value without waiting, for `reply.send`. */
export const toPayloadAtOnce = (value: unknown, reply: FastifyReply) => toPayload(value, reply, toByteStreamAtOnce)

function openBlob(blob: Blob, reply: FastifyReply): Stream {
  if (!reply.hasHeader('content-type')) reply.type(blob.type || 'application/octet-stream')
  return blob.stream() as Stream
}

/** Whether undici, which makes `fetch` in Node, decodes zstd: it does from 7.11 on. */
function decodesZstd(version: string | undefined): boolean {
  const [major, minor] = String(version).split('.').map(Number)
  return Number(major) * 1000 + Number(minor) >= 7011
}

const codings = ['x-gzip', 'gzip', 'deflate', 'br', ...(decodesZstd(process.versions.undici) ? ['zstd'] : [])]
const coding = `(${codings.join('|')})`
// The encodings that `fetch` decodes. Of several it decodes all, or none if it does not know one.
const decoded = new RegExp(`^\\s*${coding}\\s*(,\\s*${coding}\\s*)*$`, 'i')

/**
 * Puts the status and the end-to-end headers of a `Response` on the reply, and returns its body.
 * Headers about an encoding that `fetch` has decoded are left out.
 */
function unwrap(response: Response, reply: FastifyReply): ReadableStream | null {
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

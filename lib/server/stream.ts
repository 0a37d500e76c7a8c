import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isClosed } from '../core/caller.js'
import { attempt } from '../core/errors.js'
import { streamOf } from '../core/stream.js'

type Web = Parameters<typeof Readable.fromWeb>[0]

/** A stream of Node or of the web, or an async iterable, such as what an async generator gives. */
export type Stream = Readable | Web | NodeJS.ReadableStream | AsyncIterable<unknown>

export const isStream = (data: unknown): data is Stream => streamOf(data) !== undefined

/** The stream that a value is, or, where it is a `Response`, its body; `undefined` for any other. */
export function streamIn(value: unknown): Stream | undefined {
  if (isStream(value)) return value
  return value instanceof Response ? (value.body ?? undefined) : undefined
}

const isNode = (stream: Stream): stream is NodeJS.ReadableStream => streamOf(stream) === 'pipe'
const isWeb = (stream: Stream): stream is Web => streamOf(stream) === 'getReader'

function toReadable(stream: Stream): Readable {
  if (stream instanceof Readable) return stream
  if (isNode(stream)) return new Readable({ objectMode: true }).wrap(stream)
  return isWeb(stream) ? Readable.fromWeb(stream, { objectMode: true }) : Readable.from(stream)
}

const ignore = () => {}

/** Keeps an error that comes before somebody listens from ending the process: who reads the stream finds it there. */
export const hush = (stream: Stream) => void (isNode(stream) && attempt(() => stream.on('error', ignore)))

/** The stream is somebody else's now, and so are its errors. */
export const unhush = (stream: Stream) => void (isNode(stream) && attempt(() => stream.off('error', ignore)))

/** Closes a stream. One of the web that is locked is its reader's. */
export function close(stream: Stream): void {
  attempt(() => {
    if (isWeb(stream)) stream.cancel().catch(ignore)
    else if (isNode(stream)) (stream as Readable).destroy()
    else (stream as AsyncGenerator).return?.(undefined).catch(ignore)
  })
}

/**
 * A stream that can be sent. One that may carry objects is looked at first: if it does, it becomes newline-delimited JSON
 * (handed on as it is, it would end the process).
 */
export async function toBytes(stream: Stream, reply: FastifyReply): Promise<Readable> {
  const source = toReadable(stream)
  if (!source.readableObjectMode) return source
  // A client that goes away must not leave the source waiting, not even for its first item.
  if (isClosed(reply.raw)) source.destroy()
  else reply.raw.once('close', () => source.destroy())
  const items = source[Symbol.asyncIterator]()
  const first = await items.next()
  const isText = first.done || isBytes(first.value)
  if (!isText) reply.type('application/x-ndjson')
  return Readable.from(encode(first, items, isText ? isBytes : isBinary), { objectMode: false })
}

async function* encode(
  first: IteratorResult<unknown>,
  items: AsyncIterator<unknown>,
  isEncoded: (item: unknown) => item is string | Uint8Array
): AsyncGenerator<string | Uint8Array> {
  for (let item = first; !item.done; item = await items.next()) {
    yield isEncoded(item.value) ? item.value : `${JSON.stringify(item.value) ?? 'null'}\n`
  }
}

const isBinary = (item: unknown): item is Uint8Array => item instanceof Uint8Array
const isBytes = (item: unknown): item is string | Uint8Array => typeof item === 'string' || isBinary(item)

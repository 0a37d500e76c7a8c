import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

type Web = Parameters<typeof Readable.fromWeb>[0]
type Source = Readable | Web | NodeJS.ReadableStream

export const isStream = (data: object): data is Source => 'pipe' in data || 'getReader' in data

function toReadable(stream: Source): Readable {
  if (stream instanceof Readable) return stream
  if ('pipe' in stream) return new Readable({ objectMode: true }).wrap(stream)
  return Readable.fromWeb(stream, { objectMode: true })
}

/** Closes a stream that is not sent. */
export function discard(stream: Source): void {
  toReadable(stream).destroy()
}

/**
 * A stream that can be sent. One that may carry objects is looked at first: if it does, it becomes newline-delimited JSON
 * (handed on as it is, it would end the process).
 */
export async function toBytes(stream: Source, reply: FastifyReply): Promise<Readable> {
  const source = toReadable(stream)
  if (!source.readableObjectMode) return source
  // A client that goes away must not leave the source waiting, not even for its first item.
  reply.raw.once('close', () => source.destroy())
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
    yield isEncoded(item.value) ? item.value : `${JSON.stringify(item.value)}\n`
  }
}

const isBinary = (item: unknown): item is Uint8Array => item instanceof Uint8Array
const isBytes = (item: unknown): item is string | Uint8Array => typeof item === 'string' || isBinary(item)

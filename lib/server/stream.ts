import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

type Source = Readable | ReadableStream

export const isStream = (data: object): data is Source => 'pipe' in data || 'getReader' in data

/**
 * A stream that can be sent. One that may carry objects is looked at first: if it does, it becomes newline-delimited JSON
 * (handed on as it is, it would end the process).
 */
export async function toBytes(source: Source, reply: FastifyReply): Promise<Source> {
  if (source instanceof Readable && !source.readableObjectMode) return source
  if ('pipe' in source && !(source instanceof Readable)) return source
  const items = (source as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  const first = await items.next()
  const isText = first.done || isBytes(first.value)
  if (!isText) reply.type('application/x-ndjson')
  return Readable.from(encode(first, items), { objectMode: false })
}

async function* encode(
  first: IteratorResult<unknown>,
  items: AsyncIterator<unknown>
): AsyncGenerator<string | Uint8Array> {
  try {
    for (let item = first; !item.done; item = await items.next()) {
      yield isBytes(item.value) ? item.value : `${JSON.stringify(item.value)}\n`
    }
  } finally {
    await items.return?.()
  }
}

const isBytes = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array

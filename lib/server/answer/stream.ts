import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { streamOf } from '../../core/content.js'
import { attempt } from '../../core/errors.js'
import { type Serialize, withOwnError } from './serializer.js'

type Web = Parameters<typeof Readable.fromWeb>[0]

/** A stream of Node or of the web, or an async iterable, such as what an async generator gives. */
export type Stream = Readable | Web | NodeJS.ReadableStream | AsyncIterable<unknown>

export const isStream = (data: unknown): data is Stream => streamOf(data) !== undefined

/**
 * The stream that a value is, or, where it is a `Response`, its body; `undefined` for any other.
 */
export function streamIn(value: unknown): Stream | undefined {
  if (isStream(value)) return value
  return value instanceof Response ? (value.body ?? undefined) : undefined
}

const isNode = (stream: Stream): stream is NodeJS.ReadableStream => streamOf(stream) === 'pipe'
const isWeb = (stream: Stream): stream is Web => streamOf(stream) === 'getReader'

// An old-style stream, without `_readableState`, flows even if nobody listens.
const lost = new WeakSet<Stream>()
const isOld = (stream: NodeJS.ReadableStream) => !('_readableState' in stream)

/** @throws when a part of the stream is lost already */
function toReadable(stream: Stream): Readable {
  if (lost.has(stream))
    throw new Error('The stream has begun before it could be sent: wrap it, as in new Readable().wrap(stream)')
  if (stream instanceof Readable) return stream
  if (isNode(stream)) return new Readable({ objectMode: true }).wrap(stream)
  return isWeb(stream) ? Readable.fromWeb(stream, { objectMode: true }) : Readable.from(stream)
}

const ignore = () => {}

/**
 * Listens for errors of a stream that nobody reads yet, which would end the process.
 * @param onError called with an error while something reads from the stream
 * @returns a function that ends the listening
 */
export function listenForLoss(stream: Stream, onError: (error: Error) => void): () => void {
  if (!isNode(stream)) return ignore
  const fail = (error: Error) => {
    if ((stream as Readable).readableFlowing) onError(error)
  }
  const lose = () => lost.add(stream)
  const events = isOld(stream) ? ['data', 'end', 'error'] : []
  attempt(() => {
    stream.on('error', fail)
    for (const event of events) stream.once(event, lose)
  })
  return () => {
    attempt(() => {
      stream.off('error', fail)
      for (const event of events) stream.off(event, lose)
    })
  }
}

/** Destroys a Node stream with an error, unless it has ended. */
export function breakOff(stream: Stream, error: Error): void {
  if (stream instanceof Readable) stream.destroy(error)
}

/** Closes a stream. A locked web stream belongs to its reader. */
export function close(stream: Stream): void {
  attempt(() => {
    if (isWeb(stream)) stream.cancel().catch(ignore)
    else if (isNode(stream)) (stream as Readable).destroy()
    else (stream as AsyncGenerator).return?.(undefined).catch(ignore)
  })
}

/**
 * Makes a stream that can be sent. Of a stream that may carry objects the first item is read:
 * objects become newline-delimited JSON (Fastify would end the process over them).
 * @param serialize makes JSON of one
 */
export async function toBytes(stream: Stream, reply: FastifyReply, serialize?: Serialize): Promise<Readable> {
  const source = toReadable(stream)
  if (!source.readableObjectMode) return resetOnError(source, reply)
  // If the client leaves, the source is closed, also while its first item is awaited.
  reply.raw.once('close', () => source.destroy())
  const { value, done } = await source[Symbol.asyncIterator]().next()
  const isText = done || isBytes(value)
  if (!isText) reply.type('application/x-ndjson')
  return resetOnError(toChunks(source, done ? [] : [value], isText ? isBytes : isBinary, serialize), reply)
}

/** The same without waiting, for `reply.send`. */
export function toBytesAtOnce(stream: Stream, reply: FastifyReply): Readable {
  const source = toReadable(stream)
  return resetOnError(source.readableObjectMode ? toChunks(source, [], isBytes) : source, reply)
}

/**
 * A stream of the same kind, with what a function makes of each object. Texts and bytes stay as
 * they are.
 */
export function mapItems(stream: Stream, change: (item: unknown) => unknown): Stream {
  const source = toReadable(stream)
  if (!source.readableObjectMode) return source
  const items = source.map((item: unknown) => (isBytes(item) ? item : change(item)))
  // A stream that nobody has read from closes no source.
  items.once('close', () => source.destroy())
  return isWeb(stream) ? (Readable.toWeb(items) as Web) : items
}

// INTERNAL_ERROR (RFC 9113, section 7).
const internalError = 2

/**
 * Over HTTP/2 Fastify closes a stream that fails midway as if it had ended. Without a reset the
 * client would take it for complete.
 */
function resetOnError(readable: Readable, { raw }: FastifyReply): Readable {
  const { stream } = raw as { stream?: { close(code: number): void } }
  if (stream === undefined) return readable
  return readable.once('error', () => {
    if (raw.headersSent) stream.close(internalError)
  })
}

const isBinary = (item: unknown): item is Uint8Array => item instanceof Uint8Array
const isBytes = (item: unknown): item is string | Uint8Array => typeof item === 'string' || isBinary(item)

const asIs = withOwnError(
  (item) => JSON.stringify(item) ?? 'null',
  'A record of the stream is not JSON (BigInt or a cycle?)'
)

// In characters.
const enough = 16_384

/**
 * The items of a stream as bytes, an object as a line of JSON. All that are ready at a time are one
 * chunk: a chunk for each item costs more than the items.
 *
 * @param first the items that have been read already
 * @param isEncoded whether an item is sent as it is
 * @param serialize makes JSON of an object
 */
export function toChunks(
  source: Readable,
  first: unknown[],
  isEncoded: (item: unknown) => item is string | Uint8Array,
  serialize: Serialize = asIs
): Readable {
  let text = ''
  let isWanted = false
  let hasEnded = false
  let hasFailed = false
  let timer: NodeJS.Immediate | undefined
  const chunks = new Readable({
    highWaterMark: enough,
    read() {
      isWanted = true
      take()
    },
    destroy(error, done) {
      isWanted = false
      source.destroy()
      done(error)
    }
  })

  function flush(): void {
    clearImmediate(timer)
    timer = undefined
    // Who reads may ask for more while it is pushed.
    const ready = text
    text = ''
    if (ready !== '') isWanted = chunks.push(ready)
  }

  function add(item: unknown): void {
    const toText = typeof item === 'object' || typeof item === 'function' ? serialize : asIs
    const encoded = isEncoded(item) ? item : `${toText(item)}\n`
    if (typeof encoded === 'string') {
      text += encoded
      if (text.length >= enough) flush()
    } else {
      flush()
      isWanted = chunks.push(encoded)
    }
  }

  // What stands before the failure is sent.
  function fail(error: unknown): void {
    flush()
    hasFailed = true
    setImmediate(() => chunks.destroy(error as Error))
  }

  function take(): void {
    if (hasFailed) return
    try {
      while (isWanted) {
        const item = first.length > 0 ? first.shift() : source.read()
        if (item === null) break
        add(item)
      }
    } catch (error) {
      fail(error)
      return
    }
    if (hasEnded && first.length === 0) {
      flush()
      chunks.push(null)
    } else if (text !== '') timer ??= setImmediate(flush)
  }

  source.on('readable', take)
  finished(source, { writable: false }, (error) => {
    hasEnded = !error
    if (error) fail(error)
    else take()
  })
  return chunks
}

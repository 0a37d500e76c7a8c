import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { HookContext } from '../../../types/hooks.js'
import { callStateOf } from '../../core/call-state.js'
import { attempt } from '../../core/errors.js'
import type { Caller } from '../../core/http-call.js'
import { isNodeStream, isStream, isWebStream, type Stream } from '../../shared/streams.js'
import { type Serialize, withSafeErrors } from './serializer.js'

type NodeWebStream = Parameters<typeof Readable.fromWeb>[0]

/** Returns a value that is a stream, or the body of a `Response`; `undefined` for other values. */
export function toStream(value: unknown): Stream | undefined {
  if (isStream(value)) return value
  return value instanceof Response ? (value.body ?? undefined) : undefined
}

/**
 * Closes a result that is a stream when the response has ended, whether the stream was sent,
 * replaced, refused or forgotten. Until something reads the stream, its errors do not end the
 * process: the reader gets them.
 * @param caller of a call over HTTP
 */
export function trackStream(value: unknown, context: HookContext, caller: Caller | undefined): void {
  const stream = toStream(value)
  if (stream === undefined) return
  const state = callStateOf(context)
  state.streams ??= createTracker(caller)
  const { streams } = state
  if (streams.has(stream)) return
  const untrack = listenForLoss(stream, (error) => {
    // A hook may have piped it into the streams after it. `pipe` passes no error on, so they would
    // wait for ever.
    const all = [...streams.keys()]
    for (const later of all.slice(all.indexOf(stream) + 1)) if (later instanceof Readable) later.destroy(error)
  })
  streams.set(stream, untrack)
  if (caller?.isOver) closeStream(stream)
}

function createTracker(caller: Caller | undefined): Map<Stream, () => void> {
  const streams = new Map<Stream, () => void>()
  caller?.onEnd(() => {
    for (const stream of streams.keys()) closeStream(stream)
  })
  return streams
}

/**
 * Stops tracking the streams of a call of the server: they belong to the code that made the call.
 * If the call has failed, nothing reads them, so they are closed.
 */
export function untrackStreams(context: HookContext, hasFailed: boolean): void {
  callStateOf(context).streams?.forEach((untrack, stream) => {
    if (hasFailed) closeStream(stream)
    else untrack()
  })
}

/**
 * Old-style streams, without `_readableState`, that have lost data: they flow even if nothing
 * listens.
 */
const lossy = new WeakSet<Stream>()

const ignore = () => {}

/**
 * Listens for errors of a stream that nothing reads yet, which would end the process.
 * @param onError called with an error while something reads the stream
 * @returns a function that removes the listeners
 */
function listenForLoss(stream: Stream, onError: (error: Error) => void): () => void {
  if (!isNodeStream(stream)) return ignore
  const fail = (error: Error) => {
    if ((stream as Readable).readableFlowing) onError(error)
  }
  const lose = () => lossy.add(stream)
  const events = '_readableState' in stream ? [] : ['data', 'end', 'error']
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

/** Closes a stream. A locked web stream belongs to its reader. */
export function closeStream(stream: Stream): void {
  attempt(() => {
    if (isWebStream(stream)) stream.cancel().catch(ignore)
    else if (isNodeStream(stream)) (stream as Readable).destroy()
    else (stream as AsyncGenerator).return?.(undefined).catch(ignore)
  })
}

/** @throws if the stream has lost data already */
function toReadable(stream: Stream): Readable {
  if (lossy.has(stream))
    throw new Error('The stream has begun before it could be sent: wrap it, as in new Readable().wrap(stream)')
  if (stream instanceof Readable) return stream
  if (isNodeStream(stream)) return new Readable({ objectMode: true }).wrap(stream)
  return isWebStream(stream)
    ? Readable.fromWeb(stream as NodeWebStream, { objectMode: true })
    : Readable.from(stream as AsyncIterable<unknown>)
}

/**
 * Converts a stream into one that Fastify can send. The first item of a stream that may carry
 * objects is read at once: if it is an object, the stream becomes newline-delimited JSON.
 */
export async function toByteStream(stream: Stream, reply: FastifyReply, serialize?: Serialize): Promise<Readable> {
  const source = toReadable(stream)
  if (!source.readableObjectMode) return resetOnError(source, reply)
  // If the client leaves, the source is closed, even while its first item is awaited.
  reply.raw.once('close', () => source.destroy())
  const { value, done } = await source[Symbol.asyncIterator]().next()
  const isPlain = done || isText(value)
  if (!isPlain) reply.type('application/x-ndjson')
  return resetOnError(new ChunkStream(source, done ? [] : [value], isPlain, serialize), reply)
}

/** Converts a stream without waiting for its first item, for `reply.send`. */
export function toByteStreamAtOnce(stream: Stream, reply: FastifyReply): Readable {
  const source = toReadable(stream)
  return resetOnError(source.readableObjectMode ? new ChunkStream(source, [], true) : source, reply)
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

const isBytes = (item: unknown): item is Uint8Array => item instanceof Uint8Array
/** Whether an item of a stream is sent as it is. */
export const isText = (item: unknown): item is string | Uint8Array => typeof item === 'string' || isBytes(item)

const stringifyItem = withSafeErrors(
  (item) => JSON.stringify(item) ?? 'null',
  'A record of the stream is not JSON (BigInt or a cycle?)'
)

// In characters.
const chunkSize = 16_384

/**
 * The items of a stream as bytes, objects as lines of JSON. All items that are ready at a time
 * become one chunk: a chunk for each item would cost more than the items.
 */
class ChunkStream extends Readable {
  readonly #source: Readable
  readonly #first: unknown[]
  readonly #isPlain: boolean
  readonly #serialize: Serialize
  #text = ''
  #isWanted = false
  #hasEnded = false
  #hasFailed = false
  #timer: NodeJS.Immediate | undefined

  /**
   * @param first the items that have been read already
   * @param isPlain whether strings are sent as they are, not as JSON
   * @param serialize makes JSON of an object
   */
  constructor(source: Readable, first: unknown[], isPlain: boolean, serialize: Serialize = stringifyItem) {
    super({ highWaterMark: chunkSize })
    this.#source = source
    this.#first = first
    this.#isPlain = isPlain
    this.#serialize = serialize
    source.on('readable', () => this.#take())
    finished(source, { writable: false }, (error) => {
      this.#hasEnded = !error
      if (error) this.#fail(error)
      else this.#take()
    })
  }

  override _read(): void {
    this.#isWanted = true
    this.#take()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isWanted = false
    this.#source.destroy()
    done(error)
  }

  #take(): void {
    if (this.#hasFailed) return
    try {
      while (this.#isWanted) {
        const item = this.#first.length > 0 ? this.#first.shift() : this.#source.read()
        if (item === null) break
        this.#add(item)
      }
    } catch (error) {
      this.#fail(error)
      return
    }
    if (this.#hasEnded && this.#first.length === 0) {
      this.#flush()
      this.push(null)
    } else if (this.#text !== '') this.#timer ??= setImmediate(() => this.#flush())
  }

  #add(item: unknown): void {
    if (isBytes(item)) {
      this.#flush()
      this.#isWanted = this.push(item)
      return
    }
    const serialize = typeof item === 'object' || typeof item === 'function' ? this.#serialize : stringifyItem
    this.#text += this.#isPlain && typeof item === 'string' ? item : `${serialize(item)}\n`
    if (this.#text.length >= chunkSize) this.#flush()
  }

  #flush(): void {
    clearImmediate(this.#timer)
    this.#timer = undefined
    // The reader may ask for more during the push.
    const text = this.#text
    this.#text = ''
    if (text !== '') this.#isWanted = this.push(text)
  }

  /** Sends what was read before the failure, then fails. */
  #fail(error: unknown): void {
    this.#flush()
    this.#hasFailed = true
    setImmediate(() => this.destroy(error as Error))
  }
}

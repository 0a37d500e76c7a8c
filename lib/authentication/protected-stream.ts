import { pipeline, type Readable, Transform } from 'node:stream'
import { streamOf } from '../core/stream.js'

type Iterable = AsyncIterable<unknown>
type Stream = Readable | ReadableStream | Iterable
type Change = (record: unknown) => unknown

export const isStream = (value: unknown): value is Stream => streamOf(value) !== undefined

/**
 * A stream whose records are changed on the way. It ends, fails and is closed with its source, and the source with it. A stream of
 * bytes stays what it is.
 */
export function mapStream(source: Stream, change: Change): Stream {
  const kind = streamOf(source)
  if (kind === 'asyncIterator') return mapIterable(source as Iterable, change)
  if (kind === 'getReader') return mapWeb(source as ReadableStream, change)
  return (source as Readable).readableObjectMode === false ? source : mapNode(source as Readable, change)
}

function mapWeb(source: ReadableStream, change: Change): ReadableStream {
  return source.pipeThrough(
    new TransformStream({ transform: (record, controller) => controller.enqueue(change(record)) })
  )
}

function mapNode(source: Readable, change: Change): Readable {
  const changed = new Transform({
    objectMode: true,
    transform(record, _encoding, done) {
      try {
        done(null, change(record))
      } catch (error) {
        done(error as Error)
      }
    }
  })
  // It may fail before anyone reads it.
  changed.on('error', () => {})
  pipeline(source, changed, () => {})
  return changed
}

// No generator: one that was not begun would not close its source.
function mapIterable(source: Iterable, change: Change): AsyncIterableIterator<unknown> {
  const items = source[Symbol.asyncIterator]()
  const end = async () => {
    await items.return?.()
    return { done: true, value: undefined } as const
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const { done, value } = await items.next()
      if (done) return { done, value: undefined }
      try {
        return { done: false, value: change(value) }
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end
  }
}

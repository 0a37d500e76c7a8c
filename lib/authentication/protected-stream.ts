import { pipeline, type Readable, Transform } from 'node:stream'
import { streamOf } from '../core/stream.js'

type Iterable = AsyncIterable<unknown>
export type Stream = Readable | ReadableStream | Iterable
type Change = (value: unknown) => unknown

export const isStream = (value: unknown): value is Stream => streamOf(value) !== undefined

/**
 * A stream whose records are changed on the way, and the error that it may end with. It ends, fails and is closed with its source,
 * and the source with it.
 */
export function mapStream(source: Stream, change: Change, fail: Change): Stream {
  const kind = streamOf(source)
  if (kind === 'asyncIterator') return mapIterable(source as Iterable, change, fail)
  if (kind === 'getReader') return mapWeb(source as ReadableStream, change, fail)
  return mapNode(source as Readable, change, fail)
}

function mapWeb(source: ReadableStream, change: Change, fail: Change): ReadableStream {
  const reader = source.getReader()
  const cancel = (reason: unknown) => failing(reader.cancel(reason), fail)
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await failing(reader.read(), fail)
        if (done) return controller.close()
        try {
          controller.enqueue(change(value))
        } catch (error) {
          Promise.allSettled([cancel(error)])
          throw error
        }
      },
      cancel
    },
    // What nobody asks for is not read.
    { highWaterMark: 0 }
  )
}

async function failing<T>(promise: PromiseLike<T> | T, fail: Change): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw fail(error)
  }
}

function mapNode(source: Readable, change: Change, fail: Change): Readable {
  const isObjects = source.readableObjectMode !== false
  const changed = new Transform({
    objectMode: isObjects,
    transform(record, _encoding, done) {
      try {
        done(null, isObjects ? change(record) : record)
      } catch (error) {
        done(error as Error)
      }
    }
  })
  // Whoever looks at the stream later finds what it was destroyed with, not what `_destroy` makes of it.
  const { destroy } = changed
  changed.destroy = (error, ...rest) => destroy.call(changed, error && (fail(error) as Error), ...rest)
  // It may fail before anyone reads it.
  changed.on('error', () => {})
  pipeline(source, changed, () => {})
  return changed
}

// No generator: one that was not begun would not close its source.
function mapIterable(source: Iterable, change: Change, fail: Change): AsyncIterableIterator<unknown> {
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
      const next = async () => {
        const { done, value } = await items.next()
        return { done, value }
      }
      const { done, value } = await failing(next(), fail)
      if (done) return { done, value: undefined }
      try {
        return { done: false, value: change(value) }
      } catch (error) {
        await failing(end(), fail)
        throw error
      }
    },
    return: () => failing(end(), fail)
  }
}

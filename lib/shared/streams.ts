import { pipeline, type Readable, Transform } from 'node:stream'
import { streamOf } from '../core/content.js'

/** A stream of Node or of the web, or an async iterable, such as an async generator. */
export type Stream = Readable | NodeJS.ReadableStream | ReadableStream | AsyncIterable<unknown>
type Change = (record: unknown) => unknown
type ChangeError = <E>(error: E) => E

export const isStream = (value: unknown): value is Stream => streamOf(value) !== undefined
export const isNodeStream = (stream: Stream): stream is NodeJS.ReadableStream => streamOf(stream) === 'pipe'
export const isWebStream = (stream: Stream): stream is ReadableStream => streamOf(stream) === 'getReader'

const keepError: ChangeError = (error) => error

/**
 * Returns a stream of the same kind with changed records. It ends, fails and closes together with
 * its source.
 * @param changeError changes the error that the stream fails with
 */
export function mapStream(source: Stream, change: Change, changeError: ChangeError = keepError): Stream {
  if (isNodeStream(source)) return mapNode(source as Readable, change, changeError)
  return isWebStream(source) ? mapWeb(source, change, changeError) : mapIterable(source, change, changeError)
}

export function mapWeb(source: ReadableStream, change: Change, changeError: ChangeError): ReadableStream {
  const reader = source.getReader()
  const cancel = (reason: unknown) => withChangedError(reader.cancel(reason), changeError)
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await withChangedError(reader.read(), changeError)
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
    // Nothing is read ahead.
    { highWaterMark: 0 }
  )
}

async function withChangedError<T>(promise: PromiseLike<T> | T, changeError: ChangeError): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw changeError(error)
  }
}

function mapNode(source: Readable, change: Change, changeError: ChangeError): Readable {
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
  // Not in `_destroy`: `stream.errored` is the error that `destroy` was called with.
  const { destroy } = changed
  changed.destroy = (error, ...rest) => destroy.call(changed, error && changeError(error), ...rest)
  // Without a listener, an error before anyone reads the stream would end the process.
  changed.on('error', () => {})
  pipeline(source, changed, () => {})
  return changed
}

// Not a generator: closing one that has not begun would not close its source.
function mapIterable(
  source: AsyncIterable<unknown>,
  change: Change,
  changeError: ChangeError
): AsyncIterableIterator<unknown> {
  const items = source[Symbol.asyncIterator]()
  let hasEnded = false
  // Once: Node 26 makes an AggregateError of the failure of a record and that of a second close.
  const end = async () => {
    if (!hasEnded) {
      hasEnded = true
      await items.return?.()
    }
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
      const { done, value } = await withChangedError(next(), changeError)
      if (done) return { done, value: undefined }
      try {
        return { done: false, value: change(value) }
      } catch (error) {
        await withChangedError(end(), changeError)
        throw error
      }
    },
    return: () => withChangedError(end(), changeError)
  }
}

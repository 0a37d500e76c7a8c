import { pipeline, type Readable, Transform } from 'node:stream'
import { streamOf } from '../core/content.js'

export type RecordStream = Readable | ReadableStream | AsyncIterable<unknown>
type Change = (record: unknown) => unknown
type ChangeError = <E>(error: E) => E

export const isRecordStream = (value: unknown): value is RecordStream => streamOf(value) !== undefined
const isNodeStream = (stream: RecordStream): stream is Readable => streamOf(stream) === 'pipe'
const isWebStream = (stream: RecordStream): stream is ReadableStream => streamOf(stream) === 'getReader'

/**
 * A stream of the same kind, whose records are changed on the way, and so is the error that it may
 * end with. It ends, fails and is closed together with its source.
 */
export function mapStream(source: RecordStream, change: Change, fail: ChangeError): RecordStream {
  if (isNodeStream(source)) return mapNode(source, change, fail)
  return isWebStream(source) ? mapWeb(source, change, fail) : mapIterable(source, change, fail)
}

export function mapWeb(source: ReadableStream, change: Change, fail: ChangeError): ReadableStream {
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
    // Nothing is read ahead.
    { highWaterMark: 0 }
  )
}

async function failing<T>(promise: PromiseLike<T> | T, fail: ChangeError): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw fail(error)
  }
}

function mapNode(source: Readable, change: Change, fail: ChangeError): Readable {
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
  // The error is changed here, not in `_destroy`: `stream.errored` shows the one that `destroy` was
  // called with.
  const { destroy } = changed
  changed.destroy = (error, ...rest) => destroy.call(changed, error && fail(error), ...rest)
  // Without a listener, an error before anyone reads the stream would end the process.
  changed.on('error', () => {})
  pipeline(source, changed, () => {})
  return changed
}

// Not a generator: closing one that has not begun would not close its source.
function mapIterable(
  source: AsyncIterable<unknown>,
  change: Change,
  fail: ChangeError
): AsyncIterableIterator<unknown> {
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

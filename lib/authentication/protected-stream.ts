import { pipeline, type Readable, Transform } from 'node:stream'
import type { streamOf } from '../core/stream.js'

type Change = (record: unknown) => unknown

/**
 * A stream whose records are changed on the way. It ends, fails and is closed with its source, and the source with it. A stream of
 * bytes stays what it is.
 */
export function mapStream(source: unknown, kind: NonNullable<ReturnType<typeof streamOf>>, change: Change): unknown {
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

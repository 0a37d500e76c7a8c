import { finished, Readable } from 'node:stream'
import { type Serialize, withOwnError } from './serializer.js'

const asIs = withOwnError(
  (item) => JSON.stringify(item) ?? 'null',
  'A record of the stream is not JSON (BigInt or a cycle?)'
)

// In characters.
const enough = 16_384

/**
 * The items of a stream as bytes, an object as a line of JSON. All that are ready at a time are one chunk: a chunk for each item
 * costs more than the items.
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
    const toText = typeof item === 'object' ? serialize : asIs
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

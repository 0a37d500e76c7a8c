import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

/** How many streams are open that were made here. */
export const sources = { open: 0 }

function counted(read: (this: Readable) => void, objectMode = false): Readable {
  sources.open++
  return new Readable({
    objectMode,
    read,
    destroy(error, done) {
      sources.open--
      done(error)
    }
  })
}

function give(items: readonly unknown[], objectMode = false): Readable {
  const left = [...items, null]
  return counted(function () {
    this.push(left.shift())
  }, objectMode)
}

/** Items as a generator gives them, that is open until its end or its `return()`. */
function generate(items: readonly unknown[]): AsyncIterable<unknown> {
  const left = [...items]
  let open = true
  const end = () => {
    if (open) sources.open--
    open = false
    return { done: true, value: undefined } as const
  }
  sources.open++
  const iterator = {
    async next() {
      await turn()
      return left.length === 0 ? end() : { done: false, value: left.shift() }
    },
    return: async () => end()
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

const records = Array.from({ length: 20 }, (_, id) => ({ id, text: 'record' }))
const bytes = Array.from({ length: 20 }, () => Buffer.alloc(5000, 'a'))
const endless = () =>
  counted(function () {
    setImmediate(() => this.push(Buffer.alloc(16_384, 'a')))
  })
const toWeb = (stream: Readable) => Readable.toWeb(stream) as ReadableStream

/** A result of each kind of stream. */
export const results: Readonly<Record<string, () => unknown>> = {
  bytes: () => give(bytes),
  objects: () => give(records, true),
  web: () => toWeb(give(bytes)),
  generator: () => Readable.from(generate(records)),
  response: () => new Response(toWeb(give(bytes)), { status: 202, headers: { 'x-of': 'response' } }),
  endless,
  late: async () => {
    await turn()
    return give(records, true)
  }
}

import { createReadStream } from 'node:fs'
import { Readable, Stream } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { closed, opened } from './control.js'

/** How a source goes on: it ends, it never ends, it waits for news that never come, it fails, at once or after its first item. */
export type Course = 'ends' | 'goes on' | 'waits' | 'waits before its first item' | 'fails' | 'fails midway'

export const courses: readonly Course[] = [
  ...(['ends', 'goes on', 'waits', 'waits before its first item', 'fails', 'fails midway'] as const)
]

type Next = () => Promise<{ done: boolean; value?: unknown }>

/** The items of a source, one for each call. */
function items(course: Course, item: () => unknown): Next {
  let count = 0
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    count++
    if (course === 'fails' || (course === 'fails midway' && count === 2)) throw new Error('no disk')
    if (course === 'waits before its first item' || (course === 'waits' && count === 2)) return new Promise(() => {})
    return course === 'ends' && count === 4 ? { done: true } : { done: false, value: item() }
  }
}

/** No listener for errors is added: one that the server forgets ends the process. */
function registered<S extends Readable>(stream: S, name: string): S {
  opened(stream, name)
  stream.once('close', () => closed(stream))
  return stream
}

function readable(course: Course, item: () => unknown, objectMode: boolean): Readable {
  const next = items(course, item)
  const stream = new Readable({
    objectMode,
    read() {
      next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error)
      )
    }
  })
  // A file or a cursor is opened before anybody reads.
  if (course === 'fails') setImmediate(() => stream.destroy(new Error('no disk')))
  return registered(stream, 'a stream')
}

/** A stream in the style of old, which is no Readable of node's. */
class Old extends Stream {
  readonly readable = true
  readonly #next: Next
  #isPaused = false
  #isFlowing = false
  #isClosed = false
  constructor(course: Course) {
    super()
    this.#next = items(course, bytes)
    opened(this, 'a stream in the style of old')
    // It flows by itself, whether anybody listens or not.
    setImmediate(() => this.resume())
  }
  async #flow() {
    this.#isFlowing = true
    while (!this.#isPaused && !this.#isClosed)
      try {
        const { done, value } = await this.#next()
        if (this.#isClosed) break
        if (done) this.#end('end')
        else this.emit('data', value)
      } catch (error) {
        this.#end('error', error)
      }
    this.#isFlowing = false
  }
  #end(event: string, error?: unknown) {
    this.destroy()
    this.emit(event, error)
  }
  resume() {
    this.#isPaused = false
    if (!this.#isFlowing) this.#flow()
  }
  pause() {
    this.#isPaused = true
  }
  destroy() {
    this.#isClosed = true
    closed(this)
  }
}

function web(course: Course, item: () => unknown): ReadableStream {
  const next = items(course, item)
  const source = {}
  opened(source, 'a web stream')
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await next()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        closed(source)
      },
      cancel: () => closed(source)
    },
    { highWaterMark: 0 }
  )
}

function generator(course: Course, item: () => unknown): Readable {
  const next = items(course, item)
  const source = {}
  opened(source, 'a generator')
  const end = async () => {
    closed(source)
    return { done: true, value: undefined }
  }
  const iterator = { next: async () => next().then((got) => (got.done ? end() : got)), return: end, throw: end }
  return registered(Readable.from({ [Symbol.asyncIterator]: () => iterator } as AsyncIterable<unknown>), 'a stream')
}

const bytes = () => Buffer.from('bytes\n')
const object = () => ({ id: 1 })

/** Sources of results, by kind. */
export const sources: Record<string, (course: Course) => unknown> = {
  'a stream of bytes': (course) => readable(course, bytes, false),
  'a stream of objects': (course) => readable(course, object, true),
  'a stream in the style of old': (course) => new Old(course),
  'a web stream of bytes': (course) => web(course, bytes),
  'a web stream of objects': (course) => web(course, object),
  'a stream of a generator': (course) => generator(course, object),
  'a stream of a generator of bytes': (course) => generator(course, bytes),
  'a `Response`': (course) => new Response(web(course, bytes))
}

const self = fileURLToPath(import.meta.url)

/** Sources that are what they are. */
export const others: Record<string, () => unknown> = {
  'a file': () => registered(createReadStream(self), 'a file'),
  'a file that is not there': () => registered(createReadStream('/no/such/file'), 'a file')
}

/** What a source gives that comes to its end. */
export const textOf = (source: string) =>
  /objects|generator$/.test(source) ? '{"id":1}\n'.repeat(3) : 'bytes\n'.repeat(3)

/** A source by its name and its course. */
export const create = (source: string, course: Course): unknown =>
  sources[source] === undefined ? others[source]?.() : sources[source](course)

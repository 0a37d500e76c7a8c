import { Readable } from 'node:stream'

/** A result that is a stream, and a promise of its end. */
export interface Source {
  readonly result: unknown
  readonly closed: Promise<unknown>
}

function web(chunk: unknown): Source {
  let close: (value?: unknown) => void = () => {}
  const closed = new Promise((resolve) => {
    close = resolve
  })
  const result = new ReadableStream({
    start: (controller) => controller.enqueue(chunk),
    pull: () => new Promise(() => {}),
    cancel: () => close()
  })
  return { result, closed }
}

function node(chunk: unknown, objectMode: boolean): Source {
  const result = new Readable({ objectMode, read() {} })
  result.push(chunk)
  return { result, closed: new Promise((resolve) => result.on('close', resolve)) }
}

/** A generator that has begun, as one has that a method has looked into. */
async function generator(wrap: (items: AsyncGenerator) => unknown): Promise<Source> {
  let close: (value?: unknown) => void = () => {}
  const closed = new Promise((resolve) => {
    close = resolve
  })
  async function* count() {
    try {
      for (let id = 0; ; id++) yield { id }
    } finally {
      close()
    }
  }
  const items = count()
  await items.next()
  return { result: wrap(items), closed }
}

const bytes = Buffer.from('chunk')

/** Each kind of stream that a method may return; none ends by itself. */
export const sources: Readonly<Record<string, () => Source | Promise<Source>>> = {
  'a stream of bytes': () => node(bytes, false),
  'a stream of objects': () => node({ id: 1 }, true),
  'a web stream of bytes': () => web(bytes),
  'a web stream of objects': () => web({ id: 1 }),
  'an async generator': () => generator((items) => items),
  'a stream of a generator': () => generator((items) => Readable.from(items)),
  'a `Response`': () => {
    const { result, closed } = web(bytes)
    return { result: new Response(result as ReadableStream), closed }
  }
}

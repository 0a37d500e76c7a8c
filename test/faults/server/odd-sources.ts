import { PassThrough, Readable } from 'node:stream'

const objects = (...items: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item)
      controller.close()
    }
  })
const broken = (objectMode: boolean) =>
  new PassThrough({ objectMode }).destroy(new Error('no disk')).on('error', () => {})
const odd = [Object.create(null), Symbol('x'), () => {}]
const locked = () => {
  const stream = objects('text')
  stream.getReader()
  return stream
}

/** Sources that are over before they are returned, and items that are none. By the status of their answer. */
export const oddSources: Record<string, [status: number | readonly number[], create: () => unknown]> = {
  'a stream that has failed before': [500, () => broken(false)],
  'a stream of objects that has failed before': [500, () => broken(true)],
  'a stream that has ended before': [[200, 500], () => new PassThrough().end().resume()],
  'a stream that was destroyed': [[200, 500], () => new PassThrough().destroy()],
  'a web stream that is locked': [500, locked],
  'a web stream that is empty': [200, () => objects()],
  'a `Response` whose body gives objects': [[0, 200, 500], () => new Response(objects({ id: 1 }))],
  'a BigInt among objects': [[200, 500], () => Readable.from([{ id: 1 }, { big: 1n }])],
  'a BigInt first': [[200, 500], () => Readable.from([{ big: 1n }])],
  'odd objects': [[200, 500], () => Readable.from(odd)],
  'odd objects in a web stream': [[200, 500], () => objects(...odd)],
  '`undefined` among objects': [[200, 500], () => objects({ id: 1 }, undefined, { id: 2 })],
  'a text among objects': [200, () => Readable.from([{ id: 1 }, 'text'])],
  'an object among texts': [[200, 500], () => Readable.from(['text', { id: 1 }])],
  'a string': [200, () => 'text'],
  'a Buffer': [200, () => Buffer.from('text')]
}

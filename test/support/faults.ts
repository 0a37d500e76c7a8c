import { EventEmitter } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import type { HookContext } from 'fastify-services'

/** What a server must survive. */
export interface Fault {
  /** The row of the list of hostile input that it belongs to. */
  readonly row: string
  /**
   * The status of the answer. `ends`: it has begun by then, and the connection ends. `any`: as long as there is one. `none`: the
   * connection may end without one.
   */
  readonly status: number | 'ends' | 'any' | 'none'
  readonly verb?: 'HEAD' | 'DELETE'
  /** Whether the client goes away after the first bytes. */
  readonly abort?: true
  /** Where it happens: its name, or the service that it needs. Default: the method. */
  readonly place?:
    | (typeof places)[number]
    | 'a hook that calls next() twice'
    | 'a hook that never calls next()'
    | 'a listener'
    | 'an async listener'
  /** Returns or throws in that place. */
  act(context?: HookContext): unknown
}

/** The path of the service for a place. */
export const pathOf = (place: string) => place.replace(/[^a-z]+/g, '-').replace(/-$/, '')

const places = [
  'a method',
  'a before hook',
  'an after hook',
  'an error hook',
  'a middleware before',
  'a middleware after',
  'a middleware with done',
  'an async middleware with done',
  'a formatter',
  'an async formatter'
] as const

const fail = (value: unknown) => () => {
  throw value
}
const circular: Record<string, unknown> = {}
circular.self = circular
const shaped = { name: 'GeneralError', code: 500, className: 'general-error' }
const trap = (key: string, error: object = new Error('broken')) =>
  Object.defineProperty(error, key, { enumerable: true, get: fail(new Error('trap')) })
const http = (change: object) => (context?: HookContext) => {
  if (context) context.http = change
}

/** Gives one chunk, and fails at the next. */
function failing(chunk: unknown, objectMode: boolean): Readable {
  let reads = 0
  return new Readable({
    objectMode,
    read() {
      if (reads++ === 0) this.push(chunk)
      else setImmediate(() => this.destroy(new Error('no disk')))
    }
  })
}

const endless = (chunk: unknown, objectMode: boolean) =>
  new Readable({
    objectMode,
    read() {
      setImmediate(() => this.push(chunk))
    }
  })

function failingWeb(chunk: unknown): ReadableStream {
  let reads = 0
  return new ReadableStream({
    pull(controller) {
      if (reads++ === 0) controller.enqueue(chunk)
      else return new Promise((_resolve, reject) => setImmediate(reject, new Error('no disk')))
    }
  })
}

/** A stream of objects in the style of old, which is no Readable of node's. */
class Foreign extends EventEmitter {
  readonly readable = true
  pipe(to: NodeJS.WritableStream) {
    setImmediate(() => {
      to.write({ id: 1 } as never)
      to.end()
    })
    return to
  }
  resume() {}
  destroy() {}
}

const values: [name: string, value: unknown][] = [
  ['a string', 'broken'],
  ['a number', 42],
  ['`{}`', {}],
  ['`null`', null],
  ['`undefined`', undefined],
  ['a frozen error', Object.freeze(new Error('x'))]
]

async function consumed(): Promise<Response> {
  const response = new Response('text')
  await response.text()
  return response
}

const locked = () => {
  const stream = new Response('text').body as ReadableStream
  stream.getReader()
  return stream
}

export const faults: readonly Fault[] = [
  ...places.flatMap((place) =>
    values.map(
      ([name, value]): Fault => ({
        row: `throw of ${name} in ${place}`,
        status: 500,
        place,
        act: fail(value)
      })
    )
  ),
  ...[{ code: 11000 }, { code: 'ENOENT' }, { code: 200 }, { statusCode: 200 }].map(
    (fields): Fault => ({
      row: `\`error.code\` or \`error.statusCode\` ${JSON.stringify(fields)}`,
      status: 500,
      act: fail(Object.assign(new Error('broken'), fields))
    })
  ),
  {
    row: 'error with circular `data`',
    status: 500,
    act: fail(Object.assign(new Error('broken'), shaped, { data: circular }))
  },
  {
    row: 'error with a BigInt in `data`',
    status: 500,
    act: fail(Object.assign(new Error('broken'), shaped, { data: { big: 1n } }))
  },
  ...['data', 'errors', 'message', 'code', 'statusCode', 'stack', 'name', 'cause', 'headers', 'toJSON', 'other'].map(
    (key): Fault => ({
      row: `error with a getter that throws: ${key}`,
      status: 500,
      act: fail(trap(key))
    })
  ),
  {
    row: 'error with a getter that throws: `data` of a service error',
    status: 500,
    act: fail(trap('data', Object.assign(new Error('x'), shaped)))
  },
  { row: 'result with a BigInt', status: 500, act: () => ({ big: 1n }) },
  { row: 'result with a cycle', status: 500, act: () => circular },
  ...values.map(
    ([name, value]): Fault => ({
      row: `result with a \`toJSON\` that throws ${name}`,
      status: 500,
      act: () => ({ toJSON: fail(value) })
    })
  ),
  { row: 'result with a `toJSON` that gives nothing', status: 'any', act: () => ({ toJSON: () => undefined }) },
  { row: 'result that is a symbol', status: 'any', act: () => Symbol('x') },
  { row: 'result that is a function', status: 'any', act: () => () => {} },
  {
    row: '`http.headers` with CR/LF',
    status: 500,
    place: 'an after hook',
    act: http({ headers: { 'x-bad': 'a\r\nSet-Cookie: owned=1' } })
  },
  {
    row: '`http.headers` with an illegal name',
    status: 500,
    place: 'an after hook',
    act: http({ headers: { 'x bad': 'a' } })
  },
  {
    row: '`http.headers` with a getter that throws',
    status: 500,
    place: 'an after hook',
    act: http({ headers: trap('x-bad', {}) })
  },
  ...[99, 1000, 'abc'].map(
    (status): Fault => ({
      row: `\`http.status\` ${status}`,
      status: 500,
      place: 'an after hook',
      act: http({ status })
    })
  ),
  {
    row: '`error.headers`: not copied',
    status: 500,
    act: fail(Object.assign(new Error('x'), { headers: { 'set-cookie': 'owned=1', 'x\r\n': 'a\r\nb' } }))
  },
  { row: 'stream that fails midway: bytes', status: 'ends', act: () => failing(Buffer.from('chunk'), false) },
  { row: 'stream that fails midway: objects', status: 'ends', act: () => failing({ id: 1 }, true) },
  {
    row: 'stream that fails midway: an object that is no JSON',
    status: 'ends',
    act: () => Readable.from([{ id: 1 }, { big: 1n }])
  },
  {
    row: 'stream that fails midway: web, bytes',
    status: 'ends',
    act: () => failingWeb(new TextEncoder().encode('chunk'))
  },
  { row: 'stream that fails midway: web, objects', status: 'ends', act: () => failingWeb({ id: 1 }) },
  {
    row: 'stream that fails midway: the body of a `Response`',
    status: 'ends',
    act: () => new Response(failingWeb(new TextEncoder().encode('chunk')))
  },
  {
    row: 'stream that fails midway: the body of a `Response` gives objects',
    status: 'none',
    act: () => new Response(failingWeb({ id: 1 }))
  },
  {
    row: 'stream that fails at once',
    status: 500,
    act: () =>
      new Readable({
        read() {
          this.destroy(new Error('no disk'))
        }
      })
  },
  {
    row: 'stream that has failed before',
    status: 500,
    act: () => new PassThrough().destroy(new Error('no disk')).on('error', () => {})
  },
  {
    row: 'stream that has failed before, of objects',
    status: 500,
    act: () => new PassThrough({ objectMode: true }).destroy(new Error('x')).on('error', () => {})
  },
  { row: 'stream that has ended before', status: 'any', act: () => new PassThrough().end().resume() },
  { row: 'object stream', status: 200, act: () => Readable.from([{ id: 1 }, { id: 2 }]) },
  { row: 'object stream in the style of old', status: 'none', act: () => new Foreign() },
  {
    row: 'object stream of null prototypes, symbols and functions',
    status: 'any',
    act: () => Readable.from([Object.create(null), Symbol('x'), () => {}])
  },
  { row: 'web stream', status: 200, act: () => new Response('text').body },
  { row: 'web stream that is locked', status: 500, act: locked },
  { row: '`Response` whose body was read', status: 500, act: consumed },
  { row: '`Response` of an error', status: 'any', act: () => Response.error() },
  { row: 'HEAD of a stream that fails', status: 'any', verb: 'HEAD', act: () => failing(Buffer.from('chunk'), false) },
  { row: 'HEAD of an object stream', status: 200, verb: 'HEAD', act: () => Readable.from([{ id: 1 }]) },
  { row: 'HEAD of a `Response`', status: 200, verb: 'HEAD', act: () => new Response('text') },
  {
    row: 'HEAD of a stream without an end',
    status: 200,
    verb: 'HEAD',
    act: () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(65_536))
        }
      })
  },
  { row: 'HEAD of a string', status: 200, verb: 'HEAD', act: () => 'text' },
  { row: 'aborted download: bytes', status: 'none', abort: true, act: () => endless(Buffer.alloc(65_536), false) },
  { row: 'aborted download: objects', status: 'none', abort: true, act: () => endless({ id: 1 }, true) },
  {
    row: 'aborted download: web',
    status: 'none',
    abort: true,
    act: () => Readable.toWeb(endless(Buffer.alloc(65_536), false))
  },
  { row: 'hook that calls `next()` twice', status: 500, place: 'a hook that calls next() twice', act() {} },
  { row: 'hook that calls `next()` never', status: 500, place: 'a hook that never calls next()', act() {} },
  { row: 'hook that never settles', status: 503, place: 'a before hook', act: () => new Promise(() => {}) },
  { row: 'listener that throws', status: 200, verb: 'DELETE', place: 'a listener', act: fail(new Error('broken')) },
  { row: 'listener that throws `null`', status: 200, verb: 'DELETE', place: 'a listener', act: fail(null) },
  {
    row: 'listener that throws a frozen error',
    status: 200,
    verb: 'DELETE',
    place: 'a listener',
    act: fail(Object.freeze(new Error('x')))
  },
  {
    row: 'listener that throws an error with a getter that throws',
    status: 200,
    verb: 'DELETE',
    place: 'a listener',
    act: fail(trap('stack'))
  },
  {
    row: 'listener that rejects',
    status: 200,
    verb: 'DELETE',
    place: 'an async listener',
    act: fail(new Error('broken'))
  },
  {
    row: 'listener that rejects with a frozen error',
    status: 200,
    verb: 'DELETE',
    place: 'an async listener',
    act: fail(Object.freeze(new Error('x')))
  }
]

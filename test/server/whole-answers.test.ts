import { Readable } from 'node:stream'
import Fastify, { type InjectOptions } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t from 'tap'
import { decodesZstd } from '../../lib/server/answer/payload.js'
import { isKept } from '../support/kept.js'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const cycle: Record<string, unknown> = {}
cycle.self = cycle
async function* generate(...items: unknown[]) {
  yield* items
}
const response = (body: ConstructorParameters<typeof Response>[0], init: ResponseInit = {}) => new Response(body, init)
/** A `Response` as `fetch` gives it: with the address that it came from. */
const fetched = (headers: Record<string, string>, body: string | null = 'abc') =>
  Object.defineProperty(new Response(body, { headers }), 'url', { value: 'http://example.com/' })

const results: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  ...Object.fromEntries(
    [
      '',
      'text',
      'a"\n<é',
      0,
      1.5,
      -1,
      Number.NaN,
      true,
      false,
      [],
      [1, null],
      [{ id: 1 }, 'a'],
      {},
      { id: 1, b: [{}] }
    ].map((value) => [JSON.stringify(value), () => value])
  ),
  'a date': () => new Date(0),
  'a map': () => new Map([[1, 2]]),
  'undefined within': () => ({ a: undefined, b: [undefined] }),
  toJSON: () => ({ toJSON: () => 'as JSON', pipe: 1, getReader: 'no' }),
  'toJSON of an iterable': () => ({ toJSON: () => [1], [Symbol.asyncIterator]: () => generate() }),
  'toJSON gives nothing': () => ({ toJSON: () => undefined }),
  bigint: () => 1n,
  'a bigint within': () => ({ id: 1n }),
  'a cycle': () => cycle,
  'a symbol': () => Symbol('a'),
  'a function': () => () => 1,
  buffer: () => Buffer.from('é'),
  'an empty buffer': () => Buffer.alloc(0),
  bytes: () => bytes('ab'),
  'two bytes each': () => new Uint16Array([0x6261]),
  'a view': () => new DataView(bytes('ab').buffer),
  'a stream of bytes': () => Readable.from([Buffer.from('a'), Buffer.from('b')], { objectMode: false }),
  'a stream of text': () => Readable.from(['a', 'b']),
  'a stream of text and bytes': () => Readable.from(['a', Buffer.from('b'), '', 'c']),
  'a stream of bytes and text': () => Readable.from([Buffer.from('a'), 'b', Buffer.alloc(0)]),
  'a stream of text, then objects': () => Readable.from(['a', { b: 1 }]),
  'a stream of objects': () => Readable.from([{ a: 1 }, 'b', 1, false, Buffer.from('raw\n'), [1], '']),
  'a stream of nothing': () => Readable.from([]),
  'a stream of what has no JSON': () => Readable.from([{ toJSON: () => undefined }, () => 1]),
  'a stream of lists': () => Readable.from([[1], [2]]),
  'a stream of numbers': () => Readable.from([0, 1]),
  'an empty text first': () => Readable.from(['', 'a']),
  'a web stream': () => Readable.toWeb(Readable.from([{ a: 1 }, { a: 2 }])),
  'a web stream of bytes': () => new Blob(['ab']).stream(),
  generator: () => generate({ a: 1 }, { a: 2 }),
  'a generator of text': () => generate('a', 'b'),
  'a stream that fails at once': () =>
    new Readable({
      read() {
        this.destroy(new Error('No disk'))
      }
    }),
  'a stream of an item that is not JSON': () => Readable.from([{ a: 1n }]),
  'a response': () => response('text'),
  'a response without a body': () => response(null),
  'a response: 204': () => response(null, { status: 204 }),
  'a response: 201, of JSON': () =>
    response('{"a":1}', { status: 201, headers: { 'Content-Type': 'application/json' } }),
  'a response: 404': () => response('none', { status: 404 }),
  'a response: 304': () => response(null, { status: 304, headers: { etag: '"a"' } }),
  'a response: 205': () => response(null, { status: 205 }),
  'a response: its length': () => response('text', { headers: { 'content-length': '4', 'content-encoding': 'gzip' } }),
  'a response: a length without a body': () => response(null, { headers: { 'content-length': '4' } }),
  'a response: of one connection': () =>
    response('text', {
      headers: {
        ...{ Connection: 'X-Mine , close', 'X-Mine': '1', 'X-Other': '2', 'Keep-Alive': 'timeout=5', TE: 'trailers' },
        ...{ Upgrade: 'h2c', Trailer: 'X-Late', 'Transfer-Encoding': 'chunked', 'HTTP2-Settings': 'a' },
        ...{ 'Proxy-Authenticate': 'Basic', 'Proxy-Authorization': 'a', 'Proxy-Connection': 'close' }
      }
    }),
  'a response: cookies': () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['vary', 'a'],
      ['vary', 'b']
    ])
    return response('text', { headers })
  },
  'fetched: not encoded': () => fetched({ 'content-length': '3' }),
  ...Object.fromEntries(
    [
      'gzip',
      ' GZip ',
      'x-gzip',
      'deflate',
      'br',
      'br, gzip',
      'br , deflate,gzip',
      'identity',
      'gzip, odd',
      'gzipx',
      'xgzip',
      '',
      ','
    ].map((coding) => [
      `fetched: ${coding}`,
      () => fetched({ 'content-encoding': coding, 'content-length': '9', 'x-more': 'a' })
    ])
  )
}

const requests: Record<string, InjectOptions> = {
  get: { method: 'GET', url: '/things/1' },
  head: { method: 'HEAD', url: '/things/1' },
  create: { method: 'POST', url: '/things', payload: {} },
  204: { method: 'GET', url: '/things/1?status=204' },
  304: { method: 'GET', url: '/things/1?status=304' },
  404: { method: 'GET', url: '/things/1?status=404' }
}

/** The results that each request is answered with; the others are for `get` alone. */
const inAll =
  /^(undefined|"text"|{}|buffer|bigint|a stream of (bytes|objects|nothing)|a web stream|generator|a response|fetched: gzip)$/

t.test('what becomes of each result: status, headers and body', async (t) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = Fastify({ logger: { stream } })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  let result: () => unknown = () => undefined
  const setStatus = (context: HookContext) => {
    const { status } = Object(context.params.query)
    if (status !== undefined) context.http.status = Number(status)
  }
  const service = { get: async () => result(), create: async () => result() }
  app.service('things', service, { hooks: { after: { all: [setStatus] } } })
  const rows: Record<string, unknown> = {}
  for (const [name, create] of Object.entries(results)) {
    result = create
    for (const [verb, options] of Object.entries(requests)) {
      if (verb !== 'get' && !inAll.test(name)) continue
      const answer = await app.inject(options)
      const { date: _, connection: __, ...headers } = answer.headers
      const logged = lines.splice(0).map((line) => JSON.parse(line) as { level: number; msg: string })
      const log = logged
        .map(({ level, msg }) => `${level} ${msg}`)
        .filter((line) => !/^30 (incoming|request comp)/.test(line))
      const row = [answer.statusCode, headers, answer.body, ...log]
      rows[`${verb}: ${name}`] = row
    }
  }
  isKept(t, rows, 'test/server/whole-answers.txt')
})

t.test('which versions of undici decode zstd', async (t) => {
  const versions = ['6.24.1', '7.0.0', '7.10.0', '7.11.0', '7.12', '8.0.0', '10.2.3', '11.0.0', '', undefined]
  t.strictSame(versions.filter(decodesZstd), ['7.11.0', '7.12', '8.0.0', '10.2.3', '11.0.0'])
})

import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { type Connection, createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { createEcho } from '../support/client-app.js'
import { inNode } from '../support/client-drivers.js'
import { isKept } from '../support/kept.js'
import { outcome, outcomes } from './outcome.js'
import { libraries, type Play, type Played } from './played.js'

const thingsOf = (connection: Connection) => createClient().configure(connection).service('things')
type Things = ReturnType<typeof thingsOf>
type Call = (things: Things) => Promise<unknown>
type Adapters = Record<string, (library: unknown, options?: object) => Connection>

const okay: Play = { status: 200, type: 'application/json', body: '{"a":1}' }
const { signal } = new AbortController()
const connection = {
  signal,
  timeout: 60_000,
  unknown: 1,
  url: 'x',
  method: 'x',
  body: 'x',
  data: 'x',
  headers: { 'X-Own': 1 },
  json: true,
  dataType: 'x',
  xhr: 'x',
  responseType: 'x'
}

/** Aborts a call while it waits. */
const abortAfter = (things: Things, reason?: unknown) => {
  const controller = new AbortController()
  const call = things.find({ connection: { signal: controller.signal } })
  setImmediate(() => controller.abort(reason))
  return call
}
const rows: Record<string, [call: Call, play?: Play]> = {
  'find, without options': [(things) => things.find()],
  'find, with options of the call': [
    (things) => things.find({ query: { q: 1 }, connection: { timeout: 60_000, unknown: 1, headers: { 'X-Own': 1 } } })
  ],
  'options that are set by the client': [(things) => things.find({ connection })],
  create: [(things) => things.create({ b: 'ä' })],
  update: [(things) => things.update(1, { b: 1 })],
  patch: [(things) => things.patch(null, { b: 1 })],
  remove: [(things) => things.remove(1)],
  'create with bytes': [
    (things) => things.create(new Uint8Array([97, 98]) as never, { headers: { 'Content-Type': 'text/plain' } })
  ],
  'create with a stream of Node': [(things) => things.create(Readable.from(['x']) as never)],
  'create with a stream of the web': [(things) => things.create(new Blob(['x']).stream() as never)],
  'create with a generator': [(things) => things.create((async function* () {})() as never)],
  'an error': [(things) => things.find(), { status: 404, type: 'application/json', body: '{"message":"no"}' }],
  'no type': [(things) => things.find(), { status: 200, body: 'text' }],
  'an empty type': [(things) => things.find(), { status: 200, type: '', body: 'text' }],
  'no body': [(things) => things.find(), { status: 204, body: '' }],
  'no answer': [(things) => things.find(), 'fails'],
  'aborted before': [(things) => things.find({ connection: { signal: AbortSignal.abort('before') } })],
  'aborted while it waits': [(things) => abortAfter(things, 'meanwhile'), 'waits'],
  'aborted, no reason': [(things) => abortAfter(things), 'waits']
}

class Request {}

t.test('what each library is given, and what becomes of its answers', async (t) => {
  Object.assign(globalThis, { XMLHttpRequest: Request })
  t.teardown(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'))
  for (const [name, library] of Object.entries(libraries)) {
    const common = new Set<string>()
    const table = await outcomes(rows, async ([call, play = okay]) => {
      const played: Played = { got: [], play }
      const adapter = (rest('http://a') as unknown as Adapters)[name]?.(library(played)) as Connection
      const result = await outcome(() => call(thingsOf(adapter)))
      // What the first row has is not said again.
      const other = played.got.filter((item) => !common.has(JSON.stringify(item)))
      if (common.size === 0) for (const value of other) common.add(JSON.stringify(value))
      return [...other, result]
    })
    isKept(t, table, `test/client/whole-library-${name}.txt`)
    t.strictSame(getEventListeners(signal, 'abort'), [], `${name} leaves no listener`)
  }
})

t.test('what adapters refuse, and the library of an application', async (t) => {
  const adapters = (options?: object) => rest('http://a', options) as unknown as Adapters
  const refused = { headers: { a: '1' } }
  const rows: Record<string, (name: string) => unknown> = {
    'no library': (name) => adapters()[name]?.(undefined),
    'null as the library': (name) => adapters()[name]?.(null),
    'headers of the adapter': (name) => adapters()[name]?.(fetch, refused).service('x').options,
    'headers of the server': (name) => adapters(refused)[name]?.(fetch).service('x').options,
    'no headers': (name) =>
      adapters({ headers: {} })
        [name]?.(fetch, { headers: { a: undefined } })
        .service('x').options,
    'where it is': (name) => createClient().configure(adapters()[name]?.('the library') as Connection).rest
  }
  const table = await outcomes(rows, (row) => outcomes(libraries, (_, name) => row(name)))
  isKept(t, { ...table, all: Object.keys(adapters()) }, 'test/client/whole-adapters.txt')
})

const left = /^(host|connection|user-agent|accept-encoding|accept-language|sec-fetch-mode)$/

t.test('what the real libraries send', async (t) => {
  const { address, asked } = await createEcho(t)
  const calls = Object.entries(rows).filter(([, [, play]]) => play === undefined)
  for (const [name, library] of inNode) {
    const things = thingsOf((rest(address) as unknown as Adapters)[name]?.(library) as Connection)
    const table: Record<string, unknown> = {}
    for (const [row, [call]] of calls.filter(([row]) => !/set by|stream|generator/.test(row))) {
      const result = await outcome(() => call(things))
      const [request] = asked.splice(0)
      const headers = Object.entries(request?.headers ?? {})
        .filter(([key]) => !left.test(key))
        .sort()
      table[row] =
        request === undefined
          ? String(JSON.stringify(result)).replaceAll(address, '')
          : [`${request.method} ${request.url}`, Object.fromEntries(headers), request.body]
    }
    isKept(t, table, `test/client/whole-sent-${name}.txt`)
  }
})

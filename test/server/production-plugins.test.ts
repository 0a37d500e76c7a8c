import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import etag from '@fastify/etag'
import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import t, { type Test } from 'tap'
import { createHost, request } from '../support/host.js'

type Find = () => unknown

/** A host with these plugins before ours, and services at `/things` and `/words`, whose `find` gives a text that is worth compressing. */
async function createPressed(t: Test, find: Find, options: FastifyCompressOptions = {}) {
  return createHost(t, {
    server: { bodyLimit: 3000 },
    plugin: { errorHandler: { html: false }, notFound: true },
    before: async (app) => {
      await app.register(helmet)
      await app.register(etag, { weak: true })
      await app.register(compress, options)
    },
    after: (app) => {
      app.service('words', { find: async () => find() })
    }
  })
}

const gzip = { 'accept-encoding': 'gzip' }
const json = { 'content-type': 'application/json', 'content-encoding': 'gzip' }

t.test('a result is compressed, and an error can be read', async (t) => {
  const long = ['word '.repeat(1000)]
  const { app } = await createPressed(t, () => long)
  const { headers, rawPayload } = await app.inject({ url: '/words', headers: gzip })
  t.match(headers, { 'content-encoding': 'gzip', vary: /accept-encoding/ })
  t.strictSame(JSON.parse(`${gunzipSync(rawPayload)}`), long)
  const { headers: of400, rawPayload: body } = await app.inject({ url: `/words?${'x&'.repeat(2000)}`, headers: gzip })
  t.match(of400, { 'content-type': /json/ })
  t.match(JSON.parse(`${of400['content-encoding'] ? gunzipSync(body) : body}`), { name: 'BadRequest' })
})

t.test('an answer that the client has is not sent again, with HEAD too', async (t) => {
  const { app } = await createPressed(t, () => ['x'])
  const { headers } = await request(app, 'GET', '/words')
  for (const method of ['GET', 'HEAD'])
    t.match(await request(app, method, '/words', { headers: { 'if-none-match': `${headers.etag}` } }), {
      status: 304,
      body: ''
    })
  t.match((await request(app, 'HEAD', '/words')).headers, { etag: headers.etag, 'content-length': '5' })
})

t.test('a stream that fails before anything of it was sent is answered with an error that can be read', async (t) => {
  const failing = () =>
    new Readable({
      read() {
        this.destroy(new Error('The disk is gone'))
      }
    })
  const { app } = await createPressed(t, () => failing())
  const { statusCode, headers, body } = await app.inject({ url: '/words', headers: gzip })
  t.equal(statusCode, 500)
  t.notOk('content-encoding' in headers, 'it is not compressed, and does not say so')
  t.match(JSON.parse(body), { name: 'GeneralError', message: 'The disk is gone' })
})

t.test('an error after an answer was compressed and has got an ETag says nothing of either', async (t) => {
  let isFailing = false
  const { app } = await createHost(t, {
    before: async (app) => {
      await app.register(etag, { weak: true })
      app.addHook('onSend', async (_request, reply) => {
        if (!isFailing || reply.statusCode >= 400) return
        reply.headers({ 'content-encoding': 'gzip', 'last-modified': new Date().toUTCString(), 'x-request-id': '1' })
        throw new Error('The hook has failed')
      })
    }
  })
  const first = await request(app, 'GET', '/things')
  isFailing = true
  const had = { 'if-none-match': `${first.headers.etag}` }
  const { status, headers, body } = await request(app, 'GET', '/things', { headers: had })
  t.match([status, body], [500, { message: 'The hook has failed' }])
  for (const name of ['content-encoding', 'last-modified']) t.notOk(name in headers, name)
  t.not(headers.etag, first.headers.etag)
  t.equal(headers['x-request-id'], '1', 'what tells of no body stays')
})

t.test('a stream streams: each part arrives while the rest waits', async (t) => {
  const flush = {
    brotliOptions: { flush: constants.BROTLI_OPERATION_FLUSH },
    zlibOptions: { flush: constants.Z_SYNC_FLUSH }
  }
  const texts: [title: string, encoding: string, first: object | string, decode: (bytes: Buffer) => unknown][] = [
    ['NDJSON, which is not compressed', '', { i: 1 }, String],
    ['text by gzip', 'gzip', 'the first line\n', (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })],
    [
      'text by brotli',
      'br',
      'the first line\n',
      (bytes) => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH })
    ]
  ]
  for (const [title, encoding, first, decode] of texts) {
    let isClosed = false
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const { app } = await createPressed(
      t,
      async function* () {
        try {
          yield first
          await closed
        } finally {
          isClosed = true
        }
      },
      flush
    )
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const response = await new Promise<IncomingMessage>((resolve) => {
      get({ port, path: '/words', headers: { 'accept-encoding': encoding || 'gzip' } }, resolve)
    })
    t.equal(response.headers['content-encoding'] ?? '', encoding, title)
    let bytes = Buffer.alloc(0)
    for await (const chunk of response) {
      bytes = Buffer.concat([bytes, chunk])
      if (`${decode(bytes)}`.endsWith('\n')) break
    }
    t.equal(`${decode(bytes)}`, typeof first === 'string' ? first : `${JSON.stringify(first)}\n`, title)
    close()
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

t.test('a compressed body is read, and its limit is that of what it holds', async (t) => {
  const { app, calls } = await createPressed(t, () => [])
  const post = (payload: Buffer | string, headers: Record<string, string> = json) =>
    request(app, 'POST', '/things', { payload, headers })
  t.match(await post(gzipSync('{"a":1}')), { status: 201 })
  const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' }
  t.match(await post(gzipSync('a[b]=1'), form), { status: 201 })
  t.strictSame(
    calls.map(({ args }) => args),
    [[{ a: 1 }], [{ a: { b: '1' } }]]
  )
  for (const [headers, bomb] of [
    [json, JSON.stringify({ a: 'x'.repeat(100_000) })],
    [form, `a=${'x'.repeat(100_000)}`]
  ] as const)
    t.match(await post(gzipSync(bomb), headers), { status: 413, body: { name: 'PayloadTooLarge' } })
  t.match(await post('not compressed'), { status: 400, body: { name: 'BadRequest' } })
  const unknown = { ...json, 'content-encoding': 'rot13' }
  t.match(await post('{}', unknown), { status: 415, body: { name: 'UnsupportedMediaType' } })
  t.equal(calls.length, 2)
})

t.test('errors carry the headers of helmet, and 503 of a server under pressure is one of ours', async (t) => {
  const { app, calls } = await createHost(t, {
    before: async (app) => {
      await app.register(helmet)
      await app.register(underPressure, { maxRssBytes: 1, sampleInterval: 10 })
    }
  })
  let answer = await request(app, 'GET', '/things')
  while (answer.status === 200) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    answer = await request(app, 'GET', '/things')
  }
  t.match(answer, { status: 503, body: { name: 'Unavailable', code: 503, className: 'unavailable' } })
  t.match(answer.headers, { 'retry-after': 10, 'x-content-type-options': 'nosniff' })
  t.match((await request(app, 'DELETE', '/things/')).headers, { 'x-content-type-options': 'nosniff' })
  t.ok(calls.every(({ method }) => method === 'find'))
})

import { createHook } from 'node:async_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { type AppOptions, createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { onDatabase, openFolder } from './atlas-support.js'

type Verb = 'GET' | 'HEAD' | 'PATCH' | 'OPTIONS' | 'DELETE'

/** How often something was compressed meanwhile. */
async function countCompressions(act: () => Promise<void>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ZLIB') count++
    }
  }).enable()
  await act()
  hook.disable()
  return count
}

onDatabase('what a server needs on the internet', async (t, options) => {
  const { knex, close } = await openDatabase(options)
  t.teardown(close)
  const start = async (t: Test, more: AppOptions) => {
    const app = await createApp({ knex, close: async () => {} }, { rateLimit: 0, ...more })
    t.teardown(() => app.close())
    return (method: Verb, url: string, headers: Record<string, string> = {}) => app.inject({ method, url, headers })
  }
  const origin = 'https://app.example.com'
  const send = await start(t as Test, { origins: [origin] })

  t.test('pages of named sites may make all calls of the client, and read what helps them', async (t) => {
    const asked = {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,x-service-method'
    }
    for (const url of ['/countries/CHE/notes/1', '/users', '/authentication']) {
      const { statusCode, headers } = await send('OPTIONS', url, { origin, ...asked })
      t.equal(statusCode, 204)
      t.equal(headers['access-control-allow-origin'], origin)
      t.match(headers['access-control-allow-methods'], /PUT, PATCH, DELETE/)
      t.equal(headers['access-control-allow-headers'], 'Authorization, Content-Type, X-Service-Method')
    }
    for (const url of ['/countries', '/countries/XXX', '/users', '/nowhere', '/countries?x=1']) {
      const { headers } = await send('GET', url, { origin })
      t.equal(headers['access-control-allow-origin'], origin, url)
      t.match(headers['access-control-expose-headers'], /Retry-After, X-Request-Id/)
      t.notOk('access-control-allow-origin' in (await send('GET', url, { origin: 'https://else.example.com' })).headers)
    }
  })

  t.test('without a name of a site, OPTIONS is answered as any method that is not there', async (t) => {
    const send = await start(t as Test, {})
    const { statusCode, headers } = await send('OPTIONS', '/countries', { origin })
    t.match([statusCode, headers.allow], [405, 'GET, HEAD'])
    t.notOk('access-control-allow-origin' in headers)
  })

  t.test('answers carry the headers of helmet, and a page its own policy', async (t) => {
    for (const url of ['/countries', '/nowhere', '/health']) {
      const { headers } = await send('GET', url)
      t.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'", url)
      t.equal(headers['x-content-type-options'], 'nosniff')
    }
    t.match((await send('GET', '/explorer')).headers['content-security-policy'], /script-src 'sha256-/)
  })

  t.test('a long answer is compressed, and one that the client has is not sent again', async (t) => {
    const url = '/countries?$limit=100'
    const plain = await send('GET', url)
    const { headers, rawPayload } = await send('GET', url, { 'accept-encoding': 'gzip' })
    t.match(headers, { 'content-encoding': 'gzip', vary: /accept-encoding/ })
    t.ok(rawPayload.length < plain.rawPayload.length / 2)
    t.equal(gunzipSync(rawPayload).toString(), plain.body)
    const { etag } = headers
    t.equal(etag, plain.headers.etag)
    for (const method of ['GET', 'HEAD'] as const) {
      const again = await send(method, url, { 'if-none-match': `${etag}`, 'accept-encoding': 'gzip' })
      t.match([again.statusCode, again.body], [304, ''], method)
    }
    t.equal((await send('HEAD', url)).headers.etag, etag)
    t.equal((await send('GET', url, { 'if-none-match': `"x", ${etag}` })).statusCode, 304, 'one of several')
    t.equal((await send('GET', '/countries?$limit=99', { 'if-none-match': `${etag}` })).statusCode, 200)
  })

  t.test('pages, scripts and documents are compressed once', async (t) => {
    for (const url of ['/docs/static/swagger-ui-bundle.js', '/openapi.json', '/explorer', '/page/main.js']) {
      const plain = await send('GET', url)
      for (const [encoding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync]
      ] as const) {
        const ask = (method: Verb = 'GET') => send(method, url, { 'accept-encoding': encoding })
        const first = await ask()
        t.equal(decompress(first.rawPayload).toString(), plain.body, `${url} ${encoding}`)
        const { 'content-encoding': sent, 'content-length': length, vary } = first.headers
        t.match({ sent, vary }, { sent: encoding, vary: /accept-encoding/ })
        t.equal(Number(length), first.rawPayload.length)
        t.strictSame((await ask()).rawPayload, first.rawPayload)
        t.match(await ask('HEAD'), { statusCode: 200, body: '' })
      }
    }
    const url = '/docs/static/swagger-ui-bundle.js'
    const asked = { 'accept-encoding': 'br' }
    await send('GET', url, asked)
    const zlib = await countCompressions(async () => {
      for (const spelled of [url, '/docs/static/./swagger-ui-bundle.js', '/docs/static/%73wagger-ui-bundle.js', url])
        await send('GET', spelled, asked)
    })
    t.equal(zlib, 0)
    const short = await send('GET', '/docs/', asked)
    t.match(short.body, /^<!/, 'what is short is sent as it is')
    t.notOk('content-encoding' in short.headers)
    const tag = String((await send('GET', url)).headers.etag)
    t.match(await send('GET', url, { ...asked, 'if-none-match': tag }), { statusCode: 304, body: '' })
    t.match(await send('GET', url, { ...asked, range: 'bytes=0-9' }), { statusCode: 206 })
    t.notOk('content-encoding' in (await send('GET', '/docs/static/nothing.js', asked)).headers)
  })

  t.test('neither an error nor a change that was made is taken for what the client has', async (t) => {
    for (const [method, url, status] of [
      ['GET', '/nowhere', 404],
      ['DELETE', '/countries', 405],
      ['GET', '/users', 401]
    ] as const) {
      const { headers } = await send(method, url)
      t.equal((await send(method, url, { 'if-none-match': `${headers.etag}` })).statusCode, status, url)
    }
    const hidden = await createApp({ knex, close: async () => {} }, { rateLimit: 0 })
    t.teardown(() => hidden.close())
    hidden.route({ method: ['GET', 'DELETE'], url: '/record', handler: () => ({ id: 1 }) })
    const { headers } = await hidden.inject('/record')
    const had = { 'if-none-match': `${headers.etag}` }
    const statuses = ['GET', 'DELETE'].map(async (method) => {
      return (await hidden.inject({ method: method as Verb, url: '/record', headers: had })).statusCode
    })
    t.strictSame(await Promise.all(statuses), [304, 200])
  })

  t.test('an answer has the id of its request, under which the log has it', async (t) => {
    const log: string[] = []
    const stream = { write: (line: string) => void log.push(line) }
    const send = await start(t as Test, { logger: { level: 'info', stream }, trustProxy: '127.0.0.1' })
    const { headers } = await send('GET', '/countries/XXX')
    t.match(headers['x-request-id'], /^[\da-f-]{36}$/)
    const lines = log.filter((line) => line.includes(`"reqId":"${headers['x-request-id']}"`))
    t.ok(lines.some((line) => line.includes("No record found for id 'XXX'")))
    const proxyHeaders = { 'x-request-id': 'of-the-proxy' }
    t.match((await send('GET', '/countries', proxyHeaders)).headers, proxyHeaders, 'a proxy may have given it')
    for (const id of ['x'.repeat(65), 'a b', '{"level":60}', ''])
      t.match((await send('GET', '/countries', { 'x-request-id': id })).headers['x-request-id'], /^[\da-f-]{36}$/)
  })

  t.test('who reaches it past the proxy gives no id', async (t) => {
    const proxyHeaders = { 'x-request-id': 'of-the-proxy' }
    const rows: [trustProxy: string, address: string, isBelieved: boolean][] = [
      ['10.0.0.1', '10.0.0.1', true],
      ['10.0.0.1', '10.0.0.2', false],
      ['10.0.0.1', '127.0.0.1', false],
      ['127.0.0.1, 10.0.0.0/8', '10.200.0.1', true],
      ['127.0.0.1,10.0.0.0/8', '::ffff:10.200.0.1', true],
      ['127.0.0.1,10.0.0.0/8', '11.0.0.1', false],
      ['10.0.0.0/255.255.0.0', '10.0.9.9', true],
      ['10.0.0.0/255.255.0.0', '10.1.0.1', false],
      ['loopback', '::1', true],
      ['loopback,uniquelocal', '192.168.1.1', true],
      ['loopback,uniquelocal', '8.8.8.8', false],
      ['fc00::/7', 'fd12::1', true]
    ]
    const apps = new Map<string, Awaited<ReturnType<typeof createApp>>>()
    for (const [trustProxy, remoteAddress, isBelieved] of rows) {
      const app =
        apps.get(trustProxy) ?? (await createApp({ knex, close: async () => {} }, { rateLimit: 0, trustProxy }))
      if (!apps.has(trustProxy)) t.teardown(() => app.close())
      apps.set(trustProxy, app)
      const { headers } = await app.inject({ url: '/health', headers: proxyHeaders, remoteAddress })
      t.equal(headers['x-request-id'] === 'of-the-proxy', isBelieved, `${remoteAddress} of ${trustProxy}`)
    }
  })

  t.test('nobody else gives an id', async (t) => {
    t.notMatch((await send('GET', '/countries', { 'x-request-id': 'x' })).headers['x-request-id'], /^x$/)
  })

  t.test('a process whose turns of the event loop are too long says so, in the format of errors', async (t) => {
    const send = await start(t as Test, { maxLag: 200, origins: [origin] })
    let answer: Awaited<ReturnType<typeof send>>
    do {
      for (let turns = 0; turns < 6; turns++) {
        const until = Date.now() + 300
        while (Date.now() < until);
        await setImmediate()
      }
      answer = await send('GET', '/countries', { origin })
    } while (answer.statusCode === 200)
    const busy = { name: 'Unavailable', message: 'The server is busy, try again later', code: 503 }
    t.match(answer.json(), { ...busy, className: 'unavailable' })
    t.match(answer.headers, { 'retry-after': 5, 'access-control-allow-origin': origin })
    while ((await send('GET', '/health')).statusCode === 503) await sleep(50)
  })

  t.test('its health is that of the database', async (t) => {
    const { statusCode, body } = await send('GET', '/health')
    t.strictSame([statusCode, body], [200, '{"status":"ok"}'])
    const lost = await openDatabase(options.url === undefined ? await openFolder(t as Test) : options)
    const app = await createApp(lost, {})
    t.teardown(() => app.close())
    await app.ready()
    await lost.knex.destroy()
    const answer = await app.inject('/health')
    const away = { name: 'Unavailable', message: 'The database or Redis is not available', code: 503 }
    t.match([answer.statusCode, answer.json()], [503, away])
    t.match(answer.headers, { 'retry-after': 5 })
  })
})

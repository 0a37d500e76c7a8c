import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { type AppOptions, createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { onDatabase, openFolder } from './atlas-support.js'

type Verb = 'GET' | 'HEAD' | 'PATCH' | 'OPTIONS' | 'DELETE'

onDatabase('what a server needs on the internet', async (t, options) => {
  const { db, close } = await openDatabase(options)
  t.teardown(close)
  const start = async (t: Test, more: AppOptions) => {
    const app = await createApp({ db, close: async () => {} }, { rateLimit: 0, ...more })
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
      t.match(headers['access-control-allow-headers'], /Authorization, Content-Type,.* X-Service-Method/)
    }
    for (const url of ['/countries', '/countries/XXX', '/users', '/nowhere', '/countries?x=1']) {
      const { headers } = await send('GET', url, { origin })
      t.equal(headers['access-control-allow-origin'], origin, url)
      t.match(headers['access-control-expose-headers'], /Retry-After,.* X-Request-Id/)
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

  t.test('pages, scripts and documents are compressed', async (t) => {
    for (const url of ['/docs/static/swagger-ui-bundle.js', '/openapi.json', '/explorer', '/page/main.js']) {
      const plain = await send('GET', url)
      for (const [encoding, decompress] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync]
      ] as const) {
        const { headers, rawPayload } = await send('GET', url, { 'accept-encoding': encoding })
        t.match(headers, { 'content-encoding': encoding, vary: /accept-encoding/ })
        t.equal(decompress(rawPayload).toString(), plain.body, `${url} ${encoding}`)
      }
    }
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
    const hidden = await createApp({ db, close: async () => {} }, { rateLimit: 0 })
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
    const send = await start(t as Test, { logger: { level: 'info', stream } })
    const { headers } = await send('GET', '/countries/XXX')
    t.match(headers['x-request-id'], /^[\da-f-]{36}$/)
    const lines = log.filter((line) => line.includes(`"reqId":"${headers['x-request-id']}"`))
    t.ok(lines.some((line) => line.includes("No record found for id 'XXX'")))
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
    const app = await createApp({ db: lost.db, close: async () => {} })
    t.teardown(() => app.close())
    await app.ready()
    await lost.close()
    const answer = await app.inject('/health')
    const away = { name: 'Unavailable', message: 'The server is not ready', code: 503 }
    t.match([answer.statusCode, answer.json()], [503, away])
    t.match(answer.headers, { 'retry-after': 5 })
  })
})

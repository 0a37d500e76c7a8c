import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import axios from 'axios'
import { build } from 'esbuild'
import {
  authentication,
  type ClientParams,
  createClient,
  FetchClient,
  memoryStorage,
  rest
} from 'fastify-services/client'
import superagent from 'superagent'
import t from 'tap'
import { createApi } from '../support/client-api.js'
import { createClientOfEcho, createEcho } from '../support/client-app.js'
import { inNode } from '../support/client-drivers.js'

class Strict extends FetchClient {
  override getQuery(query: object) {
    return `?json=${encodeURIComponent(JSON.stringify(query))}`
  }
}

t.test('Extension: a class has the library, the name, the address and the options', async (t) => {
  const seen: unknown[] = []
  class Seeing extends FetchClient {
    override async find() {
      seen.push(this.connection, this.name, this.base, this.options)
      return [] as never
    }
  }
  const options = { headers: { a: '1' } }
  const connection = rest('http://api.example').fetch(fetch, options, Seeing)
  await createClient().configure(connection).service('things').find()
  t.match(seen, [fetch, 'things', 'http://api.example', options])
})

t.test('without an address it is the origin of the page; where there is no page, an error says so', async (t) => {
  t.throws(() => rest(), { message: 'rest(address) needs an address outside a browser' })
  const asked: unknown[] = []
  Object.assign(globalThis, { location: { origin: 'http://page.example' } })
  t.teardown(() => Reflect.deleteProperty(globalThis, 'location'))
  const answer = async (url: unknown) => {
    asked.push(url)
    return new Response('[]', { headers: { 'content-type': 'application/json' } })
  }
  await createClient()
    .configure(rest().fetch(answer as typeof fetch))
    .service('things')
    .find()
  t.same(asked, ['/things'])
})

t.test('Extension: `getQuery` may be overridden, in a class that stands second or third', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const connection of [rest(address).fetch(fetch, Strict), rest(address).fetch(fetch, {}, Strict)]) {
    t.equal(connection.Service, Strict)
    await createClient()
      .configure(connection)
      .service('things')
      .find({ query: { a: [1] } })
  }
  t.same(
    asked.map(({ url }) => url),
    Array(2).fill('/things?json=%7B%22a%22%3A%5B1%5D%7D')
  )
})

t.test('an address with a query or a fragment is refused, in a page too; a URL is taken as its text', async (t) => {
  const { address, asked } = await createEcho(t)
  const refused = () => {
    for (const base of [`${address}/api?key=1`, `${address}/api/#x`, '/api?key=1', new URL(`${address}/?key=1`)])
      t.throws(
        () => rest(base),
        { message: /^rest\(address\) takes no \? or #: give the query to each call$/ },
        `${base}`
      )
  }
  refused()
  Object.assign(globalThis, { location: { origin: address } })
  t.teardown(() => Reflect.deleteProperty(globalThis, 'location'))
  refused()
  Reflect.deleteProperty(globalThis, 'location')
  const app = createClient().configure(rest(new URL(`${address}/api/`)).fetch(fetch))
  await app.service('things').find({ query: { key: 1 } })
  t.equal(asked[0]?.url, '/api/things?key=1')
})

t.test('a missing library, `rest()` outside a browser, headers for request: errors that say what to do', async (t) => {
  const adapters = rest('http://localhost') as unknown as Record<
    string,
    (library?: unknown, options?: object) => unknown
  >
  for (const name of ['fetch', 'axios', 'superagent', 'jquery', 'request'])
    t.throws(() => adapters[name]?.(), new RegExp(`rest\\(address\\)\\.${name}\\(${name}\\) needs the library`))
  t.throws(() => rest(), /rest\(address\) needs an address outside a browser/)
  for (const base of ['localhost:3030', 'api.example.com', 'api.example.com/v1', 'http:/localhost'])
    t.throws(() => rest(base), { message: 'rest(address) needs an address that begins with http:// or https://' }, base)
  for (const base of ['https://api.example.com', 'HTTP://localhost:3030', '/api', 'capacitor://localhost'])
    t.doesNotThrow(() => rest(base), base)
  t.throws(() => createClient().configure(rest('http://localhost') as never), { message: 'setup is not a function' })
  t.throws(() => adapters.request?.(() => {}, { headers: { a: 'b' } }), /request\.defaults\(\{ headers \}\)/)
})

t.test('Base URL: with a prefix, with trailing slashes', async (t) => {
  const { address, asked } = await createEcho(t)
  const find = (base: string, name: string) => createClient().configure(rest(base).fetch(fetch)).service(name).find()
  await find(`${address}/api//`, 'messages')
  await find(address, 'api/messages')
  t.same(
    asked.map(({ url }) => url),
    ['/api/messages', '/api/messages']
  )
})

t.test('a service name of letters outside of ASCII, of two code units too', async (t) => {
  const { app, asked } = await createClientOfEcho(t)
  await app.service('größe/🙂').find()
  t.match(asked, [{ url: encodeURI('/größe/🙂') }])
})

t.test('`params.connection`: options of the call for the library', async (t) => {
  const { app, address, asked } = await createClientOfEcho(t)
  const seen: RequestInit[] = []
  const client = createClient().configure(
    rest('http://127.0.0.1:1').fetch(async (_url, init) => {
      seen.push(init)
      return new Response('{}')
    })
  )
  await client.service('things').find({ connection: { credentials: 'include', mode: 'cors' } })
  t.match(seen, [{ credentials: 'include', mode: 'cors', method: 'GET' }])
  await createClient()
    .configure(rest('http://127.0.0.1:1').axios(axios.create()))
    .service('things')
    .find({ connection: { url: 'ignored', timeout: 5000 } })
    .catch((error) => t.equal(error.code, 503))
  await app.service('things').find()
  t.equal(asked.length, 1)
  const agent = createClient().configure(rest(address).superagent(superagent))
  await agent.service('things').find({ connection: { timeout: 5000, redirects: 0, unknown: 1 } })
  t.equal(asked.length, 2, 'options of superagent are the names of its methods')
})

t.test('Extension: a subclass may override a method, and have its own', async (t) => {
  class Numbers extends FetchClient {
    override async find(params?: ClientParams) {
      return [await super.find({ ...params, query: { $limit: 1 } })]
    }
    first() {
      return this.find()
    }
  }
  const { address, asked } = await createEcho(t)
  const connection = rest(address).fetch(fetch, Numbers)
  const app = createClient<{ numbers: Numbers }>().configure(connection)
  app.use('numbers', connection.service('numbers'), { methods: ['first'] })
  t.same(await app.service('numbers').first(), [{}])
  t.same(
    asked.map(({ url }) => url),
    ['/numbers?%24limit=1']
  )
})

t.test('a class of services reads the options of its server and of its adapter', async (t) => {
  const server = rest('http://localhost', { server: 1, both: 1 } as object)
  const { options } = server.fetch(fetch, { adapter: 2, both: 2 } as object).service('things')
  t.same(options, { server: 1, adapter: 2, both: 2, headers: {} })
})

t.test('superagent: an agent, which keeps cookies', async (t) => {
  const { address, asked } = await createEcho(t)
  const agent = superagent.agent().set('X-Agent', '1')
  const app = createClient().configure(rest(address).superagent(agent))
  const things = app.service('things')
  for (const call of [() => things.find(), () => things.create({}), () => things.update(1, {})]) await call()
  for (const call of [() => things.patch(1, {}), () => things.remove(1)]) await call()
  t.same(
    asked.map(({ method, headers }) => [method, headers['x-agent']]),
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, '1'])
  )
})

t.test('a service of a connection may be called by itself', async (t) => {
  const { address, asked } = await createEcho(t)
  const service = rest(address).fetch(fetch).service('/things/')
  t.equal(service.name, 'things')
  t.same(await service.find(), {})
  t.same(await service.methods('archive').remove('1'), {})
  t.same(
    asked.map(({ method, url }) => `${method} ${url}`),
    ['GET /things', 'DELETE /things/1']
  )
})

t.test('`fetch` is called as a plain function with a string', async (t) => {
  let self: unknown = 'not called'
  async function library(this: unknown, ...[url, init]: [string, RequestInit]) {
    self = this
    t.type(url, 'string')
    return fetch(url, init)
  }
  const { address } = await createEcho(t)
  await createClient().configure(rest(address).fetch(library)).service('things').find()
  t.equal(self, undefined)
})

t.test('a call leaves no listener on its signal, whether it is answered or not', async (t) => {
  const { address } = await createEcho(t)
  const { signal } = new AbortController()
  for (const [adapter, library] of inNode.filter(([adapter]) => adapter !== 'fetch'))
    for (const base of [address, 'http://127.0.0.1:1', 'http://no address']) {
      const { client, outcome } = createApi(adapter, library)
      await outcome(() => client(base).service('things').find({ connection: { signal } }))
      t.same(getEventListeners(signal, 'abort'), [], `${adapter}, ${base}`)
    }
})

t.test('a call that is aborted while it is being sent rejects with the abort', async (t) => {
  const controller = new AbortController()
  const library = () => {
    controller.abort()
    return { abort: () => {} }
  }
  const app = createClient().configure(rest('http://127.0.0.1:1').request(library))
  const { signal } = controller
  await t.rejects(app.service('things').find({ connection: { signal } }), { name: 'AbortError' })
})

t.test('a query without a prototype is a plain object', async (t) => {
  const { app, asked } = await createClientOfEcho(t)
  await app.service('things').find({ query: Object.assign(Object.create(null), { a: 1 }) })
  t.equal(asked[0]?.url, '/things?a=1')
})

t.test('later headers win, whatever the case of their names', async (t) => {
  const storage = memoryStorage()
  await storage.setItem('feathers-jwt', 'token')
  /** The headers that the library gets. */
  const merged = async (ofServer: unknown, ofConnection?: unknown, ofCall?: unknown) => {
    let sent: unknown
    const library = async (_url: string, { headers }: RequestInit) => {
      sent = headers
      return new Response('{}')
    }
    const connection = rest('http://a', { headers: ofServer } as object).fetch(library as typeof fetch)
    const app = createClient().configure(connection).configure(authentication({ storage }))
    await app.service('things').find({ headers: ofCall, connection: { headers: ofConnection } } as object)
    return sent
  }
  const others = { Accept: 'application/json', Authorization: 'Bearer token' }
  const json = { Accept: 'a', 'X-One': '1' }
  t.same(await merged(json, { accept: 'b', AUTHORIZATION: 'x' }, { 'x-one': 2, 'X-Two': undefined }), {
    accept: 'b',
    'x-one': '2',
    AUTHORIZATION: 'x'
  })
  t.same(await merged(new Headers({ A: '1' }), [['b', '2']], new Map([['A', '3']])), { ...others, b: '2', A: '3' })
  t.same(await merged({ a: null, b: '1' }, { B: undefined }), { ...others, b: '1' })
})

t.test(
  '`options.headers`, `connection.headers` and `params.headers` are merged; neither loses `Authorization`',
  async (t) => {
    const { address, asked } = await createClientOfEcho(t)
    const connect = rest(address, { headers: { 'X-Rest': '1', 'X-Any': 'rest' } })
    const app = createClient().configure(connect.fetch(fetch, { headers: { 'x-any': 'adapter', 'X-Adapter': '1' } }))
    const service = app.service('things')
    await service.find()
    await service.find({ headers: { 'X-Call': '1' }, connection: { headers: { authorization: 'Bearer a' } } })
    await service.find({ headers: { Authorization: 'Bearer b' }, connection: { headers: { 'X-Any': 'connection' } } })
    const seen = asked.map(({ headers }) => [
      headers['x-rest'],
      headers['x-any'],
      headers['x-adapter'],
      headers['x-call'],
      headers.authorization
    ])
    t.same(seen, [
      ['1', 'adapter', '1', undefined, undefined],
      ['1', 'adapter', '1', '1', 'Bearer a'],
      ['1', 'connection', '1', undefined, 'Bearer b']
    ])
    t.ok(
      asked.every(({ headers }) => headers.accept === 'application/json'),
      'always sends `Accept: application/json`'
    )
  }
)

t.test('a body is JSON, and says so unless the call names another type', async (t) => {
  const { app, asked } = await createClientOfEcho(t)
  await app.service('things').create({ a: 1 })
  await app.service('things').create({ a: 1 }, { headers: { 'content-type': 'application/vnd.api+json' } })
  await app.service('things').remove('1')
  await app.service('things').create(new URLSearchParams({ a: '1' }) as never)
  t.same(
    asked.map(({ headers, body }) => [headers['content-type'], body]),
    [
      ['application/json', '{"a":1}'],
      ['application/vnd.api+json', '{"a":1}'],
      [undefined, ''],
      ['application/x-www-form-urlencoded;charset=UTF-8', 'a=1']
    ]
  )
})

t.test('a redirect to another host does not carry the token there', async (t) => {
  const other = await createEcho(t)
  const location = `${other.address.replace('127.0.0.1', 'localhost')}/elsewhere`
  const tokens: unknown[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    response.writeHead(302, { location }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [adapter, library] of inNode) {
    const storage = memoryStorage()
    await storage.setItem('feathers-jwt', 'abc')
    const app = createApi(adapter, library).client(base).configure(authentication({ storage }))
    t.same(await app.service('things').find(), {}, adapter)
    t.same(tokens.splice(0), ['Bearer abc'], adapter)
    t.same(
      other.asked.splice(0).map(({ url, headers }) => [url, headers.authorization]),
      [['/elsewhere', undefined]],
      adapter
    )
  }
})

const door = new URL('../../lib/client/index.js', import.meta.url).pathname

/** The bytes of a bundle for browsers, minified and gzipped. */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

const connected = `import { authentication, createClient, rest } from '${door}'
export const app = createClient().configure(rest('/api').fetch(fetch))`

t.test('a client over fetch is at most 7.5 kB gzipped, with login at most 9.4 kB', async (t) => {
  const [bare, withLogin] = [await sizeOf(connected), await sizeOf(`${connected}.configure(authentication())`)]
  t.comment(`createClient, rest and fetch: ${bare} bytes; with authentication: ${withLogin} bytes`)
  t.ok(bare < 7550, `${bare} bytes`)
  t.ok(withLogin < 9450, `${withLogin} bytes`)
})

t.test('a fetch with no more than it needs: `text`, `blob` for bytes, or, as mocks, `json` alone', async (t) => {
  const type = (value: string) => ({ get: (name: string) => (name === 'content-type' ? value : null) })
  const record = async () => ({ a: 1 })
  const text = async () => '{"a":1}'
  const blob = async () => new Blob(['ab'], { type: 'image/png' })
  const responses: [response: object, result: unknown][] = [
    [{ status: 200, headers: type('application/json'), text }, { a: 1 }],
    [{ status: 200, headers: type('text/plain'), text }, '{"a":1}'],
    [{ status: 204, headers: type(''), text: async () => '' }, null],
    [{ status: 200, headers: type('image/png'), text, blob }, Blob],
    [{ ok: true, status: 200, json: record }, { a: 1 }],
    [{ json: record }, { a: 1 }],
    [{ json: async () => undefined }, null],
    [{ status: 200, text }, { a: 1 }]
  ]
  for (const [response, result] of responses) {
    const library = async () => response as Response
    const things = createClient().configure(rest('http://a').fetch(library)).service('things')
    t.match((await things.find()) as unknown, result)
  }
  const refusal = { ok: false, status: 404, json: async () => ({ name: 'NotFound', message: 'gone' }) }
  const things = createClient()
    .configure(rest('http://a').fetch(async () => refusal as never))
    .service('things')
  await t.rejects(things.find(), { code: 404, message: 'gone' })
})

t.test('an axios instance that transforms bodies: data is sent as the service has made it', async (t) => {
  const { address, asked } = await createEcho(t)
  const instance = axios.create({ transformRequest: [() => 'changed'], transformResponse: [() => 'changed'] })
  const things = createClient().configure(rest(address).axios(instance)).service('things')
  t.same(await things.create({ a: 1 }), {})
  t.match(asked, [{ body: '{"a":1}' }])
})

t.test('axios: `params.connection` holds its options', async (t) => {
  const { address, asked } = await createEcho(t)
  const things = createClient().configure(rest(address).axios(axios)).service('things')
  await things.find({ connection: { auth: { username: 'ada', password: 'secret' } } })
  t.match(asked, [{ headers: { authorization: `Basic ${btoa('ada:secret')}` } }])
})

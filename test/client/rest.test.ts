import { getEventListeners } from 'node:events'
import axios from 'axios'
import { type ClientParams, createClient, FetchClient, rest } from 'fastify-services/client'
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

t.test('a missing library, `rest()` outside a browser, headers for request: errors that say what to do', async (t) => {
  const adapters = rest('http://localhost') as unknown as Record<
    string,
    (library?: unknown, options?: object) => unknown
  >
  for (const name of ['fetch', 'axios', 'superagent', 'jquery', 'request'])
    t.throws(() => adapters[name]?.(), new RegExp(`rest\\(address\\)\\.${name}\\(${name}\\) needs the library`))
  t.throws(() => rest(), /rest\(address\) needs an address outside a browser/)
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
    for (const base of [address, 'http://127.0.0.1:1', 'no address']) {
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

import {
  authentication,
  type ClientParams,
  createClient,
  FetchClient,
  iterate,
  memoryStorage,
  rest
} from 'fastify-services/client'
import { events } from 'fastify-services/client/events'
import t from 'tap'
import { createApi } from '../support/client-api.js'
import { createDrivers, inNode } from '../support/client-drivers.js'
import { createLoginServer, credentials, user } from '../support/client-login.js'
import { openEventsSite, type SiteServices, until } from '../support/events-site.js'
import { ask, expired, inURL, long, nothing, serveQueried, skip, typed } from '../support/query-app.js'

t.test('every library sends QUERY where it is told to', { skip }, async (t) => {
  const { base, requests } = await serveQueried(t)
  for (const { adapter, run } of await createDrivers()) {
    const answers = await run(ask, { base, options: { query: 'body' }, queries: [typed, nothing, long, {}] })
    t.same(
      answers,
      [typed, nothing, long, {}].map((query) => ({ query })),
      adapter
    )
    t.same(requests.splice(0), [...Array(3).fill('QUERY /queried'), 'GET /queried'], adapter)
  }
})

t.test(
  'by itself, every library sends as a body what a URL can not express, from the first call on',
  { skip },
  async (t) => {
    const { base, requests } = await serveQueried(t)
    for (const { adapter, run } of await createDrivers()) {
      const answers = await run(ask, {
        base,
        options: {},
        queries: [{ a: null }, nothing, typed, long, inURL]
      })
      t.same(
        answers,
        [{ a: null }, nothing, typed, long, inURL].map((query) => ({ query })),
        adapter
      )
      const verbs = requests.splice(0).map((request) => request.split(' ')[0])
      t.same(verbs, ['QUERY', 'QUERY', 'QUERY', 'QUERY', 'GET'], adapter)
    }
  }
)

t.test('405 and 501: the query is sent in the URL, and so are all later ones to that server', { skip }, async (t) => {
  for (const status of [405, 501])
    for (const { adapter, run } of await createDrivers()) {
      const { base, requests } = await serveQueried(t, { refusal: status })
      const answers = await run(ask, { base, options: { query: 'body' }, queries: [inURL, inURL] })
      t.same(answers, [{ query: inURL }, { query: inURL }], adapter)
      t.same(requests, ['QUERY /queried', 'GET /queried?a=1', 'GET /queried?a=1'], `${status}, ${adapter}`)
    }
  const { requests, connect } = await serveQueried(t, { refusal: 405 })
  const app = connect({ query: 'body' })
  for (const path of ['queried', 'others']) await app.service(path).find({ query: inURL })
  t.same(requests, ['QUERY /queried', 'GET /queried?a=1', 'GET /others?a=1'], 'another service')
})

t.test('405 for a method that is refused as a GET too says nothing of other services', async (t) => {
  const asked: string[] = []
  const server = async (url: string, { method }: { method: string }) => {
    asked.push(`${method} ${url}`)
    return new Response('[]', { status: url.includes('refused') ? 405 : 200 })
  }
  const app = createClient().configure(rest('http://a', { query: 'body' }).fetch(server))
  await t.rejects(app.service('refused').find({ query: inURL }), { code: 405 })
  await app.service('things').find({ query: { a: 2 } })
  t.same(asked, ['QUERY http://a/refused', 'GET http://a/refused?a=1', 'QUERY http://a/things'])
})

t.test('by itself, a list that servers do not read as one in a URL is sent as a body, at any depth', async (t) => {
  const asked: string[] = []
  const server = async (_: string, { method }: { method: string }) => {
    asked.push(method)
    return new Response('[]', { headers: { 'accept-query': 'application/json' } })
  }
  const things = createClient().configure(rest('http://a').fetch(server)).service('things')
  const items = (length: number) => Array.from({ length }, (_, a) => ({ a }))
  for (const query of [{}, { $or: items(20) }, { $or: items(21) }, { a: { $in: items(21).map(({ a }) => a) } }])
    await things.find({ query })
  t.same(asked, ['GET', 'GET', 'QUERY', 'QUERY'])
})

t.test('a proxy that refuses what the server takes: by itself it is tried once', { skip }, async (t) => {
  const { requests, connect } = await serveQueried(t, { refusal: 405 })
  const queried = connect().service('queried')
  const query = { b: 'x'.repeat(2000) }
  for (let i = 0; i < 3; i++) t.same(await queried.find({ query }), { query })
  t.same(
    requests.map((request) => request.slice(0, 14)),
    ['GET /queried?b', 'QUERY /queried', 'GET /queried?b', 'GET /queried?b']
  )
})

t.test(
  'a server that takes no QUERY: what a URL can not express is refused by name, and never asked otherwise',
  async (t) => {
    const refusals = [
      ...[400, 404, 405, 501].map((status) => async () => new Response('refused', { status })),
      // As a page of another origin sees it.
      () => Promise.reject(new TypeError('Failed to fetch'))
    ]
    for (const [index, refuse] of refusals.entries()) {
      const asked: string[] = []
      const server = async (url: string, { method }: { method: string }) => {
        asked.push(`${method} ${url}`)
        return method === 'QUERY' ? refuse() : Response.json([])
      }
      const code = [400, 404, 405, 501, 503][index]
      for (const query of ['body', undefined] as const) {
        const app = createClient().configure(rest('http://a', query && { query }).fetch(server))
        const things = app.service('things')
        for (let i = 0; i < 2; i++)
          await t.rejects(things.find({ query: nothing }), { code, message: /\(A URL can't express id\.\$in: \[\]\)$/ })
        t.same(asked.splice(0), ['QUERY http://a/things', 'QUERY http://a/things'], `${code}, ${query}`)
        if (!query) t.same(await things.find({ query: inURL }), [])
        asked.splice(0)
      }
    }
  }
)

t.test('`iterate` goes on where a server takes no QUERY', async (t) => {
  const records = Array.from({ length: 5 }, (_, id) => ({ id }))
  const server = async (url: string, { method }: { method: string }) => {
    if (method === 'QUERY') return new Response('', { status: 405 })
    const { searchParams } = new URL(url)
    const after = Number(searchParams.get('id[$gt]') ?? -1)
    return Response.json({ total: 5, data: records.filter(({ id }) => id > after).slice(0, 2) })
  }
  const things = createClient().configure(rest('http://a').fetch(server)).service('things')
  const ids: unknown[] = []
  for await (const { id } of iterate(things)) ids.push(id)
  t.same(ids, [0, 1, 2, 3, 4])
})

t.test('a server that takes queries in another format gets them in the URL', async (t) => {
  const asked: string[] = []
  const server = async (url: string, { method }: { method: string }) => {
    asked.push(`${method} ${url}`)
    const headers = { 'accept-query': '"application/jsonpath", application/sql', 'content-type': 'application/json' }
    return new Response('[]', { headers })
  }
  const things = createClient().configure(rest('http://api').fetch(server)).service('things')
  const query = { a: 'x'.repeat(2000) }
  for (let i = 0; i < 2; i++) await things.find({ query })
  t.match(asked, [/^GET /, /^GET /])
})

t.test('another error of a QUERY is the error of the call', { skip }, async (t) => {
  const { requests, connect } = await serveQueried(t, { refusal: 403 })
  const call = connect({ query: 'body' }).service('queried').find({ query: inURL })
  await t.rejects(call, { code: 403, name: 'Forbidden', message: 'refused' })
  t.same(requests, ['QUERY /queried'])
})

t.test('a custom method with a GET is sent so, a `get` is not, and with `url` nothing is', { skip }, async (t) => {
  const { base, requests, connect } = await serveQueried(t)
  const connection = rest(base, { query: 'body' }).fetch(fetch)
  const app = createClient({ routes: { others: { stats: 'GET /stats' } } }).configure(connection)
  const others = app.service('others') as unknown as { stats(params: ClientParams): Promise<unknown> }
  const query = { n: 1 }
  t.same(await others.stats({ query }), { query })
  t.same(await app.service('queried').get('1', { query }), { id: '1', query: { n: '1' } })
  const plain = connect({ query: 'url' }).service('queried')
  for (let i = 0; i < 2; i++) t.same(await plain.find({ query: { n: null } }), { query: { n: '' } })
  t.same(requests, ['QUERY /others/stats', 'GET /queried/1?n=1', 'GET /queried?n=', 'GET /queried?n='])
})

t.test('numbers that JSON does not have are texts, as in a URL', { skip }, async (t) => {
  const queried = (await serveQueried(t)).connect({ query: 'body' }).service('queried')
  const query = {
    big: 2n ** 70n,
    no: Number.NaN,
    most: [Number.POSITIVE_INFINITY, 1.5],
    at: new Date(0),
    none: undefined
  }
  t.same(await queried.find({ query: query as Record<string, unknown> }), {
    query: { big: '1180591620717411303424', no: 'NaN', most: ['Infinity', 1.5], at: '1970-01-01T00:00:00.000Z' }
  })
})

t.test(
  'a class with query strings of its own: they are sent as it writes them, unless `body` is said',
  { skip },
  async (t) => {
    class Tenant extends FetchClient {
      override getQuery(query: object) {
        return super.getQuery({ tenant: 7, ...query })
      }
    }
    const { requests, connect } = await serveQueried(t)
    const queried = connect({}, Tenant).service('queried')
    for (let i = 0; i < 2; i++) t.same(await queried.find({ query: { a: null } }), { query: { tenant: '7', a: '' } })
    t.same(
      await connect({ query: 'body' }, Tenant)
        .service('queried')
        .find({ query: { a: null } }),
      { query: { a: null } }
    )
    t.same(requests, ['GET /queried?tenant=7&a=', 'GET /queried?tenant=7&a=', 'QUERY /queried'])
  }
)

t.test('a token that has expired is renewed, and the QUERY sent again', { skip }, async (t) => {
  const { app: server, address } = await createLoginServer(t, { refresh: true })
  const requests: unknown[] = []
  server.service('me').hooks({ before: { find: [({ params }) => void requests.push(params.query)] } })
  for (const [adapter, library] of inNode) {
    const storage = memoryStorage()
    const app = createApi(adapter, library).client(address, { query: 'body' }).configure(authentication({ storage }))
    await app.authenticate(credentials)
    await storage.setItem('feathers-jwt', expired)
    t.match(await app.service('me').find({ query: typed }), { email: user.email }, adapter)
    t.same(requests.splice(0), [typed], adapter)
    t.not(await storage.getItem('feathers-jwt'), expired)
  }
})

t.test('streams of events and live lists ask so, too', { skip }, async (t) => {
  for (const query of ['body', undefined] as const) {
    const { address, createServerNote } = await openEventsSite(t)
    const app = createClient<SiteServices>({ logger: false })
      .configure(rest(address, { ...(query && { query }) }).fetch(fetch))
      .configure(authentication())
      .configure(events({ logger: false }))
    t.teardown(() => app.events.close())
    const list = app.service('notes').live({ query: { user: null, kind: { $in: ['a', 'b'] } } })
    list.subscribe(() => {})
    await until(() => list.current.state === 'live')
    await createServerNote({ text: 'of nobody', kind: 'b', user: null })
    await until(() => list.current.data.length === 1)
    t.match(list.current.data, [{ text: 'of nobody' }], `${query}`)
    app.events.close()
  }
})

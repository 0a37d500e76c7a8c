import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { howToInstall } from '../support/chromium.js'
import type { Told } from '../support/client-api.js'
import { createEcho } from '../support/client-app.js'
import { createDrivers } from '../support/client-drivers.js'

const json = { 'content-type': 'application/json' }
type Answer = (response: ServerResponse) => unknown
const send =
  (status: number, body: string, headers: object = json): Answer =>
  (response) =>
    response.writeHead(status, { ...headers }).end(body)

/** What a server that is broken, or hostile, answers, and what the call gives. */
const answers: Record<string, [answer: Answer, expected: unknown]> = {
  'HTML 502': [send(502, '<h1>Bad</h1>', { 'content-type': 'text/html' }), { classOf: 'BadGateway', code: 502 }],
  'empty error body': [send(404, ''), { classOf: 'NotFound', code: 404, message: 'NotFound' }],
  'JSON `null` as an error': [send(409, 'null'), { classOf: 'Conflict', code: 409 }],
  'JSON text as an error': [send(400, '"no"'), { classOf: 'BadRequest', code: 400 }],
  'invalid JSON as an error': [send(500, '{"a":'), { classOf: 'GeneralError', code: 500 }],
  'a status without a class': [send(418, '{}'), { classOf: 'ServiceError', name: 'BadRequest', code: 418 }],
  'a status of 5xx without a class': [send(599, '{}'), { classOf: 'ServiceError', name: 'GeneralError', code: 599 }],
  'truncated JSON in a 200': [send(200, '{"a":[1,'), { classOf: 'GeneralError', code: 500, hasCause: true }],
  'invalid JSON in a 200': [send(200, '<html>'), { classOf: 'GeneralError', code: 500, hasCause: true }],
  'an empty 200': [send(200, ''), null],
  'a type that begins like JSON': [send(200, 'lines', { 'content-type': 'application/jsonl' }), { classOf: undefined }],
  'a 299': [send(299, '{"a":1}'), { a: 1 }],
  '204': [send(204, ''), null],
  'a 200 that is text': [send(200, 'text', { 'content-type': 'text/plain; charset=utf-8' }), 'text'],
  'a 200 that is bytes': [send(200, 'bytes', { 'content-type': 'image/png' }), {}],
  'a 200 that is XML': [send(200, '<a/>', { 'content-type': 'application/atom+xml' }), '<a/>'],
  'a redirect that leads nowhere': [send(304, ''), { classOf: 'ServiceError', name: 'GeneralError', code: 304 }],
  'a 200 without a type': [send(200, 'text', {}), 'text'],
  'JSON of another type': [send(200, '{"a":"ä"}', { 'content-type': 'application/vnd.api+json' }), { a: 'ä' }],
  'error body named `toString`': [
    send(404, JSON.stringify({ name: 'toString', message: 'm', className: 'x', code: 200 })),
    { isServiceError: true, classOf: 'NotFound', name: 'toString', code: 404, message: 'm', className: 'x' }
  ],
  'error body named `__proto__`': [
    send(400, '{"name":"__proto__","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
    { isServiceError: true, classOf: 'BadRequest', code: 400 }
  ],
  'error body of an unknown name, extra fields': [
    send(
      422,
      JSON.stringify({ name: 'Own', message: 'm', data: { a: 1 }, errors: [2], stack: 's', cause: 'c', extra: 1 })
    ),
    { classOf: 'Unprocessable', name: 'Own', data: { a: 1 }, errors: [2], hasCause: false }
  ],
  'error fields of other types': [
    send(404, '{"name":1,"message":{},"className":[],"code":"x"}'),
    { classOf: 'NotFound', name: 'NotFound', message: 'NotFound', className: 'not-found', code: 404 }
  ]
}

async function createBroken(t: Test) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    const row = answers[name]
    if (row === undefined) request.socket.destroy()
    else row[0](response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('Client: hostile answers, the same for all five adapters', async (t) => {
  const base = await createBroken(t)
  for (const { adapter, run } of await createDrivers())
    for (const [row, [, expected]] of Object.entries(answers)) {
      const outcome = await run(
        ({ client, outcome }, { base, row }) => outcome(() => client(base).service(row).find()),
        { base, row }
      )
      t.match(outcome, expected as object, `${adapter}: ${row}`)
      const errorNames = ['className', 'code', 'data', 'errors', 'message', 'name']
      const { keys = [] } = Object(outcome) as Partial<Told>
      t.same(
        keys.filter((key) => !errorNames.includes(key)),
        [],
        `${adapter}: ${row}: only the known fields`
      )
    }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('Client: an answer without a status is no result', async (t) => {
  const app = createClient().configure(rest('http://127.0.0.1').fetch(async () => Response.error()))
  await t.rejects(app.service('things').find(), { code: 0, name: 'GeneralError' })
})

t.test('Client: an answer without a body is `null`', async (t) => {
  const app = createClient().configure(rest('http://127.0.0.1').fetch(async () => new Response(null, { status: 204 })))
  t.equal(await app.service('things').find(), null)
})

t.test('Client: server down, a connection that ends: Unavailable (503) with `cause`', async (t) => {
  const base = await createBroken(t)
  for (const { adapter, run } of await createDrivers())
    for (const address of ['http://127.0.0.1:1', base]) {
      const outcome = await run(
        ({ client, outcome }, base) => outcome(() => client(base).service('gone').get(1)),
        address
      )
      t.match(
        outcome,
        { classOf: 'Unavailable', code: 503, hasCause: true, message: /^GET http.* got no answer$/ },
        adapter
      )
    }
})

t.test('jQuery is tested in Chromium', { skip: howToInstall }, async (t) => {
  t.same(
    (await createDrivers()).map(({ adapter }) => adapter),
    ['fetch', 'axios', 'superagent', 'request', 'jquery']
  )
})

const badRequest = { classOf: 'BadRequest', code: 400 }

t.test('Client: id `undefined`, empty, `.`, `..`, a lone surrogate: BadRequest, nothing sent', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers()) {
    const outcomes = await run(async ({ client, outcome }, base) => {
      const service = client(base).service('things')
      const caught: unknown[] = []
      for (const id of [undefined, '', '.', '..', '\uD800', 'a\uDC00'] as string[])
        for (const call of [
          () => service.get(id),
          () => service.update(id, {}),
          () => service.patch(id, {}),
          () => service.remove(id)
        ])
          caught.push(await outcome(call))
      caught.push(await outcome(() => service.get(null as never)))
      return caught
    }, address)
    t.equal(outcomes.length, 25)
    for (const outcome of outcomes) t.match(outcome, badRequest, adapter)
  }
  t.same(asked, [])
})

t.test('Client: route value `../admin`, `$&`; id `a/b?c#d`: encoded', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers()) {
    await run(async ({ client }, base) => {
      const service = client(base).service('users/:user/things')
      for (const user of ['../admin', '$&', 'a/b?c#d', 'ä%2F', 7]) await service.get('a/b?c#d', { route: { user } })
      return null
    }, address)
    const id = 'a%2Fb%3Fc%23d'
    const users = ['..%2Fadmin', '%24%26', id, '%C3%A4%252F', '7']
    t.same(
      asked.splice(0).map(({ url }) => url),
      users.map((user) => `/users/${user}/things/${id}`),
      adapter
    )
    const missing = await run(async ({ client, outcome }, base) => {
      const service = client(base).service('users/:user/:constructor')
      const values = [undefined, {}, { user: '' }, { user: '..' }, { user: 'a' }]
      return Promise.all(values.map((route) => outcome(() => service.find({ ...(route && { route }) } as never))))
    }, address)
    for (const outcome of missing) t.match(outcome, { ...badRequest, message: /params\.route/ }, adapter)
    t.same(asked, [])
  }
})

t.test('Client: service `\\\\evil.example`, or with a tab or a line break: it stays on its server', async (t) => {
  const { address, asked } = await createEcho(t)
  // A browser reads a backslash as a slash, and tabs and line breaks not at all.
  const names = {
    '\\\\evil.example\\ä': '/%5C%5Cevil.example%5C%C3%A4',
    '/\t/evil.example': '/%09/evil.example',
    '\r\n/evil.example': '/%0D%0A/evil.example'
  }
  for (const { adapter, run } of await createDrivers())
    for (const [name, url] of Object.entries(names)) {
      await run(({ client }, { base, name }) => client(base).service(name).find(), { base: address, name })
      t.equal(asked.pop()?.url, url, `${adapter}: ${JSON.stringify(name)}`)
    }
})

t.test('Client: a query that is no plain object is refused: it would be empty in the URL', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers()) {
    const outcomes = await run(async ({ client, outcome }, base) => {
      class Own {
        get id() {
          return 1
        }
      }
      const others = [new Own(), Object.create({ id: 1 })]
      const queries = [new URLSearchParams('a=1'), new Map([['a', 1]]), 'a=1', [1], ...others]
      const service = client(base).service('things')
      const calls = queries.flatMap((query) => [
        () => service.remove(null, { query } as never),
        () => service.find({ query } as never)
      ])
      return Promise.all(calls.map(outcome))
    }, address)
    t.equal(outcomes.length, 12)
    for (const outcome of outcomes) t.match(outcome, { ...badRequest, message: /must be an object/ }, adapter)
    t.same(asked, [], adapter)
    await run(({ client }, base) => {
      const nothing = { query: null, headers: null, connection: null, route: null }
      return client(base)
        .service('things')
        .find(nothing as never)
    }, address)
    t.equal(asked.pop()?.url, '/things', adapter)
  }
})

t.test('Client: a record with keys `pipe`, `getReader` is JSON', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers()) {
    const record = { pipe: 'half inch', getReader: null }
    await run(({ client }, { base, record }) => client(base).service('things').create(record), {
      base: address,
      record
    })
    t.same(JSON.parse(asked.pop()?.body ?? ''), record, adapter)
  }
})

t.test('Client: a call that is aborted while it waits for a login rejects at once, and is not sent', async (t) => {
  // The login gets no answer.
  const { address, asked } = await createEcho(t, () => undefined)
  for (const { adapter, run } of await createDrivers()) {
    const name = await run(async ({ client, door }, base) => {
      const app = client(base).configure(door.authentication())
      app.authenticate({ strategy: 'local' }).catch(() => {})
      const controller = new AbortController()
      const call = app.service('things').create({}, { connection: { signal: controller.signal } })
      setTimeout(() => controller.abort(), 5)
      return call.catch((error) => error.name)
    }, address)
    t.equal(name, 'AbortError', adapter)
  }
  t.notOk(asked.some(({ url }) => url === '/things'))
})

t.test('Client: `remove(null)`, `patch(null)` with a condition that vanishes in the URL is refused', async (t) => {
  const { address, asked } = await createEcho(t)
  for (const { adapter, run } of await createDrivers()) {
    const [refused, sent] = await run(async ({ client, outcome }, base) => {
      const service = client(base).service('things')
      const polluting = JSON.parse('{"__proto__":"1"}')
      const queries: Record<PropertyKey, unknown>[] = [
        { id: { $in: [] } },
        { id: undefined },
        { id: null },
        { a: 1, b: { c: {} } },
        { $or: [] }
      ]
      // What is not parsed, and what is no name at all.
      queries.push(
        { constructor: 'a' },
        { a: { valueOf: 1 } },
        polluting,
        { '': 1 },
        { [Symbol('or')]: [1] },
        { id: { [Symbol('lt')]: 1 } }
      )
      const calls = queries.flatMap((query) => [
        () => service.remove(null, { query }),
        () => service.patch(null, {}, { query }),
        () => service.update(null, {}, { query })
      ])
      const refused = await Promise.all(calls.map(outcome))
      const sent = [await service.remove(null, { query: { a: '', b: 0 } }), await service.patch(null, {}, {})]
      return [refused, [...sent, await service.find({ query: { id: { $in: [] } } })]]
    }, address)
    for (const outcome of refused ?? [])
      t.match(
        outcome,
        {
          ...badRequest,
          message: /^A URL can't express (id|b|a|\$or|constructor|__proto__||Symbol\(or\))[.:].* of things\.\w+$/
        },
        adapter
      )
    t.equal(sent?.length, 3)
    t.same(
      asked.splice(0).map(({ method, url }) => `${method} ${url}`),
      ['DELETE /things?a=&b=0', 'PATCH /things', 'QUERY /things'],
      adapter
    )
  }
})

t.test('Client: for many records, conditions outside of `query` are refused, and nothing is sent', async (t) => {
  const { address, asked } = await createEcho(t)
  const things = createClient().configure(rest(address).fetch(fetch)).service('things')
  const misspelt: object = { qeury: { text: 'a' } }
  const flat: object = { text: 'a', headers: { a: 'b' } }
  await t.rejects(things.remove(null, misspelt), { code: 400, message: / params.qeury of things.remove$/ })
  await t.rejects(things.patch(null, { text: 'b' }, flat), { code: 400, message: / params.text of things.patch$/ })
  await t.rejects(things.update(null, { text: 'b' }, flat), { code: 400, message: / params.text of things.update$/ })
  t.same(asked, [])

  // Hooks of the client have params of their own.
  const local: object = { query: {}, quiet: true }
  things.hooks({ before: { remove: ({ params }) => ({ params: { ...params, at: params.quiet } }) } })
  await things.remove(null, local)
  await things.remove(null, { query: { text: 'a' }, headers: { a: 'b' }, route: {}, connection: {}, ifMatch: 1 })
  await things.remove(1, flat)
  t.same(
    asked.map(({ url }) => url),
    ['/things', '/things?text=a', '/things/1']
  )
})

t.test('Client: abort through `connection.signal` rejects with the abort, and the connection is freed', async (t) => {
  const isSlow = ({ url }: { url: string }) => url === '/slow'
  const { address, asked } = await createEcho(t, (request) => (isSlow(request) ? undefined : asked.filter(isSlow)))
  for (const { adapter, run } of await createDrivers()) {
    const told = await run(async ({ client, tell }, base) => {
      const slow = (signal: AbortSignal) => client(base).service('slow').find({ connection: { signal } })
      const reason = new Error('enough')
      const controller = new AbortController()
      const call = slow(controller.signal).catch((error) => [error === reason || error.name, tell(error).message])
      const arrived = () => client(base).service('arrived').find() as Promise<unknown> as Promise<unknown[]>
      while ((await arrived()).length === 0);
      controller.abort(reason)
      const nameOf = (signal: AbortSignal) => slow(signal).catch((error) => error.name)
      return [await call, await nameOf(AbortSignal.abort()), await nameOf(AbortSignal.timeout(50))]
    }, address)
    t.same(told, [[true, 'enough'], 'AbortError', 'TimeoutError'], adapter)
    // The connection that is not freed keeps the test from its end.
    await asked.find(isSlow)?.closed
    asked.length = 0
  }
})

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { howToInstall } from '../support/chromium.js'
import type { Told } from '../support/client-api.js'
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
  for (const { adapter, run } of await createDrivers(t))
    for (const [row, [, expected]] of Object.entries(answers)) {
      const outcome = await run(
        ({ client, outcome }, { base, row }) => outcome(() => client(base).service(encodeURIComponent(row)).find()),
        { base, row }
      )
      t.match(outcome, expected as object, `${adapter}: ${row}`)
      const known = ['className', 'code', 'data', 'errors', 'message', 'name']
      const { keys = [] } = Object(outcome) as Partial<Told>
      t.same(
        keys.filter((key) => !known.includes(key)),
        [],
        `${adapter}: ${row}: only the known fields`
      )
    }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('Client: server down, a connection that ends: Unavailable (503) with `cause`', async (t) => {
  const base = await createBroken(t)
  for (const { adapter, run } of await createDrivers(t))
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
    (await createDrivers(t)).map(({ adapter }) => adapter),
    ['fetch', 'axios', 'superagent', 'request', 'jquery']
  )
})

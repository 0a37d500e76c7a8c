import { METHODS } from 'node:http'
import t from 'tap'
import { startChild } from '../support/request-child.js'

const json = { 'Content-Type': 'application/json' }
const all = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const ofRecord = 'GET, HEAD, PUT, PATCH, DELETE'

t.test(
  '`X-Service-Method`: `constructor`, `toString`, `setup`, `emit`, `hooks`, `_find`, `__proto__`, one of the six, an unlisted own method, a list `a, b`: 405',
  async (t) => {
    const { request, alive } = await startChild(t)
    const names = [
      'constructor',
      'toString',
      'setup',
      'emit',
      'hooks',
      '_find',
      '__proto__',
      'find',
      'get',
      'create',
      'update',
      'patch',
      'remove',
      'own',
      'archive, own',
      'archive,archive',
      'teardown',
      'on',
      'app',
      'then',
      'hasOwnProperty',
      'prototype',
      'Archive',
      'archive ; own',
      '*',
      'all',
      'archive\xe9',
      'x'.repeat(8000)
    ]
    for (const name of names) {
      for (const body of ['{}', '', '{']) {
        const answer = await request('POST', '/things', { ...json, 'X-Service-Method': name }, body)
        t.match(
          { ...answer, body: JSON.parse(answer.body) },
          { status: 405, headers: { allow: all }, body: { name: 'MethodNotAllowed', code: 405 } },
          name.slice(0, 40)
        )
      }
      t.strictSame(await alive(t, name.slice(0, 40)), [], 'the service is not called')
    }
    t.equal((await request('POST', '/things', { ...json, 'X-Service-Method': 'archive' }, '{}')).status, 200)
    t.strictSame(await alive(t, 'archive'), [{ method: 'archive', id: null }])
  }
)

t.test('a list `a, b`: the header sent twice is one', async (t) => {
  const { request, alive } = await startChild(t)
  for (const second of ['own', 'archive', 'create']) {
    const answer = await request(
      'POST',
      '/things',
      { ...json, 'X-Service-Method': 'archive', 'x-service-method': second },
      '{}'
    )
    t.equal(answer.status, 405)
    t.match(JSON.parse(answer.body), { message: `Method \`archive, ${second}\` is not supported by this endpoint.` })
    t.strictSame(await alive(t, second), [])
  }
})

t.test('OPTIONS and TRACE on a service, POST on `/path/id`: 405 with `Allow`', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [verb, target, allow] of [
    ['OPTIONS', '/things', all],
    ['TRACE', '/things', all],
    ['OPTIONS', '/things/1', ofRecord],
    ['TRACE', '/things/1', ofRecord],
    ['POST', '/things/1', ofRecord],
    ['POST', '/things/%2F', ofRecord],
    ['PROPFIND', '/things', all],
    ['SEARCH', '/things', all],
    ['REPORT', '/things/1', ofRecord],
    // Node 20.19 does not know it yet.
    ...(METHODS.includes('QUERY') ? ([['QUERY', '/things', all]] as const) : []),
    ['LINK', '/things/1', ofRecord],
    ['M-SEARCH', '/things', all]
  ] as const) {
    const answer = await request(verb, target)
    t.match(
      { ...answer, body: JSON.parse(answer.body) },
      {
        status: 405,
        headers: { allow },
        body: { name: 'MethodNotAllowed', code: 405, className: 'method-not-allowed' }
      },
      `${verb} ${target}`
    )
    t.strictSame(await alive(t, verb), [])
  }
})

t.test('the check comes before the body is looked at: it need not even be sent', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [verb, target, headers] of [
    ['POST', '/things/1', {}],
    ['POST', '/things', { 'X-Service-Method': 'own' }],
    ['OPTIONS', '/things', {}]
  ] as [string, string, Record<string, string>][]) {
    const { status } = await request(verb, target, { ...json, ...headers, 'Content-Length': '1000' })
    t.equal(status, 405, `${verb} ${target}`)
    t.strictSame(await alive(t, verb), [])
  }
})

t.test('OPTIONS is left to a CORS plugin where there is one', async (t) => {
  const { request, alive } = await startChild(t, { cors: true })
  const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'PATCH' }
  t.match(await request('OPTIONS', '/things/1', preflight), {
    status: 204,
    headers: { 'access-control-allow-origin': '*' }
  })
  t.equal((await request('TRACE', '/things')).status, 405)
  t.equal((await request('POST', '/things/1')).status, 405)
  t.strictSame(await alive(t, 'OPTIONS'), [])
})

t.test('what is no HTTP ends the connection, alive', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [verb, target, headers] of [
    ['FOO', '/things', {}],
    ['GET', '/thi ngs', {}],
    ['GET', '', {}],
    ['POST', '/things', { 'Content-Length': '-1' }],
    ['POST', '/things', { 'Content-Length': 'x' }],
    ['POST', '/things', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }],
    ['GET', '/things', { 'Bad Name': 'x' }],
    ['GET', `/things?a=${'x'.repeat(100_000)}`, {}],
    ['GET', '/things', { Expect: 'nonsense' }]
  ] as [string, string, Record<string, string>][]) {
    const { status } = await request(verb, target, headers)
    // Node 20.19 takes such a name.
    const isTaken = 'Bad Name' in headers && status === 200
    t.ok(
      status === 0 || isTaken || (status >= 400 && status < 500),
      `${verb} ${target.slice(0, 20)} ${JSON.stringify(headers)}: ${status}`
    )
    const calls = await alive(t, verb)
    if (!isTaken) t.strictSame(calls, [])
  }
})

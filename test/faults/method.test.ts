import { METHODS } from 'node:http'
import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'

const json = { 'Content-Type': 'application/json' }
const all = 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY'
const ofRecord = 'GET, HEAD, PUT, PATCH, DELETE'

const names = [
  ...['constructor', 'toString', 'setup', 'emit', 'hooks', '_find', '__proto__', 'find', 'get', 'create', 'update'],
  ...['patch', 'remove', 'own', 'archive, own', 'archive,archive', 'teardown', 'on', 'app', 'then', 'hasOwnProperty'],
  ...['prototype', 'Archive', 'archive ; own', '*', 'all', 'archive\xe9', 'x'.repeat(8000)]
].flatMap((name) =>
  ['{}', '', '{'].map(
    (body): Row => ({
      row: `\`X-Service-Method: ${name.slice(0, 40)}\`, and the body '${body}'`,
      request: { verb: 'POST', target: '/things', headers: { ...json, 'X-Service-Method': name }, body },
      expected: { status: 405, headers: { allow: all }, calls: [] }
    })
  )
)

const twice = ['own', 'archive', 'create'].map(
  (second): Row => ({
    row: `\`X-Service-Method\` twice: archive, ${second}`,
    request: {
      verb: 'POST',
      target: '/things',
      headers: { ...json, 'X-Service-Method': 'archive', 'x-service-method': second },
      body: '{}'
    },
    expected: { status: 405, message: `Method \`archive, ${second}\` is not supported by this endpoint.`, calls: [] }
  })
)

const others = [
  ...['OPTIONS /things', 'TRACE /things', 'PROPFIND /things', 'SEARCH /things', 'QUERY /things/1', 'M-SEARCH /things'],
  ...[
    'OPTIONS /things/1',
    'TRACE /things/1',
    'POST /things/1',
    'POST /things/%2F',
    'REPORT /things/1',
    'LINK /things/1'
  ]
].flatMap((line): Row[] => {
  const [verb = '', target = ''] = line.split(' ')
  // Node 20.19 does not know QUERY yet.
  if (!METHODS.includes(verb)) return []
  const allow = target === '/things' ? all : ofRecord
  return [{ row: line, request: { verb, target }, expected: { status: 405, headers: { allow }, calls: [] } }]
})

const custom: Row = {
  row: 'a custom method that is listed',
  request: { verb: 'POST', target: '/things', headers: { ...json, 'X-Service-Method': 'archive' }, body: '{}' },
  expected: { status: 200, calls: [{ method: 'archive' }] }
}

// The body is not even sent.
const early: Row[] = (
  [
    ['POST', '/things/1', {}],
    ['POST', '/things', { 'X-Service-Method': 'own' }],
    ['OPTIONS', '/things', {}]
  ] as const
).map(([verb, target, headers]) => ({
  row: `${verb} ${target} ${JSON.stringify(headers)}: the check comes before the body is looked at`,
  request: { verb, target, headers: { ...json, ...headers, 'Content-Length': '1000' } },
  expected: { status: 405, calls: [] }
}))

t.test('Body and method: methods', (t) => runRows(t as Test, [...names, custom, ...twice, ...others, ...early]))

const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'PATCH' }
const withCors: Row[] = [
  {
    row: 'OPTIONS is left to a CORS plugin where there is one',
    request: { verb: 'OPTIONS', target: '/things/1', headers: preflight },
    expected: { status: 204, headers: { 'access-control-allow-origin': '*' }, calls: [] }
  },
  ...[...others, ...names].filter(({ request }) => request.verb !== 'OPTIONS')
]
t.test('the same on a host with plugins of its own', (t) => runRows(t as Test, withCors, { plugins: true, late: true }))

const broken: [verb: string, target: string, headers: Record<string, string>][] = [
  ['FOO', '/things', {}],
  ['GET', '/thi ngs', {}],
  ['GET', '', {}],
  ['POST', '/things', { 'Content-Length': '-1' }],
  ['POST', '/things', { 'Content-Length': 'x' }],
  ['POST', '/things', { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }],
  ['GET', '/things', { 'x-bad': 'a\0b' }],
  ['POST', '/things', { Host: '', 'Transfer-Encoding': 'x' }],
  ['GET', `/things?a=${'x'.repeat(100_000)}`, {}],
  ['GET', '/things', { Cookie: 'x'.repeat(100_000) }],
  ['GET', '/things', { Expect: 'nonsense' }]
]
const noHttp = broken.map(
  ([verb, target, headers]): Row => ({
    row: `no HTTP: ${verb} ${target.slice(0, 20)} ${JSON.stringify(headers).slice(0, 40)}`,
    request: { verb, target, headers },
    expected: { status: [0, 400, 405, 414, 415, 417, 431, 501], calls: [], isForeign: true }
  })
)
// Node 20.19 takes such a name.
const badName: Row = {
  row: 'no HTTP: a header with a blank in its name',
  request: { verb: 'GET', target: '/things', headers: { 'Bad Name': 'x' } },
  expected: { status: [0, 200, 400], calls: undefined, isForeign: true }
}
t.test('what is no HTTP ends the connection', (t) => runRows(t as Test, [...noHttp, badName]))

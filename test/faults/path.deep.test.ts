import t, { type Test } from 'tap'
import { type Row, runRows } from './runner.js'

const long = 'x'.repeat(5000)
const json = { 'Content-Type': 'application/json' }

// What the router takes is decoded once and handed to the service, the rest is 400, 404 or 414.
type Id = string | 400 | 404 | 414
const escaped: Record<string, Id> = {
  ...{ '%2F': '/', 'a%2Fb': 'a/b', 'a%252Fb': 'a%2Fb', '%00': '\0', '%2e%2e': '..', '%2e': '.', '%20': ' ' },
  ...{ '%F0%9F%98%80': '😀', '%3Cscript%3E': '<script>', '%E2%80%AE': '\u202E' },
  ...{ '..%2f..%2fetc%2fpasswd': '../../etc/passwd', '%0d%0aX-Injected:%201': '\r\nX-Injected: 1' },
  ...{ [`${'%20'.repeat(100)}`]: ' '.repeat(100) }
}
const asTheyAre = [
  ...['..', '.', '__proto__', 'constructor', 'null', 'undefined', '[]', '{}', '*', ':id', '__id', '-1', 'toString'],
  ...['a;b=c', 'a&b']
].map((id): [string, Id] => [id, id])
const refused = ['😀', '%zz', '%', '%E0%A4%A', '%ED%A0%80', '%FF', '%c0%ae'].map((id): [string, Id] => [id, 400])
const ids: [segment: string, id: Id][] = [
  [long, 414],
  ...Object.entries(escaped),
  ...asTheyAre,
  ...refused,
  ['a/b', 404],
  ['/', 404]
]
const byId = (maximum: 414 | string) =>
  ids.flatMap(([segment, expected]) =>
    [['GET', 'get'] as const, ['DELETE', 'remove'] as const].map(([verb, method]): Row => {
      const id = expected === 414 ? maximum : expected
      const request = { verb, target: `/things/${segment}` }
      const row = `the id ${segment.slice(0, 40)}, ${verb}`
      // Bytes that are no ASCII are refused in a shape of Node's own.
      const isForeign = segment === '😀' && { isForeign: true as const }
      if (typeof id === 'number') return { row, request, expected: { status: id, calls: [], ...isForeign } }
      const body = { method, args: [id], query: {}, route: {} }
      return { row, request, expected: { status: 200, calls: [{ method, id }], body } }
    })
  )

const paths = [
  ...['/__proto__', '/constructor', '/toString', '/hasOwnProperty', '/__proto__/1', '/constructor/prototype', '//'],
  ...['/..', '/../things2', '/things/../..', '*', '/thing', '/%74hing', '/things%00', '/things%2F1', '/Things']
].flatMap((target) =>
  ['GET', 'POST', 'DELETE'].map(
    (verb): Row => ({
      row: `the path ${target}, ${verb}`,
      request: { verb, target },
      expected: { status: 404, calls: [] }
    })
  )
)

const malformed = [
  '/%zz',
  '/things/%zz',
  '/things/%',
  '/things/%E0%A4%A',
  '/nowhere/%FF',
  '/things/1/%ED%A0%80'
].flatMap((target) =>
  ['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
    (verb): Row => ({
      row: `${verb} ${target}: the router's own 400, for verbs too that no route has`,
      request: { verb, target },
      expected: { status: 400, calls: [] }
    })
  )
)

const absolute: Row[] = [
  {
    row: 'the absolute form of a target, as proxies send it',
    request: { target: 'http://localhost/things/1?a[b]=1' },
    expected: { status: 200, body: { method: 'get', args: ['1'], query: { a: { b: '1' } }, route: {} } }
  },
  {
    row: 'the absolute form of a target, of another method',
    request: { verb: 'POST', target: 'http://localhost/things/1' },
    expected: { status: 405, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE' } }
  }
]
t.test('Query and path: ids and paths', (t) => runRows(t as Test, [...byId(414), ...paths, ...malformed, ...absolute]))
t.test('the ids where the host allows long ones', (t) =>
  runRows(t as Test, byId(long), { server: { routerOptions: { maxParamLength: 10_000 } } })
)

const targets = [
  ...['/things/', '/things/?a=1', '/things/#a', '/things//', '//things/', '/things/;a=1', 'http://localhost/things/'],
  'http://localhost/things/?a=/1'
]
const methods = { PUT: 'update', PATCH: 'patch', DELETE: 'remove' }
const emptyIds = (delimits: boolean) =>
  targets.flatMap((target) =>
    Object.entries(methods).map(([verb, method]): Row => {
      const isId = target.includes(';') && !delimits
      return {
        row: `${verb} ${target}: an empty id`,
        request: { verb, target, ...(verb !== 'DELETE' && { headers: json, body: '{}' }) },
        expected: isId
          ? { status: 200, calls: [{ method, id: ';a=1' }] }
          : { status: /^\/things\/(\?|$)/.test(target) ? 400 : [400, 404], calls: [] }
      }
    })
  )

// The server of the tables above.
const plain = {}
const hosts: [name: string, server: object][] = [
  ['a plain host', plain],
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }],
  ['both', { routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } }],
  ['`caseSensitive: false`', { caseSensitive: false }],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true, ignoreTrailingSlash: true }]
]
for (const [name, server] of hosts)
  t.test(`an empty id is never the multi form: ${name}`, (t) =>
    runRows(t as Test, emptyIds('useSemicolonDelimiter' in server), server === plain ? {} : { server })
  )

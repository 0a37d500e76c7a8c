import t from 'tap'
import { startChild } from '../support/request-child.js'

const long = 'x'.repeat(5000)
// What the router takes is decoded once and handed to the service, the rest is 400, 404 or 414.
const ids: [segment: string, id: string | 400 | 404 | 414][] = [
  [long, 414],
  ['%2F', '/'],
  ['a%2Fb', 'a/b'],
  ['a%252Fb', 'a%2Fb'],
  ['%00', '\0'],
  ['%2e%2e', '..'],
  ['%2e', '.'],
  ['..', '..'],
  ['.', '.'],
  ['..%2f..%2fetc%2fpasswd', '../../etc/passwd'],
  ['%F0%9F%98%80', '😀'],
  ['😀', 400],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['%zz', 400],
  ['%', 400],
  ['%E0%A4%A', 400],
  ['%ED%A0%80', 400],
  ['%FF', 400],
  ['%c0%ae', 400],
  ['%20', ' '],
  ['%0d%0aX-Injected:%201', '\r\nX-Injected: 1'],
  ['a/b', 404],
  ['/', 404],
  ['[]', '[]'],
  ['{}', '{}'],
  ['*', '*'],
  [':id', ':id'],
  ['__id', '__id'],
  ['%3Cscript%3E', '<script>'],
  ['toString', 'toString'],
  ['-1', '-1'],
  ['%E2%80%AE', '\u202E'],
  [`${'%20'.repeat(100)}`, ' '.repeat(100)],
  ['a;b=c', 'a;b=c'],
  ['a&b', 'a&b']
]

t.test(
  '5,000-character id, `%2F`, `a%2Fb`, `%00`, `%2e%2e`, emoji, `__proto__`, `constructor`, `null` as id',
  async (t) => {
    const { request, alive } = await startChild(t)
    for (const [segment, id] of ids) {
      const name = segment.slice(0, 40)
      await t.test(name, async (t) => {
        for (const verb of ['GET', 'DELETE']) {
          const { status, body } = await request(verb, `/things/${segment}`)
          const calls = await alive(t, `${verb} ${name}`)
          if (typeof id === 'number') {
            // Bytes that are no ASCII are refused by the parser of node or by the router; only Node 20.19 takes some of them.
            if (calls.length > 0) t.equal(status, 200)
            else t.equal(status, id)
          } else {
            t.equal(status, 200)
            t.strictSame(JSON.parse(body).args, [id])
            t.strictSame(calls, [{ method: verb === 'GET' ? 'get' : 'remove', id }])
          }
        }
      })
    }
  }
)

t.test('a 5,000-character id where the host allows it', async (t) => {
  const { request, alive } = await startChild(t, { server: { routerOptions: { maxParamLength: 10_000 } } })
  t.strictSame(JSON.parse((await request('GET', `/things/${long}`)).body).args, [long])
  await alive(t, 'long')
})

t.test('`/__proto__`, `/constructor`, `/toString` as a path: 404', async (t) => {
  const { request, alive } = await startChild(t)
  for (const path of [
    '/__proto__',
    '/constructor',
    '/toString',
    '/hasOwnProperty',
    '/__proto__/1',
    '/constructor/prototype',
    '//',
    '/..',
    '/../things2',
    '/things/../..',
    '*',
    '/thing',
    '/%74hing'
  ]) {
    for (const verb of ['GET', 'POST', 'DELETE']) {
      t.equal((await request(verb, path)).status, 404, `${verb} ${path}`)
      t.strictSame(await alive(t, path), [])
    }
  }
})

const hosts: [name: string, server: object][] = [
  ['a plain host', {}],
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }],
  ['both', { routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } }],
  ['`caseSensitive: false`', { caseSensitive: false }],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true, ignoreTrailingSlash: true }]
]
for (const [name, server] of hosts) {
  t.test(
    `\`PUT\`/\`PATCH\`/\`DELETE\` with an empty id (\`/path/\`): 400 or 404, the service is not called (${name})`,
    async (t) => {
      const { request, alive } = await startChild(t, { server })
      for (const target of [
        '/things/',
        '/things/?a=1',
        '/things/#a',
        '/things//',
        '//things/',
        '/things/;a=1',
        'http://localhost/things/',
        'http://localhost/things/?a=/1'
      ]) {
        for (const verb of ['PUT', 'PATCH', 'DELETE']) {
          const { status } = await request(
            verb,
            target,
            { 'Content-Type': 'application/json' },
            verb === 'DELETE' ? '' : '{}'
          )
          const isId = target.includes(';') && !('useSemicolonDelimiter' in server)
          t.ok(isId ? status === 200 : status === 400 || status === 404, `${verb} ${target}: ${status}`)
          t.strictSame(
            await alive(t, `${verb} ${target}`),
            isId ? [{ method: { PUT: 'update', PATCH: 'patch', DELETE: 'remove' }[verb], id: ';a=1' }] : []
          )
        }
      }
      t.equal((await request('DELETE', '/things/')).status, 400)
    }
  )
}

t.test("`%zz`: the router's own 400 for every verb, also for those that no route has", async (t) => {
  const { request, alive } = await startChild(t)
  for (const target of [
    '/%zz',
    '/things/%zz',
    '/things/%',
    '/things/%E0%A4%A',
    '/nowhere/%FF',
    '/things/1/%ED%A0%80'
  ]) {
    for (const verb of ['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const { status, body } = await request(verb, target)
      t.match(
        [status, JSON.parse(body)],
        [400, { name: 'BadRequest', code: 400, className: 'bad-request' }],
        `${verb} ${target}`
      )
    }
    t.strictSame(await alive(t, target), [])
  }
})

t.test('the absolute form of a target, as proxies send it', async (t) => {
  const { request, alive } = await startChild(t)
  t.strictSame(JSON.parse((await request('GET', 'http://localhost/things/1?a[b]=1')).body), {
    method: 'get',
    args: ['1'],
    query: { a: { b: '1' } },
    route: {}
  })
  const { status, headers } = await request('POST', 'http://localhost/things/1')
  t.strictSame([status, headers.allow], [405, 'GET, HEAD, PUT, PATCH, DELETE'])
  await alive(t, 'absolute')
})

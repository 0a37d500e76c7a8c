import type { FastifyServerOptions } from 'fastify'
import t from 'tap'
import { createHost, request } from '../support/host.js'

// faults.md: hosts with `ignoreTrailingSlash`, `ignoreDuplicateSlashes`, `caseSensitive: false`, `exposeHeadRoutes: false`, `rewriteUrl` start, and
// the rows above hold (those about an empty id: request-empty-id.test.ts).
const hosts: [name: string, server: FastifyServerOptions, spellings: string[]][] = [
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }, []],
  ['`routerOptions.ignoreTrailingSlash`', { routerOptions: { ignoreTrailingSlash: true } }, []],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }, ['//things', '/things//']],
  [
    '`routerOptions.ignoreDuplicateSlashes`',
    { routerOptions: { ignoreDuplicateSlashes: true } },
    ['//things', '/things//']
  ],
  ['`caseSensitive: false`', { caseSensitive: false }, ['/Things', '/THINGS/']],
  ['`routerOptions.caseSensitive: false`', { routerOptions: { caseSensitive: false } }, ['/Things', '/THINGS/']],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }, []],
  ['`rewriteUrl`', { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '') }, ['/api/things', '/api/things/']],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true }, []],
  [
    'all at once',
    {
      exposeHeadRoutes: false,
      rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, ''),
      routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false }
    },
    ['/api//Things//']
  ]
]

for (const [name, server, spellings] of hosts) {
  t.test(`a host with ${name} starts, and the rows of the query hold`, async (t) => {
    const { app, calls } = await createHost(t, { server })
    const twentyOne = Array(21).fill('a[]=1').join('&')
    for (const url of ['/things', '/things/', ...spellings]) {
      calls.length = 0
      t.strictSame(
        (await request(app, 'GET', `${url}?a[B]=C`)).body,
        { method: 'find', args: [], query: { a: { B: 'C' } }, route: {} },
        url
      )
      t.equal((await request(app, 'GET', `${url}?${twentyOne}`)).status, 200, url)
      t.notOk(Array.isArray(calls[1]?.params.query?.a))
      t.equal((await request(app, 'GET', `${url}?a[b][c][d][e][f][g]=1`)).status, 400, url)
      t.equal(
        (await request(app, 'GET', `${url}?${Array.from({ length: 1001 }, (_, i) => `a${i}=1`).join('&')}`)).status,
        400,
        url
      )
      t.strictSame((await request(app, 'GET', `${url}?__proto__[polluted]=1&a[__proto__][x]=1&b=1`)).status, 200, url)
      t.notOk(Object.hasOwn(calls[2]?.params.query ?? {}, '__proto__'))
      t.equal(calls.length, 3)
    }
  })

  t.test(`a host with ${name}: ids, HEAD, 404, 405`, async (t) => {
    const { app, calls } = await createHost(t, {
      server,
      after: (app) => {
        app.service('words/:lang', { find: async () => [] })
      }
    })
    for (const [segment, id] of [
      ['AbC', 'AbC'],
      ['a%2Fb', 'a/b'],
      ['%F0%9F%98%80', '😀'],
      ['__proto__', '__proto__'],
      ['null', 'null']
    ] as const) {
      calls.length = 0
      t.equal((await request(app, 'DELETE', `/things/${segment}`)).status, 200, segment)
      t.strictSame(
        calls.map(({ args }) => args),
        [[id]]
      )
    }
    t.equal((await request(app, 'HEAD', '/things/1')).status, 200)
    for (const path of ['/__proto__', '/constructor', '/toString', '/thing', '/thingsx'])
      t.equal((await request(app, 'GET', path)).status, 404, path)
    for (const url of ['/words/de', '/words/de/', '/words/de?a=1']) {
      t.equal((await request(app, 'GET', url)).status, 200, url)
      t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, url)
    }
    t.equal((await request(app, 'OPTIONS', '/things')).status, 405)
  })
}

t.test('`useSemicolonDelimiter`: the query begins behind the semicolon, and only where the host says so', async (t) => {
  const { app, calls } = await createHost(t, { server: { useSemicolonDelimiter: true } })
  t.equal((await request(app, 'GET', '/things;a[b]=1')).status, 200)
  t.equal((await request(app, 'DELETE', '/things/1;a[b]=1')).status, 200)
  t.equal((await request(app, 'GET', '/things?a=1;b=2')).status, 200)
  t.strictSame(
    calls.map(({ args, params }) => [args, params.query]),
    [
      [[], { a: { b: '1' } }],
      [['1'], { a: { b: '1' } }],
      [[], { a: '1;b=2' }]
    ]
  )
  const plain = await createHost(t)
  t.equal((await request(plain.app, 'GET', '/things;a=1')).status, 404)
  t.equal((await request(plain.app, 'GET', '/things/1;a=1')).status, 200)
  t.strictSame(plain.calls[0]?.args, ['1;a=1'])
})

import type { FastifyServerOptions } from 'fastify'
import t from 'tap'
import { createHost, request } from '../support/host.js'

// Wire contract: `PUT`, `PATCH`, `DELETE` on `/path/` (an empty id, usually a template bug) are 400, never the multi form, also on hosts with
// `ignoreTrailingSlash`.
const hosts: [name: string, server: FastifyServerOptions][] = [
  ['a plain host', {}],
  ['`ignoreTrailingSlash`', { ignoreTrailingSlash: true }],
  ['`routerOptions.ignoreTrailingSlash`', { routerOptions: { ignoreTrailingSlash: true } }],
  ['`ignoreDuplicateSlashes`', { ignoreDuplicateSlashes: true }],
  ['`routerOptions.ignoreDuplicateSlashes`', { routerOptions: { ignoreDuplicateSlashes: true } }],
  ['both', { routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true } }],
  ['`caseSensitive: false`', { caseSensitive: false }],
  ['`routerOptions.caseSensitive: false`', { routerOptions: { caseSensitive: false } }],
  ['`exposeHeadRoutes: false`', { exposeHeadRoutes: false }],
  ['`rewriteUrl`', { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '') }],
  ['`useSemicolonDelimiter`', { useSemicolonDelimiter: true }],
  ['`useSemicolonDelimiter` and `ignoreTrailingSlash`', { useSemicolonDelimiter: true, ignoreTrailingSlash: true }]
]

const urls = ['/things/', '/things/?', '/things/?a=1', '/things/?a=/b', '/things/#a', '/th%69ngs/']

for (const [name, server] of hosts) {
  t.test(
    `\`PUT\`/\`PATCH\`/\`DELETE\` with an empty id (\`/path/\`): 400, the service is not called (${name})`,
    async (t) => {
      const { app, calls } = await createHost(t, { server })
      const own = JSON.stringify(server).includes('Semicolon') ? ['/things/;a=1'] : []
      for (const url of [...urls, ...own]) {
        for (const [verb, payload] of [['PUT', { a: 1 }], ['PATCH', { a: 1 }], ['DELETE']] as const) {
          const { status, body } = await request(app, verb, url, payload && { payload })
          t.match(
            { status, body },
            { status: 400, body: { name: 'BadRequest', className: 'bad-request', code: 400 } },
            `${verb} ${url}`
          )
        }
      }
      t.strictSame(calls, [], 'the service is not called')
    }
  )

  t.test(`\`GET\`/\`POST\` on \`/path/\` are \`find\`/\`create\`, \`/path\` is the multi form (${name})`, async (t) => {
    const { app, calls } = await createHost(t, { server })
    t.equal((await request(app, 'GET', '/things/')).status, 200)
    t.equal((await request(app, 'POST', '/things/', { payload: {} })).status, 201)
    t.equal((await request(app, 'DELETE', '/things?a=/')).status, 200)
    t.equal((await request(app, 'PATCH', '/things', { payload: {} })).status, 200)
    t.equal((await request(app, 'HEAD', '/things/1')).status, 200)
    t.strictSame(
      calls.map(({ method, args }) => [method, args[0]]),
      [
        ['find', undefined],
        ['create', {}],
        ['remove', null],
        ['patch', null],
        ['get', '1']
      ]
    )
  })
}

t.test('slashes in a row are an empty id as well, where the host ignores them', async (t) => {
  const { app, calls } = await createHost(t, {
    server: { routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true } }
  })
  for (const url of ['/things//', '//things/', '//things//', '/things///?a=1'])
    t.equal((await request(app, 'DELETE', url)).status, 400, url)
  t.strictSame(calls, [])
  t.equal((await request(app, 'DELETE', '//things//1')).status, 200)
  t.strictSame(
    calls.map(({ args }) => args),
    [['1']]
  )
})

t.test(
  'an empty id is seen in the raw URL: what a client sent, also where `rewriteUrl` takes the slash away',
  async (t) => {
    const { app, calls } = await createHost(t, {
      server: { rewriteUrl: ({ url = '' }) => url.replace(/\/(?=$|\?)/, '') }
    })
    for (const url of ['/things/', '/things/?a=1']) t.equal((await request(app, 'DELETE', url)).status, 400, url)
    t.strictSame(calls, [])
  }
)

t.test('a service that lacks the method answers 405 there, not 400', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('words', { find: async () => [] })
    }
  })
  t.equal((await request(app, 'DELETE', '/words/')).status, 405)
})

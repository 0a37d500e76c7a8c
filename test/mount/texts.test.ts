import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'
import { onExpress, onKoa } from '../support/mounted-frameworks.js'

const texts: Record<string, unknown> = { html: '\n <p>Hi</p>', plain: 'Hi <b>', empty: '', number: 5, record: { a: 1 } }
const build = (theirs: Theirs) => {
  theirs.use('texts', { get: async (id: string) => texts[id], find: async () => '<h1>All</h1>' } as object)
  theirs.use('typed', { get: async (id: string) => texts[id] } as object)
  theirs.service('typed').hooks({
    after: {
      all: [
        async (context: { http: object }) => {
          context.http = { headers: { 'Content-Type': 'text/css' } }
        }
      ]
    }
  } as never)
}

t.test('texts that services of Koa return are sent as Koa sends them', async (t) => {
  const app = await createMounted(t, onKoa.create({ build }))
  const ask = async (url: string, accept = 'text/html') => {
    const { headers, payload } = await app.inject({ url, headers: { accept } })
    return [headers['content-type'], payload]
  }
  const html = 'text/html; charset=utf-8'
  t.same(await ask('/texts'), [html, '<h1>All</h1>'])
  t.same(await ask('/texts', 'application/json'), [html, '<h1>All</h1>'])
  t.same(await ask('/texts/html'), [html, texts.html])
  t.same(await ask('/texts/plain'), ['text/plain; charset=utf-8', texts.plain])
  t.same(await ask('/texts/empty'), ['application/json; charset=utf-8', '""'])
  t.same(await ask('/texts/number'), ['application/json; charset=utf-8', '5'])
  t.same(await ask('/texts/record'), ['application/json; charset=utf-8', '{"a":1}'])
  t.same(await ask('/typed/plain'), ['text/css', texts.plain], 'unless a hook has said what it is')
})

t.test('those of Express are JSON, and a formatter of the plugin stands before both', async (t) => {
  const app = await createMounted(t, onExpress.create({ build }))
  t.match(await request(app, 'GET', '/texts'), {
    body: '<h1>All</h1>',
    headers: { 'content-type': /^application\/json/ }
  })
  const plugin = { formatter: () => ({ formatted: true }) }
  const formatted = await createMounted(t, onKoa.create({ build }), { plugin: plugin as never })
  t.match(await request(formatted, 'GET', '/texts'), { body: { formatted: true } })
})

for (const { name, create } of [onKoa, onExpress])
  t.test(
    `${name}: a method that returns nothing is answered with 404, and one that returns null with 204`,
    async (t) => {
      const build = (theirs: Theirs) =>
        theirs.use('things', { get: async (id: string) => (id === 'null' ? null : undefined) } as object)
      const app = await createMounted(t, create({ build }))
      const message = 'Path /things/1 not found'
      t.match(await request(app, 'GET', '/things/1?a=1'), { status: 404, body: { name: 'NotFound', message } })
      t.equal((await request(app, 'GET', '/things/null')).status, 204)
    }
  )

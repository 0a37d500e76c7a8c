import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { BadRequest, type ErrorHandlerOptions, errorHandler, NotFound } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, listen } from '../support/response-app.js'

const service = {
  get: async (id: string) => {
    if (id === 'missing') throw new NotFound('No <b>such</b> "thing" & \'more\'')
    throw new Error('<script>alert(1)</script>')
  },
  create: async () => {
    throw new BadRequest('Refused')
  }
}
const create = (t: Test, errorHandler?: ErrorHandlerOptions) =>
  createApp(t, { service, plugin: errorHandler ? { errorHandler } : {} })
const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

const accepted: Record<string, [accept: string | undefined, type: string]> = {
  'Accept: application/json': ['application/json', JSON_TYPE],
  'a JSON type beside others': ['text/html, application/json;q=0.1', JSON_TYPE],
  'a vendor JSON type': ['application/vnd.api+json', JSON_TYPE],
  'in capitals': ['APPLICATION/JSON', JSON_TYPE],
  'a JSON type that is not wanted': ['application/json;q=0, text/html', HTML],
  'a browser': ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', HTML],
  '`*/*`': ['*/*', HTML],
  'no `Accept`': [undefined, HTML],
  'another type': ['text/plain', HTML],
  'a broken header': [';;,q=', HTML]
}

for (const [name, [accept, type]] of Object.entries(accepted)) {
  t.test(`Any error in a REST call: JSON when \`Accept\` names a JSON type, otherwise HTML: ${name}`, async (t) => {
    const app = await create(t)
    const response = await app.inject({ url: '/things/missing', headers: accept === undefined ? {} : { accept } })
    t.equal(response.statusCode, 404)
    t.equal(response.headers['content-type'], type)
    t.equal(response.headers.vary, 'Accept', 'caches keep both')
  })
}

t.test('an error that is JSON for everybody may be problem details, by `Accept`', async (t) => {
  const app = await create(t, { html: false })
  t.equal((await app.inject({ url: '/things/missing' })).headers.vary, 'Accept')
})

t.test('JSON or HTML: JSON when the request sends JSON (`Content-Type`)', async (t) => {
  const app = await create(t)
  const json = await app.inject({ method: 'POST', url: '/things', payload: { a: 1 }, headers: { accept: '*/*' } })
  t.strictSame(json.json(), { name: 'BadRequest', message: 'Refused', code: 400, className: 'bad-request' })
  const type = 'application/vnd.api+json'
  const vendor = await app.inject({ url: '/things/missing', headers: { accept: '*/*', 'content-type': type } })
  t.equal(vendor.headers['content-type'], JSON_TYPE)
  const form = await app.inject({
    method: 'POST',
    url: '/things',
    payload: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  })
  t.equal(form.statusCode, 400)
  t.equal(form.headers['content-type'], HTML)
})

t.test('The built-in page is self-contained and escapes everything', async (t) => {
  const app = await create(t)
  const { statusCode, body, headers } = await app.inject({ url: '/things/1', headers: { accept: 'text/html' } })
  t.equal(statusCode, 500)
  t.equal(headers['content-type'], HTML)
  t.match(body, /^<!DOCTYPE html>/)
  t.match(body, '500 Internal Server Error')
  t.match(body, '&lt;script&gt;alert(1)&lt;/script&gt;')
  t.notMatch(body, /<script|<link|<img|src=|href="[^/]|url\(/)
  const missing = await app.inject('/things/missing')
  t.match(missing.body, 'No &lt;b&gt;such&lt;/b&gt; &quot;thing&quot; &amp; &#39;more&#39;')
})

t.test('`html: false`: HTML pages are disabled so only JSON is returned', async (t) => {
  const app = await create(t, { html: false })
  for (const accept of ['text/html', '*/*']) {
    const response = await app.inject({ url: '/things/missing', headers: { accept } })
    t.equal(response.headers['content-type'], JSON_TYPE)
    t.match(response.json(), { name: 'NotFound', code: 404 })
  }
})

t.test('An `html` function is `(error, request, reply) => string | void`', async (t) => {
  const app = await create(t, {
    html: (error, request, reply) => {
      reply.header('x-page', 'own')
      return `<p>${error.code} at ${request.url}</p>`
    }
  })
  const response = await app.inject('/things/missing')
  t.strictSame(
    [response.statusCode, response.body, response.headers['x-page']],
    [404, '<p>404 at /things/missing</p>', 'own']
  )
  t.equal(response.headers['content-type'], HTML)
  t.match(
    (await app.inject({ url: '/things/missing', headers: { accept: 'application/json' } })).json(),
    { code: 404 },
    'JSON stays JSON'
  )
})

t.test('An `html` function may be async, and may send itself', async (t) => {
  const later = await create(t, { html: async (error) => `<p>${error.name}</p>` })
  t.equal((await later.inject('/things/missing')).body, '<p>NotFound</p>')
  const app = await create(t, {
    html: (_error, _request, reply) => {
      reply.code(418).type('text/plain').send('own')
    }
  })
  const response = await app.inject('/things/missing')
  t.strictSame([response.statusCode, response.body, response.headers['content-type']], [418, 'own', 'text/plain'])
  const slow = await create(t, {
    html: (_error, _request, reply) => {
      setImmediate(() => reply.send('later'))
    }
  })
  t.equal((await slow.inject('/things/missing')).body, 'later')
})

t.test('An `html` function may send an object', async (t) => {
  const app = await create(t, {
    html: (error, _request, reply) => {
      reply.type('application/json').send({ own: error.code })
    }
  })
  const response = await app.inject('/things/missing')
  t.strictSame([response.statusCode, response.json()], [404, { own: 404 }])
})

t.test(
  'An `html` function that throws is answered all the same, and what it threw is not shown where 5xx are not',
  async (t) => {
    for (const html of [
      () => {
        throw new Error('no template')
      },
      async () => {
        throw new Error('no template')
      }
    ]) {
      const app = await create(t, { html, expose: false })
      const response = await app.inject('/things/missing')
      t.ok([404, 500].includes(response.statusCode))
      t.notMatch(response.body, /no template|object Object/)
      t.not(response.body, '')
      t.match((await app.inject({ url: '/things/missing', headers: { accept: 'application/json' } })).json(), {
        name: 'NotFound',
        code: 404
      })
    }
  }
)

t.test('`html` as an object mapping a status code to the path of an HTML error page', async (t) => {
  const folder = t.testdir({ '404.html': '<p>Page 404</p>', 'default.html': '<p>Some other</p>' })
  const app = await create(t, { html: { 404: join(folder, '404.html'), default: join(folder, 'default.html') } })
  const missing = await app.inject('/things/missing')
  t.strictSame([missing.statusCode, missing.body, missing.headers['content-type']], [404, '<p>Page 404</p>', HTML])
  const other = await app.inject('/things/1')
  t.strictSame([other.statusCode, other.body], [500, '<p>Some other</p>'])
})

t.test('`html` as an object of functions; without a `default` the built-in page', async (t) => {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const html = { 404: (error: { code: number }) => `<p>${error.code}</p>` }
  const app = await createApp(t, { service, plugin: { errorHandler: { html } }, server: { logger } })
  t.equal((await app.inject('/things/missing')).body, '<p>404</p>')
  const builtIn = await create(t)
  t.equal((await app.inject('/things/1')).body, (await builtIn.inject('/things/1')).body)
  t.equal(lines.length, 1, 'the error of the service alone is logged')
  const byDefault = await create(t, { html: { default: (error) => `<p>any ${error.code}</p>` } })
  t.equal((await byDefault.inject('/things/missing')).body, '<p>any 404</p>')
})

t.test('an HTML page that can not be read is told of at the start', async (t) => {
  await t.rejects(create(t, { html: { 404: '/no/such/page.html' } }), { message: /\/no\/such\/page\.html/ })
})

t.test('HEAD of an error page: no body', async (t) => {
  const app = await create(t)
  const response = await app.inject({ method: 'HEAD', url: '/things/missing' })
  t.strictSame([response.statusCode, response.body, response.headers['content-type']], [404, '', HTML])
})

t.test('a header that HTTP can not carry is an error for browsers, too: alive', async (t) => {
  const host = (app: FastifyInstance) => {
    app.addHook('onRequest', async ({ query }, reply) => {
      const { name } = query as { name?: string }
      if (name !== undefined) reply.header('x-name', name)
    })
    app.get('/plain', { errorHandler: errorHandler() }, async () => {
      throw new Error('no')
    })
  }
  for (const errorHandler of [{}, { html: () => 'A page' }, { html: async () => 'A page' }]) {
    const app = await createApp(t, {
      service: { find: async () => [] },
      host,
      plugin: { errorHandler }
    })
    const url = await listen(app)
    for (const path of ['things', 'things/', 'things/1', 'nowhere', 'plain']) {
      const response = await fetch(`${url}/${path}?name=%E2%82%AC`, { headers: { accept: 'text/html' } })
      t.ok(response.status >= 400, path)
    }
    t.equal((await fetch(`${url}/things?name=a`)).headers.get('x-name'), 'a')
  }
})

import Fastify, { type FastifyInstance } from 'fastify'
import services, { notFound } from 'fastify-services'
import t from 'tap'
import { createHost, request } from '../support/host.js'
import { createRecorder, six } from '../support/recorder.js'
import { createApp, getJSON } from '../support/response-app.js'

const service = { get: async (id: string) => ({ id }) }
const body = (url: string, message = 'Page not found') => ({
  name: 'NotFound',
  message,
  code: 404,
  className: 'not-found',
  data: { url }
})

t.test('Unmatched routes: option `notFound` answers an error of kind NotFound with status 404', async (t) => {
  const app = await createApp(t, { service, plugin: { notFound: true } })
  const response = await getJSON(app, '/nothing/here?a=1')
  t.equal(response.statusCode, 404)
  t.match(response.headers['content-type'], 'application/json')
  t.strictSame(response.json(), body('/nothing/here?a=1'))
})

t.test('Default: not installed, the answer is that of the host', async (t) => {
  t.match((await getJSON(await createApp(t, { service }), '/nothing')).json(), { statusCode: 404, error: 'Not Found' })
  const host = await createApp(t, {
    service,
    host: (app) => {
      app.setNotFoundHandler((_request, reply) => reply.code(404).send({ mine: true }))
    }
  })
  t.strictSame((await getJSON(host, '/nothing')).json(), { mine: true })
  t.match((await getJSON(await createApp(t, { service, plugin: { notFound: false } }), '/nothing')).json(), {
    statusCode: 404
  })
})

t.test('with `verbose` the message is `Page not found: /url`', async (t) => {
  const app = await createApp(t, { service, plugin: { notFound: { verbose: true } } })
  t.strictSame((await getJSON(app, '/nothing?a=1')).json(), body('/nothing?a=1', 'Page not found: /nothing?a=1'))
  const quiet = await createApp(t, { service, plugin: { notFound: { verbose: false } } })
  t.strictSame((await getJSON(quiet, '/nothing')).json(), body('/nothing'))
})

t.test('HTML error page for a URL with `<script>` (verbose not-found): escaped', async (t) => {
  const app = await createApp(t, { service, plugin: { notFound: { verbose: true } } })
  const response = await app.inject({ url: '/<script>alert("1")</script>?q=\'&b', headers: { accept: 'text/html' } })
  t.equal(response.statusCode, 404)
  t.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  t.notMatch(response.body, '<script')
  t.notMatch(response.body, '"1"')
  t.match(response.body, 'Page not found: /')
})

t.test('the not-found handler takes `html`: a function, an object, `false`', async (t) => {
  const create = (html: Parameters<typeof notFound>[0]) => createApp(t, { service, plugin: { notFound: html ?? {} } })
  t.equal((await (await create({ html: (error) => `<p>${error.code}</p>` })).inject('/x')).body, '<p>404</p>')
  t.equal((await (await create({ html: { 404: () => '<p>lost</p>' } })).inject('/x')).body, '<p>lost</p>')
  t.strictSame(
    (await (await create({ html: false })).inject({ url: '/x', headers: { accept: 'text/html' } })).json(),
    body('/x')
  )
})

t.test('the not-found handler takes the options of `errorHandler`, its own come first', async (t) => {
  const seen: unknown[] = []
  const logger = { error: (error: unknown) => seen.push(error) }
  const app = await createApp(t, { service, plugin: { notFound: true, errorHandler: { html: false, logger } } })
  t.strictSame((await app.inject('/x')).json(), body('/x'))
  t.match(seen, [{ name: 'NotFound', code: 404 }])
  const withHandler = await createApp(t, {
    service,
    plugin: { notFound: { html: () => '<p>own</p>' }, errorHandler: { html: false } }
  })
  t.equal((await withHandler.inject('/x')).body, '<p>own</p>')
})

t.test('`/` in a browser: a page with the services, where the application has none', async (t) => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const create = async (options: object, host?: (app: FastifyInstance) => void) => {
    const app = await createApp(t, {
      service: { ...service, find: async () => [] },
      plugin: options,
      ...(host && { host })
    })
    app.service('rooms/:room/<b>', service)
    return app
  }
  for (const options of [{ notFound: true }, { notFound: true, errorHandler: { html: false } } as const]) {
    const app = await create(options)
    const { statusCode, headers, body: page } = await app.inject({ url: '/', headers: browser })
    t.match([statusCode, headers['content-type'], headers.vary], [404, 'text/html; charset=utf-8', 'Accept'])
    t.match(page, '<a href="/things">/things</a> <small>find, get</small>')
    t.match(page, '<li>/rooms/:room/&lt;b&gt; <small>get</small>', 'a placeholder is nothing to open')
    t.notMatch(page, '/explorer')
    t.strictSame((await getJSON(app, '/')).json(), body('/'), 'programs get what they get elsewhere')
    t.notMatch((await app.inject({ url: '/' })).body, '/things')
    t.notMatch((await app.inject({ url: '/other', headers: browser })).body, '/things')
  }
  const withExplorer = await create({ notFound: true }, (app) => void app.get('/explorer', async () => ''))
  t.match((await withExplorer.inject({ url: '/', headers: browser })).body, '<a href="/explorer">')
  const own = await create({ notFound: true }, (app) => void app.get('/', async () => 'own'))
  t.equal((await own.inject({ url: '/', headers: browser })).body, 'own')
  for (const notFound of [{ expose: false }, { html: () => 'custom' }])
    t.notMatch((await (await create({ notFound })).inject({ url: '/', headers: browser })).body, '/things')
})

t.test('the handler answers by itself: the error handler of the host is not asked', async (t) => {
  const app = await createApp(t, {
    service,
    plugin: { notFound: true },
    host: (app) => {
      app.setErrorHandler(() => ({ mine: true }))
    }
  })
  t.strictSame((await getJSON(app, '/x')).json(), body('/x'))
})

t.test('`app.setNotFoundHandler(notFound({ verbose: true }))`: by hand, without the plugin', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setNotFoundHandler(notFound({ verbose: true }))
  app.get('/here', async (_request, reply) => reply.callNotFound())
  t.strictSame((await getJSON(app, '/x')).json(), body('/x', 'Page not found: /x'))
  t.strictSame((await getJSON(app, '/here')).json(), body('/here', 'Page not found: /here'), 'and called by a route')
})

t.test('every verb that finds no route, HEAD without a body', async (t) => {
  const app = await createApp(t, { service, plugin: { notFound: true } })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const response = await app.inject({ method, url: '/x', headers: { accept: 'application/json' } })
    t.strictSame([response.statusCode, response.json()], [404, body('/x')], method)
  }
  const head = await app.inject({ method: 'HEAD', url: '/x' })
  t.strictSame([head.statusCode, head.body], [404, ''])
})

t.test('`/__proto__`, `/constructor`, `/toString` as a path: 404', async (t) => {
  const app = await createApp(t, { service, plugin: { notFound: true } })
  for (const url of ['/__proto__', '/constructor', '/toString']) {
    const response = await getJSON(app, url)
    t.strictSame([response.statusCode, response.json()], [404, body(url)])
  }
})

t.test('the not-found handler of an encapsulated context is its own', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(
    async (child) => {
      await child.register(services, { notFound: { html: false } })
      child.service('things', service as Required<typeof service>)
    },
    { prefix: '/v1' }
  )
  t.match((await app.inject('/v1/nothing')).json(), { name: 'NotFound', className: 'not-found' })
  t.match((await app.inject('/nothing')).json(), { statusCode: 404, error: 'Not Found' })
  t.strictSame((await app.inject('/v1/things/1')).json(), { id: '1' })
})

const verbs = { find: 'GET', get: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', remove: 'DELETE' } as const
const notAllowed = (method: string) => ({
  name: 'MethodNotAllowed',
  message: `Method \`${method}\` is not supported by this endpoint.`,
  code: 405,
  className: 'method-not-allowed'
})

t.test(
  'A registered path with a method that the service lacks is 405 with an `Allow` header and the message',
  async (t) => {
    const { app } = await createHost(t, {
      after: (app) => {
        for (const lacking of six)
          app.service(`no-${lacking}`, createRecorder(six.filter((name) => name !== lacking)).service)
      }
    })
    for (const lacking of six) {
      const url = `/no-${lacking}${lacking === 'find' || lacking === 'create' ? '' : '/1'}`
      const { status, headers, body } = await request(
        app,
        verbs[lacking],
        url,
        verbs[lacking] === 'GET' || lacking === 'remove' ? {} : { payload: {} }
      )
      t.strictSame([status, body], [405, notAllowed(lacking)], lacking)
      const allowed = `${headers.allow}`.split(', ')
      t.notOk(allowed.includes(verbs[lacking]), `Allow: ${headers.allow}`)
      const others = url.endsWith('/1')
        ? ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
        : ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']
      t.strictSame(
        allowed,
        others.filter(
          (verb) => verb !== verbs[lacking] && !(verbs[lacking] === 'GET' && ['HEAD', 'QUERY'].includes(verb))
        )
      )
    }
  }
)

t.test('(or does not expose): the option `methods`', async (t) => {
  const { service, calls } = createRecorder()
  const { app } = await createHost(t, {
    after: (app) => {
      app.service('shy', service, { methods: ['find'] })
    }
  })
  t.equal((await request(app, 'GET', '/shy')).status, 200)
  for (const [verb, url, method] of [
    ['GET', '/shy/1', 'get'],
    ['POST', '/shy', 'create'],
    ['PUT', '/shy/1', 'update'],
    ['PUT', '/shy', 'update'],
    ['PATCH', '/shy', 'patch'],
    ['DELETE', '/shy/1', 'remove'],
    ['DELETE', '/shy', 'remove']
  ] as const) {
    const { status, body } = await request(app, verb, url)
    t.strictSame([status, body], [405, notAllowed(method)], `${verb} ${url}`)
  }
  t.equal(calls.length, 1)
  await app.service<typeof service>('shy').get?.('1')
  t.equal(calls.length, 2, 'the server itself may call it')
})

t.test('the check comes before the body is looked at', async (t) => {
  const { app } = await createHost(t, {
    server: { bodyLimit: 100 },
    after: (app) => {
      app.service('words', { find: async () => [] })
    }
  })
  for (const [type, payload] of [
    ['application/json', '{'],
    ['text/plain', 'x'],
    ['application/json', ''],
    ['application/json', `"${'x'.repeat(200)}"`]
  ]) {
    for (const [verb, url] of [
      ['POST', '/words'],
      ['PUT', '/words/1'],
      ['PATCH', '/words'],
      ['POST', '/things/1']
    ] as const) {
      t.equal(
        (await request(app, verb, url, { headers: { 'content-type': type ?? '' }, payload: payload ?? '' })).status,
        405,
        `${verb} ${type}`
      )
    }
  }
})

t.test('OPTIONS and TRACE on a service, POST on `/path/id`: 405 with `Allow`', async (t) => {
  const { app, calls } = await createHost(t)
  for (const [verb, url, allow] of [
    ['OPTIONS', '/things', 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY'],
    ['TRACE', '/things', 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY'],
    ['OPTIONS', '/things/', 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY'],
    ['OPTIONS', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['TRACE', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/things/1', 'GET, HEAD, PUT, PATCH, DELETE']
  ] as const) {
    const { status, headers, body } = await request(app, verb, `${url}?a=1`)
    t.strictSame(
      [status, headers.allow, body],
      [405, allow, notAllowed(verb === 'POST' ? 'create' : verb)],
      `${verb} ${url}`
    )
  }
  t.strictSame(calls, [])
})

t.test('405 for the path in all its spellings that the router takes', async (t) => {
  const { app } = await createHost(t, {
    after: (app) => {
      for (const path of ['words', 'día', 'two words', 'a.b', 'in/:lang/words'])
        app.service(path, { find: async () => [] })
    }
  })
  for (const url of [
    '/words',
    '/words/',
    '/w%6Frds',
    '/words?a=/b',
    '/words#a',
    '/d%C3%ADa',
    '/d%c3%ada',
    '/two%20words',
    '/a.b',
    '/in/de/words',
    '/in/a%2Fb/words'
  ]) {
    t.equal((await request(app, 'GET', url)).status, 200, `GET ${url}`)
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, `POST ${url}`)
  }
  for (const url of ['/aXb', '/wordsx', '/words/1/2', '/in/words'])
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 404, url)
})

t.test('405 where the host reads paths in its own way', async (t) => {
  for (const [server, url] of [
    [{ routerOptions: { ignoreTrailingSlash: true } }, '/words/'],
    [{ routerOptions: { ignoreDuplicateSlashes: true } }, '//words'],
    [{ routerOptions: { caseSensitive: false } }, '/WORDS'],
    [{ caseSensitive: false }, '/Words'],
    [{ useSemicolonDelimiter: true }, '/words;a=1'],
    [{ rewriteUrl: ({ url = '' }) => url.replace('/api', '') }, '/api/words']
  ] as [NonNullable<Parameters<typeof createHost>[1]>['server'], string][]) {
    const { app } = await createHost(t, {
      server: server ?? {},
      after: (app) => {
        app.service('words', { find: async () => [] })
      }
    })
    t.equal((await request(app, 'GET', url)).status, 200, `GET ${url}`)
    t.equal((await request(app, 'POST', url, { payload: {} })).status, 405, `POST ${url}`)
  }
})

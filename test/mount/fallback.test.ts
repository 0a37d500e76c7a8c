import { feathers } from '@feathersjs/feathers'
import type { FastifyInstance } from 'fastify'
import { NotFound } from 'fastify-services'
import authentication, { authenticate as guard } from 'fastify-services/authentication'
import mounted, { applicationOf } from 'fastify-services/feathers'
import t from 'tap'
import events from '../../lib/events/index.js'
import { request } from '../support/host.js'
import { createMounted, createWarnings, mirror } from '../support/mounted-app.js'
import { frameworks, onKoa } from '../support/mounted-frameworks.js'

const fallback = true

/** Hooks as plugins add them: some come with a request, some with an answer. */
function addHeaders(app: FastifyInstance) {
  app.addHook('onRequest', async (_request, reply) => void reply.header('x-request', 'a').header('vary', 'Origin'))
  app.addHook('onSend', async (_request, reply) => void reply.header('x-answer', 'b'))
}

for (const framework of frameworks) {
  const { name, create, middleware, around } = framework
  const page = middleware('page', ({ path, body, raw }) => {
    if (path === '/page') return { page: raw.method, body: body ?? null }
    if (path === '/broken') throw new Error('of the page')
    return undefined
  })

  t.test(`${name}: what no route takes is answered by the application itself`, async (t) => {
    const theirs = create({ build: (theirs) => theirs.use('things', mirror), after: [page] })
    const app = await createMounted(t, theirs, { fallback, after: addHeaders })
    t.match(await request(app, 'GET', '/page?a=1'), { status: 200, body: { page: 'GET' } })
    const { status, body, headers } = await request(app, 'POST', '/page', { payload: { a: 1 } })
    t.match(
      { status, body },
      { status: 200, body: { page: 'POST', body: { a: 1 } } },
      'with its body, which nobody else reads'
    )
    t.match(headers, { 'x-request': 'a', 'x-answer': 'b', vary: /Origin/, 'content-type': /^application\/json/ })
    t.match(await request(app, 'HEAD', '/page'), { status: 200, body: '', headers: { 'x-request': 'a' } })
    const failed = await request(app, 'GET', '/broken')
    t.match(failed, { status: 500, headers: { 'x-request': 'a', 'x-answer': 'b' } })
    t.match(await request(app, 'GET', '/nothing'), { status: 404, headers: { 'x-answer': 'b' }, body: { code: 404 } })
    t.match(await request(app, 'GET', '/things'), { status: 200, headers: { 'x-request': 'a', 'x-answer': 'b' } })
  })

  t.test(`${name}: errors of services of ours keep their status and fields where it answers for them`, async (t) => {
    let find: () => unknown
    const ask = { find: async () => find() }
    const moved = middleware('moved', ({ path }) => (path === '/page' ? find() : undefined))
    const build = (theirs: Parameters<typeof around>[0]) => {
      theirs.use('plain', ask)
      around(theirs, 'tagged', ask, [middleware('tag', () => undefined)])
    }
    const app = await createMounted(t, create({ build, after: [moved] }), { fallback })
    app.service('moved', { get: async (id: string) => Promise.reject(new NotFound('It has gone', { id })) })
    find = () => app.service('moved').get('a')
    const { body } = await request(app, 'GET', '/plain')
    t.match(body, { code: 404, message: 'It has gone', data: { id: 'a' } })
    for (const path of ['/tagged', '/page']) t.match(await request(app, 'GET', path), { status: 404, body })
    find = () => {
      throw new Error('anything else')
    }
    t.match(await request(app, 'GET', '/tagged'), { status: 500, body: { message: 'anything else' } })
  })

  t.test(`${name}: events of a service that it answers itself can't be sent`, async (t) => {
    const tag = middleware('tag', ({ feathers }) => void Object.assign(feathers, { tag: 'a' }))
    const app = await createMounted(t, create({ build: (theirs) => around(theirs, 'tagged', mirror, [tag]) }), {
      fallback,
      after: (app) => app.register(events, { services: { tagged: true } })
    })
    await t.rejects(async () => app.ready(), {
      message: /can't send events of 'tagged': .+ answers its requests itself/
    })
  })

  t.test(
    `${name}: a service with middleware of its own is answered by it as a whole, and is told at the start`,
    async (t) => {
      const tag = middleware('tag', ({ feathers }) => void Object.assign(feathers, { tag: 'a' }))
      const count = middleware('count', ({ header }) => header('x-count', '1'))
      const lines: string[] = []
      const logger = { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line).msg) } }
      const theirs = create({
        build(theirs) {
          theirs.use('things', mirror)
          around(theirs, 'tagged', mirror, [tag])
          around(theirs, 'counted/:by', mirror, [], [count])
        }
      })
      const app = await createMounted(t, theirs, { fallback, server: { logger } })
      const created: unknown[] = []
      app.service('tagged').on('created', (record) => created.push((record as { data: unknown }).data))
      t.match(await request(app, 'GET', '/tagged?a=1'), {
        status: 200,
        body: { tag: 'a', query: { a: '1' }, provider: 'rest' }
      })
      t.match(await request(app, 'GET', '/tagged/1'), { body: { id: '1', tag: 'a' } })
      t.match(await request(app, 'GET', `/tagged/${'x'.repeat(200)}`), { status: 200 }, 'ids of any length')
      t.match(await request(app, 'POST', '/tagged', { payload: { b: 1 } }), {
        status: 201,
        body: { data: { b: 1 }, tag: 'a' }
      })
      t.match(await request(app, 'DELETE', '/tagged'), { status: 405 })
      t.match(await request(app, 'GET', '/counted/x'), { headers: { 'x-count': '1' }, body: { route: { by: 'x' } } })
      t.notOk('tag' in (await request(app, 'GET', '/things')).body)
      t.match(await app.service<typeof mirror>('tagged').find({}), {}, 'calls in the server go to the service')
      t.same(created, [{ b: 1 }])
      t.same(
        lines.filter((line) => line.includes('answers services')),
        [
          `${name} answers services of the Feathers application: 'tagged' (middleware: tag), 'counted/:by' (middleware: count)`
        ]
      )
    }
  )

  t.test(
    `${name}: middleware before all services has it answer all of them, one for some URLs those at them`,
    async (t) => {
      const wall = middleware('wall', ({ raw }) => (raw.headers['x-pass'] ? undefined : { stopped: true }))
      const build = (theirs: Parameters<typeof around>[0]) => {
        theirs.use('things', mirror)
        theirs.use('docs', mirror)
      }
      const app = await createMounted(t, create({ before: [wall], build }), { fallback })
      for (const url of ['/things', '/docs/1', '/none'])
        t.same((await request(app, 'GET', url)).body, { stopped: true }, url)
      t.match(await request(app, 'GET', '/things', { headers: { 'x-pass': '1' } }), { body: { provider: 'rest' } })
      const ignoring = await createMounted(t, create({ before: [wall], build }), { fallback, ignoreMiddleware: true })
      t.match(await request(ignoring, 'GET', '/things'), { body: { provider: 'rest' } }, 'unless it is no concern')
      t.same((await request(ignoring, 'GET', '/none')).body, { stopped: true })
    }
  )

  t.test(`${name}: however its URL is spelt, it does not answer a service that Fastify answers`, async (t) => {
    const build = (theirs: Parameters<typeof around>[0]) => {
      theirs.use('things', { ...mirror, remove: async (id: unknown) => ({ removed: id }) })
      around(theirs, 'tagged', mirror, [middleware('tag', () => undefined)])
    }
    const app = await createMounted(t, create({ build, after: [page] }), { fallback })
    for (const url of [
      '/things/',
      '/things//',
      '///things',
      '/things/1/',
      '/things//1',
      'http://localhost/things//',
      '/tagged/../things/'
    ])
      t.ok([400, 404].includes((await request(app, 'DELETE', url)).status), url)
    await app.listen({ port: 0 })
    const { Socket } = await import('node:net')
    for (const url of ['/things/#', '/x\\things', '/things/1/?#', 'http://h/things/1/', '/tagged/#/../../things']) {
      const socket = new Socket().connect((app.server.address() as { port: number }).port)
      socket.end(`DELETE ${url} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
      const answer = Buffer.concat(await socket.toArray()).toString()
      t.notMatch(answer, /removed/, url)
      t.match(answer, /^HTTP\/1\.1 40/, url)
    }
  })

  t.test(`${name}: guards of Fastify stand before all that it answers`, async (t) => {
    const tag = middleware('tag', () => undefined)
    for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
      const theirs = create({
        build(theirs) {
          theirs.use('things', mirror)
          around(theirs, 'tagged', mirror, [tag])
        },
        after: [page]
      })
      const app = await createMounted(t, theirs, { fallback })
      app.addHook(hook as 'onRequest', async ({ headers }) => {
        if (headers['x-key'] !== 'good') throw Object.assign(new Error('No key'), { statusCode: 401 })
      })
      for (const [method, url] of [
        ['GET', '/things'],
        ['GET', '/tagged'],
        ['POST', '/tagged'],
        ['POST', '/page'],
        ['GET', '/none']
      ] as const) {
        const payload = method === 'POST' ? { payload: { a: 1 } } : {}
        t.equal((await request(app, method, url, payload)).status, 401, `${hook} ${method} ${url}`)
        const { status } = await request(app, method, url, { ...payload, headers: { 'x-key': 'good' } })
        t.not(status, 401, `${hook} ${method} ${url} with a key`)
      }
    }
  })

  t.test(`${name}: routes of Fastify come first, whenever they were added`, async (t) => {
    const app = await createMounted(t, create({ after: [page] }), {
      fallback,
      plugin: { notFound: true },
      after(app) {
        app.get('/page', () => 'ours')
        app.get('/files/*', (_request, reply) => reply.callNotFound())
        app.options('*', () => 'options')
      }
    })
    t.equal((await request(app, 'GET', '/page')).body, 'ours')
    t.match(await request(app, 'POST', '/page', { payload: {} }), { body: { page: 'POST' } })
    t.equal((await request(app, 'OPTIONS', '/page')).body, 'options')
    t.match(await request(app, 'GET', '/files/a'), { status: 404, body: { message: 'Page not found' } })
  })

  for (const url of ['*', '/*'])
    t.test(`${name}: a route of Fastify for ${url} may be there before`, async (t) => {
      const { default: Fastify } = await import('fastify')
      const { default: services } = await import('fastify-services')
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      app.get(url, () => 'ours').options(url, () => 'options')
      await app.register(mounted, { app: create({ after: [page] }), fallback })
      t.equal((await request(app, 'GET', '/page')).body, 'ours')
      t.equal((await request(app, 'OPTIONS', '/page')).body, 'options')
      t.match(await request(app, 'POST', '/page', { payload: {} }), { body: { page: 'POST' } })
    })

  t.test(`${name}: what hooks of onSend do to an answer that is to come`, async (t) => {
    const theirs = create({
      build: (theirs) => around(theirs, 'tagged', mirror, [middleware('tag', () => undefined)]),
      after: [page]
    })
    const { default: Fastify } = await import('fastify')
    const { default: services } = await import('fastify-services')
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    app.setErrorHandler((_error, _request, reply) => reply.redirect('/login'))
    await app.register(services)
    await app.register(mounted, { app: theirs, fallback })
    const failed = new WeakSet<object>()
    app.addHook('onSend', async (asked, reply, payload) => {
      if (asked.headers['x-fail'] && !failed.has(asked)) {
        failed.add(asked)
        throw new Error('No session')
      }
      if (asked.headers['x-header']) reply.header('x-header', 'a\r\nb')
      return payload ?? null
    })
    for (const url of ['/page', '/tagged']) {
      t.match(
        await request(app, 'POST', url, { payload: {} }),
        { status: url === '/page' ? 200 : 201 },
        'null is no body'
      )
      const { status } = await request(app, 'POST', url, { payload: {}, headers: { 'x-fail': '1' } })
      t.equal(status, url === '/page' ? 302 : 500, `${url}: one that fails is answered by Fastify`)
    }
    await app.listen({ port: 0 })
    const { port } = app.server.address() as { port: number }
    const { status } = await fetch(`http://localhost:${port}/page`, { headers: { 'x-header': '1' } })
    t.equal(status, 500, 'a header that can not be sent')
    t.equal((await fetch(`http://localhost:${port}/page`)).status, 200)
  })

  t.test(`${name}: names of prototypes are no services`, async (t) => {
    const app = await createMounted(t, create({ build: (theirs) => theirs.use('things', mirror) }), { fallback })
    for (const url of ['/__proto__', '/constructor/', '/toString/1/', '/things/__proto__/'])
      t.equal((await request(app, 'GET', url)).status, 404, url)
  })

  t.test(`${name}: a service that was refused is not answered by it`, async (t) => {
    const theirs = create()
    const app = await createMounted(t, theirs, { fallback, after: (app) => app.service('things', { find: () => [] }) })
    t.throws(() => theirs.use('things', mirror), { message: /can't be mounted/ })
    t.equal((await request(app, 'GET', '/things/1/')).status, 404)
  })

  t.test(`${name}: a service that comes when the server listens is answered by it`, async (t) => {
    const theirs = create({ build: (theirs) => theirs.use('rooms/:room/things', mirror).use('shelves/:shelf', mirror) })
    const app = await createMounted(t, theirs, { fallback })
    t.equal((await request(app, 'GET', '/late')).status, 404)
    theirs.use('late', mirror)
    t.match(await request(app, 'GET', '/late/1'), { status: 200, body: { id: '1', provider: 'rest' } })
    for (const path of ['rooms/blue/things', 'shelves'])
      t.throws(() => theirs.use(path, mirror), { message: /comes too late.* another service takes its URLs/ })
  })

  t.test(`${name}: a service that replaces one that it answers is answered by it`, async (t) => {
    const tag = middleware('tag', ({ feathers }) => void Object.assign(feathers, { tag: 'a' }))
    const theirs = create({ build: (theirs) => around(theirs, 'tagged', mirror, [tag]) })
    const replaceBy = (answer: string) => {
      theirs.unuse('tagged')
      theirs.use('tagged', { find: async () => answer.split('') })
    }
    const app = await createMounted(t, theirs, { fallback, after: () => replaceBy('first') })
    t.same((await request(app, 'GET', '/tagged')).body, ['f', 'i', 'r', 's', 't'])
    replaceBy('last')
    t.same((await request(app, 'GET', '/tagged')).body, ['l', 'a', 's', 't'])
    t.equal((await request(app, 'POST', '/tagged', { payload: {} })).status, 405)
    theirs.unuse('tagged')
    t.equal((await request(app, 'GET', '/tagged')).status, 404)
  })

  t.test(`${name}: under a prefix`, async (t) => {
    const { default: Fastify } = await import('fastify')
    const { default: services } = await import('fastify-services')
    const home = middleware('home', ({ path, raw }) => (path === '/' ? { home: raw.url } : undefined))
    for (const [prefix, base] of [
      ['/v1', '/v1'],
      ['/:tenant/v1', '/x/v1']
    ] as const) {
      const theirs = create({
        build: (theirs) => around(theirs, 'tagged', mirror, [middleware('tag', () => undefined)]),
        after: [page, home]
      })
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services, { errorHandler: { html: false, logger: false } })
      await app.register(async (inner) => inner.register(mounted, { app: theirs, fallback }), { prefix })
      t.match(await request(app, 'POST', `${base}/page?a`, { payload: { a: 1 } }), {
        body: { page: 'POST', body: { a: 1 } }
      })
      t.match(await request(app, 'GET', `${base}/tagged/1`), { body: { id: '1' } })
      t.match((await request(app, 'GET', `${base}?a=1`)).body, { home: '/?a=1' })
      t.match((await request(app, 'GET', `${base}/`)).body, { home: '/' })
      t.match((await request(app, 'GET', '/page')).status, 404)
    }
  })

  t.test(`${name}: the server closes when what it answers is done`, async (t) => {
    let finish = () => {}
    const slow = middleware('slow', async ({ path }) => {
      if (path !== '/slow') return undefined
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return { slow: true }
    })
    const app = await createMounted(t, create({ after: [slow] }), {
      fallback,
      server: { forceCloseConnections: 'idle' }
    })
    const base = await app.listen({ port: 0 })
    const answer = fetch(`${base}/slow`)
    while (String(finish) === '() => { }' || String(finish) === '() => {}') await new Promise(setImmediate)
    const closed = app.close()
    finish()
    t.same(await (await answer).json(), { slow: true })
    await closed
  })

  t.test(`${name}: a body that a hook has replaced is not handed on`, async (t) => {
    const { Readable } = await import('node:stream')
    const app = await createMounted(t, create({ after: [page] }), {
      fallback,
      plugin: { errorHandler: { html: false, logger: false } }
    })
    app.addHook('preParsing', async () => Readable.from(['{"a":2}']))
    t.match(await request(app, 'POST', '/page', { payload: { a: 1 } }), {
      status: 500,
      body: { message: /preParsing hook has replaced/ }
    })
  })

  t.test(`${name}: an answer that fails on the way there is one of Fastify`, async (t) => {
    const app = await createMounted(t, create({ after: [page] }), { fallback })
    app.addHook('onSend', async ({ headers }, reply) => {
      if (headers['x-fail'] && !reply.raw.headersSent && reply.statusCode < 400)
        throw Object.assign(new Error('in onSend'), { statusCode: 503 })
    })
    t.equal((await request(app, 'GET', '/page', { headers: { 'x-fail': '1' } })).status, 503)
    t.equal((await request(app, 'GET', '/page')).status, 200)
  })

  t.test(`${name}: what stops the start`, async (t) => {
    const tag = middleware('tag', () => undefined)
    const hooks = { around: { all: [async (_context: object, next: () => Promise<void>) => next()] } }
    const hooked = await createMounted(t, create(), { fallback, plugin: { hooks } })
    await t.rejects(async () => hooked.ready(), {
      message: /may call services .* hooks of all services would not run there, .* by theirs\.hooks\(\)/
    })
    const late = create({ build: (theirs) => theirs.use('things', mirror) })
    const { logger } = createWarnings()
    const app = await createMounted(t, late, { fallback, server: { logger } })
    if (name === 'Koa') {
      const stack = (late as unknown as { middleware: unknown[] }).middleware
      stack.splice(1, 0, tag)
      await t.rejects(async () => app.ready(), { message: /has got middleware after it was mounted: tag/ })
    } else await app.ready()
  })
}

t.test('an application without a framework has nothing to answer with', async (t) => {
  await t.rejects(createMounted(t, feathers(), { fallback }), { message: /`fallback` .* needs an application of koa/ })
})

t.test('services of OAuth are answered by the framework, whatever is ignored of its middleware', async (t) => {
  for (const ignoreMiddleware of [false, true]) {
    const find = async (params: { session?: unknown }) => ({ session: params.session })
    const oauth = { grant: find, handler: find, find } as object
    const theirs = onKoa.create({
      build(theirs) {
        const session = onKoa.middleware('session', ({ feathers }) => void Object.assign(feathers, { session: 'a' }))
        onKoa.around(theirs, 'oauth/:provider', oauth, [session])
        onKoa.around(theirs, 'oauth/:provider/callback', { service: oauth, find } as object, [session])
      }
    })
    const { warnings, logger } = createWarnings()
    const app = await createMounted(t, theirs, { fallback, ignoreMiddleware, server: { logger } })
    for (const url of ['/oauth/github', '/oauth/github/callback'])
      t.match(await request(app, 'GET', url), { status: 200, body: { session: 'a' } }, url)
    t.same(warnings, [])
  }
})

t.test('headers of Fastify stay where Koa removes those of an answer that fails', async (t) => {
  const { koa } = await import('@feathersjs/koa')
  const theirs = koa(feathers())
  theirs.silent = true
  theirs.use(async (context) => {
    context.set('x-of-koa', 'a')
    throw new Error('of Koa')
  })
  const app = await createMounted(t, theirs as never, { fallback, after: addHeaders })
  const { status, headers } = await request(app, 'GET', '/page')
  t.match({ status, headers }, { status: 500, headers: { 'x-request': 'a', 'x-answer': 'b', vary: 'Origin' } })
  t.notOk('x-of-koa' in headers)
})

t.test('what a hook says of a body that Fastify has not made is not on the answer', async (t) => {
  const after = (app: FastifyInstance) =>
    app.addHook(
      'onRequest',
      async (_request, reply) => void reply.header('content-type', 'text/css').header('content-length', 1)
    )
  const page = onKoa.middleware('page', () => ({ page: true }))
  const app = await createMounted(t, onKoa.create({ after: [page] }), { fallback, after })
  t.match(await request(app, 'GET', '/page'), { status: 200, body: { page: true } })
})

for (const framework of frameworks)
  t.test(
    `${framework.name}: what hooks of Fastify say of a call is in its params, but for who our guards let in`,
    async (t) => {
      const tag = framework.middleware('tag', () => undefined)
      const build = (theirs: Parameters<typeof framework.around>[0]) => {
        theirs.use('things', mirror)
        framework.around(theirs, 'tagged', mirror, [tag])
      }
      const ours = {
        parse: () => ({}),
        authenticate: async () => ({ user: { id: 1 }, role: 'a', authentication: { strategy: 'ours' } })
      }
      const after = async (app: FastifyInstance) => {
        const secret = 'y'.repeat(32)
        await app.register(authentication, { secret, entity: null, path: 'login', strategies: { ours } as never })
        app.addHook(
          'onRequest',
          async (request) => void Object.assign(request.feathers, { tenant: 'b', provider: 'x' })
        )
        app.addHook('preHandler', guard('ours'))
      }
      const app = await createMounted(t, framework.create({ build }), { fallback, after })
      for (const url of ['/things', '/tagged']) {
        const { headers: _, ...params } = (await request(app, 'GET', url)).body
        t.strictSame(params, { query: {}, route: {}, tenant: 'b', provider: 'rest' }, url)
      }
    }
  )

t.test('two applications can not answer the rest of the same URLs', async (t) => {
  const app = await createMounted(t, onKoa.create(), { fallback })
  await t.rejects(async () => app.register(mounted, { app: onKoa.create(), fallback }), {
    message: /Another application answers already/
  })
  const root = await createMounted(
    t,
    onKoa.create({ build: (theirs) => onKoa.around(theirs, '/', mirror, [onKoa.middleware('tag', () => undefined)]) }),
    { fallback }
  )
  t.match(await request(root, 'GET', '/'), { status: 200, body: { provider: 'rest' } })
  t.match(await request(root, 'GET', '/1'), { status: 200, body: { id: '1' } })
})

t.test('hooks for all services that come after the start are refused, since Koa would not run them', async (t) => {
  const app = await createMounted(t, onKoa.create(), { fallback })
  await app.ready()
  const hooks = { before: { all: [async () => {}] } }
  t.throws(() => applicationOf(app).hooks(hooks as never), { message: /would not run .* another framework/ })
})

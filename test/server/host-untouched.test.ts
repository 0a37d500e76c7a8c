import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { createRecorder } from '../support/recorder.js'

type Host = (app: FastifyInstance) => unknown

const plain: Host = (app) => {
  app.get('/own', async ({ query }) => ({ query }))
  app.post('/own', async ({ body }) => ({ body: body ?? null }))
  app.put('/own/:id', async ({ params, body }) => ({ params, body: body ?? null }))
  app.get('/fails', async () => {
    throw Object.assign(new Error('broken'), { statusCode: 418 })
  })
  app.get('/throws', async () => {
    throw null
  })
  app.get('/text', async () => 'text')
  app.get('/number', async (_request, reply) => reply.send({ n: 1 }))
  app.post(
    '/valid',
    { schema: { body: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } } },
    async ({ body }) => body
  )
}

const ownHost: Host = (app) => {
  app.setErrorHandler((error: Error, request, reply) => {
    reply.code(499).send(`mine: ${error?.message} ${request.url}`)
  })
  app.setNotFoundHandler((request, reply) => {
    reply.code(404).header('x-mine', '1').send(`no ${request.method} ${request.url}`)
  })
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { json: body })
  })
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { plain: body })
  })
  app.addContentTypeParser(['application/xml', 'text/xml'], { parseAs: 'string' }, (_request, body, done) => {
    done(null, { xml: body })
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { form: body })
  })
  plain(app)
}

const wildcard: Host = (app) => {
  plain(app)
  app.get('/*', async ({ url }) => `any ${url}`)
  app.post('/files/*', async ({ params }) => params)
}

const child: Host = (app) => {
  plain(app)
  app.register(
    async (child) => {
      child.setNotFoundHandler((_request, reply) => {
        reply.code(404).send('child')
      })
      child.setErrorHandler((_error, _request, reply) => {
        reply.code(500).send('child error')
      })
      child.get('/fails', async () => {
        throw new Error('x')
      })
    },
    { prefix: '/child' }
  )
}

const bodies: [type: string | undefined, payload: string][] = [
  ['application/json', '{"a":"1"}'],
  ['application/json', '{'],
  ['application/json', ''],
  ['application/json', '{"__proto__":{}}'],
  ['application/json', 'null'],
  ['text/plain', 'words'],
  ['application/x-www-form-urlencoded', 'a[b]=1'],
  ['application/xml', '<a/>'],
  ['nonsense', 'x'],
  [undefined, 'x']
]

const requests: InjectOptions[] = [
  ...[
    '/own?a[b]=1&c=1&c=2',
    '/fails',
    '/throws',
    '/text',
    '/number',
    '/nowhere',
    '/nowhere?a=1',
    '/',
    '/own/',
    '/own/1',
    '/child/x',
    '/child/fails',
    '/things/1/2',
    '/%zz',
    '/a%2Fb'
  ].flatMap((url) => (['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const).map((method) => ({ method, url }))),
  ...['/own', '/valid', '/nowhere', '/files/a/b'].flatMap((url) =>
    bodies.map(([type, payload]) => ({
      method: 'POST' as const,
      url,
      payload,
      headers: type === undefined ? {} : { 'content-type': type }
    }))
  ),
  { url: '/nowhere', headers: { accept: 'text/html' } },
  { method: 'POST', url: '/own', headers: { 'x-service-method': 'archive' }, payload: { a: 1 } },
  { method: 'PUT', url: '/own/a%20b', payload: { a: 1 } }
]

for (const [name, host] of Object.entries({ plain, own: ownHost, wildcard, child })) {
  t.test(
    `the host's own 404, error and body parsing are byte for byte as without the plugin (${name} host)`,
    async (t) => {
      const [without, before, after] = [Fastify(), Fastify(), Fastify()]
      for (const app of [without, before, after]) t.teardown(() => app.close())
      const register = async (app: FastifyInstance) => {
        await app.register(services, { query: { arrayLimit: 100 }, errorHandler: { html: false } })
        app.service('things', createRecorder().service)
        app.service('in/:lang/words', createRecorder(['find', 'archive']).service, { methods: ['find', 'archive'] })
      }
      host(without)
      host(before)
      await register(before)
      await register(after)
      host(after)
      for (const options of requests) {
        const answers = await Promise.all(
          [without, before, after].map(async (app) => {
            const {
              statusCode,
              rawPayload,
              headers: { date: _, ...headers }
            } = await app.inject(options)
            return { statusCode, headers, body: rawPayload.toString('latin1') }
          })
        )
        const title = `${options.method ?? 'GET'} ${options.url} ${JSON.stringify(options.headers ?? {})} ${options.payload ?? ''}`
        t.strictSame(answers[1], answers[0], `${title}, host first`)
        t.strictSame(answers[2], answers[0], `${title}, plugin first`)
      }
      for (const app of [before, after]) {
        t.equal(
          (await app.inject({ method: 'POST', url: '/things', payload: { a: 1 } })).json().args[0].a,
          1,
          'the service has its own parsers'
        )
        t.strictSame((await app.inject('/things?a[b]=1')).json().query, { a: { b: '1' } })
      }
    }
  )
}

t.test(
  'the error handler and the parsers of the host are not those of a service, and the other way round',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    ownHost(app)
    await app.register(services)
    app.service('things', {
      get: async () => {
        throw new Error('broken')
      },
      create: async (data: unknown) => data
    })
    const accept = 'application/json'
    t.match((await app.inject({ url: '/things/1', headers: { accept } })).json(), { name: 'GeneralError', code: 500 })
    t.equal((await app.inject('/fails')).body, 'mine: broken /fails')
    t.strictSame((await app.inject({ method: 'POST', url: '/things', payload: { a: 1 } })).json(), { a: 1 })
    t.strictSame((await app.inject({ method: 'POST', url: '/own', payload: { a: 1 } })).json(), {
      body: { json: '{"a":1}' }
    })
  }
)

t.test('the routes of the host keep their constraints, also where a service is beside them', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('own', { get: async (id: string) => ({ id }) })
  app.get('/other', async () => 'mine')
  t.ok(app.hasRoute({ method: 'GET', url: '/other' }), 'found without a constraint')
})

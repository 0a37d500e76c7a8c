import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

interface Params {
  query: unknown
  provider: string
  user?: string
}

const service = {
  get: async (id: string, params: Params) => ({ id, user: params.user }),
  create: async (data: unknown) => ({ data })
}

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  return app
}

const form = {
  method: 'POST',
  url: '/things',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: 'a[b]=1&c[]=2&c[]=3'
} as const
const json = { method: 'POST', url: '/things', payload: { a: { b: 1 } } } as const

t.test(
  'Body parsing: the plugin brings a JSON body parser and a URL-encoded body parser (extended mode on)',
  async (t) => {
    const app = await create(t)
    await app.register(services)
    app.service('things', service)
    t.strictSame((await app.inject(json)).json(), { data: { a: { b: 1 } } })
    t.strictSame((await app.inject(form)).json(), { data: { a: { b: '1' }, c: ['2', '3'] } })
  }
)

t.test('Body parsing: the parsers of the host stay as they were', async (t) => {
  const app = await create(t)
  await app.register(formbody)
  await app.register(services)
  app.service('things', service)
  app.post('/own', async (request) => ({ own: request.body }))
  t.strictSame((await app.inject({ ...form, url: '/own' })).json(), { own: { 'a[b]': '1', 'c[]': ['2', '3'] } })
  t.strictSame((await app.inject(form)).json(), { data: { a: { b: '1' }, c: ['2', '3'] } })
  t.strictSame(
    (
      await app.inject({ method: 'POST', url: '/own', headers: { 'content-type': 'text/plain' }, payload: 'hi' })
    ).json(),
    { own: 'hi' }
  )
})

for (const method of ['create', 'update', 'patch'] as const) {
  t.test(
    `Body parsers: without a body ${method} fails with the message \`No data provided\`, or \`… parameter for '${method}' must be an object\``,
    async (t) => {
      const app = await create(t)
      await app.register(services)
      app.service('things', { [method]: async () => ({}) })
      const verb = { create: 'POST', update: 'PUT', patch: 'PATCH' } as const
      const url = method === 'create' ? '/things' : '/things/1'
      const headers = { accept: 'application/json' }
      t.strictSame((await app.inject({ method: verb[method], url, headers })).json(), {
        name: 'BadRequest',
        message: 'No data provided',
        code: 400,
        className: 'bad-request'
      })
      const text = await app.inject({
        method: verb[method],
        url,
        payload: '"text"',
        headers: { 'content-type': 'application/json' }
      })
      t.match(text.json(), {
        message: `${method === 'create' ? 'First' : 'Second'} parameter for '${method}' must be an object`,
        code: 400
      })
    }
  )
}

t.test('Transport registration: configured once, for services that are registered anywhere below', async (t) => {
  const app = await create(t)
  await app.register(services)
  app.service('things', service)
  app.register(
    async (child) => {
      child.service('deep', service)
    },
    { prefix: '/v1' }
  )
  t.strictSame((await app.inject('/things/1')).json(), { id: '1' })
  t.strictSame((await app.inject('/v1/deep/1')).json(), { id: '1' })
})

t.test('Middleware order: hooks of the host that set service params run before the service, in order', async (t) => {
  const app = await create(t)
  const order: string[] = []
  await app.register(services)
  app.addHook('onRequest', async (request) => {
    order.push('onRequest')
    request.feathers.user = 'bob'
  })
  app.addHook('preHandler', async (request) => {
    order.push('preHandler')
    request.feathers = { user: `${request.feathers.user}!` }
  })
  app.service('things', service, {
    before: async (request) => {
      order.push(`before: ${request.feathers.user}`)
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: '1', user: 'bob!' })
  t.strictSame(order, ['onRequest', 'preHandler', 'before: bob!'])
})

t.test('Middleware order: a hook of the host that answers by itself keeps the service from being called', async (t) => {
  const app = await create(t)
  let calls = 0
  app.addHook('onRequest', async (_request, reply) => reply.code(401).send({ mine: true }))
  await app.register(services)
  app.service('things', {
    get: async () => {
      calls++
    }
  })
  const response = await app.inject('/things/1')
  t.strictSame([response.statusCode, response.json(), calls], [401, { mine: true }, 0])
})

t.test(
  'Middleware order: `onSend`, `preSerialization` and `onResponse` hooks of the host run for services too',
  async (t) => {
    const app = await create(t)
    const order: string[] = []
    app.addHook('preSerialization', async (_request, _reply, payload) => {
      order.push('preSerialization')
      return { wrapped: payload }
    })
    app.addHook('onSend', async (_request, reply) => {
      order.push('onSend')
      reply.header('x-host', 'yes')
    })
    app.addHook('onResponse', async () => {
      order.push('onResponse')
    })
    await app.register(services)
    app.service('things', service)
    const response = await app.inject('/things/1')
    t.strictSame(response.json(), { wrapped: { id: '1' } })
    t.equal(response.headers['x-host'], 'yes')
    await new Promise(setImmediate)
    t.strictSame(order, ['preSerialization', 'onSend', 'onResponse'])
  }
)

t.test('Sub-applications: two versions of a service under `/v1` and `/v2` in one app', async (t) => {
  const app = await create(t)
  await app.register(services)
  for (const version of ['v1', 'v2']) {
    app.register(
      async (child) => {
        child.addHook('onRequest', async (request) => {
          request.feathers.user = version
        })
        child.service('things', service)
        child.get('/lookup', async () =>
          child.service<typeof service>('things').get('1', { query: {}, provider: '', user: `own ${version}` })
        )
      },
      { prefix: `/${version}` }
    )
  }
  t.strictSame((await app.inject('/v1/things/1')).json(), { id: '1', user: 'v1' })
  t.strictSame((await app.inject('/v2/things/1')).json(), { id: '1', user: 'v2' })
  t.strictSame((await app.inject('/v2/lookup')).json(), { id: '1', user: 'own v2' })
  t.equal((await app.inject('/things/1')).statusCode, 404)
})

t.test(
  'Unmatched routes: the host has not-found and error handlers of its own, services answer for themselves',
  async (t) => {
    const app = await create(t)
    app.setNotFoundHandler((_request, reply) => reply.code(404).send({ lost: true }))
    app.setErrorHandler((_error, _request, reply) => reply.code(500).send({ mine: true }))
    await app.register(services)
    app.service('things', {
      get: async () => {
        throw new Error('broken')
      }
    })
    app.get('/own', async () => {
      throw new Error('broken')
    })
    const headers = { accept: 'application/json' }
    t.strictSame((await app.inject({ url: '/own', headers })).json(), { mine: true })
    t.strictSame((await app.inject({ url: '/nothing', headers })).json(), { lost: true })
    t.match((await app.inject({ url: '/things/1', headers })).json(), { name: 'GeneralError' })
  }
)

import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import services, { Conflict, type ErrorHandlerOptions, errorHandler, NotAuthenticated } from 'fastify-services'
import t, { type Test } from 'tap'

/** A host that uses the error handler for its own routes, without the plugin. */
function createHost(t: Test, options?: ErrorHandlerOptions) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setErrorHandler(errorHandler(options))
  app.get('/conflict', async () => {
    throw new Conflict('Taken', { by: 'me' })
  })
  app.get('/broken', () => {
    throw new Error('broken')
  })
  app.get('/login', async () => {
    throw new NotAuthenticated()
  })
  app.post('/valid', { schema: { body: { type: 'object', required: ['a'] } } }, async () => ({}))
  return app
}

const accept = { accept: 'application/json' }

t.test('`app.setErrorHandler(errorHandler())`: the errors of a host in the same shape', async (t) => {
  const app = createHost(t)
  const response = await app.inject({ url: '/conflict', headers: accept })
  t.equal(response.statusCode, 409)
  t.strictSame(response.json(), {
    name: 'Conflict',
    message: 'Taken',
    code: 409,
    className: 'conflict',
    data: { by: 'me' }
  })
  t.match((await app.inject({ url: '/broken', headers: accept })).json(), {
    name: 'GeneralError',
    message: 'broken',
    code: 500
  })
  t.equal((await app.inject({ url: '/login', headers: accept })).headers['www-authenticate'], 'Bearer')
  t.match((await app.inject('/broken')).headers['content-type'], 'text/html')
})

t.test(
  '`app.setErrorHandler(errorHandler())`: validation errors of a host become BadRequest with `errors`',
  async (t) => {
    const response = await createHost(t).inject({ method: 'POST', url: '/valid', payload: {} })
    t.equal(response.statusCode, 400)
    t.match(response.json(), {
      name: 'BadRequest',
      code: 400,
      errors: [{ message: "must have required property 'a'" }]
    })
    t.match(
      (
        await createHost(t).inject({
          method: 'POST',
          url: '/valid',
          payload: '{',
          headers: { 'content-type': 'application/json' }
        })
      ).json(),
      {
        name: 'BadRequest',
        code: 400
      }
    )
  }
)

t.test('`app.setErrorHandler(errorHandler({ html: false, logger, expose }))`: with each option', async (t) => {
  const logged: unknown[] = []
  const app = createHost(t, { html: false, logger: { error: (error) => logged.push(error) }, expose: false })
  const response = await app.inject('/broken')
  t.match(response.json(), { message: 'Internal Server Error', code: 500 })
  t.match(logged, [{ message: 'broken' }])
})

/** A host with the plugin and routes of its own. */
async function createBoth(t: Test, prepare: (app: FastifyInstance) => void) {
  const app = Fastify()
  t.teardown(() => app.close())
  prepare(app)
  await app.register(services)
  app.service('things', {
    get: async () => {
      throw new Conflict('Taken')
    }
  })
  app.get('/own', async () => {
    throw new Conflict('Taken')
  })
  app.get('/lookup', async () => app.service<{ get(id: string): Promise<unknown> }>('things').get('1'))
  return app
}

t.test(
  "The error objects also carry `statusCode`, so that a host's own error handler answers the right status: the default one",
  async (t) => {
    const app = await createBoth(t, () => {})
    for (const url of ['/own', '/lookup']) {
      const response = await app.inject({ url, headers: accept })
      t.equal(response.statusCode, 409)
      t.match(response.json(), { statusCode: 409, message: 'Taken', error: 'Conflict' }, 'the body is that of Fastify')
    }
  }
)

t.test(
  "The error objects also carry `statusCode`, so that a host's own error handler answers the right status: one of its own",
  async (t) => {
    const app = await createBoth(t, (app) => {
      app.setErrorHandler<FastifyError>((error, _request, reply) =>
        reply.code(error.statusCode ?? 500).send({ mine: error.message })
      )
    })
    const own = await app.inject({ url: '/own', headers: accept })
    t.equal(own.statusCode, 409)
    t.strictSame(own.json(), { mine: 'Taken' })
    const service = await app.inject({ url: '/things/1', headers: accept })
    t.strictSame(
      [service.statusCode, service.json().name],
      [409, 'Conflict'],
      'the routes of services answer in the error format'
    )
  }
)

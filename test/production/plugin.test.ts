import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import services from 'fastify-services'
import production, { type ProductionOptions, serverOptions } from 'fastify-services/production'
import t, { type Test } from 'tap'

async function createApp(t: Test, options: ProductionOptions = {}) {
  const app = Fastify(serverOptions())
  t.teardown(() => app.close())
  await app.register(production, options)
  await app.register(services, { notFound: true, errorHandler: { html: false } })
  app.service('notes', { find: async () => [] })
  app.get('/own', async () => {
    throw new Error('Own')
  })
  return app
}

t.test('errors of own routes have the format of services, and every answer has the id of its request', async (t) => {
  const app = await createApp(t)
  for (const [path, status, name] of [
    ['/notes', 200, undefined],
    ['/own', 500, 'GeneralError'],
    ['/nowhere', 404, 'NotFound'],
    ['/notes/1', 405, 'MethodNotAllowed']
  ] as const) {
    const { statusCode, headers, body } = await app.inject(path)
    t.strictSame([statusCode, JSON.parse(body).name], [status, name], path)
    t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/, path)
  }
})

t.test('services that come before it would have no limits: the start fails', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(async (child) => void child.service('inner', { find: async () => [] }), { prefix: '/v1' })
  await app.register(async (child) => void (await child.register(production)), { prefix: '/other' })
  await t.rejects(async () => app.register(production), {
    message:
      "fastify-services/production comes after the service 'v1/inner', which would have no limits: register it before the services, with `await`"
  })
})

t.test('an error handler of the host stays', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('mine'))
  await app.register(production)
  app.get('/own', async () => {
    throw new Error('Own')
  })
  const { statusCode, body } = await app.inject('/own')
  t.strictSame([statusCode, body], [418, 'mine'])
})

t.test('a client has 1000 requests per minute, or as many as the option says', async (t) => {
  const byDefault = await (await createApp(t)).inject('/notes')
  t.match(byDefault.headers, { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999', 'x-ratelimit-reset': '60' })
  const app = await createApp(t, { rateLimit: { max: 1 } })
  t.equal((await app.inject('/notes')).statusCode, 200)
  const { statusCode, headers, body } = await app.inject('/notes')
  t.match([statusCode, JSON.parse(body)], [429, { name: 'TooManyRequests' }])
  t.match(headers, { 'retry-after': '60' })
  const unlimited = await createApp(t, { rateLimit: false })
  t.notOk('x-ratelimit-limit' in (await unlimited.inject('/notes')).headers)
  t.notOk(unlimited.hasDecorator('createRateLimit'))
})

t.test('`false` sets no limit for the event loop', async (t) => {
  t.notOk((await createApp(t, { maxEventLoopDelay: false })).hasDecorator('isUnderPressure'))
})

const events = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection', 'beforeExit']
const count = () => events.reduce((sum, name) => sum + process.listenerCount(name), 0)

t.test('the process has listeners from `listen()` to `close()`, the same for all applications', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const before = count()
  const apps = await Promise.all(Array.from({ length: 20 }, () => createApp(t)))
  for (const app of apps) await app.inject('/notes')
  t.equal(count(), before, 'requests without a server attach nothing')
  const counts: number[] = []
  for (const app of apps) {
    await app.listen({ port: 0 })
    counts.push(count())
  }
  t.ok(Number(counts[0]) > before)
  t.equal(new Set(counts).size, 1, 'one set for all')
  for (const app of apps.slice(1)) await app.close()
  t.equal(count(), counts[0], 'as long as one listens')
  await apps[0]?.close()
  t.equal(count(), before)
  t.same(warnings, [])
})

t.test('`shutdownDelay: false` attaches nothing', async (t) => {
  const before = count()
  const app = await createApp(t, { shutdownDelay: false })
  await app.listen({ port: 0 })
  t.equal(count(), before)
})

t.test('wrong options are refused', async (t) => {
  const cases: [object, string][] = [
    [{ health: '/a' }, "fastify-services/production has no option 'health'"],
    [{ healthpath: '/a' }, "Did you mean 'healthPath'?"],
    [
      { healthPath: 'a' },
      'The option `healthPath` of fastify-services/production must be a path such as `/health` or false'
    ],
    [{ healthPath: true }, 'must be a path'],
    [{ isReady: true }, 'must be a function'],
    [{ rateLimit: true }, 'must be an object or false'],
    [{ maxEventLoopDelay: 0 }, 'must be a number above 0 or false'],
    [{ shutdownDelay: '9 s' }, 'must be a number above 0 or false']
  ]
  for (const [options, message] of cases) {
    const app = Fastify()
    await t.rejects(async () => app.register(production, options), {
      message: new RegExp(message.replace(/[?()]/g, '\\$&'))
    })
    await app.close()
  }
})

t.test('a second registration is refused, and one beside @fastify/under-pressure', async (t) => {
  for (const first of [production, underPressure]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(first as typeof production)
    await t.rejects(async () => app.register(production), { message: /registered already: register each plugin once/ })
  }
})

import Fastify from 'fastify'
import services, { errorHandler, type HookContext } from 'fastify-services'
import t from 'tap'

type Feathers = HookContext & { app: { get(name: string): unknown } }
const things = { get: async (id: unknown) => ({ id }) }
const setting = async ({ app }: HookContext) => void (app as never as Feathers['app']).get('paginate')
const message = /hook of things\.get .+ register fastify-services\/feathers with the option `settings`/

t.test('without the plugin, a hook that asks for a setting is told of it', async (t) => {
  for (const hooks of [{ before: { get: [setting] } }, { around: { all: [setting] } }, { after: { all: [setting] } }]) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false } })
    const service = app.service('things', things, { hooks: hooks as object })
    const { get } = app
    await t.rejects(service.get('1'), { message, cause: { code: 'FST_ERR_ROUTE_MISSING_HANDLER' } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await t.rejects(service.get('1'), { message, cause: { code: 'FST_ERR_INSTANCE_ALREADY_LISTENING' } })
    t.match((await app.inject('/things/1')).json(), { code: 500, name: 'GeneralError', message })
    t.equal(app.get, get)
  }
})

t.test('nor what is no hook: a method without hooks, and a route of the application', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  app.setErrorHandler(errorHandler({ html: false }))
  const ask = async () => (app as never as Feathers['app']).get('paginate')
  app.service('things', { find: ask })
  app.get('/route', ask)
  const told =
    /^app\.get\(\) was called without a handler: .+ register fastify-services\/feathers with the option `settings`$/
  for (const listen of [false, true]) {
    if (listen) await app.listen({ port: 0, host: '127.0.0.1' })
    for (const url of ['/things', '/route'])
      t.match((await app.inject(url)).json(), { code: 500, name: 'GeneralError', message: told }, url)
  }
})

t.test('other errors of a hook stay what they are', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const thrown: unknown[] = [
    new Error('No'),
    'text',
    null,
    Object.assign(new Error('Busy'), { code: 'FST_ERR_INSTANCE_ALREADY_LISTENING' })
  ]
  const fail = ({ id }: HookContext) => {
    throw thrown[Number(id)]
  }
  const service = app.service('things', things, { hooks: { around: { all: [fail] } } })
  for (const [index, value] of thrown.entries())
    t.equal(await service.get(index).catch((error: unknown) => error), value)
})

t.test('without the plugin, `context.app` is the instance', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const service = app.service('things', things, {
    hooks: { before: { get: [({ app: hookApp }) => void t.equal(hookApp as object, app)] } }
  })
  await service.get('1')
})

import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ask, createGuardsApp, createPeople } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'

type Step = (app: FastifyInstance) => unknown

const start = (t: Test, before: Step) => createGuardsApp(t, { before })
const handler = async () => 'let in'
const wrong = authenticate('jwt', 'jtw')
const unknown = /authenticate\('jtw'\) at '\/(v1\/)?route': there is no such strategy\. Enabled: jwt, local/

t.test('an unknown strategy on a route fails at start', async (t) => {
  const steps: [where: string, step: Step][] = [
    ['onRequest', (app) => app.get('/route', { onRequest: wrong }, handler)],
    ['preParsing', (app) => app.post('/route', { preParsing: [wrong] }, handler)],
    ['preValidation', (app) => app.get('/route', { preValidation: [wrong] }, handler)],
    ['preHandler', (app) => app.get('/route', { preHandler: [authenticate('jwt'), wrong] }, handler)],
    ['route()', (app) => app.route({ method: ['GET', 'POST'], url: '/route', preHandler: wrong, handler })],
    [
      'in a child',
      (app) =>
        app.register(async (child) => void child.get('/route', { preHandler: wrong }, handler), { prefix: '/v1' })
    ]
  ]
  for (const [where, step] of steps) await t.rejects(start(t as Test, step), unknown, where)
})

t.test('an unknown service, one that is no authentication service', async (t) => {
  const on = (service: string) => (app: FastifyInstance) =>
    app.get('/route', { preHandler: authenticate({ service, strategies: ['jwt'] }) }, handler)
  await t.rejects(
    start(t as Test, on('nowhere')),
    /There is no service 'nowhere'\. Registered: 'users', 'authentication'/
  )
  await t.rejects(start(t as Test, on('users')), /The service 'users' is no authentication service: name one/)
})

/** An application whose routes are registered before the authentication, or beside it. */
async function startOwn(t: Test, step: Step): Promise<void> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await step(app)
  await app.ready()
}

t.test('also where the route was there before the authentication, or stands beside it', async (t) => {
  const route: Step = (app) => app.get('/route', { preHandler: wrong }, handler)
  const register: Step = async (app) => {
    app.service('users', createPeople())
    await app.register(authentication, { secret })
  }
  await t.rejects(
    startOwn(t as Test, async (app) => {
      route(app)
      await register(app)
    }),
    unknown,
    'before'
  )
  await t.rejects(
    startOwn(t as Test, async (app) => {
      await app.register(async (child) => register(child), { prefix: '/v1' })
      route(app)
    }),
    unknown,
    'beside'
  )
})

t.test('a route whose application has no authentication fails at start', async (t) => {
  await t.rejects(
    startOwn(t as Test, (app) => app.get('/route', { preHandler: authenticate('jwt') }, handler)),
    /There is no authentication here: register the plugin fastify-services\/authentication/
  )
})

t.test('without any of our plugins it lets nobody in, and says why', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.get('/one', { preHandler: authenticate('jwt') }, handler)
  app.get('/named', { preHandler: authenticate({ service: 'authentication', strategies: ['jwt'] }) }, handler)
  for (const url of ['/one', '/named'])
    t.match(await ask(app, url), { status: 500, body: { message: /There is no authentication here: register/ } }, url)
})

t.test('where the handler has run already it would let everybody in: that fails at start', async (t) => {
  for (const place of ['preSerialization', 'onSend', 'onResponse', 'onError'] as const)
    await t.rejects(
      start(t as Test, (app) => app.get('/route', { [place]: authenticate('jwt') }, handler)),
      /authenticate at '\/route' is a hook for /,
      place
    )
})

import Fastify from 'fastify'
import * as door from 'fastify-services'
import * as loginDoor from 'fastify-services/authentication'
import * as databaseDoor from 'fastify-services/database'
import t, { type Test } from 'tap'
import { secret } from '../support/tokens.js'

const things = { find: async () => [], get: async () => ({}), create: async (data: unknown) => data }

async function createApp(t: Test, hooks: object = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(door.default, { hooks })
  app.service('users', things)
  await app.register(loginDoor.default, { secret })
  return app
}

// The functions of the doors that make no hooks.
const others = new Set<unknown>([
  door.default,
  door.resource,
  door.commonOperators,
  door.memoryStore,
  door.errorHandler,
  door.notFound,
  door.frameworkErrors,
  loginDoor.default,
  loginDoor.isCrossSite,
  databaseDoor.transaction,
  databaseDoor.batch
])
const isClass = (value: unknown) => /^class\b/.test(String(value))
const factories = [door, loginDoor, databaseDoor]
  .flatMap((exports): [string, unknown][] => Object.entries(exports))
  .filter(([, value]) => typeof value === 'function' && !isClass(value) && !others.has(value)) as [string, never][]

const message = (name: string, path: string) =>
  new RegExp(`^Among the hooks of '${path}' is \`${name}\`, which makes hooks and is none: write ${name}\\(`)

t.test(
  'What makes hooks stands in the place of one: the server does not start, and the error says what to write',
  async (t) => {
    t.ok(factories.length > 10)
    for (const [name, factory] of factories)
      for (const type of ['around', 'before', 'after', 'error']) {
        const app = await createApp(t)
        app.service('things', things, { hooks: { [type]: { all: [factory] } } })
        await t.rejects(async () => app.ready(), { message: message(name, 'things') }, `${name} ${type}`)
      }
  }
)

t.test('so it is among the hooks of all services, of a method, in middleware and in routes', async (t) => {
  const [[name, factory]] = factories as [[string, never]]
  const common = await createApp(t, { before: { all: [factory] } })
  await t.rejects(async () => common.ready(), { message: message(name, 'users') })
  for (const options of [{ hooks: { create: [factory] } }, { before: factory }, { after: [factory] }]) {
    const app = await createApp(t)
    app.service('things', things, options as object)
    await t.rejects(async () => app.ready(), { message: message(name, 'things') })
  }
  const routed = await createApp(t)
  routed.get('/route', { preHandler: factory }, async () => 'seen')
  await t.rejects(async () => routed.ready(), { message: message(name, '/route') })
})

t.test('`authenticate` as a hook of an instance lets nobody in, and says what it needs', async (t) => {
  const app = await createApp(t)
  app.addHook('preHandler', loginDoor.authenticate as never)
  app.get('/route', async () => 'seen')
  const answer = await app.inject('/route')
  t.match(answer.json(), {
    statusCode: 500,
    message: /^authenticate needs the name of a strategy: authenticate\('jwt'\)/
  })
})

t.test('what makes handlers stands in the place of one: the answer is an error that says what to write', async (t) => {
  const [failing, missing] = [await createApp(t), await createApp(t)]
  failing.get('/route', async () => {
    throw new Error('for the handler')
  })
  failing.setErrorHandler(door.errorHandler as never)
  missing.setNotFoundHandler(door.notFound as never)
  for (const [app, call] of [
    [failing, 'app.setErrorHandler(errorHandler())'],
    [missing, 'app.setNotFoundHandler(notFound())']
  ] as const)
    t.match((await app.inject('/route')).json(), {
      statusCode: 500,
      message: `A function that makes handlers is none: write ${call}`
    })
})

t.test('options of handlers that are misspelt are refused', async (t) => {
  t.throws(() => door.errorHandler({ expos: true } as object), {
    message:
      "errorHandler() has no option 'expos'. There are: html, logger, expose, requestId, problem. Did you mean 'expose'?"
  })
  t.throws(() => door.notFound({ verbos: true } as object), {
    message: /^notFound\(\) has no option 'verbos'\. .+ Did you mean 'verbose'\?$/
  })
})

import { setImmediate } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import services, { type HookContext, type Params } from 'fastify-services'
import feathers, { applicationOf, type FeathersOptions } from 'fastify-services/feathers'
import t, { type Test } from 'tap'

const read = (...names: string[]) => ({
  before: {
    get: [
      ({ app, params }: HookContext) => {
        params.found = names.map((name) => app.get(name))
      }
    ]
  }
})
const things = { get: async (_id: string, { found }: Params) => ({ found }) }

async function create(t: Test, options: FeathersOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers, options)
  return app
}
const found = async (app: FastifyInstance, url = '/things/1') => (await app.inject(url)).json().found

t.test('hooks get the settings, over HTTP and inside', async (t) => {
  const app = await create(t, { settings: { paginate: { default: 10 }, host: 'here' } })
  app.service('things', things, { hooks: read('paginate', 'host', 'nothing') })
  const expected = [{ default: 10 }, 'here', undefined]
  t.same(await found(app), [{ default: 10 }, 'here', null])
  t.same(await app.service<typeof things>('things').get('1', {}), { found: expected })
})

t.test('a hook changes a setting for all services, and for code that is no hook', async (t) => {
  const settings = { host: 'here' }
  const app = await create(t, { settings })
  app.service('things', things, {
    hooks: { before: { get: [({ app }) => void app.set('host', 'there').set('port', 1)] } }
  })
  app.service('others', things, { hooks: read('host', 'port') })
  await app.inject('/things/1')
  t.same(await found(app, '/others/1'), ['there', 1])
  t.equal(applicationOf(app).get('host'), 'there')
  t.same(settings, { host: 'here' }, 'the object that was given stays')
  applicationOf(app).set('port', 2)
  t.same(await found(app, '/others/1'), ['there', 2])
})

t.test('any name may be that of a setting', async (t) => {
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '/path', '']
  const app = await create(t)
  app.service('things', things, { hooks: read(...odd) })
  t.same(
    await found(app),
    odd.map(() => null),
    'none is there before'
  )
  for (const name of odd) applicationOf(app).set(name, `${name}!`)
  t.same(
    await found(app),
    odd.map((name) => `${name}!`)
  )
  t.equal(({} as { toString: unknown }).toString, Object.prototype.toString)
  const hostile = JSON.parse('{ "__proto__": { "polluted": 1 }, "constructor": 2 }')
  const second = await create(t, { settings: hostile })
  t.same([applicationOf(second).get('__proto__'), applicationOf(second).get('polluted')], [{ polluted: 1 }, undefined])
})

t.test(
  'what `configuration()` of Feathers gives: it sets the settings, and checks them before the start',
  async (t) => {
    const configuration = (check: () => void) => (app: FeathersApp) => {
      app.set('host', app.get('host') ?? 'here')
      const setup = async (_context: unknown, next: () => Promise<void>) => {
        check()
        await next()
      }
      app.hooks({ setup: [setup] })
    }
    const good = await create(t, { settings: configuration(() => {}) })
    good.service('things', things, { hooks: read('host') })
    t.same(await found(good), ['here'])
    const bad = await create(t, {
      settings: configuration(() => {
        throw new Error('validation failed')
      })
    })
    await t.rejects(Promise.resolve(bad.ready()), { message: 'validation failed' })
  }
)
type Hook = (context: unknown, next: () => Promise<void>) => Promise<void>
interface FeathersApp {
  get(name: string): unknown
  set(name: string, value: unknown): unknown
  hooks(hooks: { setup?: Hook[]; teardown?: Hook | Hook[] }): void
}

t.test('a function may also tear something down', async (t) => {
  const told: string[] = []
  const tell = (name: string) => async (_context: unknown, next: () => Promise<void>) => {
    await next()
    told.push(name)
  }
  const settings = (app: FeathersApp) => {
    app.hooks({ teardown: [tell('list')] })
    app.hooks({ teardown: tell('one') })
  }
  const app = await create(t, { settings })
  await app.ready()
  t.same(told, [])
  await app.close()
  t.same(told.sort(), ['list', 'one'])
})

t.test('settings are those of the instance, and of the instances inside', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  for (const name of ['v1', 'v2'])
    await app.register(
      async (child) => {
        await child.register(feathers, { settings: { name } })
        child.service('things', things, { hooks: read('name') })
        await child.register(async (inner) => void inner.service('inner', things, { hooks: read('name') }))
      },
      { prefix: name }
    )
  app.service('things', things, { hooks: { before: { get: [({ app: hookApp }) => void t.equal(hookApp, app)] } } })
  t.same([await found(app, '/v1/things/1'), await found(app, '/v2/things/1')], [['v1'], ['v2']])
  t.same(await found(app, '/v1/inner/1'), ['v1'])
  await app.inject('/things/1')
})

t.test('what the plugin refuses', async (t) => {
  const refuses = async (message: RegExp, act: (app: FastifyInstance) => PromiseLike<unknown>) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await t.rejects(Promise.resolve(act(app)), { message })
  }
  await refuses(/needs fastify-services/, (app) => app.register(feathers))
  await refuses(/registered here already/, (app) => app.register(services).register(feathers).register(feathers))
  await refuses(/has no option 'setings'.*Did you mean 'settings'/, (app) =>
    app.register(services).register(feathers, { setings: {} } as never)
  )
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  t.throws(() => applicationOf(app), /register the plugin fastify-services\/feathers/)
})

t.test('a function may take its time, and fail', async (t) => {
  const settings = async (app: { set(name: string, value: unknown): void }) => {
    await setImmediate()
    app.set('host', 'late')
  }
  const app = await create(t, { settings })
  t.equal(applicationOf(app).get('host'), 'late')
  const failing = async () => {
    throw new Error('no settings')
  }
  await t.rejects(create(t, { settings: failing }), { message: 'no settings' })
})

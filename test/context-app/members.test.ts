import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import feathers, { applicationOf } from 'fastify-services/feathers'
import t, { type Test } from 'tap'

/** Any member may be asked for. */
type Application = { [name in 'hooks' | 'get' | 'service' | 'inject']: HookContext['app'][name] } & Record<
  string,
  (...args: unknown[]) => unknown
>

const things = { get: async (id: unknown) => ({ id }), find: async () => [] }

/** Starts a server, and gives what hooks of a service get as the application. */
async function start(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers)
  const seen: Application[] = []
  const see = ({ app }: { app: object }) => void seen.push(app as Application)
  const service = app.service('things', things, { hooks: { before: { all: [see] }, after: { all: [see] } } })
  const { get, service: lookUp } = app
  await app.listen({ port: 0, host: '127.0.0.1' })
  await service.get('1')
  return { app, service, seen, application: seen[0] as Application, members: { get, service: lookUp } }
}

t.test('all hooks of an instance get the same application, which is not the instance', async (t) => {
  const { app, service, seen, application, members } = await start(t)
  await app.inject('/things/1')
  t.equal(new Set(seen).size, 1)
  t.equal(seen.length, 4)
  t.equal(application, applicationOf(app))
  t.not(application, app)
  t.same([app.get, app.service], [members.get, members.service], 'the instance stays what it was')
  t.notOk('set' in app || 'hooks' in app)
  t.equal(application.service('things'), service)
  t.equal(application.service('things'), application.service('/things/'))
})

t.test('the other members are those of the instance', async (t) => {
  const { app, application } = await start(t)
  t.equal(application.log, app.log)
  t.equal(application.server, app.server)
  t.equal(application.prefix, app.prefix)
  t.match(await application.inject('/things/1'), { statusCode: 200 })
  t.ok('log' in application && 'set' in application && 'services' in application && 'settings' in application)
  t.notOk('channel' in application || 'nothing' in application || Symbol.iterator in application)
  t.equal(application.nothing, undefined)
  t.equal(application[Symbol.iterator as never], undefined)
  t.equal(application.addHook, app.addHook)
  Object.assign(app, { later: 1 })
  t.equal(application.later as unknown, 1, 'also those that come later')
})

t.test('what a hook sets is set on the instance, except the members that stand in front of it', async (t) => {
  const { app, application, members } = await start(t)
  Object.assign(application, { mine: 1, get: () => 'mine' })
  t.equal((app as unknown as { mine: number }).mine, 1)
  t.equal(application.get('x' as never), 'mine')
  t.equal(app.get, members.get)
})

t.test('`get` with a handler adds a route, as that of the instance does', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(feathers)
  const application = applicationOf(app)
  const same: unknown = application.get('/ping', async () => 'pong')
  t.equal(same, application)
  t.equal((await app.inject('/ping')).body, 'pong')
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.throws(() => application.get('/pong', async () => ''), { message: /Cannot add route/ })
  t.equal(application.get('/pong'), undefined)
})

t.test('`hooks` adds hooks for all services, at any time', async (t) => {
  const { app, application } = await start(t)
  const paths: string[] = []
  t.equal(application.hooks({ before: { find: [({ path }) => void paths.push(path)] } }), application)
  application.hooks([
    async ({ method }: HookContext, next: () => Promise<void>) => {
      paths.push(`around ${method}`)
      await next()
    }
  ] as never)
  await app.inject('/things')
  t.same(paths, ['around find', 'things'])
  t.throws(() => application.hooks({ setup: [async () => {}] } as never), { message: /onReady/ })
})

t.test('`services` are all of them, by their paths', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(feathers)
  app.service('/', things)
  await app.register(async (child) => void child.service('things', things), { prefix: 'v1' })
  t.same(Object.keys(applicationOf(app).services), ['/', 'v1/things'])
})

t.test('an instance that has a member of such a name keeps it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('settings', { own: 1 }).decorate('channel', () => 'mine')
  await app.register(services)
  await app.register(feathers, { settings: { a: 1 } })
  const application = applicationOf(app) as object as Application
  t.same([application.settings, application.channel?.(), application.get('a')], [{ own: 1 }, 'mine', 1])
})

t.test('a service inside of a plugin: its own prefix first, and its own instance', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(feathers)
  app.service('things', things)
  await app.register(
    async (child) => {
      child.decorate('inside', true)
      const inner = child.service('things', things)
      const see = ({ app: application }: { app: unknown }) => {
        const { service, inside } = application as Application
        t.equal(service('things'), inner)
        t.equal(inside as unknown, true)
        t.equal(application, applicationOf(child))
      }
      child.service('others', things, { hooks: { before: { find: [see] } } })
    },
    { prefix: 'v1' }
  )
  t.equal((await app.inject('/v1/others')).statusCode, 200)
  t.not((applicationOf(app) as object as Application).inside, true)
})

t.test('members without a counterpart say what to use instead, when they are called', async (t) => {
  const { app, application } = await start(t)
  const message = (name: string) => new RegExp(`context\\.app has no '${name}': .+ What to use instead: \\S`)
  const channels = ['channel', 'channels', 'publish', 'registerPublisher']
  const listeners = ['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners', 'listeners']
  const others = ['use', 'unuse', 'teardown', 'defaultService', 'emit', 'listenerCount']
  for (const name of [...channels, ...listeners, ...others]) {
    t.type(application[name], 'function')
    t.throws(() => application[name]?.('a'), { message: message(name) }, name)
  }
  t.throws(() => application.mixins, { message: message('mixins') })
  t.throws(() => application.configure?.(() => {}), { message: message('configure') })
  app.log.level = 'silent'
})

t.test('`setup` and `teardown` of a service get it too', async (t) => {
  const app = Fastify()
  await app.register(services)
  await app.register(feathers, { settings: { a: 1 } })
  const seen: unknown[] = []
  const see = (application: { get(name: string): unknown }) => void seen.push(application.get('a'))
  app.service('things', { ...things, setup: see, teardown: see })
  await app.ready()
  await app.close()
  t.same(seen, [1, 1])
})

t.test(
  'until the server is ready, packages may configure the application, and change services by mixins',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    app.service('before', things)
    await app.register(feathers)
    const application = applicationOf(app) as object as Application
    const mixin = (service: object, path: string) => Object.assign(service, { mixed: path })
    const add = function (this: unknown, given: Application) {
      t.equal(this, given)
      ;(given.mixins as unknown as unknown[]).push(mixin)
    }
    t.equal(application.configure?.(add), application)
    await app.register(async (child) => void child.service('things', things), { prefix: 'v1' })
    t.match(app.service('v1/things'), { mixed: 'v1/things' })
    t.notOk('mixed' in app.service('before'))
  }
)

t.test('mixins get the options of a service with what is not named filled in', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(feathers)
  const seen: unknown[] = []
  applicationOf(app).mixins.push((_service, path, { methods, events, serviceEvents }) =>
    seen.push([path, methods, events, serviceEvents])
  )
  const standard = ['created', 'updated', 'patched', 'removed']
  app.service('plain', { find: async () => [], get: async () => ({}) })
  app.service('telling', { find: async () => [], events: ['told'] })
  app.service('named', { find: async () => [], count: async () => 1 }, { methods: ['count'], events: ['counted'] })
  t.same(seen, [
    ['plain', ['find', 'get'], [], standard],
    ['telling', ['find'], ['told'], [...standard, 'told']],
    ['named', ['count'], ['counted'], [...standard, 'counted']]
  ])
})

t.test('mixins are those of the instances inside', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(async (child) => {
    await child.register(feathers)
    ;((applicationOf(child) as object as Application).mixins as unknown as unknown[]).push((service: object) =>
      Object.assign(service, { mixed: 1 })
    )
    child.service('inside', things)
  })
  app.service('outside', things)
  t.ok('mixed' in app.service('inside'))
  t.notOk('mixed' in app.service('outside'))
})

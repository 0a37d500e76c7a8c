import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t from 'tap'
import { createMounted, createWarnings, mirror, type Theirs } from '../support/mounted-app.js'

const createTheirs = (...paths: string[]): Theirs => {
  const theirs: Theirs = feathers()
  for (const path of paths) theirs.use(path, mirror)
  return theirs
}

t.test('a path that both have is refused, with the names of both', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', mirror)
  await t.rejects(async () => app.register(mounted, { app: createTheirs('things') }), {
    message:
      /^The service 'things' of the Feathers application can't be mounted: A service 'things' is registered already/
  })
})

t.test('also the other way round', async (t) => {
  const app = await createMounted(t, createTheirs('things'))
  t.throws(() => app.service('things', mirror), {
    message: /^A service 'things' is registered already, by the Feathers application/
  })
})

t.test('also where the URLs are the same and the paths are not', async (t) => {
  const app = await createMounted(t, createTheirs('users/:user/things'))
  t.throws(() => app.service('users/:id/things', mirror), {
    message: /'users\/:user\/things' and 'users\/:id\/things' have the same URLs/
  })
})

t.test('a service that is replaced is refused', async (t) => {
  const theirs = createTheirs('things')
  await createMounted(t, theirs)
  t.throws(() => theirs.use('things', mirror), { message: /'things' is registered already, by the Feathers/ })
})

t.test('a path that the routers of both read differently is refused', async (t) => {
  for (const path of ['files/*', 'a(b)', 'a::b', 'x-:id', 'a/:b-:c'])
    await t.rejects(createMounted(t, createTheirs(path)), {
      message: `The service '${path}' of the Feathers application can't be mounted: '*', '(' and a ':' within a segment mean something else in routes of Fastify`
    })
  await createMounted(t, createTheirs('a/:b/c', ':d/e', 'files.v1'))
})

t.test('a service that its set-up adds comes too late', async (t) => {
  const theirs = createTheirs('things')
  const setup = async () => void theirs.use('late', mirror)
  theirs.use('adding', { ...mirror, setup })
  const app = await createMounted(t, theirs)
  await t.rejects(async () => app.ready(), {
    message:
      /'late' .* comes too late.*: the set-up of the Feathers application adds it. Run await theirs.setup\(\) before/
  })
  const early = createTheirs()
  early.use('adding', { ...mirror, setup: async () => void early.use('late', mirror) })
  await early.setup()
  const mountedLater = await createMounted(t, early)
  await mountedLater.ready()
  t.equal((await mountedLater.inject('/late')).statusCode, 200)
})

t.test('options that Fastify applies to no such plugin are told of', async (t) => {
  const { warnings, logger } = createWarnings()
  const app = Fastify({ logger })
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(mounted, { app: createTheirs('things'), prefix: '/v1', logLevel: 'error' } as object)
  const advice =
    'Give it to a plugin that registers this one: app.register(async (child) => { await child.register(feathers, options) }'
  t.strictSame(warnings, [
    `The option \`prefix\` of fastify-services/feathers has no effect. ${advice}, { prefix: … })`,
    `The option \`logLevel\` of fastify-services/feathers has no effect. ${advice}, { logLevel: … })`
  ])
  t.equal((await app.inject('/things')).statusCode, 200, 'without the prefix')
})

t.test('options that are refused at the start', async (t) => {
  const refused: [options: object, message: RegExp][] = [
    [{ app: undefined }, /`app` .* must be an application of Feathers 5, as feathers\(\) makes it, got undefined/],
    [{ app: class Blog {} }, /`app` .* got the class Blog: pass `new Blog\(\)`/],
    [{ app: { setup: () => {}, services: {}, mixins: {} } }, /`app` .* got an object/],
    [{ settings: [] }, /`settings` .* must be an object or a function, got a list/],
    [{ aps: 1 }, /no option 'aps'.* Did you mean 'app'\?/],
    [{ authentication: 'jwt' }, /`authentication` .* must be an object, \{ service, strategies \}, got a string/],
    [{ authentication: { services: 'login' } }, /Did you mean 'authentication\.service'\?/],
    [
      { authentication: { service: 'things' } },
      /must name an authentication service .* got 'things'\. There are: none/
    ],
    [{ ignoreMiddleware: 'tag' }, /must be a boolean, or a list of names of middleware and of functions, got a string/],
    [{ ignoreMiddleware: ['tag', ''] }, /got a list with an empty string/],
    [{ fallback: 1 }, /`fallback` .* must be true or false, got 1/]
  ]
  for (const [options, message] of refused) {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services)
    const start = async () => {
      await app.register(mounted, { app: createTheirs('things'), ...options } as object)
      await app.ready()
    }
    await t.rejects(start(), { message }, String(message))
  }
  await t.rejects(async () => Fastify().register(mounted, {}), { message: /needs fastify-services: register that/ })
})

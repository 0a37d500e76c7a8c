import { createServer } from 'node:http'
import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, mirror, type Theirs } from '../support/mounted-app.js'
import { frameworks } from '../support/mounted-frameworks.js'

/** An application that tells when it is set up and torn down. */
function createTelling(told: unknown[]): Theirs {
  const theirs: Theirs = feathers()
  const tell = (name: string) => async (app: unknown, path: string) => {
    told.push(`${name} ${path} ${app === theirs}`)
  }
  theirs.use('one', { ...mirror, setup: tell('setup'), teardown: tell('teardown') })
  theirs.use('two', { ...mirror, setup: tell('setup') })
  const around = (name: string) => async (context: { arguments: unknown[] }, next: () => Promise<void>) => {
    told.push(name, context.arguments[0])
    await next()
  }
  theirs.hooks({ setup: [around('begin')], teardown: [around('end')] } as never)
  return theirs
}

t.test('it is set up once, before the server listens, and torn down once', async (t) => {
  const told: unknown[] = []
  const app = await createMounted(t, createTelling(told))
  t.same(told, [])
  await app.ready()
  await app.listen({ port: 0 })
  t.equal(told.splice(1, 1)[0], app.server)
  t.strictSame(told.splice(0), ['begin', 'setup one true', 'setup two true'])
  await app.close()
  await app.close()
  t.equal(told.splice(1, 1)[0], app.server)
  t.strictSame(told, ['end', 'teardown one true'])
})

for (const { name, create } of frameworks)
  t.test(`${name}: services find the server at their application, as where that listens itself`, async (t) => {
    const seen: unknown[] = []
    const setup = async (theirs: unknown) => void seen.push((theirs as { server?: unknown }).server)
    const app = await createMounted(t, create({ build: (theirs) => theirs.use('one', { ...mirror, setup }) }))
    await app.ready()
    t.equal(seen[0], app.server)
  })

t.test(
  'an application that closes its server whether it has one or not, as the first releases on Koa, is torn down',
  async (t) => {
    type Server = { close(done: (error?: Error) => void): void }
    const theirs = feathers() as Theirs & { server?: Server }
    const { teardown } = theirs
    theirs.teardown = async function (this: typeof theirs, server) {
      await teardown.call(this, server)
      await new Promise<void>((resolve, reject) =>
        (this.server as Server).close((error) => (error ? reject(error) : resolve()))
      )
      return this
    }
    theirs.use('one', mirror)
    const app = await createMounted(t, theirs)
    await app.ready()
    await app.close()
    t.equal(theirs.server, undefined)
  }
)

t.test('with the server that app.setup() names', async (t) => {
  const told: unknown[] = []
  const app = await createMounted(t, createTelling(told))
  const server = createServer()
  await app.setup(server)
  t.equal(told[1], server)
})

t.test('an application without services is set up too', async (t) => {
  const theirs: Theirs = feathers()
  const app = await createMounted(t, theirs)
  await app.ready()
  t.ok(theirs._isSetup)
  await app.close()
  t.notOk(theirs._isSetup)
})

t.test('one that somebody else has set up is neither set up nor torn down again', async (t) => {
  const told: unknown[] = []
  const theirs = createTelling(told)
  await theirs.setup()
  told.splice(0)
  const app = await createMounted(t, theirs)
  t.equal((await request(app, 'GET', '/one')).status, 200)
  await app.close()
  t.same(told, [])
})

t.test('a set-up that fails stops the start', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('one', { ...mirror, setup: async () => Promise.reject(new Error('no database')) })
  const app = await createMounted(t, theirs)
  await t.rejects(async () => app.ready(), { message: 'no database' })
})

t.test('one that never got ready is not torn down', async (t) => {
  const told: unknown[] = []
  const app = Fastify()
  await app.register(services)
  await app.register(mounted, { app: createTelling(told) })
  await app
    .register(async () => Promise.reject(new Error('stop')))
    .then(
      () => t.fail('it loads'),
      () => {}
    )
  await app.close()
  t.same(told, [])
})

t.test('services that come later are found until the server is ready', async (t) => {
  const theirs: Theirs = feathers()
  const app = await createMounted(t, theirs)
  theirs.use('late', mirror)
  await app.register(async () => {
    theirs.use('later', mirror)
  })
  t.equal((await request(app, 'GET', '/late')).status, 200)
  t.equal((await request(app, 'GET', '/later')).status, 200)
  t.throws(() => theirs.use('too-late', mirror), {
    message: /^The service 'too-late' of the Feathers application can't be mounted: .*before the server is ready/
  })
  theirs.use('inside', mirror, { methods: [] })
  t.ok(theirs.service('inside'), 'one for calls inside may still come')
  await app.close()
  theirs.use('after', mirror)
  t.ok(theirs.service('after'), 'nothing of the mount is left')
})

t.test('a service that comes while a plugin with a prefix loads would have another URL', async (t) => {
  const theirs: Theirs = feathers()
  const app = await createMounted(t, theirs)
  app.register(
    async () => {
      theirs.use('late', mirror)
    },
    { prefix: '/v1' }
  )
  await t.rejects(async () => app.ready(), { message: /^The service 'late' would be at \/v1\/late/ })
})

t.test('under a prefix', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(async (inner) => inner.register(mounted, { app: theirs }), { prefix: '/v1' })
  t.equal((await request(app, 'GET', '/v1/things')).status, 200)
  t.ok(Object.is(app.service('v1/things'), theirs.service('things')))
})

t.test('a service that is taken out answers 404', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('things', mirror)
  const app = await createMounted(t, theirs)
  t.equal((await request(app, 'GET', '/things')).status, 200)
  await theirs.unuse('things')
  t.match((await request(app, 'GET', '/things')).body, { code: 404, message: /'things' is not in the Feathers/ })
})

t.test('it is torn down in its turn, after the services that were registered later', async (t) => {
  const told: string[] = []
  const tearing = (name: string) => ({ ...mirror, teardown: async () => void told.push(name) })
  const theirs: Theirs = feathers()
  theirs.use('one', tearing('one'))
  theirs.use('two', mirror)
  const app = await createMounted(t, theirs, { after: (app) => app.service('ours', tearing('ours') as object) })
  theirs.use('three', mirror)
  await app.ready()
  await app.close()
  t.same(told, ['ours', 'one'])
})

t.test(
  'one that is mounted on two servers stops the second start; after the first it may be mounted again',
  async (t) => {
    const told: unknown[] = []
    const theirs = createTelling(told)
    const first = await createMounted(t, theirs)
    const second = await createMounted(t, theirs)
    await first.ready()
    await t.rejects(async () => second.ready(), { message: /is mounted twice, but it has one server/ })
    await first.close()
    told.splice(0)
    const third = await createMounted(t, theirs)
    await third.ready()
    t.equal(told[1], third.server)
  }
)

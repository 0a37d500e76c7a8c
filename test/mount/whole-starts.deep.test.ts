import { AuthenticationService } from '@feathersjs/authentication'
import feathersExpress from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, cors, errorHandler, koa, parseAuthentication, rest, serveStatic } from '@feathersjs/koa'
import Fastify from 'fastify'
import services from 'fastify-services'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { isKept } from '../support/kept.js'
import { createWarnings, mirror, type Theirs } from '../support/mounted-app.js'

const settledOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error) => ({ thrown: `(${error.name}: ${error.message})` }))

type Build = (theirs: Theirs) => unknown
const of =
  (...paths: string[]): Build =>
  (theirs) => {
    for (const path of paths) theirs.use(path, mirror)
  }

/** Starts a server with a Feathers application, and tells what it logs and refuses, and who answers. */
async function start(
  t: Test,
  input: object | ((theirs: Theirs) => object),
  build: Build = () => undefined,
  made: unknown = feathers(),
  paths = ['/things']
) {
  const theirs = made as Theirs
  const { warnings, logger } = createWarnings()
  const app = Fastify({ logger })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('taken', mirror as object)
  const outcome = await settledOf(
    (async () => {
      await build(theirs)
      await app.register(mounted, typeof input === 'function' ? input(theirs) : input)
      await app.ready()
      return Promise.all(paths.map(async (url) => `${url} ${(await app.inject(url)).statusCode}`))
    })()
  )
  return warnings.length > 0 ? [outcome, warnings] : outcome
}

const app = (theirs: Theirs) => ({ app: theirs })
const withOptions = (options: object) => (theirs: Theirs) => ({ app: theirs, ...options })
const login: Build = (theirs) => {
  theirs.set('authentication', { secret: 'x'.repeat(32), entity: null, authStrategies: ['jwt'] })
  theirs.use('login', new AuthenticationService(theirs))
  theirs.use('second', new AuthenticationService(theirs))
  theirs.use('things', { ...mirror, parse: mirror.find } as object)
  theirs.use('configured', { ...mirror, configuration: {} } as object)
}
const shape = { setup: mirror.find, services: {}, mixins: [] }

t.test('options of the plugin: what it takes, refuses and logs', async (t) => {
  const refused: Record<string, object> = {
    'an undefined application': { app: undefined },
    'an application that is null': { app: null },
    'a text for an application': { app: 'text' },
    'a class for an application': { app: class Blog {} },
    'no set-up': { app: { ...shape, setup: 1 } },
    'no services': { app: { ...shape, services: 'text' } },
    'no mixins': { app: { ...shape, mixins: {} } },
    ...Object.fromEntries(
      [5, null, 'a', [], true, ''].map((settings) => [`settings ${JSON.stringify(settings)}`, { settings }])
    ),
    'settings of a class': { settings: new Map([['a', 1]]) },
    'undefined settings': { settings: undefined },
    'an option of another name': { aps: 1 },
    'authentication without an application': { authentication: { service: 'login' } },
    'no options': {}
  }
  const taken: Record<string, object> = {
    'authentication that is null': { authentication: null },
    'authentication that is a text': { authentication: 'jwt' },
    'authentication that is a list': { authentication: ['jwt'] },
    'authentication that is a Map': { authentication: new Map() },
    'authentication that is undefined': { authentication: undefined },
    'authentication with another option': { authentication: { services: 'login' } },
    'authentication without anything': { authentication: {} },
    'authentication by a service': { authentication: { service: 'login', strategies: [] } },
    'authentication by the second service': { authentication: { service: 'second' } },
    'authentication by a service that is none': { authentication: { service: 'things' } },
    'authentication by a service with a configuration': { authentication: { service: 'configured' } },
    'authentication by a service that is not there': { authentication: { service: 'nope' } },
    'authentication by an empty text': { authentication: { service: '' } },
    'authentication by a number': { authentication: { service: 5 } },
    ...Object.fromEntries(
      [null, 'tag', 1, {}, [1], ['tag', ''], [class Guard {}]].map((ignoreMiddleware) => [
        `ignoreMiddleware ${JSON.stringify(ignoreMiddleware)}`,
        { ignoreMiddleware }
      ])
    ),
    'ignoreMiddleware that is an empty list': { ignoreMiddleware: [] },
    'ignoreMiddleware that is undefined': { ignoreMiddleware: undefined },
    ...Object.fromEntries([null, 'no', 1].map((fallback) => [`fallback ${JSON.stringify(fallback)}`, { fallback }])),
    'fallback that is undefined': { fallback: undefined },
    'a prefix and levels': { prefix: '/v1', logLevel: 'error', logSerializers: {} }
  }
  const table: Record<string, unknown> = {}
  for (const [name, options] of Object.entries(refused)) table[name] = await start(t, options)
  for (const [name, options] of Object.entries(taken)) table[name] = await start(t, withOptions(options), login)
  table['no authentication at all'] = await start(t, withOptions({ authentication: { service: 'login' } }))
  const bare = Fastify()
  table['without fastify-services'] = await settledOf(Promise.resolve(bare.register(mounted, {})))
  table.twice = await settledOf(
    Promise.resolve(Fastify().register(services).register(mounted).register(mounted, { settings: {} }))
  )
  isKept(t, table, 'test/mount/whole-starts-options.txt')
})

type Use = { use(...args: unknown[]): Use; configure(plugin: unknown): Use }
const onKoa = (...more: unknown[]) => {
  const made = koa(feathers()) as unknown as Use
  for (const middleware of [cors(), serveStatic('.'), errorHandler(), parseAuthentication(), bodyParser(), ...more])
    made.use(middleware)
  return made.configure(rest())
}
const onExpress = (...more: unknown[]) => {
  const { default: express, ...parts } = feathersExpress
  const made = express(feathers()) as unknown as Use
  const common = [
    parts.cors(),
    parts.compression(),
    parts.json(),
    parts.urlencoded({ extended: true }),
    parts.serveStatic('.')
  ]
  for (const middleware of [...common, ...more]) made.use(middleware)
  made.configure(parts.rest())
  for (const middleware of [parts.notFound(), parts.errorHandler({ logger: false } as object)]) made.use(middleware)
  return made
}
async function guardOfAdmins() {}
// Compilers print a function in their own way.
const nameless = ['(request, next)  =>\n\tnext()', `async () => ${'wait() '.repeat(9)}`].map((text) =>
  Object.assign(() => undefined, { toString: () => text })
)

t.test('middleware: what stops the start, and what is logged', async (t) => {
  const made: Record<string, () => unknown> = {
    koa: () => onKoa(),
    'koa bare': () => koa(feathers()),
    'koa with one': () => onKoa(guardOfAdmins),
    'koa with some': () => onKoa(nameless[0], guardOfAdmins, cors()),
    'koa with a bound one': () => onKoa(nameless[0]?.bind(undefined), guardOfAdmins.bind(undefined)),
    'koa with a parser twice': () => onKoa(bodyParser(), errorHandler()),
    'koa with static files alone': () => (koa(feathers()) as unknown as Use).use(serveStatic('.')),
    express: () => onExpress(),
    'express bare': () => feathersExpress.default(feathers()),
    'express with one': () => onExpress(guardOfAdmins),
    'express with some': () => onExpress(nameless[1], guardOfAdmins),
    'express with a guard': () => onExpress(feathersExpress.authenticate('jwt')),
    'express with a parser twice': () => onExpress(feathersExpress.json()),
    'express with compression alone': () =>
      (feathersExpress.default(feathers()) as unknown as Use).use(feathersExpress.compression())
  }
  const around: Record<string, object> = {
    'koa before': { koa: { before: [guardOfAdmins] } },
    'koa after': { koa: { after: [guardOfAdmins, nameless[0]] } },
    'koa both': { koa: { before: [guardOfAdmins], after: [nameless[0]] } },
    'express before': { express: { before: [guardOfAdmins] } },
    'express after': { express: { after: [guardOfAdmins] } },
    'koa empty': { koa: { before: [], after: [] }, express: {} }
  }
  const table: Record<string, unknown> = {}
  for (const [name, create] of Object.entries(made)) {
    table[name] = await start(t, app, of('things'), create())
    table[`${name}, ignored`] = await start(t, withOptions({ ignoreMiddleware: true }), of('things'), create())
    table[`${name}, fallback`] = await start(t, withOptions({ fallback: true }), of('things'), create(), [])
  }
  for (const [name, options] of Object.entries(around)) {
    table[name] = await start(t, app, (theirs) => theirs.use('things', mirror, options))
  }
  const oauth = { grant: mirror.find, handler: 1, find: mirror.find }
  const kinds = {
    oauth,
    'oauth/callback': { service: oauth, find: mirror.find },
    plain: { grant: 1, handler: 1, find: mirror.find },
    half: { grant: mirror.find, find: mirror.find },
    named: { service: 'mail', find: mirror.find }
  }
  const build: Build = (theirs) => {
    for (const [path, object] of Object.entries(kinds))
      theirs.use(path, object as object, { ...(path === 'oauth' && around['koa before']) } as object)
  }
  const paths = Object.keys(kinds).map((path) => `/${path}`)
  table.oauth = await start(t, app, build, feathers(), paths)
  table['oauth, ignored'] = await start(t, withOptions({ ignoreMiddleware: true }), build, feathers(), paths)
  isKept(t, table, 'test/mount/whole-starts-middleware.txt')
})

t.test('paths that are taken or mean something else, and services that come too late', async (t) => {
  const table: Record<string, unknown> = {}
  for (const path of [
    'taken',
    'files/*',
    'a(b)',
    'a::b',
    'x-:id',
    ':a',
    ':a/b/:c',
    'a/:b-:c',
    'files.v1',
    '/',
    'a b',
    'a?b',
    'A',
    'taken/:id',
    'a//b'
  ])
    table[path] = await start(t, app, of(path), feathers(), [path === '/' ? path : `/${path}`])
  const adding = (theirs: Theirs) =>
    theirs.use('adding', { ...mirror, setup: async () => void theirs.use('late', mirror) })
  table['added by the set-up'] = await start(t, app, adding)
  table['added by a set-up that has run'] = await start(t, app, (theirs) => adding(theirs).setup(), feathers(), [
    '/late',
    '/adding'
  ])
  table['a set-up that fails'] = await start(t, app, (theirs) =>
    theirs.use('things', { ...mirror, setup: async () => Promise.reject(new Error('of the set-up')) })
  )
  const empty = Object.assign(feathers(), { setup: async () => Promise.reject(new Error('of the set-up')) })
  table['a set-up that fails, without services'] = await start(t, app, of(), empty)
  // Where the other service is registered differs by folder.
  const outcomes = JSON.parse(JSON.stringify(table).replace(/ at [^:]+whole-starts[^:]+:\d+:\d+/, ' at (a place)'))
  isKept(t, outcomes, 'test/mount/whole-starts-paths.txt')
})

import '../support/auth-scrypt.js'
import { feathers } from '@feathersjs/feathers'
import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import mounted, { applicationOf, type FeathersOptions } from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { outcomeOf, settledOf, told } from '../core/told.js'
import { isKept } from '../support/kept.js'
import { mirror } from '../support/mounted-app.js'

type Any = Readonly<Record<string, (...args: unknown[]) => unknown>>
const call = (on: unknown, name: string, ...args: unknown[]) => (on as { [name: string]: Method })[name]?.(...args)
type Method = (...args: unknown[]) => unknown

const members =
  'get set hooks service configure mixins defaultAuthentication services settings use unuse setup teardown defaultService channel channels publish registerPublisher on once off addListener removeListener removeAllListeners emit listeners listenerCount log prefix addHook decorated later toString constructor nothing then host Mailer url'.split(
    ' '
  )
class Mailer {}
const secret = 'x'.repeat(32)

/** An instance with a service of ours, and what its hooks get. */
async function create(t: Test, options: FeathersOptions, after: (app: FastifyInstance) => unknown = () => undefined) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorate('decorated', 'of the instance')
  await app.register(services, { errorHandler: { html: false, logger: false } })
  await app.register(mounted, options)
  app.service('ours', mirror as object)
  await after(app)
  return { app, application: applicationOf(app) as object as Any }
}

/** What each member is, and what comes of calling those that say what to use instead. */
function membersOf(application: Any) {
  const rows = members.map((name) => {
    const value = outcomeOf(() => application[name])
    const isRefusing = typeof application[name] === 'function' && !(name in application)
    const called = isRefusing ? outcomeOf(() => application[name]?.('a')) : undefined
    const kind =
      typeof application[name] === 'function'
        ? 'a function'
        : typeof value === 'object' && value !== null && !('thrown' in value)
          ? 'an object'
          : value
    return [name, [name in application ? 'in' : 'not in', kind, called].filter((item) => item !== undefined)]
  })
  return Object.fromEntries(rows)
}

const theirs = () => {
  const made = Object.assign(feathers(), {
    host: 'here',
    Mailer,
    url(this: unknown, path: string) {
      return [this === made, path]
    },
    defaultAuthentication(this: unknown, path: string) {
      return path && [this === made, path]
    },
    decorated: 'of theirs'
  })
  made.use('theirs', mirror)
  made.set('port' as never, 5 as never)
  return made
}

t.test('the members that hooks find at `context.app`', async (t) => {
  const table: Record<string, unknown> = {}
  for (const [name, options] of Object.entries({
    settings: () => ({ settings: { a: 1 } }),
    mounted: () => ({ app: theirs() })
  })) {
    const { app, application } = await create(t, options() as FeathersOptions)
    Object.assign(app, { later: 1 })
    const before = membersOf(application)
    const self = (value: unknown) => (value === application ? 'itself' : told(value))
    const { url } = application
    const seen: unknown[] = []
    const mixin = function (this: unknown, _service: unknown, path: string) {
      seen.push([this === application, path])
    }
    const early = {
      get: [call(application, 'get', 'a'), call(application, 'get', 'port'), call(application, 'get', 'none')].map(
        (item) => told(item)
      ),
      set: self(call(application, 'set', 'a', 2)),
      route: self(call(application, 'get', '/route', () => 'of the route')),
      hooks: self(call(application, 'hooks', { before: { find: [() => void seen.push('a hook')] } })),
      wrong: outcomeOf(() => call(application, 'hooks', { befor: {} })),
      configure: self(
        call(application, 'configure', function (this: unknown, input: unknown) {
          seen.push([this === application, input === application])
        })
      ),
      mixins: (application.mixins as object as unknown[]).push(mixin) > 0,
      services: Object.keys(application.services as object),
      service: call(application, 'service', 'ours') === app.service('ours'),
      missing: outcomeOf(() => call(application, 'service', 'nothing')),
      url: outcomeOf(() => call(application, 'url', 'a')),
      'url of another': outcomeOf(() => application.url?.call({}, 'a')),
      same: [application.url === url, applicationOf(app) === (application as object)],
      default: outcomeOf(() => call(application, 'defaultAuthentication', 'login'))
    }
    app.service('late', mirror as object)
    Object.assign(application, { own: 1, get: () => 'replaced' })
    await app.ready()
    table[name] = {
      members: before,
      early,
      late: [outcomeOf(() => call(application, 'configure', mixin)), outcomeOf(() => application.mixins)],
      set: [
        call(application, 'get', 'a'),
        (app as object as { own: number }).own,
        app.get !== (application as object as typeof app).get
      ],
      answers: [(await app.inject('/route')).body, (await app.inject('/ours')).statusCode],
      seen
    }
  }
  isKept(t, table, 'test/context-app/whole-applications.txt')
})

const byName: Record<string, FeathersOptions['settings']> = {
  none: undefined,
  empty: {},
  some: { a: 1, b: undefined, c: null, constructor: 2 },
  'of a prototype': Object.create({ a: 1 }),
  'with odd names': JSON.parse('{ "__proto__": { "a": 1 }, "toString": 3, "": 4 }'),
  'a function': ((app: Any) => {
    call(app, 'set', 'a', call(app, 'get', 'a') ?? 'of the function')
    call(app, 'set', '__proto__', { a: 1 })
  }) as never,
  'a function that fails': (() => {
    throw new Error('of the settings')
  }) as never,
  'a function that rejects': (async () => Promise.reject(new Error('of the settings'))) as never
}
const names = ['a', 'b', 'c', 'constructor', '__proto__', 'toString', '', 'none']

t.test('settings, from an object or a function', async (t) => {
  const table: Record<string, unknown> = {}
  for (const [name, settings] of Object.entries(byName))
    for (const [kind, options] of Object.entries({ '': {}, ', mounted': { app: feathers() } })) {
      const row = create(t, { settings, ...options } as FeathersOptions).then(({ application }) =>
        names.map((item) => `${item}: ${JSON.stringify(call(application, 'get', item))}`)
      )
      table[name + kind] = await settledOf(row)
    }
  const ran: unknown[] = []
  const hook = (label: string) => async (context: object, next: () => Promise<void>) => {
    ran.push(label, Object.keys(context), told(await next()))
  }
  const configuration = (configured: Any) => {
    call(configured, 'hooks', { setup: hook('setup'), teardown: [hook('teardown'), hook('teardown 2')] })
    call(configured, 'hooks', { setup: [hook('setup 2'), hook('setup 3')] })
    call(configured, 'hooks', { teardown: hook('teardown 3') })
    call(configured, 'hooks', {})
    ran.push(Object.keys(configured))
  }
  const { app } = await create(t, { settings: configuration as never })
  await app.ready()
  ran.push('ready')
  await app.close()
  isKept(t, { ...table, ran }, 'test/context-app/whole-settings.txt')
})

t.test('the authentication that helpers of Feathers find', async (t) => {
  const login = async (app: FastifyInstance) => {
    const strategies = { jwt: true, local: true } as const
    app.service('users', mirror as object)
    await app.register(authentication, { secret, path: 'login', service: 'users', strategies })
    await app.register(authentication, {
      secret: `${secret}y`,
      path: 'second',
      entity: null,
      strategies: { jwt: true }
    })
  }
  const table: Record<string, unknown> = {}
  for (const [name, options] of Object.entries({ ours: {}, 'ours and theirs': { app: theirs() } })) {
    const { application } = await create(t, options as FeathersOptions, login)
    const rows = [undefined, 'login', '/second/', 'ours', 'none', ''].map((path) => {
      const lookedUp = outcomeOf(() => {
        const one = call(application, 'defaultAuthentication', path) as Any
        if (Array.isArray(one) || typeof one !== 'object') return one
        const count = ['jwt', 'local', 'none'].map(
          (strategy) => (call(one, 'getStrategies', strategy) as unknown[]).length
        )
        const both = (call(one, 'getStrategies', 'jwt', 'none', 'local') as unknown[]).length
        const single = ['jwt', 'local', 'none'].map((strategy) => outcomeOf(() => call(one, 'getStrategy', strategy)))
        return { count, both, single, authenticate: outcomeOf(() => call(one, 'authenticate')) }
      })
      return [String(path), lookedUp]
    })
    table[name] = Object.fromEntries(rows)
  }
  const elsewhere = await create(t, {}, async (app) => {
    for (const name of ['b', 'a'])
      await app.register(
        async (child) => {
          await child.register(authentication, {
            secret,
            entity: null,
            strategies: { [name]: { authenticate: () => ({}) } }
          })
        },
        { prefix: name }
      )
  })
  table.elsewhere = ['a', 'b'].map((name) =>
    outcomeOf(() => call(call(elsewhere.application, 'defaultAuthentication'), 'getStrategy', name))
  )
  const { application } = await create(t, {}, login)
  const strategy = call(call(application, 'defaultAuthentication'), 'getStrategy', 'local')
  const hash = String(await call(strategy, 'hashPassword', 'secret'))
  table.hashed = [
    hash.split('$')[1],
    (await call(strategy, 'hashPassword', hash)) === hash,
    await settledOf(Promise.resolve(call(strategy, 'hashPassword', 5)))
  ]
  table.without = outcomeOf(() => applicationOf(Fastify()))
  isKept(t, table, 'test/context-app/whole-authentication.txt')
})

import '../support/auth-scrypt.js'
import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Params } from 'fastify-services'
import authentication, {
  authenticate as guard,
  type AuthenticationService as Ours
} from 'fastify-services/authentication'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'

/** What a service is told of its caller. */
const told = {
  find: async ({ provider, user, authenticated, authentication, role }: Params & Record<string, unknown>) => ({
    provider,
    user,
    authenticated,
    strategy: (authentication as { strategy?: string } | undefined)?.strategy,
    role
  })
}

type Change = (params: Params) => Params & Record<string, unknown>

const ways: Record<string, Change> = {
  'as they are': (params) => params,
  'a copy': (params) => ({ ...params }),
  'without the credentials': ({ authentication, ...params }) => params,
  'without the user': ({ authentication, user, ...params }) => params,
  'the user alone': ({ user, authenticated }) => ({ user: user ?? null, authenticated, provider: 'rest' }),
  'the credentials alone': ({ authentication, authenticated }) => ({ authentication, authenticated, provider: 'rest' })
}
const withoutProvider = ({ provider, ...params }: Params) => params

/** Where a service hands its params on to. */
type Target = (params: Params) => Promise<unknown>

/** Services below a name that hand on their params in all ways, with a provider and without. */
const handing = (name: string, target: Target) =>
  Object.entries(ways).flatMap(([way, change]) => {
    const path = `${name}/${way.replaceAll(' ', '-')}`
    return [
      { path: `outside-${path}`, object: { find: (params: Params) => target({ ...change(params) }) } },
      { path: `inside-${path}`, object: { find: (params: Params) => target(withoutProvider(change(params))) } }
    ]
  })

/** A Feathers application with users of its own, and its authentication. */
function createTheirs(path = 'authentication', prefix = '') {
  const theirs: Theirs = feathers()
  const base = {
    secret: `${path}${'x'.repeat(32)}`,
    entity: 'user',
    service: `${prefix}users`,
    authStrategies: ['jwt']
  }
  theirs.set(path, base)
  const service = new AuthenticationService(theirs, path)
  service.register('jwt', new JWTStrategy())
  theirs.use(`${prefix}users`, { id: 'id', get: async (id: unknown) => ({ id, of: path }) } as object)
  theirs.use(path, service)
  theirs.use(`${prefix}guarded`, told)
  theirs.service(`${prefix}guarded`).hooks({ around: { all: [authenticate('jwt')] } })
  const token = async () => ({ authorization: `Bearer ${await service.createAccessToken({}, { subject: '1' })}` })
  return { theirs, token }
}

const strategy = {
  parse: ({ headers }: FastifyRequest) => (headers['x-known'] ? {} : null),
  authenticate: async () => ({ user: { id: '1', of: 'ours' }, role: 'a' })
}

async function createBoth(t: Test) {
  const { theirs, token } = createTheirs()
  const ours: { app?: FastifyInstance } = {}
  for (const { path, object } of handing('theirs', (params) =>
    (ours.app as FastifyInstance).service<typeof told>('ours').find(params)
  )) {
    theirs.use(path, object)
    theirs.service(path).hooks({ around: { all: [authenticate('jwt')] } })
  }
  const toOwn = { find: (params: Params) => theirs.service('guarded').find({ ...params }) }
  theirs.use('to-own', toOwn)
  theirs.service('to-own').hooks({ around: { all: [authenticate('jwt')] } })
  const app = await createMounted(t, theirs, {
    after: async (app) => {
      app.service('people', { get: async (id: unknown) => ({ id, of: 'ours' }) } as object)
      const strategies = { known: strategy, jwt: true }
      await app.register(authentication, { secret: 'y'.repeat(32), path: 'login', service: 'people', strategies })
      const around = { hooks: { around: { all: [guard('jwt', 'known')] } } }
      app.service('ours', told, around)
      const targets: Record<string, Target> = {
        ours: (params) => app.service<typeof told>('guarded').find(params),
        directly: (params) => theirs.service('guarded').find(params)
      }
      for (const [name, target] of Object.entries(targets))
        for (const { path, object } of handing(name, target)) app.service(path, object, around)
    }
  })
  ours.app = app
  await app.ready()
  const login = await app.service<Ours>('login').create({ strategy: 'known' })
  return { app, theirs, ours: { authorization: `Bearer ${login.accessToken}` }, token: await token() }
}

t.test('who is known to ours is nobody to a mounted application, and the other way', async (t) => {
  const { app, ours, token } = await createBoth(t)
  t.match(await request(app, 'GET', '/guarded', { headers: token }), {
    status: 200,
    body: { user: { of: 'authentication' } }
  })
  t.match(await request(app, 'GET', '/ours', { headers: ours }), { status: 200, body: { user: { of: 'ours' } } })
  const callers: Record<string, Record<string, string>[]> = {
    ours: [ours, { 'x-known': 'yes' }],
    directly: [ours],
    theirs: [token]
  }
  for (const [name, all] of Object.entries(callers))
    for (const headers of all)
      for (const way of Object.keys(ways)) {
        const path = `${name}/${way.replaceAll(' ', '-')}`
        const outside = await request(app, 'GET', `/outside-${path}`, { headers })
        t.equal(outside.status, 401, `${path}: no proof`)
        const inside = await request(app, 'GET', `/inside-${path}`, { headers })
        t.strictSame([inside.status, inside.body], [200, {}], `${path}: a call of the server tells of nobody`)
      }
})

t.test('a mounted application knows its own', async (t) => {
  const { app, theirs, token } = await createBoth(t)
  const service = theirs.service('authentication') as unknown as AuthenticationService
  const { status, body } = await request(app, 'GET', '/to-own', { headers: token })
  t.match([status, body], [200, { user: { of: 'authentication' }, authenticated: true, strategy: 'jwt' }])
  const said = { user: { id: '5' }, authenticated: true, provider: 'rest' }
  t.match(await theirs.service('guarded').find(said), said, 'and what is said by the application itself')
  t.match(await app.service('guarded').find({ user: { id: '5' } }), { user: { id: '5' } })
  const login = await service.authenticate({ strategy: 'jwt', accessToken: token.authorization.slice(7) }, {}, 'jwt')
  t.strictSame(Object.keys(login).sort(), ['accessToken', 'authentication', 'user'])
  const created = await service.create(
    { strategy: 'jwt', accessToken: token.authorization.slice(7) },
    { provider: 'rest' }
  )
  t.notOk(
    Reflect.ownKeys(created).some((key) => String(key) === 'Symbol(logins)'),
    'a login has nothing more'
  )
})

t.test('without an authentication of its own it knows our users', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('notes', told)
  const app = await createMounted(t, theirs, {
    after: async (app) => {
      const strategies = { known: strategy, jwt: true }
      await app.register(authentication, { secret: 'y'.repeat(32), entity: 'user', service: 'people', strategies })
      app.service('people', { get: async (id: unknown) => ({ id, of: 'ours' }) } as object)
      const handing = {
        find: (params: Params) => app.service<typeof told>('notes').find({ user: params.user } as Params)
      }
      app.service('handing', handing, { hooks: { around: { all: [guard('known')] } } })
    }
  })
  await app.ready()
  const { body } = await request(app, 'GET', '/handing', { headers: { 'x-known': 'yes' } })
  t.strictSame(body, { user: { id: '1', of: 'ours' } })
})

t.test('our login reads its user where an application that is mounted guards the users', async (t) => {
  const { theirs, token } = createTheirs()
  theirs.service('users').hooks({ around: { all: [authenticate('jwt')] } })
  const app = await createMounted(t, theirs, {
    after: (app) =>
      app.register(authentication, {
        secret: 'y'.repeat(32),
        path: 'login',
        strategies: { known: strategy, jwt: true }
      })
  })
  await app.ready()
  const login = await request(app, 'POST', '/login', { payload: { strategy: 'known' } })
  t.match([login.status, login.body], [201, { user: { id: '1', of: 'authentication' } }])
  t.equal((await request(app, 'GET', '/users/1')).status, 401)
  t.equal((await request(app, 'GET', '/users/1', { headers: await token() })).status, 200)
})

t.test('what their users are asked with opens nothing of ours', async (t) => {
  const { app, theirs, token } = await createBoth(t)
  const handed: unknown[] = []
  const log = async ({ params }: { params: Params }) => {
    handed.push(
      await app
        .service('ours')
        .find({ ...params, provider: 'rest' })
        .catch(String)
    )
  }
  theirs.service('users').hooks({ after: { get: [log as never] } })
  await request(app, 'GET', '/guarded', { headers: token })
  const payload = { strategy: 'jwt', accessToken: token.authorization.slice(7) }
  t.equal((await request(app, 'POST', '/authentication', { payload })).status, 201)
  t.equal(handed.length, 3)
  t.notOk(handed.some((item) => !String(item).startsWith('NotAuthenticated')))
})

t.test('who is known to one mounted application is nobody to another', async (t) => {
  const [first, second] = [createTheirs(), createTheirs('login', 'two/')]
  for (const { path, object } of handing('one', (params) => second.theirs.service('two/guarded').find(params))) {
    first.theirs.use(path, object)
    first.theirs.service(path).hooks({ around: { all: [authenticate('jwt')] } })
  }
  second.theirs.set('defaultAuthentication', 'login')
  const app = await createMounted(t, first.theirs, {
    after: (app) => app.register(async (child) => void (await child.register(mounted, { app: second.theirs })))
  })
  await app.ready()
  const headers = await first.token()
  t.equal((await request(app, 'GET', '/guarded', { headers })).status, 200)
  t.equal((await request(app, 'GET', '/two/guarded', { headers: await second.token() })).status, 200)
  for (const way of Object.keys(ways)) {
    const path = `one/${way.replaceAll(' ', '-')}`
    t.equal((await request(app, 'GET', `/outside-${path}`, { headers })).status, 401, path)
    t.strictSame((await request(app, 'GET', `/inside-${path}`, { headers })).body, {}, path)
  }
})

import '../support/auth-scrypt.js'
import { authenticate as theirAuthenticate } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import bcrypt from 'bcryptjs'
import { BadRequest } from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { request } from '../support/host.js'
import { createMounted, type Theirs } from '../support/mounted-app.js'
import { secret } from '../support/tokens.js'
import { user } from '../support/users-app.js'

t.test('authentication has moved, and its users have not', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('users', memory({ startId: 1 }) as object)
  theirs.use('notes', { find: async () => ['secret'] })
  const app = await createMounted(t, theirs, {
    after: async (app) => {
      await app.register(authentication, { secret, strategies: { jwt: true, local: { bcrypt: true } } })
      app.service('me', { find: async ({ user }) => user }, { hooks: { around: { all: [authenticate('jwt')] } } })
    }
  })
  await app.ready()
  await theirs.service('users').create({ ...user, password: bcrypt.hashSync(user.password, 4) })
  const login = await request(app, 'POST', '/authentication', { payload: { strategy: 'local', ...user } })
  t.match(login, { status: 201, body: { user: { id: 1, email: user.email } } })
  const bearer = { headers: { authorization: `Bearer ${login.body.accessToken}` } }
  t.strictSame((await request(app, 'GET', '/me', bearer)).body, { id: 1, email: user.email })
  t.strictSame((await request(app, 'GET', '/users')).body, [{ id: 1, email: user.email }], 'no password leaves')
  t.ok((await theirs.service('users').get(1)).password, 'inside it is there')

  theirs.service('notes').hooks({ around: { all: [authenticate('jwt') as never] } })
  t.equal((await request(app, 'GET', '/notes', bearer)).status, 500, 'a guard of ours lets nobody in there')
  t.equal((await request(app, 'GET', '/notes')).status, 500)
})

t.test('users that have not moved: a hash is replaced only where it is still the one that was compared', async (t) => {
  const [outdated, changed] = ['$2b$', '$2a$'].map((version) =>
    bcrypt.hashSync(user.password, 4).replace('$2b$', version)
  )
  const refuse = (context: { params: { query?: object } }) => {
    if ('password' in Object(context.params.query)) throw new BadRequest('No passwords in queries')
  }
  for (const hooks of [[], [refuse]]) {
    const theirs: Theirs = feathers()
    theirs.use('users', memory({ startId: 1 }) as object)
    theirs.service('users').hooks({ before: { patch: hooks as never } })
    const app = await createMounted(t, theirs, {
      after: async (app) => {
        await app.register(authentication, { secret, strategies: { local: { bcrypt: true, rehash: true } } })
      }
    })
    await app.ready()
    const { id } = (await theirs.service('users').create({ ...user, password: outdated })) as { id: number }
    // Somebody changes the password while the log-in replaces its hash.
    theirs.service('users').hooks({
      before: {
        patch: [
          async (context: { service: { store: Record<number, object> } }) =>
            void Object.assign(context.service.store[id] as object, { password: changed })
        ]
      } as never
    })
    const login = await request(app, 'POST', '/authentication', { payload: { strategy: 'local', ...user } })
    t.equal(login.status, 201)
    t.equal(
      ((await theirs.service('users').get(id)) as { password: string }).password,
      hooks.length === 0 ? changed : outdated
    )
  }
})

t.test('a guard of theirs without their authentication lets nobody in', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('notes', { find: async () => ['secret'] })
  theirs.service('notes').hooks({ around: { all: [theirAuthenticate('jwt')] } })
  const app = await createMounted(t, theirs)
  t.ok((await request(app, 'GET', '/notes')).status >= 401)
})

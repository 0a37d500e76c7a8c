import '../support/auth-scrypt.js'
import { authenticate as theirAuthenticate } from '@feathersjs/authentication'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import bcrypt from 'bcryptjs'
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

t.test('a guard of theirs without their authentication lets nobody in', async (t) => {
  const theirs: Theirs = feathers()
  theirs.use('notes', { find: async () => ['secret'] })
  theirs.service('notes').hooks({ around: { all: [theirAuthenticate('jwt')] } })
  const app = await createMounted(t, theirs)
  t.ok((await request(app, 'GET', '/notes')).status >= 401)
})

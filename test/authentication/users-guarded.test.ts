import { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { ask, createUsersApp, login, user } from '../support/users-app.js'

t.test('the users service may have the guard that asks it: a call of the server needs no credentials', async (t) => {
  let gets = 0
  const app = await createUsersApp(t, {
    before: (app) => {
      app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
      app.service('users').hooks({
        around: { all: [authenticate('jwt')] },
        before: {
          get: [
            () => {
              gets++
              if (gets > 20) throw new Error('endless')
            }
          ]
        }
      })
    }
  })
  const { body } = await login(app)
  gets = 0
  t.match(await ask(app, body.accessToken, '/me'), { status: 200, body: { email: user.email } })
  t.equal(gets, 1)
  t.match(await ask(app, body.accessToken, '/users/1'), { status: 200, body: { email: user.email } })
  t.equal(gets, 3)
  t.equal((await ask(app, 'bad', '/users/1')).status, 401)
})

import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { scryptHash } from '../../lib/authentication/scrypt.js'
import { secret } from '../support/tokens.js'
import { ask, login, user } from '../support/users-app.js'

/** Users in a class of one's own: pages whatever is asked, numbers as ids, `null` for nobody. */
class People {
  readonly list: { id: number; email: string; password: string }[] = []
  // No name of a property, as it is in adapters.
  id = 0
  async find({ query }: { query: { email: string } }) {
    const data = this.list.filter(({ email }) => email === query.email)
    return { total: data.length, limit: 10, skip: 0, data }
  }
  async get(id: string) {
    return this.list.find((one) => String(one.id) === String(id)) ?? null
  }
}

t.test('the users may be any object with `find` and `get`', async (t) => {
  const people = new People()
  people.list.push({ id: 7, email: user.email, password: await scryptHash.hash(user.password) })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('people', people)
  await app.register(authentication, { secret, service: 'people' })
  app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  const { status, body } = await login(app)
  t.match([status, body], [201, { user: { id: 7, email: user.email }, authentication: { payload: { sub: '7' } } }])
  t.same((await ask(app, body.accessToken, '/me')).body, { id: 7, email: user.email })
  people.list.pop()
  t.equal((await ask(app, body.accessToken, '/me')).status, 401, 'token of a deleted user')
  t.equal((await login(app)).status, 401)
})

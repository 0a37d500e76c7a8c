import type { Params, Query } from 'fastify-services'
import { LocalStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, bob, createGuardsApp, createPeople, login, password } from '../support/auth-guards.js'

/** Users of whom some may log in; `queries` are those that their service has got. */
function createMembers() {
  const people = createPeople()
  const queries: Query[] = []
  const find = async ({ query = {} }: Params) => {
    queries.push(query)
    const { confirmed, ...rest } = query
    const found = await people.find({ query: rest })
    return confirmed === undefined ? found : found.filter(({ id }) => id === ada.id)
  }
  return { queries, people: { get: people.get, find } }
}

class ConfirmedOnly extends LocalStrategy {
  readonly seen: unknown[] = []

  override async getEntityQuery(query: Query, params: Params) {
    this.seen.push([query, params.provider])
    return { ...query, confirmed: true, $limit: 1 }
  }
}

t.test('a subclass with `getEntityQuery` lets only some users log in', async (t) => {
  const local = new ConfirmedOnly()
  const { people, queries } = createMembers()
  const app = await createGuardsApp(t as Test, { people, options: { strategies: { jwt: true, local } } })
  t.match(await login(app), { status: 201, body: { user: ada } })
  t.match(await login(app, { email: bob.email }), { status: 401, body: { message: 'Invalid login' } })
  t.same(local.seen, [
    [{ email: ada.email }, 'rest'],
    [{ email: bob.email }, 'rest']
  ])
  t.same(queries, [
    { email: ada.email, confirmed: true, $limit: 1 },
    { email: bob.email, confirmed: true, $limit: 1 }
  ])
})

t.test('the answer is that of a wrong password', async (t) => {
  const { people } = createMembers()
  const app = await createGuardsApp(t as Test, {
    people,
    options: { strategies: { jwt: true, local: new ConfirmedOnly() } }
  })
  const [unconfirmed, wrong, nobody] = [
    await login(app, { email: bob.email }),
    await login(app, { password: 'wrong' }),
    await login(app, { email: 'nobody@example.com' })
  ]
  t.same([unconfirmed?.status, unconfirmed?.body], [wrong?.status, wrong?.body])
  t.same([nobody?.status, nobody?.body], [wrong?.status, wrong?.body])
})

t.test('by default the query is the name alone, and one record', async (t) => {
  const { people, queries } = createMembers()
  const app = await createGuardsApp(t as Test, { people })
  await login(app, { confirmed: 'no', $limit: 5, role: 'admin' })
  t.same(queries, [{ email: ada.email, $limit: 1 }], 'nothing else of the body is in it')
})

t.test('fields of its own: of the login, and of the user', async (t) => {
  const { people, queries } = createMembers()
  const local = new ConfirmedOnly({
    usernameField: 'login',
    passwordField: 'pass',
    entityUsernameField: 'email',
    entityPasswordField: 'password'
  })
  const app = await createGuardsApp(t as Test, { people, options: { strategies: { jwt: true, local } } })
  t.equal((await login(app)).status, 401)
  t.match(await login(app, { login: ada.email, pass: password }), { status: 201, body: { user: ada } })
  t.same(queries, [{ email: ada.email, confirmed: true, $limit: 1 }], 'the login without them asked nobody')
})

t.test('a subclass may say more of who logs in', async (t) => {
  class WithRole extends LocalStrategy {
    override async authenticate(...args: Parameters<LocalStrategy['authenticate']>) {
      const result = await super.authenticate(...args)
      return { ...result, authentication: { payload: { role: 'editor' } } }
    }
  }
  const app = await createGuardsApp(t as Test, { options: { strategies: { jwt: true, local: new WithRole() } } })
  const { body } = await login(app)
  t.match(body, { user: ada, authentication: { strategy: 'local', payload: { role: 'editor', sub: '1' } } })
  t.notMatch(JSON.stringify(body), /scrypt/)
})

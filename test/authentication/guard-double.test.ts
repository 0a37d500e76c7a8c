import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, apiKey, around, ask, bearer, bob, createGuardsApp, createPeople, whoami } from '../support/auth-guards.js'

const [token, key, any] = [authenticate('jwt'), authenticate('apiKey'), authenticate('apiKey', 'jwt')]
const both = { ...bearer(), 'x-api-key': 'good' }

/** A guarded service and a guarded route at each path: `/name` and `/route/name`. */
async function create(t: Test) {
  const people = createPeople()
  const app = await createGuardsApp(t, {
    people,
    options: { strategies: { jwt: true, apiKey } },
    before: (app) => {
      const pairs = { same: [token, token], lax: [any, token], strict: [token, any], other: [token, key] }
      for (const [name, guards] of Object.entries(pairs)) {
        app.service(name, whoami, around(...guards))
        app.get(`/route/${name}`, { preHandler: guards }, async ({ user, feathers }) => ({
          user,
          strategy: (feathers.authentication as { strategy: string }).strategy
        }))
      }
    }
  })
  const see = async (name: string, headers: Record<string, string>) => {
    people.gets = 0
    const answers = [await ask(app, `/${name}`, headers), await ask(app, `/route/${name}`, headers)]
    return answers.map(({ status, body }) => (status === 200 ? [body.user, body.strategy] : status))
  }
  return { people, see }
}

t.test('the same guard twice asks once', async (t) => {
  const { people, see } = await create(t as Test)
  t.same(await see('same', bearer()), [
    [ada, 'jwt'],
    [ada, 'jwt']
  ])
  t.equal(people.gets, 2, 'the service and the route, once each')
  t.same(await see('same', {}), [401, 401])
})

t.test('a guard with stricter strategies is not passed by what a laxer one has let in', async (t) => {
  const { see } = await create(t as Test)
  t.same(await see('lax', { 'x-api-key': 'good' }), [401, 401])
  t.same(await see('lax', bearer()), [
    [ada, 'jwt'],
    [ada, 'jwt']
  ])
  t.same(await see('lax', both), [
    [ada, 'jwt'],
    [ada, 'jwt']
  ])
  t.same(await see('lax', { ...both, 'x-api-key': 'bad' }), [
    [ada, 'jwt'],
    [ada, 'jwt']
  ])
})

t.test('a laxer one behind a stricter one lets in whom that has let in', async (t) => {
  const { people, see } = await create(t as Test)
  t.same(await see('strict', both), [
    [ada, 'jwt'],
    [ada, 'jwt']
  ])
  t.equal(people.gets, 2, 'and asks nothing again')
  t.same(await see('strict', { 'x-api-key': 'good' }), [401, 401])
})

t.test('two that ask for different things want both, and the last tells who calls', async (t) => {
  const { see } = await create(t as Test)
  t.same(await see('other', both), [
    [bob, 'apiKey'],
    [bob, 'apiKey']
  ])
  t.same(await see('other', bearer()), [401, 401])
  t.same(await see('other', { 'x-api-key': 'good' }), [401, 401])
})

import { authenticate, JwtStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, ask, createGuardsApp, whoami } from '../support/auth-guards.js'
import { forge } from '../support/tokens.js'

const token = forge()

/** The status of a guarded service and a guarded route for each value of a header. */
async function statuses(t: Test, jwt: object | true, header: string, values: readonly string[]) {
  const app = await createGuardsApp(t, {
    options: { strategies: { jwt } },
    before: (app) => {
      app.service('me', whoami, around(authenticate('jwt')))
      app.get('/route', { preHandler: authenticate('jwt') }, async () => 'let in')
    }
  })
  const seen: number[] = []
  for (const value of values) {
    const [me, route] = [await ask(app, '/me', { [header]: value }), await ask(app, '/route', { [header]: value })]
    t.equal(me.status, route.status)
    if (me.status === 200) t.match(me.body, { user: ada, strategy: 'jwt' })
    seen.push(me.status)
  }
  return seen
}

t.test('the header as it is by default: `Bearer` in any case, `JWT`, `Bearer:`, a bare token', async (t) => {
  const good = ['Bearer', 'bearer', 'BEARER', 'JWT', 'jwt', 'Bearer:'].map((scheme) => `${scheme} ${token}`)
  t.same(
    await statuses(t as Test, true, 'authorization', [...good, token, `  Bearer   ${token}  `]),
    Array(8).fill(200)
  )
  const bad = [`Token ${token}`, `Basic ${token}`, `Bearer ${token} x`, `Bearer Bearer ${token}`, `Bearer,${token}`, '']
  t.same(await statuses(t as Test, true, 'authorization', bad), Array(6).fill(401))
})

for (const kind of ['options', 'a strategy'] as const)
  t.test(`a configured header and scheme list, by ${kind}`, async (t) => {
    const options = { header: 'X-Access-Token', schemes: ['Token', 'Legacy'] }
    const jwt = kind === 'options' ? options : new JwtStrategy(options)
    const good = [`Token ${token}`, `token ${token}`, `LEGACY ${token}`, `Token: ${token}`, token]
    t.same(await statuses(t as Test, jwt, 'x-access-token', good), Array(5).fill(200))
    t.same(
      await statuses(t as Test, jwt, 'x-access-token', [`Bearer ${token}`, `JWT ${token}`, 'Token', '']),
      Array(4).fill(401)
    )
    t.same(
      await statuses(t as Test, jwt, 'authorization', [`Token ${token}`, `Bearer ${token}`, token]),
      Array(3).fill(401)
    )
  })

t.test('no schemes: the bare token alone', async (t) => {
  t.same(await statuses(t as Test, { schemes: [] }, 'authorization', [token, `Bearer ${token}`]), [200, 401])
})

t.test('two of a kind, with a header each', async (t) => {
  const app = await createGuardsApp(t as Test, {
    options: { strategies: { jwt: true, old: new JwtStrategy({ header: 'X-Token' }) } },
    before: (app) => {
      app.service('any', whoami, around(authenticate('jwt', 'old')))
      app.service('old', whoami, around(authenticate('old')))
    }
  })
  const [header, old] = [{ authorization: `Bearer ${token}` }, { 'x-token': token }]
  t.match((await ask(app, '/any', header)).body, { strategy: 'jwt' })
  t.match((await ask(app, '/any', old)).body, { strategy: 'old' })
  t.match((await ask(app, '/old', old)).body, { strategy: 'old' })
  t.equal((await ask(app, '/old', header)).status, 401)
})

import authentication, { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { decode } from '../support/auth-fault-tokens.js'
import { claims, forge, forgeWithout, secret } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const jwt = { issuer: 'https://login.example.com', audience: 'https://api.example.com' }
const url = '/authentication'
const statusOf = async (app: Parameters<typeof ask>[0], token: string) =>
  (await ask(app, token, { method: 'DELETE', url })).status

t.test('`iss` and `aud` of the options are set and checked', async (t) => {
  const app = await createUsersApp(t as Test, { options: { jwt } })
  const { accessToken } = (await login(app)).body
  t.match(decode(accessToken, 1), { iss: jwt.issuer, aud: jwt.audience })
  t.equal(await statusOf(app, accessToken), 200)

  const of = (changes: object) => forge(claims({ iss: jwt.issuer, aud: jwt.audience, ...changes }))
  t.equal(await statusOf(app, of({})), 200)
  t.equal(await statusOf(app, of({ aud: ['other', jwt.audience] })), 200, 'a list with it')
  for (const [row, token] of Object.entries({
    'the defaults': forge(),
    'another issuer': of({ iss: 'https://evil.example.com' }),
    'the default issuer': of({ iss: 'fastify-services' }),
    'an issuer with a slash': of({ iss: `${jwt.issuer}/` }),
    'a list of issuers': of({ iss: [jwt.issuer] }),
    'another audience': of({ aud: 'https://other.example.com' }),
    'the default audience': of({ aud: 'authentication' }),
    'a beginning of it': of({ aud: 'https://api.example' }),
    'a list without it': of({ aud: ['a', 'b'] }),
    'issuer for audience': of({ iss: jwt.audience, aud: jwt.issuer }),
    'no issuer': forgeWithout('iss'),
    'no audience': forgeWithout('aud')
  }))
    t.equal(await statusOf(app, token), 401, row)
})

t.test('an issuer or audience with characters of a pattern is text', async (t) => {
  const app = await createUsersApp(t as Test, { options: { jwt: { issuer: '.*', audience: '/a|b/' } } })
  t.equal(await statusOf(app, forge(claims({ iss: '.*', aud: '/a|b/' }))), 200)
  for (const [iss, aud] of [
    ['x', '/a|b/'],
    ['.*', 'a'],
    ['.*', '/a']
  ])
    t.equal(await statusOf(app, forge(claims({ iss, aud }))), 401)
})

t.test('a token of one service is not good for the other, even with the same secret', async (t) => {
  const app = await createUsersApp(t as Test, {
    before: async (app) => {
      await app.register(authentication, { secret, path: 'second' })
      for (const service of ['authentication', 'second']) {
        const guard = authenticate({ service, strategies: ['jwt'] })
        app.service(`guarded/${service}`, { find: async () => 'let in' }, { hooks: { around: { all: [guard] } } })
      }
    }
  })
  for (const [own, other] of [
    ['authentication', 'second'],
    ['second', 'authentication']
  ] as const) {
    const { accessToken } = (await login(app, {}, own)).body
    t.equal((await ask(app, accessToken, `/guarded/${own}`)).status, 200)
    t.equal((await ask(app, accessToken, `/guarded/${other}`)).status, 401)
    t.equal((await login(app, { strategy: 'jwt', accessToken }, other)).status, 401)
    t.equal((await ask(app, accessToken, { method: 'DELETE', url: `/${other}` })).status, 401)
  }
})

import { authenticate, type JwtOptions, JwtStrategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { ada, around, createGuardsApp, whoami } from '../support/auth-guards.js'
import { forge } from '../support/tokens.js'

const token = forge()

/** Asks a guarded service and a guarded route with headers; gives the status that both have. */
async function createAsk(t: Test, jwt: true | JwtOptions | JwtStrategy = true) {
  const app = await createGuardsApp(t, {
    options: { strategies: { local: true, jwt, old: new JwtStrategy({ header: 'X-Old' }) } },
    before: (app) => {
      app.service('me', whoami, around(authenticate('jwt')))
      app.get('/route', { preHandler: authenticate('jwt') }, () => 'let in')
      app.service('any', whoami, around(authenticate('jwt', 'old')))
      app.service('old', whoami, around(authenticate('old')))
    }
  })
  const ask = async (headers: Record<string, string | string[]>) => {
    const [one, two] = await Promise.all(['/me', '/route'].map((url) => app.inject({ url, headers })))
    t.equal(one?.statusCode, two?.statusCode, 'the service and the route agree')
    if (one?.statusCode === 200) t.match(one.json(), { user: ada, strategy: 'jwt' })
    return one?.statusCode
  }
  return { app, ask }
}

// `x` stands for the token.
const forms: [row: string, values: string[]][] = [
  ['`Authorization: Bearer <token>`', ['Bearer x']],
  ['scheme in any case', ['bearer x', 'BEARER x', 'bEaReR x', 'jwt x', 'Jwt x', 'bearer: x']],
  ['also a bare token', ['x', ' x ']],
  ['`JWT <token>`', ['JWT x', 'JWT: x']],
  ['`Bearer: <token>`', ['Bearer: x']],
  ['more than one space', ['Bearer   x', 'Bearer x  ', '  Bearer   x  ']]
]
const bad = [
  '',
  'Bearer',
  'JWT',
  'Basic x',
  'Token x',
  'x Bearer',
  'Bearer x x',
  'Bearer Bearer x',
  'Bearer:x',
  'Bearer,x',
  'Bearerx'
]

t.test('the forms of the header', async (t) => {
  const { ask } = await createAsk(t)
  for (const [row, values] of forms)
    await t.test(row, async (t) => {
      for (const value of values) t.equal(await ask({ authorization: value.replace('x', token) }), 200, value)
    })
  for (const value of bad) t.equal(await ask({ authorization: value.replaceAll('x', token) }), 401, `\`${value}\`: 401`)
})

const options = { header: 'X-Access-Token', schemes: ['Token', 'Key'] }
for (const [kind, jwt] of Object.entries({ options, 'a strategy': new JwtStrategy(options) }))
  t.test(`a header and schemes of its own, by ${kind}: those alone, and the bare token`, async (t) => {
    const { ask } = await createAsk(t, jwt)
    for (const value of ['Token x', 'token x', 'KEY x', 'Key: x', 'Token: x', 'x'])
      t.equal(await ask({ 'x-access-token': value.replace('x', token) }), 200, value)
    for (const value of ['Bearer x', 'JWT x', 'Token', 'key', 'Tokens x', ''])
      t.equal(await ask({ 'x-access-token': value.replace('x', token) }), 401, value)
    for (const value of ['Token x', 'Bearer x', 'x'])
      t.equal(await ask({ authorization: value.replace('x', token) }), 401, `${value} in the header that is not read`)
  })

t.test('a header of its own: that one alone is read', async (t) => {
  const { ask } = await createAsk(t, { header: 'X-Access-Token' })
  t.equal(await ask({ 'x-access-token': token }), 200)
  t.equal(await ask({ 'x-access-token': `Bearer ${token}` }), 200)
  t.equal(await ask({ 'x-access-token': token, authorization: 'Bearer bad' }), 200)
  t.equal(await ask({ 'x-access-token': 'bad', authorization: `Bearer ${token}` }), 401)
  t.equal(await ask({ 'x-access-token': [token, token] }), 401, 'twice')
})

t.test('no schemes: the bare token alone; and two of a kind, with a header each', async (t) => {
  const { app, ask } = await createAsk(t, { schemes: [] })
  t.equal(await ask({ authorization: token }), 200)
  t.equal(await ask({ authorization: `Bearer ${token}` }), 401)
  const send = async (url: string, headers: object) =>
    (await app.inject({ url, headers: { accept: 'application/json', ...headers } })).json()
  const old = { 'x-old': token }
  t.match(await send('/any', { authorization: token }), { strategy: 'jwt' })
  t.match(await send('/any', old), { strategy: 'old' })
  t.match(await send('/old', old), { strategy: 'old' })
  t.match(await send('/old', { authorization: token }), { code: 401 })
})

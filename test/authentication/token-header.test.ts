import { authenticate, type JwtOptions } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { forge } from '../support/tokens.js'
import { createUsersApp } from '../support/users-app.js'

const token = forge()

/** Asks a guarded service and a guarded route with headers; gives the status that both have. */
async function createAsk(t: Test, jwt: true | JwtOptions = true) {
  const app = await createUsersApp(t, {
    options: { strategies: { local: true, jwt } },
    before: (app) => {
      app.service('me', { find: async () => 'let in' }, { hooks: { around: { all: [authenticate('jwt')] } } })
      app.get('/route', { preHandler: authenticate('jwt') }, () => 'let in')
    }
  })
  return async (headers: Record<string, string | string[]>) => {
    const urls = ['/me', '/route']
    const [one, two] = await Promise.all(urls.map(async (url) => (await app.inject({ url, headers })).statusCode))
    t.equal(one, two, 'the service and the route agree')
    return one
  }
}

const forms: [row: string, values: string[]][] = [
  ['`Authorization: Bearer <token>`', ['Bearer x']],
  ['scheme in any case', ['bearer x', 'BEARER x', 'bEaReR x', 'jwt x', 'Jwt x', 'bearer: x']],
  ['also a bare token', ['x', ' x ']],
  ['`JWT <token>`', ['JWT x', 'JWT: x']],
  ['`Bearer: <token>`', ['Bearer: x']],
  ['more than one space', ['Bearer   x', 'Bearer x  ']]
]

t.test('the forms of the header', async (t) => {
  const ask = await createAsk(t as Test)
  for (const [row, values] of forms)
    await t.test(row, async (t) => {
      for (const value of values) t.equal(await ask({ authorization: value.replace('x', token) }), 200, value)
    })
  for (const value of ['', 'Bearer', 'JWT', 'Basic x', 'Token x', 'x Bearer', 'Bearer x x', 'Bearer:x', 'Bearerx'])
    t.equal(await ask({ authorization: value.replaceAll('x', token) }), 401, `\`${value}\`: 401`)
})

t.test('a header of its own: that one alone is read', async (t) => {
  const ask = await createAsk(t as Test, { header: 'X-Access-Token' })
  t.equal(await ask({ 'x-access-token': token }), 200)
  t.equal(await ask({ 'x-access-token': `Bearer ${token}` }), 200)
  t.equal(await ask({ authorization: `Bearer ${token}` }), 401)
  t.equal(await ask({ 'x-access-token': token, authorization: 'Bearer bad' }), 200)
  t.equal(await ask({ 'x-access-token': 'bad', authorization: `Bearer ${token}` }), 401)
  t.equal(await ask({ 'x-access-token': [token, token] }), 401, 'twice')
})

t.test('schemes of its own: those alone, and the bare token', async (t) => {
  const ask = await createAsk(t as Test, { schemes: ['Token', 'Key'] })
  for (const value of ['Token x', 'token x', 'KEY x', 'Key: x', 'x'])
    t.equal(await ask({ authorization: value.replace('x', token) }), 200, value)
  for (const value of ['Bearer x', 'JWT x', 'Token', 'key', 'Tokens x'])
    t.equal(await ask({ authorization: value.replace('x', token) }), 401, value)
})

t.test('no schemes: the bare token alone', async (t) => {
  const ask = await createAsk(t as Test, { schemes: [] })
  t.equal(await ask({ authorization: token }), 200)
  t.equal(await ask({ authorization: `Bearer ${token}` }), 401)
})

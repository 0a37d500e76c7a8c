import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

t.test('a token is accepted in the one spelling that encoding its parts gives', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const strategies = { key: { authenticate: () => ({ authentication: { payload: { sub: 'ada' } } }) }, jwt: true }
  await app.register(authentication, { secret: 's'.repeat(32), entity: null, strategies })
  app.get('/me', { preHandler: authenticate('jwt') }, async () => 'in')
  const login = await app.inject({ method: 'POST', url: '/authentication', payload: { strategy: 'key' } })
  const { accessToken } = login.json()
  const status = async (token: string) =>
    (await app.inject({ url: '/me', headers: { authorization: `Bearer ${token}` } })).statusCode
  t.equal(await status(String(accessToken)), 200)
  const parts = String(accessToken).split('.')
  for (const index of parts.keys())
    for (const last of `${alphabet}+/=`) {
      const part = parts[index] as string
      const varied = parts.with(index, `${part.slice(0, -1)}${last}`)
      const isSame = varied.join('.') === accessToken
      t.equal(await status(varied.join('.')), isSame ? 200 : 401, `part ${index} ends in ${last}`)
    }
  for (const more of ['=', '==', ' ', '.', '..', 'A', 'AA', '\t'])
    for (const index of parts.keys()) {
      const token = parts.with(index, parts[index] + more).join('.')
      t.equal(await status(token), token.trim() === accessToken ? 200 : 401, JSON.stringify(token.slice(-9)))
    }
})

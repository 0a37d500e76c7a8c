import { generateKeyPairSync } from 'node:crypto'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { createPeople } from '../support/auth-guards.js'
import { secret } from '../support/tokens.js'
import { createServicesApp } from '../support/users-app.js'

const other = 'another secret of 32 bytes, for admins'
const jwt = { audience: 'https://example.com' }
const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const encode = { type: 'spki', format: 'pem' } as const
  return { public: publicKey.export(encode), private: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
}

/** Starts an application with users and admins, each with their authentication. */
async function start(t: Test, users: Partial<AuthenticationOptions>, admins: Partial<AuthenticationOptions>) {
  const app = await createServicesApp(t)
  for (const path of ['users', 'admins']) app.service(path, createPeople())
  await app.register(authentication, { secret, ...users })
  await app.register(authentication, { secret, path: 'admin/login', service: 'admins', ...admins })
  await app.ready()
}

const refused =
  /^Tokens of the authentication service '.+' would be good for '.+' too, which has other users: give each a /

t.test('a server does not start whose tokens are good for users of another table', async (t) => {
  await t.rejects(start(t, { jwt }, { jwt }), { message: refused })
  await t.rejects(start(t, { jwt, secret: [other, secret] }, { jwt }), { message: refused }, 'an earlier secret')
  await t.rejects(start(t, { jwt }, { jwt, secret: [other, secret] }), { message: refused }, 'of the other one')
  await t.rejects(start(t, { jwt, entity: null, strategies: { jwt: true } }, { jwt }), { message: refused }, 'no users')
  const keys = { secret: pair(), jwt: { ...jwt, algorithm: 'ES256' as const } }
  await t.rejects(start(t, keys, keys), { message: refused }, 'a pair of keys')
})

t.test('it starts where they are told apart, or the users are the same', async (t) => {
  await t.resolves(start(t, {}, {}), 'by their paths')
  await t.resolves(start(t, { jwt }, {}), 'by an audience')
  await t.resolves(start(t, { jwt }, { jwt: { ...jwt, issuer: 'me' } }), 'by an issuer')
  await t.resolves(start(t, { jwt }, { jwt, secret: other }), 'by a secret')
  await t.resolves(start(t, { jwt }, { jwt, service: 'users' }), 'the same users')
  const none = { jwt, entity: null, strategies: { jwt: true } }
  await t.resolves(start(t, none, none), 'none of them has users')
})

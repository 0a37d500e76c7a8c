import { generateKeyPairSync } from 'node:crypto'
import { hashPassword, JwtStrategy, protect } from 'fastify-services/authentication'
import t from 'tap'
import { register } from '../support/auth-fault-register.js'
import { secret } from '../support/tokens.js'
import { createUsersApp, user } from '../support/users-app.js'

// Errors that other tests know by their kind alone: what they tell.

t.test('keys that can not be used, a strategy with a name that is taken', async (t) => {
  const needs = 'The option `secret` of authentication must be { private, public } for RS256: two keys in PEM form'
  const start = (secret: object) => register({ secret, jwt: { algorithm: 'RS256' } })
  const pem = (label: string) => `-----BEGIN ${label}-----\nbm8ga2V5\n-----END ${label}-----\n`
  await t.rejects(start({ public: pem('PUBLIC KEY'), private: pem('PRIVATE KEY') }), {
    message: `${needs}. One of them can't be read`
  })
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
  await t.rejects(start({ public: publicKey, private: privateKey }), {
    message: `${needs}. One of them is a key of another kind`
  })
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { key: pair.publicKey.export({ format: 'jwk' }), format: 'jwk' }
  const own = pair.privateKey.export({ type: 'pkcs8', format: 'pem' })
  await t.rejects(start({ public: jwk, private: own }), { message: needs })
  await t.rejects(register({ secret, refresh: true, strategies: { jwt: true, refresh: new JwtStrategy() } }), {
    message: "The name 'refresh' belongs to the strategy of the option `refresh`: choose another name"
  })
})

t.test('a long list of users, a query for a protected field', async (t) => {
  const create = async (data: unknown) => data
  const hooks = { around: [protect('password', 'pin')], before: { create: [hashPassword('password')] } }
  const app = await createUsersApp(t, {
    before: (app) => void app.service('people', { create, find: async () => [] }, { hooks: hooks as object })
  })
  const headers = { accept: 'application/json' }
  const many = await app.inject({ method: 'POST', url: '/people', headers, payload: Array(51).fill(user) })
  t.strictSame([many.statusCode, many.json().message], [400, "A list of records with a 'password' has at most 50"])
  const asked = await app.inject({ url: '/people?password=a', headers })
  t.strictSame([asked.statusCode, asked.json().message], [400, "A query can't name these fields: password, pin"])
  const selected = await app.inject({ url: '/people?$select=password&$select=pin', headers })
  t.equal(selected.statusCode, 200, 'they do not leave anyway')
})

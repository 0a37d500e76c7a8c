import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { type AuthenticationOptions } from 'fastify-services/authentication'
import t from 'tap'
import { secret } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

async function register(options: object): Promise<void> {
  const app = Fastify()
  try {
    await app.register(services)
    app.service('users', memory() as object)
    await app.register(authentication, { secret, ...options } as AuthenticationOptions)
    await app.ready()
  } finally {
    await app.close()
  }
}

const pair = (type: 'rsa' | 'ec' | 'ed25519') => {
  const generate = generateKeyPairSync as (
    type: string,
    options: object
  ) => { publicKey: KeyObject; privateKey: KeyObject }
  const { privateKey, publicKey } = generate(type, { modulusLength: 2048, namedCurve: 'P-256' })
  return {
    public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    private: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
}
const rsa = pair('rsa')
const make = /Make one by: node -e "console\.log\(crypto\.randomBytes\(64\)/

const refused: [what: string, options: object, message: RegExp][] = [
  ['secret missing', { secret: undefined }, make],
  ['secret empty', { secret: '' }, make],
  ['no secrets', { secret: [] }, make],
  ['one of them missing', { secret: [secret, undefined] }, make],
  ['secret short', { secret: 'x'.repeat(31) }, /too short: HS256 needs 32 bytes/],
  ['one of them short', { secret: [secret, 'x'] }, make],
  ['short for HS512', { secret: 'x'.repeat(63), jwt: { algorithm: 'HS512' } }, /HS512 needs 64 bytes/],
  ['a public key as the secret', { secret: rsa.public }, /is a key of a pair, and no secret/],
  ['a key pair for HS256', { secret: rsa }, /is a string or a Buffer for HS256/],
  ['a string for RS256', { jwt: { algorithm: 'RS256' } }, /is \{ private, public \} for RS256/],
  ['no private key', { secret: { public: rsa.public }, jwt: { algorithm: 'RS256' } }, /is \{ private, public \}/],
  [
    'keys that are no pair',
    { secret: { ...rsa, public: pair('rsa').public }, jwt: { algorithm: 'RS256' } },
    /are the keys a pair\?/
  ],
  ['algorithm none', { jwt: { algorithm: 'none' } }, /jwt\.algorithm of authentication is one of HS256, /],
  ['expiresIn 0', { jwt: { expiresIn: 0 } }, /jwt\.expiresIn is a number of seconds, or a string such as '15m'/],
  ['expiresIn no span', { jwt: { expiresIn: 'soon' } }, /not "soon"/],
  ['refresh.expiresIn', { refresh: { expiresIn: '-1d' } }, /refresh\.expiresIn/],
  ['issuer empty', { jwt: { issuer: '' } }, /jwt\.issuer of authentication is a string, and not empty/],
  ['audience a list', { jwt: { audience: ['a'] } }, /jwt\.audience/],
  ['a name of Feathers', { jwtOptions: {} }, /has no option 'jwtOptions'\. There are: secret, /],
  ['a misspelt option', { strategies: { local: { userNameField: 'x' } } }, /'strategies\.local\.userNameField'/],
  ['a misspelt option of jwt', { jwt: { expires: 1 } }, /has no option 'jwt\.expires'/],
  [
    'a store without methods',
    { store: {} },
    /`store` of authentication is an object with the methods get\(key\) and set/
  ],
  ['an entity without a name', { entity: '' }, /`entity` of authentication is a string, and not empty/],
  [
    'an entity that stands over the request',
    { entity: 'raw' },
    /can't be 'raw': requests, params or results have that/
  ],
  ['passwords', { passwords: { concurrent: 0 } }, /`concurrent` from 1, `waiting` from 0/],
  ['no strategies', { strategies: {} }, /Authentication has no strategies: enable one/],
  ['all of them off', { strategies: { jwt: false, local: undefined } }, /Authentication has no strategies/],
  [
    'no strategy',
    { strategies: { apiKey: {} } },
    /'apiKey' of authentication is no strategy: give an object with a method `authenticate`/
  ],
  [
    'a class',
    { strategies: { jwt: class {} } },
    /'jwt' of authentication is true, an object with its options, or a strategy/
  ],
  ['a null', { strategies: { jwt: null } }, /'jwt' of authentication is true/],
  [
    'authStrategies',
    { authStrategies: ['x'] },
    /'x', which the option authStrategies of authentication names, is not among `strategies`/
  ],
  [
    'parseStrategies',
    { parseStrategies: ['local'] },
    /'local', which .* parseStrategies .* can not read requests: it has no method `parse`/
  ],
  [
    'a strategy named refresh',
    { refresh: true, strategies: { refresh: { authenticate() {} } } },
    /'refresh' stands for the option `refresh`/
  ]
]

t.test('options that can not be are refused at start, with what to do', async (t) => {
  for (const [what, options, message] of refused) await t.rejects(register(options), message, what)
})

t.test('`undefined` stands for the default', async (t) => {
  const jwt = { issuer: undefined, audience: undefined, expiresIn: undefined, algorithm: undefined }
  const { body } = await login(await createUsersApp(t, { options: { jwt } as never }))
  t.match(body.authentication.payload, { iss: 'fastify-services', aud: 'authentication' })
  t.equal(Number(body.authentication.payload.exp) - Number(body.authentication.payload.iat), 86_400)
})

t.test('at the root the audience is `/`', async (t) => {
  const { body } = await login(await createUsersApp(t, { options: { path: '/' } }), {}, '')
  t.equal(body.authentication.payload.aud, '/')
})

t.test('RS256, ES256, EdDSA with a key pair; issuer, audience, a span of time; at the root', async (t) => {
  for (const [algorithm, keys] of [
    ['RS256', rsa],
    ['PS512', rsa],
    ['ES256', pair('ec')],
    ['EdDSA', pair('ed25519')]
  ] as const) {
    const jwt = { algorithm, issuer: 'me', audience: 'you', expiresIn: '15m' } as const
    const app = await createUsersApp(t, { options: { secret: keys, jwt, path: '/' } })
    const { body } = await login(app, {}, '')
    t.match(body.authentication.payload, { iss: 'me', aud: 'you' })
    t.equal(JSON.parse(Buffer.from(body.accessToken.split('.')[0] ?? '', 'base64url').toString()).alg, algorithm)
    t.equal((await ask(app, body.accessToken, { method: 'DELETE', url: '/' })).status, 200, algorithm)
  }
})

t.test('Secret rotation: `secret` may be a list, the first signs, all verify', async (t) => {
  const [old, current] = ['o'.repeat(32), Buffer.alloc(32, 'c')]
  const before = await login(await createUsersApp(t, { options: { secret: old } }))
  const app = await createUsersApp(t, { options: { secret: [current, old] } })
  const remove = async (token: string) => (await ask(app, token, { method: 'DELETE', url: '/authentication' })).status
  t.equal(await remove(before.body.accessToken), 200)
  const after = await login(app)
  t.equal(await remove(after.body.accessToken), 200)
  const next = await createUsersApp(t, { options: { secret: current } })
  const url = '/authentication'
  t.equal((await ask(next, after.body.accessToken, { method: 'DELETE', url })).status, 200)
  t.equal((await ask(next, before.body.accessToken, { method: 'DELETE', url })).status, 401)
})

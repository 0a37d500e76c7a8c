import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { authenticate, type KeyPair } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { register } from '../support/auth-fault-register.js'
import { createPairFor, decode, handmade } from '../support/auth-fault-tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

type Asymmetric = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
const algorithms: Asymmetric[] = ['RS256', 'PS256', 'ES256', 'EdDSA']

// Making one takes a while.
const made = [0, 1, 2].map(() => ({
  RS256: createPairFor('RS256'),
  ES256: createPairFor('ES256'),
  EdDSA: createPairFor('EdDSA')
}))
const pairFor = (algorithm: Asymmetric, which = 0) =>
  (made[which] as (typeof made)[0])[algorithm === 'PS256' ? 'RS256' : algorithm]

async function works(t: Test, secret: KeyPair | KeyPair[], algorithm: Asymmetric, row: string) {
  const app = await createUsersApp(t, {
    options: { secret, jwt: { algorithm } },
    before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  })
  const { status, body } = await login(app)
  t.equal(status, 201, row)
  t.equal(decode(body.accessToken, 0).alg, algorithm, row)
  t.equal((await ask(app, body.accessToken, '/me')).status, 200, row)
  return app
}

const encrypted = (key: KeyObject, passphrase: string) =>
  key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString()

t.test('a key pair for RS256, PS256, ES256 and EdDSA, as text and as Buffers', async (t) => {
  for (const algorithm of algorithms) {
    const pair = pairFor(algorithm)
    await works(t as Test, pair, algorithm, `${algorithm}, text`)
    const bytes = { public: Buffer.from(pair.public), private: Buffer.from(pair.private) }
    await works(t as Test, bytes, algorithm, `${algorithm}, Buffers`)
    const spaced = { public: `\n${pair.public}\n`, private: `\n${pair.private}\n` }
    await works(t as Test, spaced, algorithm, `${algorithm}, with line breaks around`)
  }
})

t.test('keys in their older forms', async (t) => {
  const [rsa, ec] = [pairFor('RS256'), pairFor('ES256')]
  const older = {
    public: createPublicKey(rsa.public).export({ type: 'pkcs1', format: 'pem' }),
    private: createPrivateKey(rsa.private).export({ type: 'pkcs1', format: 'pem' })
  }
  await works(t as Test, older, 'RS256', 'PKCS #1')
  const sec1 = createPrivateKey(ec.private).export({ type: 'sec1', format: 'pem' })
  await works(t as Test, { public: ec.public, private: sec1 }, 'ES256', 'SEC 1')
})

t.test('a private key with a passphrase is `{ key, passphrase }`', async (t) => {
  for (const algorithm of algorithms) {
    const pair = pairFor(algorithm)
    const key = encrypted(createPrivateKey(pair.private), 'a phrase')
    const secret = { public: pair.public, private: { key, passphrase: 'a phrase' } }
    await works(t as Test, secret, algorithm, algorithm)
    const bytes = { public: pair.public, private: { key: Buffer.from(key), passphrase: 'a phrase' } }
    await works(t as Test, bytes, algorithm, `${algorithm}, a Buffer`)
  }
})

t.test('a wrong passphrase, or none: refused at the start', async (t) => {
  for (const algorithm of algorithms) {
    const pair = pairFor(algorithm)
    const key = encrypted(createPrivateKey(pair.private), 'a phrase')
    const message = new RegExp(`^The option \`secret\` of authentication .*${algorithm}`)
    for (const secret of [{ key, passphrase: 'another' }, { key, passphrase: '' }, { key }, key])
      await t.rejects(register({ secret: { public: pair.public, private: secret }, jwt: { algorithm } }), message)
  }
})

t.test('rotation: the first pair signs, all verify; one that only verifies has no private key', async (t) => {
  for (const algorithm of algorithms) {
    const [old, current] = [pairFor(algorithm), pairFor(algorithm, 1)]
    const app = await works(t as Test, [current, { public: old.public }], algorithm, algorithm)
    const status = async (key: string) => (await ask(app, handmade(algorithm, key), '/me')).status
    t.equal(await status(old.private), 200)
    t.equal(await status(current.private), 200)
    t.equal(await status(pairFor(algorithm, 2).private), 401)
  }
})

import { constants, createHmac, createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type Algorithm, authenticate, type Secret } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { register } from '../support/auth-fault-register.js'
import { createPair, createPairFor, decode, handmade, type Pair } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const some: Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']
const fitting: Record<string, string> = {
  ...{ RS256: 'rsa', RS384: 'rsa', RS512: 'rsa', PS256: 'rsa', PS384: 'rsa', PS512: 'rsa' },
  ...{ ES256: 'P-256', ES384: 'P-384', ES512: 'P-521', EdDSA: 'ed25519' }
}

// Making one takes a while: those of a kind are made once.
const made = new Map<string, Pair>()
function pairFor(algorithm: string, which = 0): Pair {
  const name = `${fitting[algorithm]} ${which}`
  const pair = made.get(name) ?? createPairFor(algorithm)
  made.set(name, pair)
  return pair
}

async function works(t: Test, secret: Secret | Secret[], algorithm: Algorithm, row: string) {
  const app = await createUsersApp(t, {
    options: { secret, jwt: { algorithm } },
    before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  })
  const { status, body } = await login(app)
  t.equal(status, 201, row)
  const { kid, ...header } = decode(body.accessToken, 0)
  t.same(header, { alg: algorithm, typ: 'JWT' }, row)
  t.equal(typeof kid, algorithm.startsWith('HS') ? 'undefined' : 'string', row)
  const statusOf = async (token: string) => (await ask(app, token, '/me')).status
  t.equal(await statusOf(body.accessToken), 200, row)
  return { statusOf, accessToken: body.accessToken }
}

const encrypted = (key: KeyObject, passphrase: string) =>
  key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString()

t.test('EdDSA has two curves', async (t) => {
  await works(t, createPair('ed448'), 'EdDSA', 'Ed448')
})

for (const algorithm of some)
  t.test(`a key pair for ${algorithm}: text, Buffers, a passphrase, rotation`, async (t) => {
    const pair = pairFor(algorithm)
    const bytes = { public: Buffer.from(pair.public), private: Buffer.from(pair.private) }
    await works(t, bytes, algorithm, 'Buffers')
    const spaced = { public: `\n${pair.public}\n`, private: `\n${pair.private}\n` }
    await works(t, spaced, algorithm, 'with line breaks around')

    // A private key with a passphrase is `{ key, passphrase }`.
    const key = encrypted(createPrivateKey(pair.private), 'a phrase')
    for (const value of [key, Buffer.from(key)])
      await works(
        t,
        { public: pair.public, private: { key: value, passphrase: 'a phrase' } },
        algorithm,
        'a passphrase'
      )
    const message = new RegExp(`^The option \`secret\` of authentication .*${algorithm}`)
    for (const secret of [{ key, passphrase: 'another' }, { key, passphrase: '' }, { key }, key])
      await t.rejects(
        register({ secret: { public: pair.public, private: secret }, jwt: { algorithm } }),
        message,
        'a wrong passphrase, or none'
      )

    // The first pair signs, all verify; one that only verifies has no private key.
    const current = pairFor(algorithm, 1)
    const { statusOf } = await works(t, [current, { public: pair.public }], algorithm, 'rotation')
    t.equal(await statusOf(handmade(algorithm, pair.private)), 200)
    t.equal(await statusOf(handmade(algorithm, current.private)), 200)
    t.equal(await statusOf(handmade(algorithm, pairFor(algorithm, 2).private)), 401)
  })

t.test('keys in their older forms', async (t) => {
  const [rsa, ec] = [pairFor('RS256'), pairFor('ES256')]
  const older = {
    public: createPublicKey(rsa.public).export({ type: 'pkcs1', format: 'pem' }),
    private: createPrivateKey(rsa.private).export({ type: 'pkcs1', format: 'pem' })
  }
  await works(t, older, 'RS256', 'PKCS #1')
  const sec1 = createPrivateKey(ec.private).export({ type: 'sec1', format: 'pem' })
  await works(t, { public: ec.public, private: sec1 }, 'ES256', 'SEC 1')
})

const algorithms = ['HS256', 'HS384', 'HS512', ...Object.keys(fitting)] as Algorithm[]

/** Whether others can verify a token: by node:crypto, as the RFC says. */
function isSigned(algorithm: string, key: string, token: string): boolean {
  const [head, body, signature = ''] = token.split('.')
  const bytes = Buffer.from(`${head}.${body}`)
  const hash = `sha${algorithm.slice(2)}`
  const signatureBytes = Buffer.from(signature, 'base64url')
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants
  switch (algorithm.slice(0, 2)) {
    case 'HS':
      return createHmac(hash, key).update(bytes).digest().equals(signatureBytes)
    case 'PS':
      return verify(hash, bytes, { key, padding, saltLength }, signatureBytes)
    case 'ES':
      return verify(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signatureBytes)
    default:
      return verify(algorithm === 'EdDSA' ? null : hash, bytes, key, signatureBytes)
  }
}

for (const algorithm of algorithms)
  t.test(`${algorithm}: others verify what is signed here, and what others have signed is verified`, async (t) => {
    const isText = algorithm.startsWith('HS')
    const text = 's'.repeat(64)
    const pair = isText ? { public: text, private: text } : pairFor(algorithm)
    const { statusOf, accessToken } = await works(t, isText ? text : pair, algorithm, algorithm)
    t.ok(isSigned(algorithm, pair.public, accessToken))
    t.equal(await statusOf(handmade(algorithm, pair.private)), 200)

    const isOther = (other: string) => other.slice(0, 2) === algorithm.slice(0, 2) && other !== algorithm
    for (const other of algorithm.startsWith('ES') ? [] : algorithms.filter(isOther))
      t.equal(await statusOf(handmade(other, pair.private)), 401, `${other} with the same key`)
    const strange = isText ? 'x'.repeat(64) : pairFor(algorithm, 1).private
    t.equal(await statusOf(handmade(algorithm, strange, claims())), 401, 'another key')
  })

const says = (algorithm: string) => new RegExp(`^The option \`secret\` of authentication .*${algorithm}`)
const start = (secret: unknown, algorithm: string) => register({ secret, jwt: { algorithm } })
const rsa = pairFor('RS256')
const kinds = ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']

t.test('a key pair of another kind than the algorithm needs: refused, and it says so', async (t) => {
  for (const [algorithm, kind] of Object.entries(fitting))
    for (const other of kinds.filter((other) => fitting[other] !== kind))
      await t.rejects(start(pairFor(other), algorithm), says(algorithm), `${algorithm} with ${fitting[other]}`)
})

t.test('what is no key pair: refused, and it says so', async (t) => {
  const rows: Record<string, unknown> = {
    ...{ 'a text': 's'.repeat(64), 'a Buffer': Buffer.alloc(64), 'a number': 5, 'an empty object': {} },
    ...{
      'a private key alone': rsa.private,
      'a public key alone': rsa.public,
      'no public key': { private: rsa.private }
    },
    ...{
      'no private key': { public: rsa.public },
      'a private key that is null': { public: rsa.public, private: null }
    },
    ...{ 'empty texts': { public: '', private: '' }, 'other texts': { public: 'x', private: 'y' } },
    ...{ 'an empty private key': { ...rsa, private: '' }, 'a private key that is a number': { ...rsa, private: 5 } },
    ...{
      'a private key that is an empty object': { ...rsa, private: {} },
      'public twice': { ...rsa, private: rsa.public }
    },
    ...{ 'private twice': { ...rsa, public: rsa.private }, 'the other way round': swapped(rsa) },
    ...{
      'half a key': { ...rsa, private: rsa.private.slice(0, 400) },
      'half a public key': { ...rsa, public: rsa.public.slice(0, 99) }
    },
    ...{ 'keys that are no pair': { ...rsa, public: pairFor('RS256', 1).public } },
    ...{ 'a list with a text': [rsa, 's'.repeat(64)], 'a list with a public key alone': [rsa, rsa.public] },
    ...{
      'a list with an empty public key': [rsa, { public: '' }],
      'a list with another kind': [rsa, { public: pairFor('ES256').public }]
    },
    ...{
      'a list with a private key as a public one': [rsa, { public: rsa.private }],
      'a first that can not sign': [{ public: rsa.public }, rsa]
    }
  }
  for (const [row, secret] of Object.entries(rows)) await t.rejects(start(secret, 'RS256'), says('RS256'), row)
  await t.rejects(start({ ...rsa, public: pairFor('RS256', 1).public }, 'RS256'), /are the keys a pair\?/)
})

const swapped = (pair: Pair): Pair => ({ public: pair.private, private: pair.public })

t.test('secret missing for a key pair: the message says what is needed, and that is no random bytes', async (t) => {
  for (const secret of [undefined, null, '', []]) {
    const { message } = await start(secret, 'ES256').then(
      () => new Error('It starts'),
      (error: Error) => error
    )
    t.match(message, /^The option `secret` of authentication .*\{ private, public \}/)
    t.notMatch(message, /randomBytes/)
  }
})

t.test('an RSA key of less than 2048 bits is too short (RFC 7518, sections 3.3 and 3.5)', async (t) => {
  const short = createPair('rsa', { modulusLength: 1024 })
  for (const algorithm of ['RS256', 'PS256'])
    await t.rejects(start(short, algorithm), /`secret` of authentication is too short: .*2048 bits/, algorithm)
  await t.rejects(start([rsa, { public: short.public }], 'RS256'), /too short/, 'one that only verifies')
})

t.test('ES256 is the curve P-256: another one of 256 bits is another algorithm (RFC 7518, section 3.4)', async (t) => {
  await t.rejects(start(createPair('ec', { namedCurve: 'secp256k1' }), 'ES256'), says('ES256'))
})

import t from 'tap'
import { register } from '../support/auth-fault-register.js'
import { createPair, type Pair } from '../support/auth-fault-tokens.js'

const pairs = {
  rsa: createPair('rsa'),
  'P-256': createPair('ec', { namedCurve: 'P-256' }),
  'P-384': createPair('ec', { namedCurve: 'P-384' }),
  'P-521': createPair('ec', { namedCurve: 'P-521' }),
  ed25519: createPair('ed25519')
}
const fitting: Record<string, keyof typeof pairs> = {
  ...{ RS256: 'rsa', RS384: 'rsa', RS512: 'rsa', PS256: 'rsa', PS384: 'rsa', PS512: 'rsa' },
  ...{ ES256: 'P-256', ES384: 'P-384', ES512: 'P-521', EdDSA: 'ed25519' }
}
const says = (algorithm: string) => new RegExp(`^The option \`secret\` of authentication .*${algorithm}`)
const start = (secret: unknown, algorithm: string) => register({ secret, jwt: { algorithm } })

t.test('a key pair of another kind than the algorithm needs: refused, and it says so', async (t) => {
  for (const [algorithm, kind] of Object.entries(fitting))
    for (const [other, pair] of Object.entries(pairs)) {
      if (other === kind) await t.resolves(start(pair, algorithm), `${algorithm} with ${other}`)
      else await t.rejects(start(pair, algorithm), says(algorithm), `${algorithm} with ${other}`)
    }
})

t.test('what is no key pair: refused, and it says so', async (t) => {
  const { rsa } = pairs
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
    ...{ 'keys that are no pair': { ...rsa, public: createPair('rsa').public } },
    ...{ 'a list with a text': [rsa, 's'.repeat(64)], 'a list with a public key alone': [rsa, rsa.public] },
    ...{
      'a list with an empty public key': [rsa, { public: '' }],
      'a list with another kind': [rsa, { public: pairs['P-256'].public }]
    },
    ...{
      'a list with a private key as a public one': [rsa, { public: rsa.private }],
      'a first that can not sign': [{ public: rsa.public }, rsa]
    }
  }
  for (const [row, secret] of Object.entries(rows)) await t.rejects(start(secret, 'RS256'), says('RS256'), row)
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
  await t.rejects(start([pairs.rsa, { public: short.public }], 'RS256'), /too short/, 'one that only verifies')
})

t.test('ES256 is the curve P-256: another one of 256 bits is another algorithm (RFC 7518, section 3.4)', async (t) => {
  await t.rejects(start(createPair('ec', { namedCurve: 'secp256k1' }), 'ES256'), says('ES256'))
})

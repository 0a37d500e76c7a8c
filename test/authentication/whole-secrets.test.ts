import t from 'tap'
import { toSecrets } from '../../lib/authentication/secret.js'
import { createTokens } from '../../lib/authentication/token.js'
import { createPair } from '../support/auth-fault-tokens.js'
import { isKept } from '../support/kept.js'
import { byOutcome, outcomeOf } from './outcomes.js'
import { createApp, options } from './tokens-app.js'

const small = createPair('rsa', { modulusLength: 1024 })
const pairs: Record<string, { public: string; private: string }> = {
  rsa: createPair('rsa'),
  'rsa of 1024': small,
  pss: createPair('rsa-pss', { modulusLength: 2048 }),
  'P-256': createPair('ec'),
  'P-384': createPair('ec', { namedCurve: 'P-384' }),
  'P-521': createPair('ec', { namedCurve: 'P-521' }),
  secp256k1: createPair('ec', { namedCurve: 'secp256k1' }),
  ed25519: createPair('ed25519'),
  ed448: createPair('ed448')
}
const rsa = pairs.rsa as { public: string; private: string }
const pem = '-----BEGIN PUBLIC KEY-----\nbm8ga2V5\n-----END PUBLIC KEY-----\n'
const secrets: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  empty: '',
  number: 5,
  'an object': {},
  'an empty list': [],
  'a list of nothing': [undefined],
  'no bytes': Buffer.alloc(0),
  ...Object.fromEntries(
    [31, 32, 33, 47, 48, 49, 63, 64, 65].flatMap((length) => [
      [`${length} letters`, 'x'.repeat(length)],
      [`${length} bytes`, Buffer.alloc(length)]
    ])
  ),
  'letters of two bytes': 'é'.repeat(16),
  'a list': ['x'.repeat(64), 'y'.repeat(64)],
  'a second that is short': ['x'.repeat(64), 'y'],
  'a second that is empty': ['x'.repeat(64), ''],
  'a key': rsa.private,
  'bytes of a key': Buffer.from(rsa.private),
  jwk: `${JSON.stringify({ kty: 'oct' })}${' '.repeat(64)}`,
  'jwk in lines': `\n {\n "a": 1,\n"kty": 1 ${' '.repeat(64)}`,
  'kty behind': `x{"kty"}${' '.repeat(64)}`,
  ...pairs,
  ...Object.fromEntries(
    Object.entries(pairs).map(([name, pair]) => [`${name}, public alone`, { public: pair.public }])
  ),
  'private alone': { private: rsa.private },
  'a private key for the public': { public: rsa.private, private: rsa.private },
  'an empty private': { public: rsa.public, private: '' },
  'bad keys': { public: pem, private: rsa.private },
  'a bad private key': { public: rsa.public, private: pem },
  'of two kinds': { public: rsa.public, private: pairs['P-256']?.private },
  'of two sizes': { public: rsa.public, private: small.private },
  'a second to verify': [rsa, { public: rsa.public }],
  'a second with a bad private key': [rsa, { public: rsa.public, private: 'x' }],
  'a second of another kind': [rsa, pairs['P-256']],
  'a first to verify': [{ public: rsa.public }, rsa]
}

const known = ['HS256', 'HS384', 'HS512', 'RS256', 'RS512', 'PS384', 'ES256', 'ES384', 'ES512', 'EdDSA']

t.test('secrets for each algorithm', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const algorithm of [...known, 'none', 'hs256', 'HS'])
    kept[algorithm] = await byOutcome(known.includes(algorithm) ? secrets : { any: 'x' }, async (given) => {
      const made = toSecrets(given as string, algorithm as 'HS256')
      return made
        .map((one) => (typeof one === 'string' || Buffer.isBuffer(one) ? typeof one : Object.keys(one).join('+')))
        .join()
    })
  const app = await createApp(t)
  const other = createPair('ec')
  kept['not a pair'] = await outcomeOf(() =>
    createTokens(
      app,
      { public: pairs['P-256']?.public ?? '', private: other.private },
      { ...options, algorithm: 'ES256' }
    )
  )
  isKept(t, kept, 'test/authentication/whole-secrets.txt')
})

import Fastify, { type FastifyInstance } from 'fastify'
import plugin from 'fastify-services'
import t, { type Test } from 'tap'
import { toSecrets } from '../../lib/authentication/secret.js'
import { createTokens } from '../../lib/authentication/token.js'
import { createPair } from '../support/auth-fault-tokens.js'
import { isKept } from '../support/kept.js'
import { claims, forge, secret } from '../support/tokens.js'
import { byOutcome, outcomeOf, stopClock, today } from './outcomes.js'

const endOfTime = 8.64e12
const times = {
  'a text': '5',
  null: null,
  zero: 0,
  'a negative one': -1,
  'the last': endOfTime - 1,
  'after it': endOfTime,
  'the first': 1 - endOfTime,
  'before it': -endOfTime,
  now: today,
  past: today - 1,
  future: today + 1,
  parts: today + 0.5
}
const texts = {
  'a number': 5,
  null: null,
  empty: '',
  'a list': ['1'],
  long: 'x'.repeat(1024),
  'too long': 'x'.repeat(1025),
  'with a NUL': 'a\0',
  true: true,
  blank: ' '
}
const audiences = {
  another: 'x',
  empty: '',
  null: null,
  'a list': ['authentication'],
  'a list with more': ['x', 'authentication', 'y'],
  'a list of others': ['x'],
  'a list of none': [],
  longer: 'authentication2',
  'in another case': 'Authentication',
  'a number': 5
}
const rows: Record<string, unknown> = {
  ...{ undefined: undefined, null: null, 'a number': 5, 'a list': [forge()], empty: '', dots: '..', 'a text': 'x' }
}
const names = ['exp', 'iat', 'nbf', 'auth_time', 'sub', 'jti', 'sid', 'iss', 'aud']
for (const name of names) {
  const values: Record<string, unknown> = {
    undefined: undefined,
    ...(['iss', 'aud'].includes(name) ? audiences : ['sub', 'jti', 'sid'].includes(name) ? texts : times)
  }
  for (const [value, claim] of Object.entries(values))
    rows[`${name}: ${value}`] = forge(claims({ iat: today, exp: today + 100, iss: 'me', [name]: claim }))
}
const good = claims({ iat: today, exp: today + 100, iss: 'me' })
const parts = forge(good).split('.')
const more: Record<string, unknown> = {
  good: forge(good),
  'the issuer': forge({ ...good, iss: 'me' }),
  'no claims': forge({}),
  'a text for claims': forge('text'),
  'a list for claims': forge([good]),
  'null for claims': forge('null'),
  'another secret': forge(good, {}, 'x'.repeat(34)),
  'the second secret': forge(good, {}, 'y'.repeat(34)),
  'the third secret': forge(good, {}, 'z'.repeat(34)),
  'expired by another secret': forge({ ...good, exp: 1 }, {}, 'x'.repeat(34)),
  'expired by the third': forge({ ...good, exp: 1 }, {}, 'z'.repeat(34)),
  'another algorithm': forge(good, { alg: 'HS512' }, secret, 'sha512'),
  none: forge(good, { alg: 'none' }),
  'no type': forge(good, { typ: undefined }),
  critical: forge(good, { crit: ['x'] }),
  'two parts': parts.slice(0, 2).join('.'),
  'four parts': [...parts, 'x'].join('.'),
  'no signature': `${parts[0]}.${parts[1]}.`,
  padded: `${parts.join('.')}=`,
  'a blank before': ` ${parts.join('.')}`,
  'a blank behind': `${parts.join('.')} `,
  'a line behind': `${parts.join('.')}\n`,
  'signature of plain base64': `${parts[0]}.${parts[1]}.+${parts[2]?.slice(1)}`
}
for (const length of [8191, 8192, 8193]) {
  const blank = forge({ ...good, a: '' }).length
  const filled = [...Array(4).keys()].map((extra) =>
    forge({ ...good, a: 'x'.repeat(Math.floor(((length - blank) * 3) / 4) + extra - 1) })
  )
  more[`of ${length} letters`] =
    filled.find((token) => token.length === length) ?? filled.find((token) => token.length > length)
}

async function createApp(t: Test): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(plugin)
  return app
}
const options = { issuer: 'me', audience: 'authentication', expiresIn: '90s', algorithm: 'HS256' } as const

t.test('tokens of all kinds', async (t) => {
  stopClock(t)
  const app = await createApp(t)
  const tokens = await createTokens(app, [secret, 'y'.repeat(34), 'z'.repeat(34)], options)
  const verify = async (token: unknown) => `good for ${String(tokens.verify(token).sub).slice(0, 9)}`
  const kept: Record<string, unknown> = { verified: await byOutcome({ ...rows, ...more }, verify) }
  const signed: Record<string, object> = {
    ...{
      sub: { sub: '1' },
      more: { sub: '1', a: [1], jti: 'mine', iat: 5 },
      times: { sub: '1', exp: 5, nbf: 6 },
      others: { sub: '1', iss: 'x', aud: 'y' }
    },
    ...{ 'the longest': { sub: '1', a: 'x'.repeat(5900) }, 'too long': { sub: '1', a: 'x'.repeat(6100) } }
  }
  for (const [name, given] of Object.entries(signed))
    kept[`signed, ${name}`] = await outcomeOf(() => ({
      ...tokens.sign(given as { sub: string }),
      lifetime: tokens.lifetime
    }))
  isKept(t, kept, 'test/authentication/whole-tokens.txt')
})

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
  ...{
    undefined: undefined,
    null: null,
    empty: '',
    number: 5,
    'an object': {},
    'an empty list': [],
    'a list of nothing': [undefined],
    'no bytes': Buffer.alloc(0)
  },
  ...Object.fromEntries(
    [31, 32, 33, 47, 48, 49, 63, 64, 65].flatMap((length) => [
      [`${length} letters`, 'x'.repeat(length)],
      [`${length} bytes`, Buffer.alloc(length)]
    ])
  ),
  ...{
    'letters of two bytes': 'é'.repeat(16),
    'a list': ['x'.repeat(64), 'y'.repeat(64)],
    'a second that is short': ['x'.repeat(64), 'y'],
    'a second that is empty': ['x'.repeat(64), '']
  },
  ...{
    'a key': rsa.private,
    'bytes of a key': Buffer.from(rsa.private),
    jwk: `${JSON.stringify({ kty: 'oct' })}${' '.repeat(64)}`,
    'jwk in lines': `\n {\n "a": 1,\n"kty": 1 ${' '.repeat(64)}`,
    'kty behind': `x{"kty"}${' '.repeat(64)}`
  },
  ...pairs,
  ...Object.fromEntries(
    Object.entries(pairs).map(([name, pair]) => [`${name}, public alone`, { public: pair.public }])
  ),
  ...{
    'private alone': { private: rsa.private },
    'a private key for the public': { public: rsa.private, private: rsa.private },
    'an empty private': { public: rsa.public, private: '' },
    'bad keys': { public: pem, private: rsa.private }
  },
  ...{
    'a bad private key': { public: rsa.public, private: pem },
    'of two kinds': { public: rsa.public, private: pairs['P-256']?.private },
    'of two sizes': { public: rsa.public, private: small.private }
  },
  ...{
    'a second to verify': [rsa, { public: rsa.public }],
    'a second with a bad private key': [rsa, { public: rsa.public, private: 'x' }],
    'a second of another kind': [rsa, pairs['P-256']],
    'a first to verify': [{ public: rsa.public }, rsa]
  }
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

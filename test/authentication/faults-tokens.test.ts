import t from 'tap'
import { accepts, placesOf, refuses, startAuth } from '../support/auth-fault-child.js'
import { createPair, handmade, segment, sign } from '../support/auth-fault-tokens.js'
import { claims, forge, forgeWithout, now, secret, unsigned } from '../support/tokens.js'

const child = await startAuth(t)
const good = forge()
const [head = '', body = '', signature = ''] = good.split('.')
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A token of a header and a payload as they are written, with a good signature. */
function signed(header: string, payload = JSON.stringify(claims())): string {
  const input = `${segment(header)}.${segment(payload)}`
  return `${input}.${sign('HS256', secret, input).toString('base64url')}`
}

/** A token of segments that are no base64url, with a good signature. */
function signedAs(header: string, payload: string): string {
  return `${header}.${payload}.${sign('HS256', secret, `${header}.${payload}`).toString('base64url')}`
}

// The last letter of a signature stands for four bits, and two that are not used: another letter, the same bytes.
const lastLetter = letters[letters.indexOf(signature.slice(-1)) ^ 1] ?? ''
const flattened = { payload: body, protected: head, signature }

const none = (header: object, signed = signature) => unsigned(header, signed)

const rows: [row: string, token: string][] = [
  ['alg none', none({ alg: 'none', typ: 'JWT' }, '')],
  ['alg None', none({ alg: 'None' }, '')],
  ['alg none with a signature', none({ alg: 'none' })],
  ['alg missing', none({ typ: 'JWT' })],
  ['alg an array', none({ alg: ['HS256'] })],
  ['alg RS256', none({ alg: 'RS256' })],
  ['empty signature', `${head}.${body}.`],
  ['two segments', `${head}.${body}`],
  ['four segments', `${good}.x`],
  ['HS512 with the same secret', forge(claims(), { alg: 'HS512' }, secret, 'sha512')],
  ['HS384 with the same secret', forge(claims(), { alg: 'HS384' }, secret, 'sha384')],
  ['RS/HS confusion: a public key as the secret', forge(claims(), {}, createPair('ed25519').public)],
  ['another secret', forge(claims(), {}, 'x'.repeat(32))],
  ['an empty secret', forge(claims(), {}, '')],
  ['a jwk in the header', forge(claims(), { jwk: { kty: 'oct', k: 'eA' }, kid: '../../dev/null' }, 'x')],
  ['tampered', good.replace(/\.(.)/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`)],
  ['trailing junk in base64', `${good}==`],
  ['12 kB token', 'a'.repeat(12_000)],
  ['12 kB token, signed', forge(claims({ junk: 'a'.repeat(9_000) }))],
  ['a prototype name', '__proto__'],
  ['not ASCII', 'ä.ö.ü'],
  ['empty', ''],
  ['dots', '..'],
  ['many dots', '.'.repeat(5000)],
  ['one segment', head],
  ['no header', `.${body}.${signature}`],
  ['no payload', `${head}..${signature}`],
  ['empty segments between', `${head}.${body}..${signature}`],
  ['five segments: a JWE', `${segment({ alg: 'dir', enc: 'A256GCM' })}..a.b.c`],
  ['a token as the payload of a token', handmade('HS256', secret, segment(good), { cty: 'JWT' })],
  ['JSON serialization, flattened', JSON.stringify(flattened)],
  ['JSON serialization, general', JSON.stringify({ payload: body, signatures: [flattened] })],
  ['with a scheme', `Bearer ${good}`],
  ['two tokens', `${good},${good}`],
  ['a space in front', ` ${good}`],
  ['a space behind', `${good} `],
  ['a line feed behind', `${good}\n`],
  ['a NUL behind', `${good}\0`],
  ['a header behind a line break', `${good}\r\nX-Injected: 1`],
  ['a BOM in front', `\ufeff${good}`],
  ['a zero-width space', good.replace('.', '\u200b.')],
  ['dots of another script', good.replaceAll('.', '\u3002')],
  ['letters of another width', good.replace('e', '\uff45')],
  ['a lone surrogate', `${good}\ud800`],
  ['an emoji', `${good}💥`],
  ['percent-encoded', good.replaceAll('.', '%2E')],
  ...['x', '!', '*', '~', '-', '%00', ':', '#', '?x=1', '"'].map((junk): [string, string] => [
    `trailing junk: ${junk}`,
    good + junk
  ]),
  ['tampered: the last letter of the signature', good.slice(0, -1) + lastLetter],
  ['tampered: the case of a letter', good.replace(/[a-z](?=[^.]*$)/, (letter) => letter.toUpperCase())],
  ['tampered: all upper case', good.toUpperCase()],
  ['a segment in base64 with padding', signedAs(`${head}==`, body)],
  ['a segment in base64 with line breaks', signedAs(head, body.replace(/(.{20})/g, '$1\n'))],
  ['a header that is no JSON', signed('{')],
  ['a header that is `null`', signed('null')],
  ['a header that is a list', signed('[{"alg":"HS256"}]')],
  ['a header that is a string', signed('"HS256"')],
  ['a header that is empty', signed('{}')],
  ['a header that is deeply nested', signed(`{"alg":"HS256","x":${'['.repeat(1500)}`)],
  ['alg twice, none last', signed('{"alg":"HS256","alg":"none"}')],
  ['alg in __proto__', signed('{"__proto__":{"alg":"HS256"}}')],
  ['alg in another case', signed('{"alg":"hs256"}')],
  ['alg with a space', signed('{"alg":"HS256 "}')],
  ['alg with a NUL', signed('{"alg":"HS256\\u0000"}')],
  ['alg a number', signed('{"alg":256}')],
  ['alg an object', signed('{"alg":{"toString":"HS256"}}')],
  ['ALG', signed('{"ALG":"HS256"}')],
  ...['constructor', '__proto__', 'toString', 'RS256', 'ES256', 'PS256', 'EdDSA', 'HS1', 'dir', 'A256GCM'].map(
    (alg): [string, string] => [`alg ${alg}`, signed(JSON.stringify({ alg }))]
  ),
  ...[['exp'], ['b64'], ['x'], ['__proto__'], ['alg'], [1], [], {}, 'exp', true].map((crit): [string, string] => [
    `unknown crit: ${JSON.stringify(crit)}`,
    forge(claims(), { crit, b64: false, x: 1 })
  ]),
  ['8,193 characters', `${good}${'x'.repeat(8193 - good.length)}`],
  ['1 MB', 'x'.repeat(1_000_000)],
  ['1 MB of dots', '.'.repeat(1_000_000)]
]

t.test(
  'Authentication: alg none, two segments, tampered, trailing junk, 12 kB token, and what else is no token',
  async (t) => {
    for (const [row, token] of rows) await t.test(row, (t) => refuses(t, child, row, token))
    const odd = forge(claims({ __proto__: null }), { kid: '__proto__', typ: 'at+jwt', jku: 'http://localhost:1/' })
    await t.test('a header that says more than `alg`', (t) => accepts(t, child, 'more', odd))
  }
)

type Rows = Record<string, unknown>

// What a claim may not be, whoever has signed it.
const refused: Record<string, Rows> = {
  exp: {
    ...{ 'in the past': now() - 1, 'a year ago': now() - 31_536_000, 'in milliseconds, negative': -Date.now() },
    ...{
      0: 0,
      'less than any date': -1e20,
      'as a string': `${now() + 60}`,
      'as a date': new Date(Date.now() + 60_000)
    },
    ...{ true: true, null: null, empty: '', 'an object': { valueOf: now() + 60 }, 'a list': [now() + 60] },
    ...{ 'the first that is no date': 8.64e12, 'a fraction below it': 8.64e12 - 0.5, 'in milliseconds': 8.64e15 },
    ...{ 'more than any date': 1e20, 'the largest number': Number.MAX_VALUE }
  },
  iat: {
    ...{ 'as a string': `${now()}`, null: null, true: true, empty: '', 'an object': {}, 'a list': [now()] },
    ...{ 'more than any date': 1e20, 'less than any date': -1e300 }
  },
  auth_time: { 'as a string': `${now()}`, null: null, 'an object': {}, 'a list': [now()], 'more than any date': 1e300 },
  jti: {
    ...{ empty: '', null: null, true: true, 'a number': 1, 'an object': {}, 'a list': ['test'] },
    ...{ 'with a NUL': 'te\0st', 'very long': 'x'.repeat(1025) }
  },
  sid: {
    ...{ empty: '', null: null, true: true, 'a number': 1, 'an object': {}, 'a list': ['test'] },
    ...{ 'with a NUL': 'te\0st', 'very long': 'x'.repeat(1025) }
  },
  nbf: {
    ...{ 'in the future': now() + 60, 'in a thousand years': now() + 31_536_000_000, 'more than any date': 1e20 },
    ...{ 'as a string': `${now() - 60}`, true: true, null: null, 'an object': {}, 'a list': [now() - 60] }
  },
  iss: {
    ...{ another: 'other', 'in another case': 'Fastify-Services', 'with a space': 'fastify-services ' },
    ...{ 'with a NUL': 'fastify-services\0', 'a beginning of it': 'fastify', 'that and more': 'fastify-services.evil' },
    ...{
      empty: '',
      null: null,
      true: true,
      'a number': 1,
      'an object': {},
      'a pattern': '.*',
      'a list': ['fastify-services']
    }
  },
  aud: {
    ...{
      another: 'other',
      'in another case': 'Authentication',
      'with slashes': '/authentication',
      empty: '',
      null: null
    },
    ...{ 'a number': 1, 'an object': { 0: 'authentication' }, 'a list without it': ['a', 'b'], 'an empty list': [] },
    ...{ 'a list with a number': ['authentication', 1], 'a list in a list': [['authentication']], 'a pattern': '*' }
  },
  sub: {
    ...{ 'an object': { $gt: '' }, 'a list': ['1'], 'a number': 1, null: null, true: true, empty: '' },
    ...{
      'of nobody': '99',
      'of nobody, a condition': "1' OR '1'='1",
      'of nobody, a path': '../1',
      'of nobody, a NUL': '1\0'
    }
  }
}

const rowsFor = (aud: string) =>
  Object.entries(refused).flatMap(([claim, values]) =>
    Object.entries(values).map(([row, value]): [string, string] => [
      `${claim} ${row}`,
      forge(claims({ aud, [claim]: value }))
    ])
  )
const missing = ['exp', 'iss', 'aud', 'sub'].map((claim): [string, string] => [`no ${claim}`, forgeWithout(claim)])
const payloads = ['[]', '{}', 'null', 'true', '1', '"sub"', '', '{', `[${JSON.stringify(claims())}]`].map(
  (payload): [string, string] => [`payload ${payload.slice(0, 10)}`, forge(payload)]
)
const nested = JSON.stringify(claims()).replace('{', `{"x":${'['.repeat(3000)}`)

t.test(
  'Authentication: expired, future `nbf`, no `exp`, wrong `iss`/`aud`, `sub` an object, and their kind',
  async (t) => {
    const written = JSON.stringify(claims())
    const bad: [string, string][] = [
      ...[...rowsFor('authentication'), ...missing, ...payloads],
      ['claims in __proto__', forge(`{"__proto__":${written}}`)],
      ['sub twice, an object last', forge(written.replace('}', ',"sub":{}}'))],
      ['exp twice, the past last', forge(written.replace('}', ',"exp":1}'))],
      ['exp without a number in it', forge(written.replace(/"exp":\d+/, '"exp":NaN'))],
      ['exp infinite', forge(written.replace(/"exp":\d+/, '"exp":1e999'))],
      ['deeply nested', forge(nested)]
    ]
    for (const [row, token] of bad) await t.test(row, (t) => refuses(t, child, row, token))
  }
)

t.test('claims that are not ours to judge let in, and pollute nothing', async (t) => {
  const written = JSON.stringify(claims())
  const good: [string, string][] = [
    ['aud a list with it', forge(claims({ aud: ['other', 'authentication'] }))],
    ['nbf in the past', forge(claims({ nbf: now() - 1 }))],
    ['exp a fraction', forge(claims({ exp: now() + 60.5 }))],
    ['exp the last date', forge(claims({ exp: 8.64e12 - 1 }))],
    ['iat a fraction, and before 1970', forge(claims({ iat: -0.5, auth_time: 0.1 }))],
    ['jti and sid of others', forge(claims({ jti: 'x'.repeat(1024), sid: '💥' }))],
    ['no jti', forgeWithout('jti')],
    ['no iat', forgeWithout('iat')],
    ['__proto__', forge(written.replace('{', '{"__proto__":{"polluted":true},'))],
    ['constructor', forge(written.replace('{', '{"constructor":{"prototype":{"polluted":true}},'))],
    ['names of params', forge(claims({ provider: null, user: { id: 2 }, authenticated: true, strategy: 'none' }))],
    ['unicode', forge(claims({ name: 'Åda 💥 \ud800 \0' }))]
  ]
  for (const [row, token] of good) await t.test(row, (t) => accepts(t, child, row, token))
})

t.test('the same where tokens stand for no users, and where the secret is a list', async (t) => {
  const child = await startAuth(t, 'auth-fault-server.js')
  for (const path of ['nobody', 'list'])
    for (const [row, token] of rowsFor(path).filter(([row]) => !row.includes('of nobody')))
      await t.test(`${path}: ${row}`, (t) => refuses(t, child, row, token, placesOf(path)))
  for (const path of ['nobody', 'list']) await accepts(t, child, path, forge(claims({ aud: path })), placesOf(path))
  const old = forge(claims({ aud: 'list' }), {}, 'o'.repeat(32))
  await accepts(t, child, 'the second secret', old, placesOf('list'))
})

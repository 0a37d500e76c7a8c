import t from 'tap'
import { accepts, refuses, startAuth } from '../support/auth-fault-child.js'
import { createPair, handmade, segment, sign } from '../support/auth-fault-tokens.js'
import { claims, forge, secret, unsigned } from '../support/tokens.js'

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

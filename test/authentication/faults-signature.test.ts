import { createPublicKey } from 'node:crypto'
import t, { type Test } from 'tap'
import { accepts, placesOf, refuses, startAuth } from '../support/auth-fault-child.js'
import { createPairFor, handmade, type Pair, segment, sign } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'

type Rows = [row: string, token: string][]

/** Tokens that are not good where tokens are signed by a key pair; the others are signed with a key of somebody else. */
function rowsOf(algorithm: string, pair: Pair, stranger: Pair): Rows {
  const payload = claims({ aud: algorithm })
  const key = createPublicKey(pair.public)
  const foreign = createPublicKey(stranger.public).export({ format: 'jwk' })
  const good = handmade(algorithm, pair.private, payload)
  const [head, body, signature = ''] = good.split('.')
  const bytes = Buffer.from(signature, 'base64url').length
  const by = (header: object, signed = stranger) => handmade(algorithm, signed.private, payload, header)
  const secrets: [name: string, secret: string | Buffer][] = [
    ['in PEM form', pair.public],
    ['in PEM form, trimmed', pair.public.trim()],
    ['in DER form', key.export({ type: 'spki', format: 'der' })],
    ['as a JWK', JSON.stringify(key.export({ format: 'jwk' }))],
    ['and the private one', `${pair.private}${pair.public}`]
  ]
  return [
    ...secrets.flatMap(([name, secret]) =>
      ['HS256', 'HS384', 'HS512'].map((alg): Rows[number] => [
        `RS/HS confusion: ${alg}, the public key ${name} as the secret`,
        handmade(alg, secret, payload)
      ])
    ),
    ...['none', 'None', 'NONE', 'nOnE', ''].map((alg): Rows[number] => [
      `alg '${alg}'`,
      handmade(alg, '', payload, {}, () => Buffer.alloc(0))
    ]),
    [
      `alg none with a good signature`,
      handmade('none', '', payload, {}, (input) => sign(algorithm, pair.private, input))
    ],
    ['empty signature', `${head}.${body}.`],
    ['two segments', `${head}.${body}`],
    ['a signature of nothing but zeros', `${head}.${body}.${Buffer.alloc(bytes).toString('base64url')}`],
    ['a signature of nothing but ones', `${head}.${body}.${Buffer.alloc(bytes, 255).toString('base64url')}`],
    ['half of a signature', `${head}.${body}.${signature.slice(0, bytes / 2)}`],
    ['a signature twice', `${head}.${body}.${signature}${signature}`],
    ['another signature', by({})],
    ['another signature: its key as `jwk` in the header', by({ jwk: foreign })],
    ['another signature: its key as `x5c` in the header', by({ x5c: [segment(stranger.public)] })],
    ['another signature: a path as `kid`', by({ kid: '../../../../dev/null' })],
    ['another signature: a condition as `kid`', by({ kid: "' OR 1=1 --" })],
    ['an empty secret: a path as `kid`', handmade('HS256', '', payload, { kid: '/dev/null' })],
    ['tampered', good.replace(`.${body}.`, `.${segment({ ...payload, sub: '2' })}.`)],
    ['a good signature of another token', `${handmade('HS256', 'x', payload)}`.replace(/[^.]*$/, signature)]
  ]
}

const others: Record<string, string[]> = {
  RS256: ['RS384', 'RS512', 'PS256', 'PS512'],
  PS256: ['PS384', 'PS512', 'RS256', 'RS512'],
  ES256: [],
  EdDSA: []
}

t.test('Authentication: `alg` none/None, empty signature, RS/HS confusion, against key pairs', async (t) => {
  const child = await startAuth(t as Test, 'auth-fault-server.js')
  const pairs = JSON.parse((await child.request('GET', '/keys')).body) as Record<string, Pair>
  for (const [algorithm, pair] of Object.entries(pairs)) {
    const payload = claims({ aud: algorithm })
    const rows: Rows = [
      ...rowsOf(algorithm, pair, createPairFor(algorithm)),
      ...(others[algorithm] ?? []).map((alg): Rows[number] => [
        `alg ${alg} with the same key`,
        handmade(alg, pair.private, payload)
      ]),
      ['a token for the service of another path', handmade(algorithm, pair.private, claims({ aud: 'list' }))]
    ]
    for (const [row, token] of rows)
      await t.test(`${algorithm}: ${row}`, (t) => refuses(t as Test, child, row, token, placesOf(algorithm)))
    const good = handmade(algorithm, pair.private, payload)
    await t.test(`${algorithm}: a good one`, (t) => accepts(t as Test, child, 'good', good, placesOf(algorithm)))
  }
})

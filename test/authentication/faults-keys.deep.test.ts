import { createPublicKey, sign as signBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { accepts, places, placesOf, refuses, startAuth } from '../support/auth-fault-child.js'
import { createPairFor, handmade, type Pair, segment, sign } from '../support/auth-fault-tokens.js'
import { claims } from '../support/tokens.js'

type Rows = [row: string, token: string][]

const child = await startAuth(t, 'auth-fault-server.js')
const pairs = JSON.parse((await child.request('GET', '/keys')).body) as Record<string, Pair>
const rsa = createPairFor('RS256')
const stranger = (algorithm: string) =>
  algorithm.endsWith('S256') && algorithm !== 'ES256' ? rsa : createPairFor(algorithm)

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
  for (const [algorithm, pair] of Object.entries(pairs)) {
    const payload = claims({ aud: algorithm })
    const rows: Rows = [
      ...rowsOf(algorithm, pair, stranger(algorithm)),
      ...(others[algorithm] ?? []).map((alg): Rows[number] => [
        `alg ${alg} with the same key`,
        handmade(alg, pair.private, payload)
      ]),
      ['a token for the service of another path', handmade(algorithm, pair.private, claims({ aud: 'list' }))]
    ]
    for (const [row, token] of rows)
      await t.test(`${algorithm}: ${row}`, (t) => refuses(t, child, row, token, placesOf(algorithm)))
    const good = handmade(algorithm, pair.private, payload)
    await t.test(`${algorithm}: a good one`, (t) => accepts(t, child, 'good', good, placesOf(algorithm)))
  }
})

// The order of P-256: a signature holds two numbers from 1 to below it.
const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const counter = '1'.padStart(64, '0')
const zero = ''.padStart(64, '0')

t.test('Authentication: empty signature and its kind, for ES256', async (t) => {
  const key = String(pairs.ES256?.private)
  const payload = claims({ aud: 'ES256' })
  const forged: [row: string, signature: (input: string) => Buffer][] = [
    ['r and s are 0', () => Buffer.from(zero + zero, 'hex')],
    ['r is 0', () => Buffer.from(zero + counter, 'hex')],
    ['s is 0', () => Buffer.from(counter + zero, 'hex')],
    ['r and s are 1', () => Buffer.from(counter + counter, 'hex')],
    ['r and s are the order of the curve', () => Buffer.from(order + order, 'hex')],
    ['in DER form', (input) => signBytes('sha256', Buffer.from(input), key)],
    ['an empty sequence in DER form', () => Buffer.from('3000', 'hex')],
    ['one byte', () => Buffer.from('00', 'hex')],
    ['65 bytes', (input) => Buffer.concat([signBytes('sha256', Buffer.from(input), p1363(key)), Buffer.alloc(1)])],
    ['by SHA-512', (input) => signBytes('sha512', Buffer.from(input), p1363(key))]
  ]
  for (const [row, by] of forged)
    await t.test(row, (t) => refuses(t, child, row, handmade('ES256', key, payload, {}, by), placesOf('ES256')))
})

const p1363 = (key: string) => ({ key, dsaEncoding: 'ieee-p1363' as const })

t.test('Authentication: `jku` and `x5u` in the header: no key is fetched', async (t) => {
  const requests: unknown[] = []
  const jwk = { ...createPublicKey(rsa.public).export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }
  const server = createServer((request, response) => {
    requests.push(request.url)
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.equal((await fetch(`${base}/reached`)).status, 200)

  const secrets = await startAuth(t)
  const headers = { jku: { jku: `${base}/keys` }, x5u: { x5u: `${base}/cert` }, both: { jku: base, x5u: base } }
  for (const [row, header] of Object.entries(headers)) {
    const ownHeader = { ...header, kid: 'own' }
    const ours = handmade('RS256', rsa.private, claims({ aud: 'RS256', iss: base }), ownHeader)
    await t.test(`${row}, RS256`, (t) => refuses(t, child, row, ours, placesOf('RS256')))
    const other = handmade('RS256', rsa.private, claims(), ownHeader)
    await t.test(`${row}, HS256`, (t) => refuses(t, secrets, row, other, places))
    const hashed = handmade('HS256', 'own', claims(), ownHeader)
    await t.test(`${row}, HS256 by a key of its own`, (t) => refuses(t, secrets, row, hashed, places))
  }
  t.same(requests, ['/reached'])
})

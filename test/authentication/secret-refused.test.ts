import { createPublicKey, createSecretKey } from 'node:crypto'
import t from 'tap'
import { register } from '../support/auth-fault-register.js'
import { createPair } from '../support/auth-fault-tokens.js'

const rsa = createPair('rsa')
const good = 's'.repeat(64)
const make = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`
const missing = `The option \`secret\` of authentication is missing. ${make}`
const wrongKind = (algorithm: string) =>
  `The option \`secret\` of authentication is a string or a Buffer for ${algorithm}: set jwt.algorithm for a key pair`
const short = (algorithm: string, bytes: number) =>
  `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${make}`
const pem =
  'The option `secret` of authentication is a key of a pair, and no secret: set jwt.algorithm for a key pair in PEM form'

const refused: [row: string, secret: unknown, message: string, algorithm?: string][] = [
  ['undefined', undefined, missing],
  ['null', null, missing],
  ['empty', '', missing],
  ['an empty list', [], missing],
  ['a list with undefined', [good, undefined], missing],
  ['a list with null', [null, good], missing],
  ['a list with an empty one', [good, ''], missing],
  ['an empty Buffer', Buffer.alloc(0), short('HS256', 32)],
  ['one character', 'x', short('HS256', 32)],
  ['31 bytes for HS256', 'x'.repeat(31), short('HS256', 32)],
  ['47 bytes for HS384', 'x'.repeat(47), short('HS384', 48), 'HS384'],
  ['63 bytes for HS512', 'x'.repeat(63), short('HS512', 64), 'HS512'],
  ['a Buffer of 31 bytes', Buffer.alloc(31, 1), short('HS256', 32)],
  ['a list with a short one', [good, 'x'], short('HS256', 32)],
  ['a list with a short one first', ['x', good], short('HS256', 32)],
  ['a number', 12345678901234, wrongKind('HS256')],
  ['true', true, wrongKind('HS256')],
  ['an object', {}, wrongKind('HS256')],
  ['a function', () => good, wrongKind('HS256')],
  ['a promise', Promise.resolve(good), wrongKind('HS256')],
  ['a list in a list', [[good]], wrongKind('HS256')],
  ['a KeyObject', createSecretKey(Buffer.from(good)), wrongKind('HS256')],
  ['a key pair for HS256', rsa, wrongKind('HS256')],
  ['a key pair in a list for HS512', [good, rsa], wrongKind('HS512'), 'HS512'],
  ['a public key', rsa.public, pem],
  ['a private key', rsa.private, pem],
  ['a public key as a Buffer', Buffer.from(rsa.public), pem],
  ['a public key with text in front', `Bag Attributes\n${rsa.public}`, pem]
]

t.test('a secret that is missing, empty, short or of the wrong kind: refused at the start', async (t) => {
  for (const [row, secret, message, algorithm] of refused)
    await t.rejects(register({ secret, ...(algorithm && { jwt: { algorithm } }) }), { message }, row)
})

t.test('a public key as a JWK is no secret either: everybody has it', async (t) => {
  const jwk = createPublicKey(rsa.public).export({ format: 'jwk' })
  await t.rejects(register({ secret: JSON.stringify(jwk) }), /^The option `secret` of authentication /)
  await t.rejects(register({ secret: JSON.stringify({ keys: [jwk] }) }), /^The option `secret` of authentication /)
})

t.test('a secret that is long enough in bytes', async (t) => {
  const secrets: [secret: unknown, algorithm: string][] = [
    ['x'.repeat(32), 'HS256'],
    ['ä'.repeat(16), 'HS256'],
    ['x'.repeat(48), 'HS384'],
    ['x'.repeat(64), 'HS512'],
    ['x'.repeat(10_000), 'HS256'],
    [Buffer.alloc(32, 255), 'HS256'],
    [[good], 'HS512'],
    [[good, Buffer.alloc(32, 1)], 'HS256']
  ]
  for (const [secret, algorithm] of secrets) await t.resolves(register({ secret, jwt: { algorithm } }))
})

t.test('an algorithm that there is not: refused, with those that there are', async (t) => {
  const names = [
    ...['none', 'None', '', 'hs256', 'HS1', 'HS', 'HS256 ', 'RS1', 'ES256K', 'ECDH', 'dir', '__proto__', 'toString'],
    ...[0, true, {}, ['HS256']]
  ]
  for (const algorithm of names)
    await t.rejects(
      register({ secret: good, jwt: { algorithm } }),
      {
        message: `The option jwt.algorithm of authentication is one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, not '${algorithm}'`
      },
      JSON.stringify(algorithm)
    )
})

import { execFile } from 'node:child_process'
import { createPublicKey, createSecretKey } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { authenticate, type Secret } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { register } from '../support/auth-fault-register.js'
import { createPair, decode, sign } from '../support/auth-fault-tokens.js'
import { claims, forge, now } from '../support/tokens.js'
import { ask, createUsersApp, login } from '../support/users-app.js'

const rsa = createPair('rsa')
const good = 's'.repeat(64)
const make = `Make one by: node -e "console.log(crypto.randomBytes(64).toString('base64'))"`
const missing = `The option \`secret\` of authentication is missing. ${make}`
const wrongKind = (algorithm: string) =>
  `The option \`secret\` of authentication must be a string or a Buffer for ${algorithm}: set \`jwt.algorithm\` for a key pair`
const short = (algorithm: string, bytes: number) =>
  `The option \`secret\` of authentication is too short: ${algorithm} needs ${bytes} bytes. ${make}`
const pem = (algorithm: string) =>
  `The option \`secret\` of authentication must be a secret for ${algorithm}, got a key of a pair: set \`jwt.algorithm\` for a key pair in PEM form`

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
  ['a public key', rsa.public, pem('HS256')],
  ['a private key', rsa.private, pem('HS256')],
  ['a public key as a Buffer', Buffer.from(rsa.public), pem('HS256')],
  ['a public key with text in front', `Bag Attributes\n${rsa.public}`, pem('HS256')]
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
    ...['x'.repeat(32), 'ä'.repeat(16), 'x'.repeat(10_000)].map((text): [string, string] => [text, 'HS256']),
    ['x'.repeat(48), 'HS384'],
    ['x'.repeat(64), 'HS512'],
    [Buffer.alloc(32, 255), 'HS256'],
    [[good], 'HS512'],
    [`${good} {"kty":"oct"}`, 'HS256'],
    [[good, Buffer.alloc(32, 1)], 'HS256']
  ]
  for (const [secret, algorithm] of secrets) await t.resolves(register({ secret, jwt: { algorithm } }))
})

t.test('an algorithm that there is not: refused, with those that there are', async (t) => {
  const texts = 'none None hs256 HS1 HS RS1 ES256K ECDH dir __proto__ toString'.split(' ')
  const names: [algorithm: unknown, shown: string][] = [
    ...['HS256 ', ...texts].map((text): [string, string] => [text, `'${text}'`]),
    ['', 'an empty string'],
    [0, '0'],
    [true, 'true'],
    [{}, 'an object'],
    [['HS256'], 'a list'],
    ['x'.repeat(40), `'${'x'.repeat(40)}'`],
    ['x'.repeat(41), `'${'x'.repeat(40)}'`]
  ]
  for (const [algorithm, shown] of names) {
    const message = `The option \`jwt.algorithm\` of authentication must be one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, got ${shown}`
    await t.rejects(register({ secret: good, jwt: { algorithm } }), { message }, JSON.stringify(algorithm))
  }
})

const script = fileURLToPath(new URL('../support/auth-fault-start.js', import.meta.url))

/** Runs a script of Node in a process of its own, and gives its end. */
const run = (...args: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

t.test('the server refuses to start, and says how to make a secret; one that is made so is long enough', async (t) => {
  const { code, stdout, stderr } = await run(script, '{}')
  t.strictSame([code, stdout], [1, ''])
  t.ok(stderr.includes(missing), missing)
  const made = (await run('-e', make.slice(make.indexOf('"') + 1, -1))).stdout.trim()
  const options = { secret: made, jwt: { algorithm: 'HS512' } }
  t.same(await run(script, JSON.stringify(options)), { code: 0, stdout: 'listening\n', stderr: '' })
  await t.rejects(register({ secret: made.slice(0, 31) }))
})

const [oldest, old, current] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)] as const

const createApp = (t: Test, secret: Secret | Secret[]) =>
  createUsersApp(t, {
    options: { secret },
    before: (app) => app.get('/me', { preHandler: authenticate('jwt') }, (request) => request.user)
  })
type App = Awaited<ReturnType<typeof createApp>>
const statusOf = async (app: App, token: string) => (await ask(app, token, '/me')).status

/** Whether a token is signed with a secret. */
function isSignedWith(secret: string, token: string): boolean {
  const [head, body, signature] = token.split('.')
  return sign('HS256', secret, `${head}.${body}`).toString('base64url') === signature
}

t.test('Secret rotation: `secret` may be a list, the first signs', async (t) => {
  const { accessToken } = (await login(await createApp(t, [current, old, oldest]))).body
  t.ok(isSignedWith(current, accessToken))
  t.notOk(isSignedWith(old, accessToken))
})

t.test('Secret rotation: all verify', async (t) => {
  const app = await createApp(t, [current, old, oldest])
  for (const secret of [current, old, oldest]) {
    const token = forge(claims(), {}, secret)
    t.equal(await statusOf(app, token), 200)
    t.equal((await login(app, { strategy: 'jwt', accessToken: token })).status, 201)
    t.equal((await ask(app, token, { method: 'DELETE', url: '/authentication' })).status, 200)
  }
  t.equal(await statusOf(app, forge(claims(), {}, '4'.repeat(32))), 401)
  t.equal(await statusOf(app, forge(claims(), {}, current + old)), 401)
})

t.test('Secret rotation: step by step, nobody is logged out', async (t) => {
  const before = (await login(await createApp(t, old))).body.accessToken
  const rotated = await createApp(t, [current, old])
  t.equal(await statusOf(rotated, before), 200)
  const after = (await login(rotated)).body.accessToken
  const last = await createApp(t, current)
  t.equal(await statusOf(last, after), 200)
  t.equal(await statusOf(last, before), 401, 'the old secret is taken away')
})

t.test('Secret rotation: a login with a token of an old secret gives that same token', async (t) => {
  const app = await createApp(t, [current, old])
  const token = forge(claims(), {}, old)
  t.equal((await login(app, { strategy: 'jwt', accessToken: token })).body.accessToken, token)
})

t.test('Secret rotation: a token of an old secret is held to the same rules', async (t) => {
  const app = await createApp(t, [current, old])
  const changes = [{ aud: 'other' }, { iss: 'other' }, { sub: undefined }, { exp: undefined }, { nbf: now() + 60 }]
  for (const change of changes) t.equal(await statusOf(app, forge(claims(change), {}, old)), 401)
  t.equal(await statusOf(app, forge(claims(), { alg: 'HS512' }, old, 'sha512')), 401)
})

t.test('Secret rotation: whichever secret has signed it, an expired token is said to be that', async (t) => {
  const app = await createApp(t, [current, old, oldest])
  const message = async (key: string) => (await ask(app, forge(claims({ exp: 1 }), {}, key), '/me')).body.message
  for (const key of [current, old, oldest]) t.equal(await message(key), 'Invalid access token: it has expired')
  t.equal(await message('4'.repeat(32)), 'Invalid access token')
})

t.test('a list of one, of Buffers and texts, of the same twice', async (t) => {
  const lists: Secret[][] = [[current], [Buffer.from(current), old], [current, Buffer.from(old)], [current, current]]
  for (const secret of lists) {
    const app = await createApp(t, secret)
    const { accessToken } = (await login(app)).body
    t.ok(isSignedWith(current, accessToken))
    t.equal(decode(accessToken, 0).alg, 'HS256')
    t.equal(await statusOf(app, accessToken), 200)
    if (secret.length > 1 && secret[1] !== current) t.equal(await statusOf(app, forge(claims(), {}, old)), 200)
  }
})

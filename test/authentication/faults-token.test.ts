import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { startChild } from '../support/request-child.js'
import { claims, forge, forgeWithout, now, secret, unsigned } from '../support/tokens.js'

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const [head = '', body = ''] = forge().split('.')
const good = forge()

const rows: [row: string, token: string][] = [
  ['alg none', unsigned({ alg: 'none', typ: 'JWT' })],
  ['alg None', unsigned({ alg: 'None' })],
  ['alg none with a signature', unsigned({ alg: 'none' }, good.split('.')[2])],
  ['alg missing', unsigned({ typ: 'JWT' }, good.split('.')[2])],
  ['alg an array', unsigned({ alg: ['HS256'] }, good.split('.')[2])],
  ['empty signature', `${head}.${body}.`],
  ['two segments', `${head}.${body}`],
  ['four segments', `${good}.x`],
  ['HS512 with the same secret', forge(claims(), { alg: 'HS512' }, secret, 'sha512')],
  ['HS384 with the same secret', forge(claims(), { alg: 'HS384' }, secret, 'sha384')],
  ['RS/HS confusion: a public key as the secret', forge(claims(), {}, pem)],
  ['alg RS256', unsigned({ alg: 'RS256' }, good.split('.')[2])],
  ['another secret', forge(claims(), {}, 'x'.repeat(32))],
  ['an empty secret', forge(claims(), {}, '')],
  ['unknown crit', forge(claims(), { crit: ['exp', 'b64'] })],
  ['a jwk in the header', forge(claims(), { jwk: { kty: 'oct', k: 'eA' }, kid: '../../dev/null' }, 'x')],
  ['expired', forge(claims({ exp: now() - 1 }))],
  ['future nbf', forge(claims({ nbf: now() + 60 }))],
  ['nbf no number', forge(claims({ nbf: 'soon' }))],
  ['no exp', forgeWithout('exp')],
  ['exp a string', forge(claims({ exp: `${now() + 60}` }))],
  ['exp null', forge(claims({ exp: null }))],
  ['exp an array', forge(claims({ exp: [now() + 60] }))],
  ['wrong iss', forge(claims({ iss: 'other' }))],
  ['no iss', forgeWithout('iss')],
  ['iss an array', forge(claims({ iss: ['fastify-services'] }))],
  ['wrong aud', forge(claims({ aud: 'other' }))],
  ['no aud', forgeWithout('aud')],
  ['no sub', forgeWithout('sub')],
  ['payload an array', forge([claims()])],
  ['payload null', forge('null')],
  ['payload a string', forge('"1"')],
  ['payload no JSON', forge('{')],
  ['sub an object', forge(claims({ sub: { $gt: '' } }))],
  ['sub a number', forge(claims({ sub: 1 }))],
  ['sub an empty string', forge(claims({ sub: '' }))],
  ['token of a deleted user', forge(claims({ sub: '99' }))],
  ['tampered', good.replace(/\.(.)/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`)],
  ['trailing junk', `${good}x`],
  ['trailing junk in base64', `${good}==`],
  ['12 kB token', 'a'.repeat(12_000)],
  ['12 kB token, signed', forge(claims({ junk: 'a'.repeat(9_000) }))],
  ['a prototype name', '__proto__'],
  ['not ASCII', 'ä.ö.ü']
]

t.test('Authentication: tokens that are 401', async (t) => {
  const { request, alive } = await startChild(t)
  for (const [row, token] of rows)
    await t.test(row, async (t) => {
      for (const path of ['/me', '/route']) {
        const answer = await request('GET', path, bearer(token))
        t.equal(answer.status, 401, path)
        t.equal(answer.headers['www-authenticate'], 'Bearer')
        t.match(JSON.parse(answer.body), { message: /^(Invalid access token|Not authenticated)/ })
      }
      const login = { strategy: 'jwt', accessToken: token }
      const answer = await request(
        'POST',
        '/authentication',
        { 'Content-Type': 'application/json' },
        JSON.stringify(login)
      )
      t.match(JSON.parse(answer.body), { name: 'NotAuthenticated', message: /^Invalid access token/, code: 401 })
      t.equal((await request('DELETE', '/authentication', bearer(token))).status, 401)
      t.equal(
        (await request('GET', '/things', bearer(token))).status,
        200,
        'a bad token where no guard asks is ignored'
      )
      await alive(t, row)
    })
})

t.test('Authentication: a good token, in every form of the header', async (t) => {
  const { request } = await startChild(t)
  const token = forge()
  const forms = ['Bearer x', 'bearer x', 'BEARER   x', 'x', 'JWT x', 'jwt x', 'Bearer: x', 'Bearer x ']
  for (const form of forms) {
    const answer = await request('GET', '/me', { Authorization: form.replace('x', token) })
    t.match(JSON.parse(answer.body), { user: { id: 1 }, provider: 'rest' }, form)
  }
  const good = [
    forge(claims({ aud: ['other', 'authentication'] })),
    forge(claims({ nbf: now() - 1 })),
    forgeWithout('jti')
  ]
  for (const token of good) t.equal((await request('GET', '/me', bearer(token))).status, 200)
})

t.test('Authentication: headers that are 401; the query is never read', async (t) => {
  const { request, alive } = await startChild(t)
  const token = forge()
  const headers = [
    '',
    'Bearer',
    'Bearer  ',
    'Bearer:',
    'JWT',
    'Basic YTpi',
    `Basic ${token}`,
    `Bearer ${token} x`,
    `Bearer, ${token}`,
    `Token ${token}`,
    `x Bearer ${token}`
  ]
  for (const Authorization of headers) {
    t.equal((await request('GET', '/me', { Authorization })).status, 401, Authorization)
    await alive(t, Authorization)
  }
  for (const query of [
    'access_token',
    'token',
    'authorization',
    'Authorization',
    'authentication[accessToken]',
    'headers[authorization]'
  ])
    t.equal((await request('GET', `/me?${query}=${token}&authenticated=true&provider=&user[id]=1`)).status, 401, query)
  const odd = { provider: 'x', authenticated: 'true', 'x-authorization': token, authentication: token }
  t.equal((await request('GET', '/me', odd)).status, 401, 'headers of those names')
  const body = JSON.stringify({
    authenticated: true,
    provider: null,
    authentication: { strategy: 'jwt', accessToken: token }
  })
  t.equal(
    (await request('POST', '/me', { 'Content-Type': 'application/json' }, body)).status,
    401,
    'a body of those names'
  )
})

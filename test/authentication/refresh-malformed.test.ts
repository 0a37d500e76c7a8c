import t from 'tap'
import { createSessionsApp, createStore, refresh, waysIn } from '../support/auth-sessions.js'
import { login } from '../support/users-app.js'

const half = (length: number, text = 'a') => text.repeat(length)
const whole = `${half(22)}.${half(43)}`

const rows: Record<string, unknown> = {
  missing: undefined,
  null: null,
  'a number': 1,
  true: true,
  'an empty string': '',
  'an object': { $gt: '' },
  'a list': [whole],
  'a list of characters': [...whole],
  'an object that could be a string': { toString: whole, length: 66 },
  'without a dot': half(66),
  'a dot alone': '.',
  'the first part': `${half(22)}.`,
  'the second part': `.${half(43)}`,
  'three parts': `${whole}.${half(43)}`,
  'too short': `${half(21)}.${half(43)}`,
  'too long': `${half(22)}.${half(44)}`,
  'a megabyte': half(1_000_000),
  'a token that nobody has got': whole,
  'the name __proto__': '__proto__',
  'the name constructor': 'constructor',
  'a prototype name, filled up': `${'__proto__'.padEnd(22, 'a')}.${half(43)}`,
  'a wildcard': '*',
  'a wildcard, filled up': `${half(21)}*.${half(43)}`,
  'a question mark': `${half(21)}?.${half(43)}`,
  'a colon': `${half(10)}:${half(11)}.${half(43)}`,
  'the prefix of a key': `authentication:session:${half(22)}.${half(43)}`,
  'a slash': `../${half(19)}.${half(43)}`,
  'a newline at the end': `${whole}\n`,
  'a newline at the start': `\n${whole}`,
  'a zero byte': `${whole}\0`,
  'a space': ` ${whole}`,
  'not ASCII': `${half(21)}ä.${half(43)}`,
  'characters of plain base64': `${half(21)}+.${half(42)}=`,
  'what the store holds for an ended login': 'ended'
}

t.test('refresh tokens that are 401, and end no login', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store, bodyLimit: 2_000_000 })
  const { accessToken, refreshToken } = (await login(app)).body
  sets.length = 0
  for (const [row, token] of Object.entries(rows)) {
    const { status, body } = await refresh(app, token)
    t.equal(status, 401, row)
    t.match(body, { name: 'NotAuthenticated', message: 'Invalid refresh token', className: 'not-authenticated' }, row)
  }
  t.strictSame(sets, [], 'nothing was written')
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('tokens made of what an access token shows are 401, and end no login', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
  const { accessToken, refreshToken, authentication } = (await login(app)).body
  const { sid, jti } = authentication.payload as { sid: string; jti: string }
  const [family = '', secret = ''] = refreshToken.split('.')
  t.not(family, sid, 'the id of the login is not the beginning of the refresh token')
  sets.length = 0
  const forged = {
    'the `sid` alone': sid,
    'the `sid` and any secret': `${sid}.${half(43)}`,
    'the `sid` and the secret of the token': `${sid}.${secret}`,
    'the `jti`': jti,
    'the access token': accessToken,
    'the key of the store': `authentication:session:${sid}`
  }
  for (const [row, token] of Object.entries(forged)) t.equal((await refresh(app, token)).status, 401, row)
  t.strictSame(sets, [], 'nothing was written')
  t.strictSame(await waysIn(app, accessToken), [200, 200, 201])
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('a refresh token is read from the body alone, and opens nothing else', async (t) => {
  const app = await createSessionsApp(t, { refresh: true })
  const { refreshToken } = (await login(app)).body
  t.strictSame(await waysIn(app, refreshToken), [401, 401, 401], 'it is no access token')
  const payload = { strategy: 'refresh' }
  for (const url of [`/authentication?refreshToken=${refreshToken}`, '/authentication']) {
    const headers = { authorization: `Bearer ${refreshToken}`, cookie: `refreshToken=${refreshToken}` }
    t.equal((await app.inject({ method: 'POST', url, payload, headers })).statusCode, 401)
  }
  const extra = { strategy: 'refresh', refreshToken, sid: 'x', session: { hash: '' }, payload: { sub: '2' }, user: {} }
  const response = await app.inject({ method: 'POST', url: '/authentication', payload: extra })
  t.match(response.json(), { user: { id: 1 }, authentication: { payload: { sub: '1' } } }, 'the rest is ignored')
})

import { memoryStore, type Store } from 'fastify-services/authentication'
import t from 'tap'
import { createClock, createSessionsApp, createStore, logout, refresh, waysIn } from '../support/auth-sessions.js'
import { ask, login, user } from '../support/users-app.js'

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

t.test('what is no refresh token is not looked up', async (t) => {
  const { store } = createStore()
  const gets: string[] = []
  const get = (key: string) => {
    gets.push(key)
    return store.get(key)
  }
  const app = await createSessionsApp(t, { refresh: true, store: { ...store, get } })
  const { refreshToken } = (await login(app)).body
  gets.length = 0
  for (const token of [...Object.values(rows), `x${refreshToken}`, `${refreshToken}x`])
    if (typeof token !== 'string' || !/^[\w-]{22}\.[\w-]{43}$/.test(token)) await refresh(app, token)
  t.same(gets, [])
  t.equal((await refresh(app, refreshToken)).status, 201)
})

t.test('who uses a token twice hears of it when the login has ended', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: { expiresIn: 60, grace: 0 }, revocation: true, store })
  const { refreshToken } = (await login(app)).body
  const { accessToken } = (await refresh(app, refreshToken)).body
  sets.length = 0
  const message = 'Invalid refresh token: it was used before'
  t.match(await refresh(app, refreshToken), { status: 401, body: { message } })
  t.match(sets[0], { value: 'ended', seconds: 360 })
  t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
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

t.test('the store never holds a usable token: only hashes', async (t) => {
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
  const first = (await login(app)).body
  const second = (await refresh(app, first.refreshToken)).body
  const other = (await login(app)).body
  await logout(app, other.accessToken)

  const stored = JSON.stringify(sets)
  for (const { accessToken, refreshToken } of [first, second, other]) {
    for (const token of [accessToken, refreshToken, ...accessToken.split('.').slice(1), ...refreshToken.split('.')])
      t.notOk(stored.includes(token), 'no token, and no part of one')
    t.notOk(stored.includes(Buffer.from(refreshToken).toString('base64url')))
  }
  t.notMatch(stored, /scrypt/, 'no password')
  t.notOk(stored.includes(user.password))

  const words = new Set([stored, ...stored.split(/["\\:,{}[\]]+/), ...sets.flatMap(({ key, value }) => [key, value])])
  const ids = [...words].filter((word) => /^[\w-]{22}$/.test(word))
  const hashes = [...words].filter((word) => /^[\w-]{43}$/.test(word))
  t.ok(ids.length > 0 && hashes.length > 0)
  const made = ids.flatMap((id) => hashes.map((hash) => `${id}.${hash}`))
  for (const token of [...words, ...made]) t.equal((await refresh(app, token)).status, 401)
  t.equal((await refresh(app, second.refreshToken)).status, 201, 'and the login that they belong to goes on')
})

t.test('for each login it holds one entry, and the grace of tokens, whatever the number of refreshes', async (t) => {
  const { store, sets: all } = createStore()
  const app = await createSessionsApp(t, { refresh: true, store })
  let { body } = await login(app)
  for (let i = 0; i < 4; i++) body = (await refresh(app, body.refreshToken)).body
  const sets = all.filter(({ value }) => value.includes('hash'))
  t.equal(sets.length, 5)
  t.same(
    all.filter((set) => !sets.includes(set)).map(({ seconds }) => seconds),
    [30, 30, 30, 30]
  )
  t.strictSame([...new Set(sets.map(({ key }) => key))], [`authentication:session:${body.authentication.payload.sid}`])
  const values = sets.map(({ value }) => JSON.parse(value).hash)
  t.equal(new Set(values).size, 5, 'the hash of the one that is good, and no other')
})

t.test('of a login that has ended it holds the id alone', async (t) => {
  const store = memoryStore() as Required<Store>
  const keys = new Set<string>()
  const set: Store['set'] = (key, value, seconds) => {
    keys.add(key)
    return store.set(key, value, seconds)
  }
  const app = await createSessionsApp(t, { refresh: true, store: { ...store, set } })
  const { accessToken, authentication } = (await login(app)).body
  await logout(app, accessToken)
  const entries = [...keys].map((key) => [key, store.get(key)]).filter(([, value]) => value)
  t.same(entries, [[`authentication:session:${authentication.payload.sid}:ended`, 'ended']])
})

t.test('a login that has ended is remembered as long as its tokens could come back', async (t) => {
  const clock = createClock(t)
  const { store } = createStore()
  const app = await createSessionsApp(t, { refresh: { expiresIn: '1h', grace: 0 }, revocation: true, store })
  const { refreshToken } = (await login(app)).body
  const next = (await refresh(app, refreshToken)).body
  await refresh(app, refreshToken)
  for (const seconds of [1, 1800, 1800, 3600]) {
    clock.forward(seconds)
    for (const token of [refreshToken, next.refreshToken]) t.equal((await refresh(app, token)).status, 401)
  }
})

const count = (statuses: number[], status: number) => statuses.filter((answered) => answered === status).length

for (const [name, store] of Object.entries({ 'in memory': undefined, 'that answers later': createStore().store }))
  t.test(`without a grace, of parallel uses of a refresh token exactly one wins, with a store ${name}`, async (t) => {
    const app = await createSessionsApp(t, { refresh: { grace: 0 }, revocation: true, ...(store && { store }) })
    for (const uses of [2, 10]) {
      const { refreshToken } = (await login(app)).body
      const answers = await Promise.all(Array.from({ length: uses }, () => refresh(app, refreshToken)))
      const statuses = answers.map(({ status }) => status)
      t.equal(count(statuses, 201), 1, `of ${uses} uses`)
      t.equal(count(statuses, 401), uses - 1, 'the others are refused')
      const winner = answers.find(({ status }) => status === 201)?.body
      t.equal((await refresh(app, winner?.refreshToken)).status, 401, 'a token was used twice: the login is over')
      t.strictSame(await waysIn(app, String(winner?.accessToken)), [401, 401, 401])
      t.equal((await refresh(app, refreshToken)).status, 401)
    }
  })

t.test('logins do not wait for each other', async (t) => {
  const { store } = createStore()
  let isHeld = false
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = {
    ...store,
    async get(key: string) {
      if (isHeld && key.endsWith(first.authentication.payload.sid as string)) await held
      return store.get(key)
    }
  }
  const app = await createSessionsApp(t, { refresh: true, store: slow })
  const [first, second] = [(await login(app)).body, (await login(app)).body]
  isHeld = true
  const waiting = refresh(app, first.refreshToken)
  t.equal((await refresh(app, second.refreshToken)).status, 201)
  release()
  t.equal((await waiting).status, 201)
})

t.test('a logout beside a refresh: whichever comes first, the login is over after both', async (t) => {
  const { store } = createStore()
  const app = await createSessionsApp(t, { refresh: true, revocation: true, store })
  for (const isFirst of [true, false]) {
    const { accessToken, refreshToken } = (await login(app)).body
    const first = isFirst ? logout(app, accessToken) : undefined
    const trade = refresh(app, refreshToken)
    const end = first ?? logout(app, accessToken)
    t.equal((await end).status, 200)
    const next = await trade
    t.ok([201, 401].includes(next.status))
    t.equal((await refresh(app, refreshToken)).status, 401)
    t.equal((await refresh(app, next.body.refreshToken)).status, 401)
    if (next.status === 201) t.strictSame(await waysIn(app, next.body.accessToken), [401, 401, 401])
    t.strictSame(await waysIn(app, accessToken), [401, 401, 401])
  }
})

t.test('while one process exchanges a refresh token, another is told to try again; a logout there holds', async (t) => {
  const inner = memoryStore() as Required<Store>
  let hold: (() => unknown) | undefined
  const store: Required<Store> = {
    ...inner,
    async set(key, value, seconds) {
      if (value.includes('"hash"')) await hold?.()
      inner.set(key, value, seconds)
    },
    // What stays in the store is of no use.
    delete: () => Promise.reject(new Error('The store is down'))
  }
  const options = { refresh: true, revocation: true, store }
  const [app, other] = [await createSessionsApp(t, options), await createSessionsApp(t, options)]
  const { accessToken, refreshToken } = (await login(app)).body
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    hold = () => {
      resolve()
      return new Promise<void>((end) => {
        goOn = end
      })
    }
  })
  const exchange = refresh(app, refreshToken)
  await held
  const { status, body } = await refresh(other, refreshToken)
  t.equal(status, 503)
  t.match(body, { name: 'Unavailable', message: /under way: try again/, data: { retryAfter: 1 } })
  t.equal((await logout(other, accessToken)).status, 200)
  goOn()
  t.equal((await exchange).status, 401)
  for (const process of [app, other]) t.equal((await refresh(process, refreshToken)).status, 401)
})

t.test("`refresh: { expiresIn: '2s' }` ends a login after 2 seconds", async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: { expiresIn: '2s' } })
  const { accessToken, refreshToken } = (await login(app)).body
  clock.forward(2)
  const { status, body } = await refresh(app, refreshToken)
  t.equal(status, 401)
  t.match(body, { name: 'NotAuthenticated', message: /^Invalid refresh token/ })
  t.equal((await ask(app, accessToken, '/me')).status, 200, 'the access token has a time of its own')
})

t.test('the time is counted from the log-in: a refresh does not prolong it', async (t) => {
  const clock = createClock(t)
  const { store, sets } = createStore()
  const app = await createSessionsApp(t, { refresh: { expiresIn: '1h' }, store })
  let { body } = await login(app)
  for (let i = 0; i < 5; i++) {
    clock.forward(10 * 60)
    const next = await refresh(app, body.refreshToken)
    t.equal(next.status, 201, `after ${10 * (i + 1)} minutes`)
    body = next.body
  }
  t.ok(
    sets
      .filter(({ value }) => value.includes('hash'))
      .every(({ seconds }, i) => Math.abs(seconds - (3600 - 600 * i)) < 5),
    'nor does the store keep it longer'
  )
  clock.forward(10 * 60)
  t.equal((await refresh(app, body.refreshToken)).status, 401, 'after an hour')
})

t.test('a store that forgets late prolongs nothing', async (t) => {
  const clock = createClock(t)
  const values = new Map<string, string>()
  const store = { get: (key: string) => values.get(key), set: (key: string, value: string) => values.set(key, value) }
  const app = await createSessionsApp(t, { refresh: { expiresIn: 60 }, store })
  const { refreshToken } = (await login(app)).body
  clock.forward(60)
  t.match(await refresh(app, refreshToken), { status: 401, body: { message: 'Invalid refresh token: it has expired' } })
})

t.test('by default a login can be kept alive for 30 days', async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: true })
  const day = 24 * 60 * 60
  let { refreshToken } = (await login(app)).body
  for (const days of [15, 14.9]) {
    clock.forward(days * day)
    refreshToken = (await refresh(app, refreshToken)).body.refreshToken
    t.type(refreshToken, 'string')
  }
  clock.forward(0.1 * day)
  t.equal((await refresh(app, refreshToken)).status, 401)
})

t.test('a refresh works when the access token has expired: that is what it is for', async (t) => {
  const clock = createClock(t)
  const app = await createSessionsApp(t, { refresh: true, revocation: true })
  const { accessToken, refreshToken } = (await login(app)).body
  clock.forward(15 * 60)
  t.match(await ask(app, accessToken, '/me'), {
    status: 401,
    body: { message: 'Invalid access token: it has expired' }
  })
  const { status, body } = await refresh(app, refreshToken)
  t.equal(status, 201)
  t.equal((await ask(app, body.accessToken, '/me')).status, 200)
})

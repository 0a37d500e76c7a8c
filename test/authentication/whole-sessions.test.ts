import t from 'tap'
import { loginOf } from '../../lib/authentication/sessions.js'
import { isKept } from '../support/kept.js'
import { claims, forge } from '../support/tokens.js'
import { createLoginHost, password } from './login-host.js'
import { createRows } from './login-rows.js'
import { stopClock, today } from './outcomes.js'

const good = { strategy: 'local', email: 'bob@example.com', password }
const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
const refresh = (refreshToken: unknown) => ({ payload: { strategy: 'refresh', refreshToken } })
const made = (changes: object = {}) => forge(claims({ iat: today, exp: today + 20_000, sub: '2', ...changes }))

t.test('the id of a login is that of logins that stores have kept', async (t) => {
  t.equal(loginOf(`${'a'.repeat(22)}.${'b'.repeat(43)}`), '7HxJTfbSp-o2Zo1lbmuJee')
})

t.test('a login from its begin to its end', async (t) => {
  const forward = stopClock(t)
  const all: Record<string, unknown> = {}
  for (const revocation of [true, false]) {
    const host = await createLoginHost(t, { refresh: { expiresIn: '1h' }, jwt: { expiresIn: '10m' }, revocation })
    const { kept, ask, call } = createRows(host)
    all[revocation ? 'revoked' : 'not revoked'] = kept
    const first = await ask('a login', { payload: good })
    forward(60)
    const second = await ask('refreshed', refresh(first.refreshToken))
    const tokens = {
      ...{ undefined: undefined, null: null, number: 5, empty: '', short: 'x', list: [second.refreshToken] },
      ...{ longer: `${second.refreshToken}x`, 'longer before': `x${second.refreshToken}` },
      ...{ unknown: `${'a'.repeat(22)}.${'a'.repeat(43)}`, 'without a dot': 'a'.repeat(66) }
    }
    for (const [name, token] of Object.entries(tokens)) await ask(`refreshed by ${name}`, refresh(token))
    await ask('refreshed with an access token', {
      ...refresh(second.refreshToken),
      headers: bearer(second.accessToken)
    })
    await ask('used before', refresh(first.refreshToken))
    await ask('used before, again', refresh(first.refreshToken))
    await ask('the access token', { payload: { strategy: 'jwt', accessToken: second.accessToken } })
    const third = await ask('another login', { payload: good })
    await ask('out', { method: 'DELETE', headers: bearer(third.accessToken) })
    await ask('out again', { method: 'DELETE', headers: bearer(third.accessToken) })
    await ask('refreshed when it is out', refresh(third.refreshToken))
    const fourth = await ask('a third login', { payload: good })
    await ask('out by its id', {
      method: 'DELETE',
      url: `${host.url}/${fourth.accessToken}`,
      headers: bearer(fourth.accessToken)
    })
    for (const id of ['x', 'null', '__proto__'])
      await ask(`out by ${id}`, { method: 'DELETE', url: `${host.url}/${id}`, headers: bearer(made()) })
    const fifth = await ask('a fourth login', { payload: good })
    forward(3599)
    const sixth = await ask('a second before its end', refresh(fifth.refreshToken))
    forward(1)
    await ask('at its end', refresh(sixth.refreshToken))
    const seventh = (await host.service.create(good)) as Record<string, unknown>
    host.flush()
    for (const [name, authentication] of Object.entries({
      none: undefined,
      null: null,
      jwt: { strategy: 'jwt', accessToken: seventh.accessToken },
      local: good,
      'no strategy': {},
      'jwt without a token': { strategy: 'jwt' },
      refresh: { strategy: 'refresh', refreshToken: seventh.refreshToken }
    }))
      await call(`of the server, out by ${name}`, () => host.service.remove(null, { authentication }))
    await call('of the server, out by another id', () =>
      host.service.remove('x', { authentication: { strategy: 'jwt', accessToken: made() } })
    )
    await call('of the server, out by its id', () =>
      host.service.remove(made(), { authentication: { strategy: 'jwt', accessToken: made() } })
    )
  }
  isKept(t, all, 'test/authentication/whole-sessions.txt')
})

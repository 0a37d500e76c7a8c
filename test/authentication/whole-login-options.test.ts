import t from 'tap'
import { isKept } from '../support/kept.js'
import { createLoginHost, password, send } from './login-host.js'
import { stopClock } from './outcomes.js'
import { local, own } from './strategy-results.js'

const configs: Record<string, object> = {
  'no options': {},
  'other names': {
    entity: 'member',
    entityId: 'email',
    service: 'members',
    strategies: {
      jwt: true,
      local: {
        usernameField: 'name',
        passwordField: 'word',
        entityUsernameField: 'role',
        entityPasswordField: 'password'
      }
    }
  },
  'other claims': {
    jwt: { issuer: 'me', audience: 'you', expiresIn: '2h', algorithm: 'HS384' },
    secret: 'x'.repeat(48)
  },
  'refresh tokens': { refresh: true },
  'refresh tokens, and a span': { refresh: { expiresIn: 60 }, jwt: { expiresIn: 1 }, revocation: true },
  'refresh tokens without a grace': { refresh: { grace: 0 } },
  'no refresh tokens': { refresh: false, revocation: false },
  'refresh tokens of a day': { refresh: { expiresIn: '1d' } },
  'at the root': { path: '/' },
  'with slashes': { path: '/v1/auth/' },
  'with a prefix': { prefix: '/api' },
  'with a prefix at its root': { prefix: '/api', path: '' },
  'no users': { entity: null, strategies: { jwt: true, own } },
  'no users, refresh tokens': { entity: null, refresh: true, strategies: { own } },
  rehash: { strategies: { local: { rehash: true }, jwt: true } },
  'no rehash': { strategies: { local: { rehash: false }, jwt: true } },
  'nobody logs in': { authStrategies: [] }
}
const names = { name: 'admin', word: password }

t.test('logins by options', async (t) => {
  stopClock(t)
  const table: Record<string, unknown> = {}
  for (const [name, options] of Object.entries(configs)) {
    const host = await createLoginHost(t, options)
    const { row, body } = await send(host, { payload: local(names) })
    table[`${name}: ${host.url}`] = row
    for (const email of 'strategies' in options ? ['bob@example.com', 'twice', 'no id'] : [])
      table[`${name}: ${email}`] = (await send(host, { payload: local({ ...names, email }) })).row
    for (const give of name.startsWith('no users')
      ? ['an id alone', 'an empty result', 'a user', 'another id', 'a refusal', 'another error']
      : [])
      table[`${name}: own, ${give}`] = (await send(host, { payload: { strategy: 'own', give } })).row
    const headers = { authorization: `Bearer ${body.accessToken}` }
    if ('revocation' in options)
      table[`${name}: again`] = (await send(host, { payload: { strategy: 'jwt', accessToken: body.accessToken } })).row
    table[`${name}: out`] = (await send(host, { method: 'DELETE', headers })).row
    if ('revocation' in options) table[`${name}: out again`] = (await send(host, { method: 'DELETE', headers })).row
  }
  isKept(t, table, 'test/authentication/whole-login-options.txt')
})

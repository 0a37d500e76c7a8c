import type { Strategy } from 'fastify-services/authentication'
import { JwtStrategy } from 'fastify-services/authentication'
import t from 'tap'
import { documentLogin } from '../../lib/authentication/documentation.js'
import { authenticationOf } from '../../lib/authentication/find.js'
import { apiKey } from '../support/auth-guards.js'
import { isKept } from '../support/kept.js'
import { createLoginHost } from './login-host.js'

const cookie: Strategy = {
  ...apiKey,
  describe: () => ({ login: { pin: { type: 'integer' } }, security: { type: 'apiKey', in: 'cookie', name: 'sid' } })
}
const proxy = new JwtStrategy({ header: 'X-Token' })
const options: Record<string, object> = {
  'no options': {},
  'one strategy': { strategies: { jwt: true } },
  'refresh tokens': { refresh: true },
  'no users': { entity: null, strategies: { jwt: true, apiKey } },
  'other users': { entity: 'member', service: 'members', prefix: '/api' },
  'strategies of its own': { strategies: { apiKey, cookie, proxy }, parseStrategies: ['proxy', 'cookie'] },
  'nothing is read': { strategies: { local: true }, parseStrategies: [] }
}

t.test('what documents say of log-ins', async (t) => {
  const kept: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(options)) {
    const { app } = await createLoginHost(t, given)
    const credentials = authenticationOf(app)
    const names = credentials.authenticator.strategyNames
    kept[name] = documentLogin(credentials, names, ['api/users', 'users'])
    kept[`${name}, one that logs in`] = documentLogin(credentials, names.slice(-1), ['a', 'b']).create?.body
  }
  isKept(t, kept, 'test/authentication/whole-documentation.txt')
})

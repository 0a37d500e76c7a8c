import t from 'tap'
import { isKept } from '../support/kept.js'
import { claims, forge } from '../support/tokens.js'
import { createLoginHost, password, send } from './login-host.js'
import { outcomeOf, stopClock, today } from './outcomes.js'
import { local, own, reserved, results } from './strategy-results.js'

const strategies = { jwt: true, local: true, own, hidden: own }
const authStrategies = ['local', 'own', 'jwt']
const logins: Record<string, unknown> = {
  good: local(),
  'fields that nobody reads': local({
    id: 5,
    user: { id: 2 },
    accessToken: 'x',
    refreshToken: 'y',
    authentication: {}
  }),
  'without a strategy': { email: 'ada@example.com', password },
  'of a hidden one': { strategy: 'hidden', give: 'a user' },
  'of jwt': { strategy: 'jwt', accessToken: forge({ ...claims(), iat: today, exp: today + 1 }) },
  'of jwt without a token': { strategy: 'jwt' },
  'of jwt for nobody': { strategy: 'jwt', accessToken: forge({ ...claims(), sub: '77', iat: today, exp: today + 1 }) },
  'of jwt for another': {
    strategy: 'jwt',
    accessToken: forge({ ...claims(), sub: 'first', iat: today, exp: today + 1 })
  },
  'of jwt for a locked one': {
    strategy: 'jwt',
    accessToken: forge({ ...claims(), sub: '6', iat: today, exp: today + 1 })
  },
  'by a list': [local()],
  'by an empty list': [],
  ...Object.fromEntries(
    [null, '', 5, true, ['local'], {}, 'jtw', 'LOCAL', ' local', '__proto__', 'refresh'].map((strategy) => [
      `strategy ${JSON.stringify(strategy)}`,
      local({ strategy })
    ])
  ),
  ...Object.fromEntries(
    [
      null,
      '',
      5,
      ['ada@example.com'],
      { $ne: 1 },
      'eve',
      'x'.repeat(1024),
      'x'.repeat(1025),
      'a\0',
      'no hash',
      'no string',
      'no id',
      'twice',
      'locked',
      'bob@example.com'
    ].map((email) => [`email ${JSON.stringify(email).slice(0, 12)} ${String(email).length}`, local({ email })])
  ),
  ...Object.fromEntries(
    [
      null,
      '',
      5,
      true,
      [password],
      { $ne: 1 },
      'wrong',
      `${password} `,
      'x'.repeat(1024),
      'x'.repeat(1025),
      `${password}\0`
    ].map((password) => [
      `password ${JSON.stringify(password).slice(0, 20)} ${String(password).length}`,
      local({ password })
    ])
  ),
  ...Object.fromEntries(Object.keys(results).map((give) => [`it gives ${give}`, { strategy: 'own', give }]))
}

t.test('logins of all kinds', async (t) => {
  stopClock(t)
  const table: Record<string, unknown> = {}
  for (const [config, options] of [
    ['plain', {}],
    ['refresh', { refresh: true, revocation: true }]
  ] as const) {
    const host = await createLoginHost(t, { strategies, authStrategies, ...options })
    const rows =
      config === 'plain'
        ? logins
        : {
            good: logins.good,
            ...Object.fromEntries(Object.entries(logins).filter(([name]) => name.startsWith('it gives')))
          }
    for (const [name, payload] of Object.entries(rows))
      table[`${config}: ${name}`] = (await send(host, { payload })).row
    for (const [name, payload] of [
      ['claims', { a: 1, sub: '9', ...reserved }],
      ['a text', 'text'],
      ['a list', [1]],
      ['null', null],
      ['auth_time', { auth_time: 5 }]
    ] as const)
      table[`${config}: a hook gives ${name}`] = (
        await send(host, { payload: logins.good, headers: { 'x-payload': JSON.stringify(payload) } })
      ).row
    for (const [name, data] of Object.entries({
      good: local(),
      wrong: local({ password: 'x' }),
      'no data': undefined,
      own: { strategy: 'own', give: 'a user' }
    })) {
      table[`${config}: of the server, ${name}`] = await outcomeOf(() => host.service.create(data))
      table[`${config}: of the server, ${name}, seen`] = host.flush()
    }
  }
  isKept(t, table, 'test/authentication/whole-logins.txt')
})

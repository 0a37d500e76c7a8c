import { Forbidden, NotAuthenticated } from 'fastify-services'
import type { Strategy } from 'fastify-services/authentication'
import t from 'tap'
import { isKept } from '../support/kept.js'
import { claims, forge } from '../support/tokens.js'
import { createLoginHost, giving, password, send } from './login-host.js'
import { outcomeOf, stopClock, today } from './outcomes.js'

const local = (changes: object = {}) => ({ strategy: 'local', email: 'ada@example.com', password, ...changes })
const reserved = { iss: 'x', aud: 'x', exp: 1, nbf: 1, iat: 1, jti: 'x', sid: 'x' }
const fail = (error: unknown) => () => {
  throw error
}
const results: Record<string, () => unknown> = {
  nothing: () => undefined,
  null: () => null,
  'a text': () => 'text',
  'an empty result': () => ({}),
  'a user': () => ({ user: { id: 1, password: 'x', name: 'Ada' } }),
  'a user without an id': () => ({ user: { name: 'Ada' } }),
  'a user that is null': () => ({ user: null }),
  'a user whose id is null': () => ({ user: { id: null } }),
  'a user whose id is empty': () => ({ user: { id: '' } }),
  'a user with a long id': () => ({ user: { id: 'x'.repeat(1025) } }),
  'a user that is not there': () => ({ user: { id: 77 } }),
  'an id alone': () => ({ authentication: { payload: { sub: 'somebody', a: 1 } } }),
  'another id': () => ({
    user: { id: 2 },
    authentication: { payload: { sub: 'somebody', auth_time: 5, ...reserved } }
  }),
  'a strategy and more': () => ({ user: { id: 2 }, authentication: { strategy: 'fake', more: 1 }, more: 2 }),
  'a token': () => ({ user: { id: 2 }, accessToken: 'mine', authentication: { payload: { a: 1 } } }),
  'a refresh token': () => ({ user: { id: 2 }, refreshToken: 'mine' }),
  'a payload that is a text': () => ({ user: { id: 2 }, authentication: { payload: 'text' } }),
  'too many claims': () => ({ user: { id: 2 }, authentication: { payload: { a: 'x'.repeat(7000) } } }),
  later: async () => ({ user: { id: 2 } }),
  'an error': fail(new Error('no')),
  'a refusal': fail(new NotAuthenticated('no', { password: 'x', why: 'y' })),
  'another error': fail(new Forbidden('no', { errors: { password: 'x' } }))
}
const strategies = { jwt: true, local: true, ...giving(results), hidden: giving(results).own as Strategy }
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
  const kept: Record<string, unknown> = {}
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
    for (const [name, payload] of Object.entries(rows)) kept[`${config}: ${name}`] = (await send(host, { payload })).row
    for (const [name, payload] of [
      ['claims', { a: 1, sub: '9', ...reserved }],
      ['a text', 'text'],
      ['a list', [1]],
      ['null', null],
      ['auth_time', { auth_time: 5 }]
    ] as const)
      kept[`${config}: a hook gives ${name}`] = (
        await send(host, { payload: logins.good, headers: { 'x-payload': JSON.stringify(payload) } })
      ).row
    for (const [name, data] of Object.entries({
      good: local(),
      wrong: local({ password: 'x' }),
      'no data': undefined,
      own: { strategy: 'own', give: 'a user' }
    })) {
      kept[`${config}: of the server, ${name}`] = await outcomeOf(() => host.service.create(data))
      kept[`${config}: of the server, ${name}, seen`] = host.flush()
    }
  }
  isKept(t, kept, 'test/authentication/whole-logins.txt')
})

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
  'no refresh tokens': { refresh: false, revocation: false },
  'refresh tokens of a day': { refresh: { expiresIn: '1d' } },
  'at the root': { path: '/' },
  'with slashes': { path: '/v1/auth/' },
  'with a prefix': { prefix: '/api' },
  'with a prefix at its root': { prefix: '/api', path: '' },
  'no users': { entity: null, strategies: { jwt: true, ...giving(results) } },
  'no users, refresh tokens': { entity: null, refresh: true, strategies: { ...giving(results) } },
  rehash: { strategies: { local: { rehash: true }, jwt: true } },
  'no rehash': { strategies: { local: { rehash: false }, jwt: true } },
  'nobody logs in': { authStrategies: [] }
}
const names = { name: 'admin', word: password }

t.test('logins by options', async (t) => {
  stopClock(t)
  const kept: Record<string, unknown> = {}
  for (const [name, options] of Object.entries(configs)) {
    const host = await createLoginHost(t, options)
    const { row, body } = await send(host, { payload: local(names) })
    kept[`${name}: ${host.url}`] = row
    for (const email of 'strategies' in options ? ['bob@example.com', 'twice', 'no id'] : [])
      kept[`${name}: ${email}`] = (await send(host, { payload: local({ ...names, email }) })).row
    for (const give of name.startsWith('no users') ? ['an id alone', 'an empty result', 'a user', 'another id'] : [])
      kept[`${name}: own, ${give}`] = (await send(host, { payload: { strategy: 'own', give } })).row
    const headers = { authorization: `Bearer ${body.accessToken}` }
    if ('revocation' in options)
      kept[`${name}: again`] = (await send(host, { payload: { strategy: 'jwt', accessToken: body.accessToken } })).row
    kept[`${name}: out`] = (await send(host, { method: 'DELETE', headers })).row
    if ('revocation' in options) kept[`${name}: out again`] = (await send(host, { method: 'DELETE', headers })).row
  }
  isKept(t, kept, 'test/authentication/whole-login-options.txt')
})

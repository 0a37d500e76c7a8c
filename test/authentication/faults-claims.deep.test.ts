import authentication, { authenticate } from 'fastify-services/authentication'
import t from 'tap'
import { accepts, refuses, startAuth } from '../support/auth-fault-child.js'
import { around, ask, bearer, createGuardsApp, login, whoami } from '../support/auth-guards.js'
import { claims, forge, forgeWithout, now, secret } from '../support/tokens.js'

const child = await startAuth(t)

type Rows = Record<string, unknown>

// What a claim may not be, whoever has signed it.
const refused: Record<string, Rows> = {
  exp: {
    ...{ 'in the past': now() - 1, 'a year ago': now() - 31_536_000, 'in milliseconds, negative': -Date.now() },
    ...{
      0: 0,
      'less than any date': -1e20,
      'as a string': `${now() + 60}`,
      'as a date': new Date(Date.now() + 60_000)
    },
    ...{ true: true, null: null, empty: '', 'an object': { valueOf: now() + 60 }, 'a list': [now() + 60] },
    ...{ 'the first that is no date': 8.64e12, 'a fraction below it': 8.64e12 - 0.5, 'in milliseconds': 8.64e15 },
    ...{ 'more than any date': 1e20, 'the largest number': Number.MAX_VALUE }
  },
  iat: {
    ...{ 'as a string': `${now()}`, null: null, true: true, empty: '', 'an object': {}, 'a list': [now()] },
    ...{ 'more than any date': 1e20, 'less than any date': -1e300 }
  },
  auth_time: { 'as a string': `${now()}`, null: null, 'an object': {}, 'a list': [now()], 'more than any date': 1e300 },
  jti: {
    ...{ empty: '', null: null, true: true, 'a number': 1, 'an object': {}, 'a list': ['test'] },
    ...{ 'with a NUL': 'te\0st', 'very long': 'x'.repeat(1025) }
  },
  sid: {
    ...{ empty: '', null: null, true: true, 'a number': 1, 'an object': {}, 'a list': ['test'] },
    ...{ 'with a NUL': 'te\0st', 'very long': 'x'.repeat(1025) }
  },
  nbf: {
    ...{ 'in the future': now() + 60, 'in a thousand years': now() + 31_536_000_000, 'more than any date': 1e20 },
    ...{ 'as a string': `${now() - 60}`, true: true, null: null, 'an object': {}, 'a list': [now() - 60] }
  },
  iss: {
    ...{ another: 'other', 'in another case': 'Fastify-Services', 'with a space': 'fastify-services ' },
    ...{ 'with a NUL': 'fastify-services\0', 'a beginning of it': 'fastify', 'that and more': 'fastify-services.evil' },
    ...{
      empty: '',
      null: null,
      true: true,
      'a number': 1,
      'an object': {},
      'a pattern': '.*',
      'a list': ['fastify-services']
    }
  },
  aud: {
    ...{
      another: 'other',
      'in another case': 'Authentication',
      'with slashes': '/authentication',
      empty: '',
      null: null
    },
    ...{ 'a number': 1, 'an object': { 0: 'authentication' }, 'a list without it': ['a', 'b'], 'an empty list': [] },
    ...{ 'a list with a number': ['authentication', 1], 'a list in a list': [['authentication']], 'a pattern': '*' }
  },
  sub: {
    ...{ 'an object': { $gt: '' }, 'a list': ['1'], 'a number': 1, null: null, true: true, empty: '' },
    ...{
      'of nobody': '99',
      'of nobody, a condition': "1' OR '1'='1",
      'of nobody, a path': '../1',
      'of nobody, a NUL': '1\0'
    }
  }
}

const rowsFor = (aud: string) =>
  Object.entries(refused).flatMap(([claim, values]) =>
    Object.entries(values).map(([row, value]): [string, string] => [
      `${claim} ${row}`,
      forge(claims({ aud, [claim]: value }))
    ])
  )
const missing = ['exp', 'iss', 'aud', 'sub'].map((claim): [string, string] => [`no ${claim}`, forgeWithout(claim)])
const payloads = ['[]', '{}', 'null', 'true', '1', '"sub"', '', '{', `[${JSON.stringify(claims())}]`].map(
  (payload): [string, string] => [`payload ${payload.slice(0, 10)}`, forge(payload)]
)
const nested = JSON.stringify(claims()).replace('{', `{"x":${'['.repeat(3000)}`)

t.test(
  'Authentication: expired, future `nbf`, no `exp`, wrong `iss`/`aud`, `sub` an object, and their kind',
  async (t) => {
    const written = JSON.stringify(claims())
    const bad: [string, string][] = [
      ...[...rowsFor('authentication'), ...missing, ...payloads],
      ['claims in __proto__', forge(`{"__proto__":${written}}`)],
      ['sub twice, an object last', forge(written.replace('}', ',"sub":{}}'))],
      ['exp twice, the past last', forge(written.replace('}', ',"exp":1}'))],
      ['exp without a number in it', forge(written.replace(/"exp":\d+/, '"exp":NaN'))],
      ['exp infinite', forge(written.replace(/"exp":\d+/, '"exp":1e999'))],
      ['deeply nested', forge(nested)]
    ]
    for (const [row, token] of bad) await t.test(row, (t) => refuses(t, child, row, token))
  }
)

t.test('claims that are not ours to judge let in, and pollute nothing', async (t) => {
  const written = JSON.stringify(claims())
  const good: [string, string][] = [
    ['aud a list with it', forge(claims({ aud: ['other', 'authentication'] }))],
    ['nbf in the past', forge(claims({ nbf: now() - 1 }))],
    ['exp a fraction', forge(claims({ exp: now() + 60.5 }))],
    ['exp the last date', forge(claims({ exp: 8.64e12 - 1 }))],
    ['iat a fraction, and before 1970', forge(claims({ iat: -0.5, auth_time: 0.1 }))],
    ['jti and sid of others', forge(claims({ jti: 'x'.repeat(1024), sid: '💥' }))],
    ['no jti', forgeWithout('jti')],
    ['no iat', forgeWithout('iat')],
    ['__proto__', forge(written.replace('{', '{"__proto__":{"polluted":true},'))],
    ['constructor', forge(written.replace('{', '{"constructor":{"prototype":{"polluted":true}},'))],
    ['names of params', forge(claims({ provider: null, user: { id: 2 }, authenticated: true, strategy: 'none' }))],
    ['unicode', forge(claims({ name: 'Åda 💥 \ud800 \0' }))]
  ]
  for (const [row, token] of good) await t.test(row, (t) => accepts(t, child, row, token))
})

const paths = { nobody: { entity: null, secret }, list: { secret: [secret, 'o'.repeat(32)] } }

t.test('the same where tokens stand for no users, and where the secret is a list', async (t) => {
  const app = await createGuardsApp(t, {
    before: async (app) => {
      for (const [path, options] of Object.entries(paths)) {
        await app.register(authentication, { strategies: { jwt: true }, path, ...options })
        const guard = authenticate({ service: path, strategies: ['jwt'] })
        app.service(`guarded/${path}`, whoami, around(guard))
        app.get(`/route/${path}`, { preHandler: guard }, () => 'let in')
      }
    }
  })
  for (const path of Object.keys(paths)) {
    const see = async (token: string) => [
      (await ask(app, `/guarded/${path}`, bearer(token))).status,
      (await ask(app, `/route/${path}`, bearer(token))).status,
      (await ask(app, `/${path}`, bearer(token), 'DELETE')).status
    ]
    const again = (accessToken: string) => login(app, { strategy: 'jwt', accessToken }, path)
    for (const [row, token] of rowsFor(path).filter(([row]) => !row.includes('of nobody'))) {
      t.same(await see(token), [401, 401, 401], `${path}: ${row}`)
      const body = { name: 'NotAuthenticated', message: /^Invalid access token/, className: 'not-authenticated' }
      t.match(await again(token), { status: 401, body }, `${path}: ${row}`)
    }
    for (const key of path === 'list' ? [secret, 'o'.repeat(32)] : [secret]) {
      const good = forge(claims({ aud: path }), {}, key)
      t.same([...(await see(good)), (await again(good)).status], [200, 200, 200, 201], path)
    }
  }
})

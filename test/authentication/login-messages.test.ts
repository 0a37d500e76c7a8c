import { authenticate } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { claims, forge, now } from '../support/tokens.js'
import { createUsersApp, user } from '../support/users-app.js'

const guarded = { hooks: { around: { all: [authenticate('jwt')] } } }
const createApp = (t: Test) =>
  createUsersApp(t, { before: (app) => app.service('me', { find: async () => 'let in' }, guarded) })
const login = (payload: object) => ({ method: 'POST', url: '/authentication', payload }) as const
const local = (changes: object) => login({ strategy: 'local', ...user, ...changes })
const jwt = (accessToken: unknown) => login({ strategy: 'jwt', accessToken })
const me = (headers: Record<string, string>) => ({ method: 'GET', url: '/me', headers }) as const

type Row = [row: string, request: ReturnType<typeof login> | ReturnType<typeof me>, message: string]
const rows: Row[] = [
  ['wrong password: `Invalid login`', local({ password: 'wrong' }), 'Invalid login'],
  ['unknown user: `Invalid login`', local({ email: 'bob@example.com' }), 'Invalid login'],
  ['no password: `Invalid login`', local({ password: undefined }), 'Invalid login'],
  ['no email: `Invalid login`', local({ email: undefined }), 'Invalid login'],
  ['a bad token: `Invalid access token`', jwt('bad'), 'Invalid access token'],
  ['no token: `Invalid access token`', jwt(undefined), 'Invalid access token'],
  ['an expired one', jwt(forge(claims({ exp: now() - 1 }))), 'Invalid access token: it has expired'],
  ['an expired one of another secret', jwt(forge(claims({ exp: 1 }), {}, 'x'.repeat(32))), 'Invalid access token'],
  ['a bad token before a guard', me({ authorization: 'Bearer bad' }), 'Invalid access token'],
  ['protected and no token: `Not authenticated`', me({}), 'Not authenticated'],
  ['no `strategy`', login(user), 'Invalid authentication information (no `strategy` set)'],
  [
    'an unknown strategy',
    local({ strategy: 'magic' }),
    'Invalid authentication information (strategy not allowed in authStrategies)'
  ]
]

t.test('Every failure is 401 NotAuthenticated, and carries `WWW-Authenticate: Bearer`', async (t) => {
  const app = await createApp(t as Test)
  for (const [row, request, message] of rows) {
    const headers = { accept: 'application/json', ...('headers' in request && request.headers) }
    const response = await app.inject({ ...request, headers })
    t.equal(response.statusCode, 401, row)
    t.equal(response.headers['www-authenticate'], 'Bearer', row)
    t.same(response.json(), { name: 'NotAuthenticated', message, code: 401, className: 'not-authenticated' }, row)
  }
})

t.test('unknown user against wrong password: same status, headers and body', async (t) => {
  const app = await createApp(t as Test)
  const answers = []
  for (const changes of [{ password: 'wrong' }, { email: 'bob@example.com' }, { email: '', password: '' }]) {
    const { statusCode, headers, body } = await app.inject(local(changes))
    const { date, ...others } = headers
    answers.push({ statusCode, others, body })
  }
  t.same(answers[1], answers[0])
  t.same(answers[2], answers[0])
})

t.test('a failure is a page for a browser that has sent no JSON', async (t) => {
  const app = await createApp(t as Test)
  const page = await app.inject(me({ accept: 'text/html' }))
  t.equal(page.statusCode, 401)
  t.equal(page.headers['www-authenticate'], 'Bearer')
  t.match(page.headers['content-type'], /^text\/html/)
  t.match(page.body, /Not authenticated/)
})

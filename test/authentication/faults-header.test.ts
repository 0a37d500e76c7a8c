import t, { type Test } from 'tap'
import { startAuth } from '../support/auth-fault-child.js'
import { forge } from '../support/tokens.js'

const good = forge()
const basic = Buffer.from('ada@example.com:a long secret').toString('base64')

type Headers = Record<string, string>
const authorization = (values: string[]): [string, Headers][] =>
  values.map((Authorization) => [`\`${Authorization.replace(good, '<token>').slice(0, 40)}\``, { Authorization }])

const refused: [row: string, headers: Headers][] = [
  ['no header', {}],
  ...authorization(['', ' ', 'Bearer', 'Bearer  ', 'bearer', 'Bearer:', 'Bearer: ', 'JWT', 'JWT:', ':', ': :']),
  ...authorization([`Basic ${basic}`, `Basic ${good}`, 'Digest username="ada"', 'Negotiate YII=', `Token ${good}`]),
  ...authorization([`Bearer:${good}`, `Bearer :${good}`, `Bearer::${good}`, `Bearer:: ${good}`, `Bearer=${good}`]),
  ...authorization([`Bearer ${good} ${good}`, `Bearer ${good},`, `Bearer ${good}, Basic ${basic}`, `${good} Bearer`]),
  ...authorization([`Bearer Bearer ${good}`, `JWT Bearer ${good}`, `BearerJWT ${good}`, `Bearer "${good}"`]),
  ...authorization([`Bearer <${good}>`, `Bearer token=${good}`, `__proto__ ${good}`, `constructor ${good}`]),
  ...authorization(['Bearer null', 'Bearer undefined', 'Bearer [object Object]', 'null', '[]', '{}', '💥', 'Bearer ü']),
  ['12 kB token', { Authorization: `Bearer ${'x'.repeat(12_000)}` }],
  ['12 kB of spaces', { Authorization: `Bearer${' '.repeat(12_000)}x` }],
  ['12 kB of words', { Authorization: 'Bearer '.repeat(1700) }],
  ['12 kB in front of it', { Authorization: `${'x'.repeat(12_000)} ${good}` }],
  ['the second of two headers', { Authorization: 'Bearer bad', authorization: `Bearer ${good}` }],
  ['the second of two, Basic first', { Authorization: `Basic ${basic}`, authorization: `Bearer ${good}` }],
  ['Proxy-Authorization', { 'Proxy-Authorization': `Bearer ${good}` }],
  ['other headers', { 'X-Authorization': `Bearer ${good}`, 'X-Access-Token': good, Token: good, Accesstoken: good }],
  ['a cookie', { Cookie: `accessToken=${good}; feathers-jwt=${good}; Authorization=${good}` }],
  ['headers named as params', { Provider: '', Authenticated: 'true', User: '{"id":1}', Authentication: good }]
]

t.test('Authentication: header empty, `Bearer`, `Bearer  `, `Basic …`, 12 kB token', async (t) => {
  const { request, alive } = await startAuth(t as Test)
  for (const [row, headers] of refused)
    await t.test(row, async (t) => {
      for (const [verb, path] of [
        ['GET', '/me'],
        ['HEAD', '/me'],
        ['GET', '/route'],
        ['DELETE', '/authentication']
      ] as const) {
        const answer = await request(verb, path, headers)
        t.same([answer.status, answer.headers['www-authenticate']], [401, 'Bearer'], `${verb} ${path}`)
      }
      t.equal((await request('GET', '/things', headers)).status, 200, 'ignored where no guard asks')
      await alive(t as Test, row)
    })
})

t.test('Authentication: headers that are no HTTP, and more than fits', async (t) => {
  const { request, alive } = await startAuth(t as Test)
  const rows: [row: string, value: string, status: number][] = [
    ['a NUL', `Bearer ${good}\0`, 400],
    ['a line break alone', `Bearer\n ${good}`, 400],
    ['a carriage return alone', `Bearer ${good}\rX-Injected: 1`, 400],
    ['20 kB token', `Bearer ${'x'.repeat(20_000)}`, 431]
  ]
  for (const [row, Authorization, status] of rows) {
    t.equal((await request('GET', '/me', { Authorization })).status, status, row)
    await alive(t as Test, row)
  }
  const first = { Authorization: `Bearer ${good}`, authorization: 'Bearer bad' }
  t.equal((await request('GET', '/me', first)).status, 200, 'of two headers the first counts')
})

t.test('Authentication: `?access_token=`: the query is never read, nor is a form', async (t) => {
  const { request, alive } = await startAuth(t as Test)
  const names = ['access_token', 'accessToken', 'token', 'jwt', 'authorization', 'Authorization', 'Bearer', 'auth']
  const nested = ['headers[authorization]', 'authentication[accessToken]', 'params[authentication]', '__proto__[user]']
  for (const name of [...names, ...nested]) {
    const query = `?${name}=${good}&strategy=jwt&authentication[strategy]=jwt&authenticated=true&provider=&user[id]=1`
    for (const path of ['/me', '/route']) t.equal((await request('GET', path + query)).status, 401, `${path}?${name}=`)
    t.equal((await request('DELETE', `/authentication${query}`)).status, 401, `a logout, ?${name}=`)
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    t.equal((await request('POST', '/me', form, query.slice(1))).status, 401, `a form, ${name}=`)
    await alive(t as Test, name)
  }
})

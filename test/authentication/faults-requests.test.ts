import t from 'tap'
import { startAuth } from '../support/auth-fault-child.js'
import { forge } from '../support/tokens.js'

const { request, leave, alive } = await startAuth(t)
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
  for (const [row, headers] of refused)
    await t.test(row, async (t) => {
      for (const [verb, path] of [
        ['GET', '/me'],
        ['HEAD', '/me'],
        ['GET', '/route'],
        ['DELETE', '/authentication']
      ] as const) {
        const answer = await request(verb, path, headers)
        t.equal(answer.status, 401, `${verb} ${path}`)
        t.match(answer.headers['www-authenticate'], /^Bearer( error="invalid_token")?$/)
      }
      t.equal((await request('GET', '/things', headers)).status, 200, 'ignored where no guard asks')
      await alive(t, row)
    })
})

t.test('Authentication: headers that are no HTTP, and more than fits', async (t) => {
  const rows: [row: string, value: string, status: number][] = [
    ['a NUL', `Bearer ${good}\0`, 400],
    ['a line break alone', `Bearer\n ${good}`, 400],
    ['a carriage return alone', `Bearer ${good}\rX-Injected: 1`, 400],
    ['20 kB token', `Bearer ${'x'.repeat(20_000)}`, 431]
  ]
  for (const [row, Authorization, status] of rows) {
    t.equal((await request('GET', '/me', { Authorization })).status, status, row)
    await alive(t, row)
  }
  const first = { Authorization: `Bearer ${good}`, authorization: 'Bearer bad' }
  t.equal((await request('GET', '/me', first)).status, 200, 'of two headers the first counts')
})

t.test('Authentication: `?access_token=`: the query is never read, nor is a form', async (t) => {
  const names = ['access_token', 'accessToken', 'token', 'jwt', 'authorization', 'Authorization', 'Bearer', 'auth']
  const nested = ['headers[authorization]', 'authentication[accessToken]', 'params[authentication]', '__proto__[user]']
  for (const name of [...names, ...nested]) {
    const query = `?${name}=${good}&strategy=jwt&authentication[strategy]=jwt&authenticated=true&provider=&user[id]=1`
    for (const path of ['/me', '/route']) t.equal((await request('GET', path + query)).status, 401, `${path}?${name}=`)
    t.equal((await request('DELETE', `/authentication${query}`)).status, 401, `a logout, ?${name}=`)
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    t.equal((await request('POST', '/me', form, query.slice(1))).status, 401, `a form, ${name}=`)
    await alive(t, name)
  }
})

const json = { 'Content-Type': 'application/json' }
const login = JSON.stringify({ strategy: 'local', email: 'ada@example.com', password: 'a long secret' })
const bearer = { Authorization: `Bearer ${good}` }

t.test('`X-Service-Method` at /authentication: 405, no member of the service is called', async (t) => {
  const members = ['create', 'remove', 'authenticate', 'check', 'parse', 'setup', 'verifyAccessToken', 'credentialsOf']
  const others = [
    'readCredentials',
    'entities',
    'passwords',
    'log',
    'constructor',
    '__proto__',
    'toString',
    'emit',
    'a, b'
  ]
  for (const name of [...members, ...others]) {
    const answer = await request('POST', '/authentication', { ...json, 'X-Service-Method': name }, login)
    t.same([answer.status, answer.headers.allow], [405, 'POST, DELETE'], name)
    t.same(await alive(t, name), [])
  }
})

t.test('a query at a login does not reach the users service, nor choose fields', async (t) => {
  const query = '$select[]=password&$limit=5&$skip=1&email=bob&strategy=jwt&provider=&authenticated=true&payload[sub]=2'
  const answer = await request('POST', `/authentication?${query}`, json, login)
  t.equal(answer.status, 201)
  t.match(JSON.parse(answer.body), { authentication: { strategy: 'local', payload: { sub: '1' } } })
  t.same(JSON.parse(answer.body).user, { email: 'ada@example.com', id: 1 })
  const [find] = await alive(t, 'a query')
  t.same(JSON.parse(String(find?.id)), { email: 'ada@example.com', $limit: 1 })
})

t.test('what is no login and no logout: never 500', async (t) => {
  const rows: [verb: string, target: string, status: number][] = [
    ...['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS'].map((verb): [string, string, number] => [
      verb,
      '/authentication',
      405
    ]),
    ...['GET', 'POST', 'PUT', 'PATCH'].map((verb): [string, string, number] => [verb, '/authentication/1', 405]),
    ['DELETE', '/authentication', 200],
    ['DELETE', '/authentication/', 400],
    ['DELETE', '/authentication/1', 401],
    ['DELETE', '/authentication/null', 401],
    ['DELETE', '/authentication/__proto__', 401],
    ['DELETE', '/authentication/%00', 401],
    ['DELETE', `/authentication/${forge()}`, 414],
    ['DELETE', '/authentication?$limit=1', 200]
  ]
  for (const [verb, target, status] of rows) {
    const body = verb === 'GET' || verb === 'HEAD' ? '' : login
    const answer = await request(verb, target, { ...json, ...bearer }, body)
    t.equal(answer.status, status, `${verb} ${target.slice(0, 30)}`)
    await alive(t, target)
  }
})

t.test('content types and lengths of a login', async (t) => {
  const rows: [type: string, status: number][] = [
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON', 201],
    ['text/plain', 415],
    ['application/jwt', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json garbage', 415]
  ]
  for (const [type, status] of rows) {
    t.equal((await request('POST', '/authentication', { 'Content-Type': type }, login)).status, status, type)
    await alive(t, type)
  }
  t.equal((await request('POST', '/authentication', {}, login)).status, 415, 'none')
  const long = { ...json, 'Content-Length': '5000000' }
  t.equal((await request('POST', '/authentication', long, login)).status, 413, 'over the limit')
  t.match(JSON.parse((await request('POST', '/authentication', json)).body), { code: 400, message: 'No data provided' })
})

t.test('a client that goes away in the middle of its login: nobody is asked', async (t) => {
  await leave('POST', '/authentication', { ...json, 'Content-Length': '1000' }, login)
  await leave('POST', '/authentication', { ...json, 'Content-Length': `${login.length}` }, login.slice(0, -1))
  t.same(await alive(t, 'left'), [])
})

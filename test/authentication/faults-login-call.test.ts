import t, { type Test } from 'tap'
import { startAuth } from '../support/auth-fault-child.js'
import { forge } from '../support/tokens.js'

const json = { 'Content-Type': 'application/json' }
const login = JSON.stringify({ strategy: 'local', email: 'ada@example.com', password: 'a long secret' })
const bearer = { Authorization: `Bearer ${forge()}` }

t.test('`X-Service-Method` at /authentication: 405, no member of the service is called', async (t) => {
  const { request, alive } = await startAuth(t as Test)
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
    t.same(await alive(t as Test, name), [])
  }
})

t.test('a query at a login does not reach the users service, nor choose fields', async (t) => {
  const { request, alive } = await startAuth(t as Test)
  const query = '$select[]=password&$limit=5&$skip=1&email=bob&strategy=jwt&provider=&authenticated=true&payload[sub]=2'
  const answer = await request('POST', `/authentication?${query}`, json, login)
  t.equal(answer.status, 201)
  t.match(JSON.parse(answer.body), { authentication: { strategy: 'local', payload: { sub: '1' } } })
  t.same(JSON.parse(answer.body).user, { email: 'ada@example.com', id: 1 })
  const [find] = await alive(t as Test, 'a query')
  t.same(JSON.parse(String(find?.id)), { email: 'ada@example.com', $limit: 1 })
})

t.test('what is no login and no logout: never 500', async (t) => {
  const { request, alive } = await startAuth(t as Test)
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
    await alive(t as Test, target)
  }
})

t.test('content types and lengths of a login', async (t) => {
  const { request, alive } = await startAuth(t as Test)
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
    await alive(t as Test, type)
  }
  t.equal((await request('POST', '/authentication', {}, login)).status, 415, 'none')
  const long = { ...json, 'Content-Length': '5000000' }
  t.equal((await request('POST', '/authentication', long, login)).status, 413, 'over the limit')
  t.match(JSON.parse((await request('POST', '/authentication', json)).body), { code: 400, message: 'No data provided' })
})

t.test('a client that goes away in the middle of its login: nobody is asked', async (t) => {
  const { leave, alive } = await startAuth(t as Test)
  await leave('POST', '/authentication', { ...json, 'Content-Length': '1000' }, login)
  await leave('POST', '/authentication', { ...json, 'Content-Length': `${login.length}` }, login.slice(0, -1))
  t.same(await alive(t as Test, 'left'), [])
})

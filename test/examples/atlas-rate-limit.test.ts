import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf, password } from './atlas-calls.js'
import { onDatabase } from './atlas-support.js'

onDatabase('sign-ups and log-ins are limited', async (t, options) => {
  const database = await openDatabase(options)
  const app = await createApp(database, { rateLimit: 2, trustProxy: '10.0.0.0/8' })
  t.teardown(() => app.close())
  const { call } = callsOf(app)
  const headers = { 'content-type': 'application/json' }
  const send = async (method: 'POST' | 'PATCH', url: string, data: object, remoteAddress: string, more = {}) => {
    const sent = { ...headers, ...more }
    const response = await app.inject({
      method,
      url,
      payload: JSON.stringify(data),
      headers: sent,
      remoteAddress
    })
    return { status: response.statusCode, body: response.json(), retryAfter: Number(response.headers['retry-after']) }
  }
  const signUp = (name: string, from: string, forwarded = '', url = '/users') =>
    send('POST', url, { email: `${name}@example.com`, name, password }, from, {
      ...(forwarded && { 'x-forwarded-for': forwarded })
    })
  // A password that can be none costs no hash.
  const logIn = (email: unknown, from: string, password = '', url = '/authentication') =>
    send('POST', url, { strategy: 'local', email, password }, from)
  const refused = { status: 429, body: { name: 'TooManyRequests', code: 429, className: 'too-many-requests' } }

  t.test('sign-ups, by the client', async (t) => {
    for (const name of ['a', 'b']) t.match(await signUp(name, '192.0.2.1'), { status: 201 })
    const answer = await signUp('c', '192.0.2.1')
    t.match(answer, refused)
    t.ok(answer.retryAfter > 0 && answer.retryAfter <= 60, `retry after ${answer.retryAfter}`)
    t.match(await signUp('c', '192.0.2.2'), { status: 201 })
    t.match(await call('GET', '/users'), { status: 401 }, 'and nothing else is counted')
  })

  t.test('a proxy that is trusted says who the client is, and nobody else does', async (t) => {
    for (const name of ['d', 'e']) t.match(await signUp(name, '10.0.0.1', '192.0.2.7'), { status: 201 })
    t.match(await signUp('f', '10.0.0.1', '192.0.2.7'), refused)
    t.match(await signUp('f', '10.0.0.1', '192.0.2.8'), { status: 201 })
    t.match(await signUp('g', '192.0.2.1', '192.0.2.9'), refused)
  })

  t.test('log-ins as one user, in whatever way the address is typed', async (t) => {
    for (const email of ['a@example.com', ' A@Example.com']) t.match(await logIn(email, '192.0.2.3'), { status: 401 })
    const answer = await logIn('a@EXAMPLE.com ', '192.0.2.3', password)
    t.match(answer, refused)
    t.ok(answer.retryAfter > 0 && answer.retryAfter <= 60, `retry after ${answer.retryAfter}`)
    t.match(await logIn('a@example.com', '192.0.2.4', password), { status: 201 }, 'from elsewhere the user gets in')
    t.match(await logIn('b@example.com', '192.0.2.3', password), { status: 201 }, 'other users do too')
  })

  t.test('log-ins of one client', async (t) => {
    const from = '2001:db8::1'
    for (let index = 0; index < 20; index++) t.match(await logIn(`x${index}@example.com`, from), { status: 401 })
    const answer = await logIn('a@example.com', from, password)
    t.match(answer, { ...refused, body: { ...refused.body, message: 'Too many log-ins, try again later' } })
    t.ok(answer.retryAfter > 0 && answer.retryAfter <= 60, `retry after ${answer.retryAfter}`)
    t.match(await logIn('a@example.com', '2001:db8::2', password), refused, 'a network of IPv6 is one client')
  })

  t.test('a slash behind the path is no way around', async (t) => {
    const from = '192.0.2.10'
    t.match(await signUp('h', from, '', '/users/'), { status: 201 })
    t.match(await signUp('i', from), { status: 201 })
    for (const url of ['/users', '/users/']) t.match(await signUp('j', from, '', url), refused, url)
    t.match(await logIn('h@example.com', from, '', '/authentication/'), { status: 401 })
    t.match(await logIn('h@example.com', from), { status: 401 })
    for (const url of ['/authentication', '/authentication/'])
      t.match(await logIn('h@example.com', from, password, url), refused, url)
  })

  t.test('changes of users, by the client: a new password costs as much as a sign-up', async (t) => {
    const { body } = await logIn('b@example.com', '192.0.2.11', password)
    const patch = (from: string, slash = '', token = body.accessToken) =>
      send('PATCH', `/users/${body.user.id}${slash}`, { password }, from, { authorization: `Bearer ${token}` })
    t.match(await patch('192.0.2.11'), { status: 200 })
    t.match(await patch('192.0.2.11', '/', 'none'), { status: 401 }, 'without a token too')
    for (const slash of ['', '/']) t.match(await patch('192.0.2.11', slash), refused, `slash: ${slash}`)
    t.match(await patch('192.0.2.12'), { status: 200 })
    t.match(await signUp('k', '192.0.2.11'), { status: 201 }, 'sign-ups are counted apart')
  })
})

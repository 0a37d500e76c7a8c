import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { demoLogin } from '../../examples/atlas/demo-login.js'
import { storedSecret } from '../../examples/atlas/store.js'
import { claims, forge } from '../support/tokens.js'
import { callsOf, onAtlas, password } from './atlas-calls.js'
import { onDatabase } from './atlas-support.js'

onAtlas('the log-in of the atlas', async (t, { call, db, logIn, signUp }) => {
  const ada = await signUp('ada')

  t.test('a log-in gives a token and the user, without the password', async (t) => {
    const { status, body } = await logIn('ada@example.com')
    t.equal(status, 201)
    t.strictSame(Object.keys(body).sort(), ['accessToken', 'authentication', 'user'])
    t.match(body.authentication, { strategy: 'local', payload: { sub: String(ada.id), aud: 'authentication' } })
    t.strictSame(body.user, { id: ada.id, email: 'ada@example.com', name: 'ada' })
  })

  t.test('the token is the one of a user', async (t) => {
    const { status, body } = await call('POST', '/authentication', { strategy: 'jwt', accessToken: ada.token })
    t.equal(status, 201)
    t.equal(body.accessToken, ada.token)
    t.strictSame(body.user, { id: ada.id, email: 'ada@example.com', name: 'ada' })
  })

  t.test('a wrong password and an unknown user get the same answer', async (t) => {
    const wrong = await logIn('ada@example.com', 'battery staple')
    const unknown = await logIn('nobody@example.com', 'battery staple')
    t.match(wrong, { status: 401, body: { name: 'NotAuthenticated', message: 'Invalid login' } })
    t.strictSame(unknown, wrong)
  })

  t.test('a log-out ends its token, and no other', async (t) => {
    const { body } = await logIn('ada@example.com')
    t.match(await call('DELETE', '/authentication', undefined, body.accessToken), {
      status: 200,
      body: { accessToken: body.accessToken, user: { id: ada.id } }
    })
    const revoked = { status: 401, body: { message: 'Invalid access token: it was revoked' } }
    t.match(await call('GET', '/users', undefined, body.accessToken), revoked)
    t.match(await call('DELETE', '/authentication', undefined, body.accessToken), revoked)
    t.match(await call('POST', '/countries/CHE/notes', { text: 'x' }, body.accessToken), revoked)
    t.match(await call('GET', '/users', undefined, ada.token), { status: 200 })
  })

  t.test('nobody logs out without a token', async (t) => {
    t.match(await call('DELETE', '/authentication'), { status: 401, body: { message: 'Not authenticated' } })
    t.match(await call('DELETE', '/authentication', undefined, 'nonsense'), { status: 401 })
  })

  t.test('a token of an id that is none is nobody, with the right secret too', async (t) => {
    const secret = await storedSecret(db)
    for (const sub of [
      'abc',
      '1.5',
      '',
      ' ',
      'NaN',
      '-1',
      '99999999999999999999',
      'x'.repeat(1000),
      '1; drop table users'
    ]) {
      const token = forge(claims({ sub }), {}, String(secret))
      t.match(await call('GET', '/users', undefined, token), { status: 401 }, sub)
      t.match(await call('DELETE', '/authentication', undefined, token), { status: 401 }, sub)
      t.match(await call('POST', '/authentication', { strategy: 'jwt', accessToken: token }), { status: 401 }, sub)
    }
    const good = forge(claims({ sub: String(ada.id) }), {}, String(secret))
    t.match(await call('GET', '/users', undefined, good), { status: 200 })
  })

  t.test('the demo user is there from the start', async (t) => {
    const { status, body } = await call('POST', '/authentication', demoLogin)
    t.equal(status, 201)
    t.match(body.user, { email: 'demo@example.com', name: 'Demo' })
    t.match(await call('POST', '/countries/CHE/notes', { text: 'demo' }, body.accessToken), {
      status: 201,
      body: { author: body.user.id }
    })
  })
})

onAtlas('to sign up', async (t, { call, logIn, signUp }) => {
  await signUp('ada')
  const bob = await signUp('bob')

  t.test('who signs up gets the record, without the password', async (t) => {
    const { status, body } = await call('POST', '/users', { email: 'eve@example.com', name: 'Eve', password })
    t.equal(status, 201)
    t.strictSame(body, { id: body.id, email: 'eve@example.com', name: 'Eve' })
  })

  t.test('an address is one user, in whatever case it is typed', async (t) => {
    const taken = { status: 409, body: { name: 'Conflict', message: 'There is a user with this e-mail address' } }
    const again = { name: 'Ada', password }
    t.match(await call('POST', '/users', { ...again, email: 'ada@example.com' }), taken)
    t.match(await call('POST', '/users', { ...again, email: ' ADA@Example.com ' }), taken)
    t.match(await call('PATCH', `/users/${bob.id}`, { email: 'Ada@example.com' }, bob.token), taken)

    const cid = { name: 'Cid', password, email: ' Cid@Example.COM' }
    const answers = await Promise.all([call('POST', '/users', cid), call('POST', '/users', cid)])
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409], 'also at the same time')
    t.match(await logIn('CID@example.com '), { status: 201, body: { user: { email: 'cid@example.com' } } })
  })

  t.test('a list of users does not sign up', async (t) => {
    const data = { email: 'dan@example.com', name: 'Dan', password }
    t.match(await call('POST', '/users', [data]), { status: 400, body: { message: /no list of records is taken/ } })
    t.match(await logIn('dan@example.com'), { status: 401 })
  })
})

const long = 'x'.repeat(2000)
const noPasswords = [
  '',
  'short',
  'x'.repeat(1025),
  '🗝'.repeat(1024),
  'null\0null',
  12345678,
  true,
  null,
  {},
  [],
  [password]
]
const noEmails = [
  '',
  'ada',
  '@',
  'a@',
  '@b',
  'a@b@c',
  'a b@c',
  'a\0@b',
  'a@b\0',
  'a@b\u0001',
  `${long}@b`,
  5,
  null,
  {},
  []
]
const noNames = ['', 'x'.repeat(101), 'a\0b', {}, [], ['a', 'b'], null]

onAtlas('hostile input', async (t, { call: send, logIn, signUp }) => {
  const call: typeof send = async (...args) => {
    const answer = await send(...args)
    const [method, url] = args
    t.ok(answer.status < 500, `${method} ${url.slice(0, 40)} is answered, ${answer.status}`)
    t.notMatch(answer.text, /(?<!\$)select |insert |update "|"users"|relation|\$scrypt|stack/i)
    t.notMatch(answer.text, password, 'no password in any answer')
    return answer
  }
  const ada = await signUp('ada')
  const userURL = `/users/${ada.id}`

  t.test('to sign up', async (t) => {
    const data = { email: 'eve@example.com', name: 'Eve', password }
    const refused = { status: 400, body: { name: 'BadRequest' } }
    for (const wrong of noPasswords) t.match(await call('POST', '/users', { ...data, password: wrong }), refused)
    for (const email of noEmails)
      t.match(await call('POST', '/users', { ...data, email }), refused, JSON.stringify(email))
    for (const name of noNames) t.match(await call('POST', '/users', { ...data, name }), refused, JSON.stringify(name))
    for (const more of [{ id: 1 }, { role: 'admin' }, { constructor: 1 }, { createdAt: 'x' }, { passwordHash: 'x' }])
      t.match(await call('POST', '/users', { ...data, ...more }), refused)
    for (const body of [null, 1, 's', {}, { email: data.email }]) t.match(await call('POST', '/users', body), refused)
    t.match(await call('POST', '/users?x=1', data), refused)
    t.match(await call('POST', '/users', { ...data, name: 'x'.repeat(2_000_000) }), { status: 413 })
    t.match(await logIn('eve@example.com'), { status: 401 }, 'nobody has signed up')
  })

  t.test('to change a record', async (t) => {
    const refused = { status: 400, body: { name: 'BadRequest' } }
    for (const wrong of noPasswords) t.match(await call('PATCH', userURL, { password: wrong }, ada.token), refused)
    for (const email of noEmails)
      t.match(await call('PATCH', userURL, { email }, ada.token), refused, JSON.stringify(email))
    for (const body of [{}, [], [{ name: 'x' }], { id: 5 }, { author: 5 }, null])
      t.match(await call('PATCH', userURL, body, ada.token), refused)
    t.match(await logIn('ada@example.com'), { status: 201 }, 'nothing has changed')
  })

  t.test('to log in', async (t) => {
    const refused = { status: 401, body: { name: 'NotAuthenticated' } }
    const login = { strategy: 'local', email: 'ada@example.com', password }
    for (const wrong of noPasswords.filter((name) => name !== 'short'))
      t.match(await call('POST', '/authentication', { ...login, password: wrong }), refused)
    for (const email of [...noEmails, ['ada@example.com'], { $gt: '' }, `ada@example.com\0`, "' or 1=1 --"])
      t.match(await call('POST', '/authentication', { ...login, email }), refused, JSON.stringify(email))
    for (const strategy of ['', 'refresh', '__proto__', 'constructor', null, 1, {}])
      t.match(await call('POST', '/authentication', { ...login, strategy }), refused, JSON.stringify(strategy))
    for (const accessToken of ['', 'x', long, {}, 5, `${ada.token}x`, ada.token.replace(/\.[^.]+$/, '.')])
      t.match(await call('POST', '/authentication', { strategy: 'jwt', accessToken }), refused)
    t.match(await call('POST', '/authentication', [login]), refused)
  })

  t.test('in a query', async (t) => {
    const queries = ['password=x', '$select[]=password', 'password[$like]=%25scrypt%25', '$sort[password]=1', 'id=1']
    for (const query of [...queries, '$or[0][password]=x', '$or[0][id]=1', '$and[0][id]=1', '$where=1', '$limit=-1']) {
      t.match(await call('GET', `/users?${query}`, undefined, ada.token), { status: 400 }, query)
      t.match(await call('GET', `${userURL}?${query}`, undefined, ada.token), { status: 400 }, query)
      t.match(await call('PATCH', `${userURL}?${query}`, { name: 'x' }, ada.token), { status: 400 }, query)
    }
    for (const query of [
      'author=x',
      'author=1.5',
      'author=99999999999',
      '$select[]=email',
      'email=a',
      '$or[0][name]=x'
    ])
      t.match(await call('GET', `/countries/CHE/notes?${query}`), { status: 400 }, query)
    t.match(await call('GET', `/users?access_token=${ada.token}`), { status: 400 })
    t.match(await call('GET', '/users'), { status: 401 })
  })

  t.test('and a plain request afterwards', async (t) => {
    t.match(await call('GET', userURL, undefined, ada.token), { status: 200, body: { name: 'ada' } })
  })
})

// The time that `normalize` takes for these grows with the square of their length.
const address = (length: number) => `${'\u0301\u0316'.repeat(length / 2)}@example.com`

onDatabase('no text is worked on before its length is known', async (t, options) => {
  const app = await createApp(await openDatabase(options), { rateLimit: 0 })
  t.teardown(() => app.close())
  const { call, logIn, signUp } = callsOf(app)
  const ada = await signUp('ada')
  const { normalize } = String.prototype
  let longest = 0
  t.intercept(String.prototype, 'normalize', {
    value(this: string, form?: string) {
      longest = Math.max(longest, this.length)
      return normalize.call(this, form)
    }
  })

  t.test('the address of a log-in', async (t) => {
    const invalid = { status: 401, body: { name: 'NotAuthenticated', message: 'Invalid login' } }
    for (const length of [512, 1000, 2000, 4000]) t.match(await logIn(address(length)), invalid, `${length}`)
    t.match(await logIn(`${' '.repeat(1100)}ada@example.com`), invalid, 'blanks count')
    t.match(await logIn(address(200_000)), { status: 413 })
    t.match(await logIn('x@y', 'x'.repeat(1_000_000)), { status: 413 })
    const service = app.service<{ create(data: object): Promise<unknown> }>('authentication')
    const login = { strategy: 'local', email: address(1_000_000), password }
    await t.rejects(service.create(login), { message: 'Invalid login' }, 'also where the server itself logs in')
  })

  t.test('the address of a user', async (t) => {
    const user = { name: 'Eve', password }
    for (const length of [256, 1000, 4000]) {
      t.match(await call('POST', '/users', { ...user, email: address(length) }), { status: 400 }, `${length}`)
      t.match(await call('PATCH', `/users/${ada.id}`, { email: address(length) }, ada.token), { status: 400 })
    }
    t.match(await call('POST', '/users', { ...user, email: address(200_000) }), { status: 413 })
  })

  t.test('the longest address can be used', async (t) => {
    const email = `${'\u{1F5DD}'.repeat(242)}@example.com`
    t.match(await call('POST', '/users', { name: 'Key', email, password }), { status: 201 })
    t.match(await logIn(email), { status: 201 })
  })

  t.test('a pattern to look for', async (t) => {
    const like = (length: number) =>
      call('GET', `/countries/CHE/notes?text[$like]=%25${'a'.repeat(length - 1)}&text[$ilike]=${'a'.repeat(length)}`)
    t.match(await like(200), { status: 200 })
    t.match(await like(201), { status: 400 })
    t.match(await call('GET', `/countries?name=${'a'.repeat(2001)}`), { status: 400 })
  })

  t.test('a request and its answer have an end', async (t) => {
    const timeouts = { requestTimeout: 20_000, handlerTimeout: 20_000, connectionTimeout: 60_000 }
    t.match(app.initialConfig, timeouts)
    t.match(app.server, { requestTimeout: 20_000, timeout: 60_000 })
  })

  t.ok(longest < 1025, `the longest text that was normalised had ${longest} units`)
})

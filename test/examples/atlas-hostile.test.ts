import { onAtlas, password } from './atlas-calls.js'

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
    t.notMatch(answer.text, /select |insert |update "|"users"|relation|\$scrypt|stack/i)
    t.notMatch(answer.text, password, 'no password in any answer')
    return answer
  }
  const ada = await signUp('ada')
  const own = `/users/${ada.id}`

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
    for (const wrong of noPasswords) t.match(await call('PATCH', own, { password: wrong }, ada.token), refused)
    for (const email of noEmails)
      t.match(await call('PATCH', own, { email }, ada.token), refused, JSON.stringify(email))
    for (const body of [{}, [], [{ name: 'x' }], { id: 5 }, { author: 5 }, null])
      t.match(await call('PATCH', own, body, ada.token), refused)
    t.match(await logIn('ada@example.com'), { status: 201 }, 'nothing has changed')
  })

  t.test('to log in', async (t) => {
    const refused = { status: 401, body: { name: 'NotAuthenticated' } }
    const login = { strategy: 'local', email: 'ada@example.com', password }
    for (const wrong of noPasswords.filter((one) => one !== 'short'))
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
      t.match(await call('GET', `${own}?${query}`, undefined, ada.token), { status: 400 }, query)
      t.match(await call('PATCH', `${own}?${query}`, { name: 'x' }, ada.token), { status: 400 }, query)
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
    t.match(await call('GET', own, undefined, ada.token), { status: 200, body: { name: 'ada' } })
  })
})

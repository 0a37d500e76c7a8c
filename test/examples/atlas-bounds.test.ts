import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf, password } from './atlas-calls.js'
import { onDatabase } from './atlas-support.js'

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
    t.match(await logIn(`${' '.repeat(600)}ada@example.com`), invalid, 'blanks count')
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

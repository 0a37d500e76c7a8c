import { demoLogin } from '../../examples/atlas/demo.js'
import { onAtlas } from './atlas-calls.js'

onAtlas('the log-in of the atlas', async (t, { call, logIn, signUp }) => {
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

import { onAtlas, password } from './atlas-calls.js'

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
    t.match(await call('POST', '/users', [data]), { status: 405, body: { message: 'Users sign up one by one' } })
    t.match(await logIn('dan@example.com'), { status: 401 })
  })
})

import { onAtlas, password } from './atlas-calls.js'

onAtlas('the users of the atlas', async (t, { call, logIn, signUp }) => {
  const ada = await signUp('ada')
  const bob = await signUp('bob')

  t.test('users see their own record', async (t) => {
    const record = { id: ada.id, email: 'ada@example.com', name: 'ada' }
    const own = await call('GET', `/users/${ada.id}`, undefined, ada.token)
    t.strictSame([own.status, own.body], [200, record])
    const list = await call('GET', '/users', undefined, ada.token)
    t.strictSame([list.status, list.body], [200, { total: 1, limit: 10, skip: 0, data: [record] }])
  })

  t.test('and nobody else does', async (t) => {
    const refused = { status: 403, body: { name: 'Forbidden', message: 'Users see and change their own record only' } }
    for (const id of [ada.id, 999999, 'abc', '%00', '1e0', `0${bob.id}`]) {
      t.match(await call('GET', `/users/${id}`, undefined, bob.token), refused, `${id}`)
      t.match(await call('PATCH', `/users/${id}`, { name: 'x' }, bob.token), refused, `${id}`)
      t.match(await call('DELETE', `/users/${id}`, undefined, bob.token), refused, `${id}`)
    }
    t.match(await call('PATCH', '/users', { name: 'x' }, bob.token), refused)
    t.match(await call('DELETE', '/users', undefined, bob.token), refused)
    const ask = await call('GET', `/users?id=${ada.id}`, undefined, bob.token)
    t.match(ask, { status: 400, body: { name: 'BadRequest' } })
    t.match(await call('GET', `/users/${ada.id}`, undefined, ada.token), { status: 200, body: { name: 'ada' } })
  })

  t.test('without a token there is nothing to see or to change', async (t) => {
    const refused = { status: 401, body: { name: 'NotAuthenticated', message: 'Not authenticated' } }
    t.match(await call('GET', '/users'), refused)
    t.match(await call('GET', `/users/${ada.id}`), refused)
    t.match(await call('PATCH', `/users/${ada.id}`, { name: 'x' }), refused)
    t.match(await call('DELETE', `/users/${ada.id}`), refused)
  })

  t.test('a record is not replaced', async (t) => {
    const data = { email: 'dan@example.com', name: 'Dan', password }
    t.match(await call('PUT', `/users/${ada.id}`, data, ada.token), { status: 405 })
  })

  t.test('a new name, address and password take effect', async (t) => {
    const { token, id } = await signUp('old')
    const data = { email: 'NEW@example.com', name: 'New', password: 'battery staple' }
    const { status, body } = await call('PATCH', `/users/${id}`, data, token)
    t.strictSame([status, body], [200, { id, email: 'new@example.com', name: 'New' }])
    t.match(await logIn('new@example.com', 'battery staple'), { status: 201, body: { user: { id, name: 'New' } } })
    t.match(await logIn('new@example.com'), { status: 401 })
    t.match(await logIn('old@example.com'), { status: 401 })
  })

  t.test('who has left is let in no more', async (t) => {
    const { token, id } = await signUp('leaver')
    const { status, body } = await call('DELETE', `/users/${id}`, undefined, token)
    t.strictSame([status, body], [200, { id, email: 'leaver@example.com', name: 'leaver' }])
    t.match(await call('GET', '/users', undefined, token), { status: 401 })
    t.match(await logIn('leaver@example.com'), { status: 401, body: { message: 'Invalid login' } })
  })
})

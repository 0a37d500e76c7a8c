import { onAtlas, password } from './atlas-calls.js'

onAtlas('the authors of the notes', async (t, { call, signUp }) => {
  const ada = await signUp('ada')
  const bob = await signUp('bob')
  const write = async (country: string, text: string, { token } = ada) =>
    (await call('POST', `/countries/${country}/notes`, { text }, token)).body
  const texts = async (country: string) =>
    (await call('GET', `/countries/${country}/notes`)).body.data.map(({ text }: { text: string }) => text)
  const refused = { status: 404, body: { name: 'NotFound', message: /^No record found for id / } }

  t.test('a note has the id and the name of its author, and nothing else of them', async (t) => {
    const { status, body, text } = await call('POST', '/countries/CHE/notes', { text: 'Alps' }, ada.token)
    t.equal(status, 201)
    t.strictSame(Object.keys(body).sort(), ['author', 'authorName', 'changedAt', 'code', 'id', 'pinned', 'text'])
    t.match(body, { author: ada.id, authorName: 'ada' })
    const read = await call('GET', '/countries/CHE/notes')
    t.match(read.body, { total: 1, data: [{ author: ada.id }] }, 'anybody may read')
    t.match(await call('GET', `/countries/CHE/notes/${body.id}`), { status: 200, body: { author: ada.id } })
    t.notMatch(text + read.text, '@')
    const { body: list } = await call('POST', '/countries/CHE/notes', [{ text: 'a' }, { text: 'b' }], bob.token)
    t.match(list, [
      { author: bob.id, authorName: 'bob' },
      { author: bob.id, authorName: 'bob' }
    ])
    t.equal((await call('GET', `/countries/CHE/notes?author=${bob.id}`)).body.total, 2)
  })

  t.test('the name is the one that the author has now, and comes where it is selected', async (t) => {
    const dora = await signUp('dora')
    const { id } = await write('PRT', 'Tejo', dora)
    const url = '/countries/PRT/notes'
    await call('PATCH', `/users/${dora.id}`, { name: 'Dora the second' }, dora.token)
    t.match((await call('GET', url)).body.data, [{ author: dora.id, authorName: 'Dora the second' }])
    t.match(await call('PATCH', `${url}/${id}`, { text: 'Douro' }, dora.token), {
      body: { authorName: 'Dora the second' }
    })
    t.strictSame((await call('GET', `${url}/${id}?$select[]=text`)).body, { id, text: 'Douro' })
    t.match((await call('GET', `${url}/${id}?$select[]=authorName`)).body, { id, authorName: 'Dora the second' })
    for (const query of ['authorName=ada', '$sort[authorName]=1'])
      t.match(await call('GET', `${url}?${query}`), { status: 400 })
    t.match(await call('POST', url, { text: 'x', authorName: 'ada' }, dora.token), { status: 400 })
  })

  t.test('without a token nothing is written', async (t) => {
    const { id } = await write('AUT', 'Danube')
    const url = '/countries/AUT/notes'
    const unknown = { status: 401, body: { name: 'NotAuthenticated', message: 'Not authenticated' } }
    t.match(await call('POST', url, { text: 'x' }), unknown)
    t.match(await call('POST', url, [{ text: 'x' }]), unknown)
    t.match(await call('PUT', `${url}/${id}`, { text: 'x' }), unknown)
    t.match(await call('PATCH', `${url}/${id}`, { text: 'x' }), unknown)
    t.match(await call('PATCH', url, { text: 'x' }), unknown)
    t.match(await call('DELETE', `${url}/${id}`), unknown)
    t.match(await call('POST', url, { text: 'x' }, 'nonsense'), { status: 401 })
    t.strictSame(await texts('AUT'), ['Danube'])
  })

  t.test('only the author updates, patches and removes a note', async (t) => {
    const { id } = await write('DEU', 'Rhine')
    const url = `/countries/DEU/notes/${id}`
    t.match(await call('PUT', url, { text: 'x' }, bob.token), refused)
    t.match(await call('PATCH', url, { text: 'x' }, bob.token), refused)
    t.match(await call('PATCH', `${url}?author=${bob.id}`, { text: 'x' }, bob.token), refused)
    t.match(await call('DELETE', url, undefined, bob.token), refused)
    t.strictSame(await texts('DEU'), ['Rhine'])
    const answer = { status: 200, body: { id, author: ada.id } }
    t.match(await call('PUT', url, { text: 'Elbe' }, ada.token), answer)
    t.match(await call('PATCH', url, { pinned: true }, ada.token), answer)
    t.match(await call('DELETE', url, undefined, ada.token), answer)
  })

  t.test('a patch without an id changes what is the own of what the query selects', async (t) => {
    await write('FRA', 'Seine')
    await write('FRA', 'Loire', bob)
    const patch = (query: string, text: string) => call('PATCH', `/countries/FRA/notes${query}`, { text }, bob.token)
    t.match((await patch(`?author=${ada.id}`, 'x')).body, [])
    t.match((await patch(`?$or[0][author]=${ada.id}&$or[1][text]=Seine`, 'x')).body, [])
    t.match((await patch(`?author[$in][]=${ada.id}&author[$in][]=${bob.id}`, 'Rhone')).body, [{ author: bob.id }])
    t.strictSame(await texts('FRA'), ['Seine', 'Rhone'])
    t.equal((await patch('', 'Garonne')).body.length, 1)
    t.strictSame(await texts('FRA'), ['Seine', 'Garonne'])
    t.match(await call('DELETE', '/countries/FRA/notes', undefined, bob.token), { status: 405 })
    t.strictSame(await texts('FRA'), ['Seine', 'Garonne'])
  })

  t.test('nobody names an author', async (t) => {
    const { id } = await write('ITA', 'Po')
    const url = '/countries/ITA/notes'
    for (const data of [{ text: 'x', author: bob.id }, [{ text: 'x', author: bob.id }], { text: 'x', user: 1 }])
      t.match(await call('POST', url, data, ada.token), { status: 400 })
    t.match(await call('PATCH', `${url}/${id}`, { author: bob.id }, ada.token), { status: 400 })
    t.match(await call('PUT', `${url}/${id}`, { text: 'x', author: bob.id }, ada.token), { status: 400 })
    t.match(await call('GET', `${url}/${id}`), { body: { author: ada.id } })
  })

  t.test('the notes of who has left stay, and nobody may change them', async (t) => {
    const eve = await signUp('eve')
    const { id } = await write('LIE', 'Samina', eve)
    await call('DELETE', `/users/${eve.id}`, undefined, eve.token)
    t.match(await call('GET', `/countries/LIE/notes/${id}`), {
      body: { text: 'Samina', author: null, authorName: null }
    })
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      t.match(await call(method, `/countries/LIE/notes/${id}`, { text: 'x' }, ada.token), refused)
    t.strictSame((await call('PATCH', '/countries/LIE/notes', { text: 'x' }, ada.token)).body, [])
  })
})

onAtlas('the notes of the atlas', async (t, { call: anybody, signUp }) => {
  const { token } = await signUp('ada')
  const call = (method: string, url: string, payload?: object) => anybody(method, url, payload, token)

  t.test('a note is created, read, replaced, changed and removed', async (t) => {
    const { status, body: note } = await call('POST', '/countries/CHE/notes', { text: 'Four languages' })
    t.equal(status, 201)
    t.match(note, { id: Number, code: 'CHE', text: 'Four languages', pinned: false, changedAt: /^\d{4}-.+Z$/ })
    const url = `/countries/CHE/notes/${note.id}`
    t.strictSame((await call('GET', url)).body, note)
    t.match(await call('PATCH', url, { pinned: true }), { status: 200, body: { text: 'Four languages', pinned: true } })
    t.match(await call('PUT', url, { text: 'Alps' }), {
      status: 200,
      body: { code: 'CHE', text: 'Alps', pinned: false }
    })
    t.match(await call('DELETE', url), { status: 200, body: { id: note.id, text: 'Alps' } })
    t.match(await call('GET', url), { status: 404 })
  })

  t.test('a list of notes is created, and none of a list that holds a bad one', async (t) => {
    const notes = '/countries/AUT/notes'
    const { status, body } = await call('POST', notes, [{ text: 'one' }, { text: 'two', pinned: true }])
    t.equal(status, 201)
    t.match(body, [
      { code: 'AUT', text: 'one', pinned: false },
      { code: 'AUT', text: 'two', pinned: true }
    ])
    t.match(await call('POST', notes, [{ text: 'three' }, { text: '' }]), { status: 400 })
    t.equal((await call('GET', notes)).body.total, 2)
  })

  t.test('a patch without an id changes the notes that the query selects, of this country', async (t) => {
    await call('POST', '/countries/LIE/notes', { text: 'elsewhere' })
    await call('POST', '/countries/DEU/notes', [{ text: 'a' }, { text: 'b' }, { text: 'c', pinned: true }])
    const { status, body } = await call(
      'PATCH',
      '/countries/DEU/notes?pinned=false&$or[0][text]=a&$or[1][text]=elsewhere',
      {
        text: 'changed'
      }
    )
    t.equal(status, 200)
    t.match(body, [{ code: 'DEU', text: 'changed' }])
    t.equal(body.length, 1)
    t.equal((await call('PATCH', '/countries/DEU/notes', { pinned: true })).body.length, 3)
    t.match((await call('GET', '/countries/LIE/notes')).body, {
      total: 1,
      data: [{ text: 'elsewhere', pinned: false }]
    })
    t.match(await call('PATCH', '/countries/DEU/notes?pined=true', { pinned: false }), { status: 400 })
    t.match(await call('DELETE', '/countries/DEU/notes'), { status: 405 })
  })

  t.test('notes are those of the country in the path', async (t) => {
    const { body } = await call('POST', '/countries/FRA/notes', { text: 'mine' })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
      const data = ['PUT', 'PATCH'].includes(method) ? { text: 'yours' } : undefined
      t.match(await call(method, `/countries/ITA/notes/${body.id}`, data), { status: 404 }, method)
    }
    t.match((await call('GET', '/countries/ITA/notes')).body, { total: 0, data: [] })
    t.match(await call('POST', '/countries/FRA/notes', { text: 'x', code: 'ITA' }), { status: 400 })
    t.match(await call('PATCH', `/countries/FRA/notes/${body.id}`, { code: 'ITA' }), { status: 400 })
    t.match(await call('GET', '/countries/FRA/notes?code=ITA'), { status: 400 })
  })

  t.test('notes of no country, and notes that are none, are 404', async (t) => {
    const missing = { status: 404, body: { message: "No record found for id 'XXX'" } }
    t.match(await call('GET', '/countries/XXX/notes'), missing)
    t.match(await call('POST', '/countries/XXX/notes', { text: 'x' }), missing)
    t.match(await call('POST', '/countries/XXX/notes', [{ text: 'x' }]), missing)
    t.match(await call('PATCH', '/countries/XXX/notes', { text: 'x' }), missing)
    for (const id of ['999999999', '99999999999999', 'abc', '1.5', '-1', '%00']) {
      t.match(
        await call('GET', `/countries/CHE/notes/${id}`),
        { status: 404, body: { message: /^No record found/ } },
        id
      )
    }
  })

  t.test('calls at the same time do not wait for each other for ever', async (t) => {
    const notes = '/countries/NOR/notes'
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => call('POST', notes, [{ text: 'a' }, { text: 'b' }]))
    )
    t.ok(answers.every(({ status }) => status === 201))
    t.equal((await call('GET', notes)).body.total, 60)
  })
})

onAtlas('the users of the atlas', async (t, { call, logIn, signUp }) => {
  const ada = await signUp('ada')
  const bob = await signUp('bob')

  t.test('users see their own record', async (t) => {
    const record = { id: ada.id, email: 'ada@example.com', name: 'ada' }
    const answer = await call('GET', `/users/${ada.id}`, undefined, ada.token)
    t.strictSame([answer.status, answer.body], [200, record])
    const list = await call('GET', '/users', undefined, ada.token)
    t.strictSame([list.status, list.body], [200, { total: 1, limit: 10, skip: 0, data: [record] }])
  })

  t.test('and nobody else does', async (t) => {
    const refused = { status: 404, body: { name: 'NotFound', message: /^No record found for id / } }
    for (const id of [ada.id, 999999, 'abc', '%00', '1e0']) {
      t.match(await call('GET', `/users/${id}`, undefined, bob.token), refused, `${id}`)
      t.match(await call('PATCH', `/users/${id}`, { name: 'x' }, bob.token), refused, `${id}`)
      t.match(await call('DELETE', `/users/${id}`, undefined, bob.token), refused, `${id}`)
    }
    t.match(await call('PATCH', '/users', { name: 'x' }, bob.token), { status: 405 })
    t.match(await call('DELETE', '/users', undefined, bob.token), { status: 405 })
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

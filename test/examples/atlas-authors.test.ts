import { onAtlas } from './atlas-calls.js'

onAtlas('the authors of the notes', async (t, { call, signUp }) => {
  const ada = await signUp('ada')
  const bob = await signUp('bob')
  const write = async (country: string, text: string, { token } = ada) =>
    (await call('POST', `/countries/${country}/notes`, { text }, token)).body
  const texts = async (country: string) =>
    (await call('GET', `/countries/${country}/notes`)).body.data.map(({ text }: { text: string }) => text)
  const refused = { status: 403, body: { name: 'Forbidden', message: 'Only its author may change a note' } }

  t.test('a note has the id of its author, and nothing else of them', async (t) => {
    const { status, body, text } = await call('POST', '/countries/CHE/notes', { text: 'Alps' }, ada.token)
    t.equal(status, 201)
    t.strictSame(Object.keys(body).sort(), ['author', 'changedAt', 'code', 'id', 'pinned', 'text'])
    t.equal(body.author, ada.id)
    const read = await call('GET', '/countries/CHE/notes')
    t.match(read.body, { total: 1, data: [{ author: ada.id }] }, 'anybody may read')
    t.match(await call('GET', `/countries/CHE/notes/${body.id}`), { status: 200, body: { author: ada.id } })
    t.notMatch(text + read.text, '@')
    const { body: list } = await call('POST', '/countries/CHE/notes', [{ text: 'a' }, { text: 'b' }], bob.token)
    t.match(list, [{ author: bob.id }, { author: bob.id }])
    t.equal((await call('GET', `/countries/CHE/notes?author=${bob.id}`)).body.total, 2)
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
    const own = { status: 200, body: { id, author: ada.id } }
    t.match(await call('PUT', url, { text: 'Elbe' }, ada.token), own)
    t.match(await call('PATCH', url, { pinned: true }, ada.token), own)
    t.match(await call('DELETE', url, undefined, ada.token), own)
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
    t.match(await call('GET', `/countries/LIE/notes/${id}`), { body: { text: 'Samina', author: null } })
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      t.match(await call(method, `/countries/LIE/notes/${id}`, { text: 'x' }, ada.token), refused)
    t.strictSame((await call('PATCH', '/countries/LIE/notes', { text: 'x' }, ada.token)).body, [])
  })
})

import { onAtlas } from './atlas-calls.js'

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

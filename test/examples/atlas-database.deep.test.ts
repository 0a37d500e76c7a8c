import { createApp } from '../../examples/atlas/app.js'
import { openDatabase } from '../../examples/atlas/database.js'
import { callsOf, onEachAtlas, password } from './atlas-calls.js'
import { onDatabase } from './atlas-support.js'

onEachAtlas(
  'what the database refuses is answered without the SQL statement',
  async (t, { db, call, logIn, signUp }) => {
    const { token } = await signUp('ada')
    const { body: note } = await call('POST', '/countries/CHE/notes', { text: 'x' }, token)

    const broken = async (table: string, column: string, calls: Record<string, () => ReturnType<typeof call>>) => {
      const rename = async (from: string, to: string) => {
        await db.execute(`alter table atlas.${table} rename column ${from} to ${to}`)
      }
      await rename(column, 'renamed')
      for (const [title, send] of Object.entries(calls)) {
        const { status, text } = await send()
        t.equal(status, 400, `${table}: ${title}`)
        t.notMatch(text, /select |insert |update |delete |where |scrypt|correct horse|ada@/)
        t.match(text, `"${column} is not known"`)
      }
      await rename('renamed', column)
    }
    await broken('users', 'name', {
      'sign up': () => call('POST', '/users', { email: 'bob@example.com', name: 'Bob', password: 'correct horse' })
    })
    await broken('users', 'email', { 'log in': () => logIn('ada@example.com') })
    await broken('store', 'until', {
      guard: () => call('GET', '/users', undefined, token),
      'log out': () => call('DELETE', '/authentication', undefined, token)
    })
    await broken('notes_with_author', 'text', {
      create: () => call('POST', '/countries/CHE/notes', { text: 'y' }, token),
      patch: () => call('PATCH', `/countries/CHE/notes/${note.id}`, { text: 'y' }, token),
      'patch all': () => call('PATCH', '/countries/CHE/notes', { text: 'y' }, token)
    })
  }
)

type Service = Record<'find' | 'get' | 'create' | 'patch', (...args: unknown[]) => Promise<unknown>>

// Calls of the server itself pass no schema.
onEachAtlas('a value that the database refuses is 400, without the SQL statement', async (t, { app }) => {
  const countries = app.service<Service>('countries')
  const notes = app.service<Service>('countries/:code/notes')
  const route = { code: 'CHE' }
  const note = { ...route, text: 'x', pinned: false }

  const calls: Record<string, () => Promise<unknown>> = {
    'a pattern': () => countries.find({ query: { name: { $like: '\\' } } }),
    'a number with a dash': () => countries.find({ query: { area: 'a - b' } }),
    'a number': () => countries.find({ query: { area: 'large' } }),
    'an integer': () => notes.find({ query: { author: '99999999999' }, route }),
    'a date': () => notes.find({ query: { changedAt: '2020-99-99' }, route }),
    'an array': () => countries.find({ query: { borders: 'x' } }),
    text: () => countries.find({ query: { name: '\0' } }),
    'the id of a note': () => notes.patch(null, note, { query: { id: 1e300 }, route }),
    'a note': () => notes.create({ ...note, author: 999999 }, { route, user: { id: 999999 } }),
    'a note without text': () => notes.create({ ...note, text: null }, { route }),
    'a list of notes': () => notes.create([note, { ...note, text: 'a\0' }], { route }),
    'a patch': () => notes.patch(null, { text: null }, { route })
  }
  await notes.create(note, { route })
  for (const [title, send] of Object.entries(calls)) {
    const error = await send().catch((error: unknown) => error)
    t.match(error, { name: 'BadRequest', code: 400, className: 'bad-request' }, title)
    t.notMatch((error as Error).message, /select "|insert into|update "|where "|offset /, title)
    t.match((error as Error).message, /\w+ \w+/, title)
  }
})

onEachAtlas('many notes at once', async (t, { app, call, signUp }) => {
  const ada = await signUp('ada')
  const bob = await signUp('bob')
  const notes = (length: number) => Array.from({ length }, (_, index) => ({ text: `note ${index}` }))
  const create = (country: string, data: unknown, query = '') =>
    call('POST', `/countries/${country}/notes${query}`, data, ada.token)
  const total = async (country: string) => (await call('GET', `/countries/${country}/notes`)).body.total

  t.test('a list is answered in its order', async (t) => {
    const { status, body } = await create('CHE', notes(100))
    t.equal(status, 201)
    t.strictSame(
      body.map(({ text }: { text: string }) => text),
      notes(100).map(({ text }) => text)
    )
    t.strictSame(Object.keys(body[0]).sort(), ['author', 'authorName', 'changedAt', 'code', 'id', 'pinned', 'text'])
    t.match(await create('CHE', notes(1), '?$select[]=text'), { body: [{ text: 'note 0', id: Number }] })
    t.strictSame((await create('CHE', notes(1), '?$select[]=text')).body.map(Object.keys), [['id', 'text']])
    t.strictSame((await create('CHE', [])).body, [])
    t.equal(await total('CHE'), 102)
  })

  t.test('a list that is too long is refused', async (t) => {
    const refused = { status: 400, body: { name: 'BadRequest', message: /^A call can write 100 notes, not \d+$/ } }
    t.match(await create('AUT', notes(101)), refused)
    t.match(await create('AUT', notes(20_000)), refused)
    t.equal(await total('AUT'), 0)
  })

  t.test('a list is written whole or not at all', async (t) => {
    const service = app.service<{ create(data: object, params: object): Promise<unknown> }>('countries/:code/notes')
    // Without the schema, as a bug would.
    const list = [...notes(50), { text: null }].map((note) => ({ code: 'DEU', pinned: false, ...note }))
    await t.rejects(service.create(list, { route: { code: 'DEU' } }), { code: 400 })
    t.equal(await total('DEU'), 0)
  })

  t.test('a patch without an id', async (t) => {
    await create('FRA', notes(100))
    await call('POST', '/countries/FRA/notes', { text: 'of bob' }, bob.token)
    const patch = (query = '') => call('PATCH', `/countries/FRA/notes${query}`, { pinned: true }, ada.token)
    const { status, body } = await patch()
    t.equal(status, 200)
    t.equal(body.length, 100)
    t.ok(body.every((note: object) => 'pinned' in note && note.pinned === true))
    t.strictSame((await patch('?text=note 7&$select[]=pinned')).body.map(Object.keys), [['id', 'pinned']])
    t.strictSame((await patch('?text=none')).body, [])

    await create('FRA', { text: 'one more' })
    t.match(await patch(), { status: 400, body: { message: 'A call can write 100 notes, not 101' } })
    t.match((await call('GET', '/countries/FRA/notes?pinned=false')).body, { total: 2 }, 'nothing has changed')
    t.equal((await patch('?pinned=false')).body.length, 1)
    for (const query of ['?$limit=1', '?$skip=1', '?$sort[id]=1']) t.match(await patch(query), { status: 400 }, query)
  })
})

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
    t.match(answer, { ...refused, body: { ...refused.body, message: 'Too many attempts: try again later' } })
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

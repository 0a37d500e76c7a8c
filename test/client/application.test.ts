import fc from 'fast-check'
import Fastify from 'fastify'
import services from 'fastify-services'
import { authentication, createClient, iterate, rest } from 'fastify-services/client'
import qs from 'qs'
import t from 'tap'
import { createClientOfEcho, createClientOfNumbers, createEcho } from '../support/client-app.js'
import { reservedMessage, reservedNames } from '../support/reserved-names.js'

t.test(
  'Service lookup: `app.service(<name>)` talks to `<base_url>/<name>`, and is the same one each time',
  async (t) => {
    const { app, asked } = await createClientOfEcho(t)
    await app.service('/users/:userId/messages/').find({ route: { userId: 7 } })
    await app.service('/').find()
    await app.service('/').get(1)
    t.same(
      asked.map(({ url }) => url),
      ['/users/7/messages', '/', '/1']
    )
    t.equal(app.service('users/:userId/messages'), app.service('/users/:userId/messages/'))
  }
)

t.test('`app.rest` holds the library; a second default connection is an error that says what to do', async (t) => {
  const { app, address } = await createClientOfEcho(t)
  t.equal(app.rest, fetch)
  const message = /There is a connection already: call use\(/
  t.throws(() => app.configure(rest(address).fetch(fetch)), message)
  const connection = rest(address).fetch(fetch)
  createClient().configure(connection)
  t.throws(() => createClient().configure(connection), message, 'two applications would share a login')
  t.throws(() => createClient().service('things'), /There is no server for 'things': call configure\(/)
})

t.test('Several servers: `connection.service(<name>)` stands at the path that `app.use` gives it', async (t) => {
  const [first, other] = [await createEcho(t), await createEcho(t)]
  const app = createClient().configure(rest(first.address).fetch(fetch))
  app.use(
    '/reports',
    rest(`${other.address}/v2/`, { headers: { 'X-Key': 'k' } })
      .fetch(fetch)
      .service('numbers')
  )
  await app.service('reports').get('1')
  await app.service('things').get('1')
  t.same(
    other.asked.map(({ url, headers }) => [url, headers['x-key']]),
    [['/v2/numbers/1', 'k']]
  )
  t.same(
    first.asked.map(({ url, headers }) => [url, headers['x-key']]),
    [['/things/1', undefined]]
  )
  t.throws(() => app.use('things', { find: async () => [] }), /There is a service 'things' already/)
})

t.test('any object may be a service, and its methods have hooks', async (t) => {
  const app = createClient<{ local: { find(): Promise<number[]>; twice(n: number): Promise<number> } }>()
  app.use('local', { find: async () => [1], twice: async (n: number) => 2 * n }, { methods: ['find', 'twice'] })
  app.hooks({ after: { find: [(context) => ({ result: [context.app === app ? 2 : 0] })] } })
  t.same(await app.service('local').find(), [2])
  t.equal(await app.service('local').twice(4), 8)
})

t.test('Custom methods: a POST that names the method', async (t) => {
  const { app, address, asked } = await createClientOfEcho(t)
  const connection = rest(address).fetch(fetch)
  app.use('todos', connection.service('todos'), { methods: ['archive'] })
  const todos = app.service<{ archive(data: object): Promise<object>; find(): Promise<object[]> }>('todos')
  const names = ['send', 'iterate', 'save']
  const service = connection.service('mails').methods('send')
  app.use('mails', service, { methods: names })
  for (const name of names) await app.service<Record<string, (data: object) => object>>('mails')[name]?.({})
  t.same(
    asked.splice(0).map(({ headers }) => headers['x-service-method']),
    names
  )
  app.use('own', { methods: ['a'], run: async () => 1 }, { methods: ['run'] })
  await todos.archive({ id: 1 })
  await todos.find()
  t.same(
    asked.map(({ method, url, headers, body }) => [method, url, headers['x-service-method'], body]),
    [
      ['POST', '/todos', 'archive', '{"id":1}'],
      ['GET', '/todos', undefined, '']
    ]
  )
})

t.test('events are local to the instance, and a failing listener is told to the logger alone', async (t) => {
  const errors: unknown[] = []
  const { address } = await createEcho(t, ({ body }) => JSON.parse(body || '{}'))
  const create = (logger: false | { error(error: unknown): unknown }) =>
    createClient({ logger }).configure(rest(address).fetch(fetch))
  const [app, quiet, third] = [create({ error: (error) => errors.push(error) }), create(false), create(false)]
  const created: unknown[] = []
  for (const item of [app, quiet, third]) item.service('things').on('created', (record) => void created.push(record))
  for (const client of [app, quiet])
    client.service('things').once('created', () => {
      throw new Error('in a listener')
    })
  await app.service('things').create({ a: 1 })
  await quiet.service('things').create([{ a: 2 }, { a: 3 }])
  t.same(created, [{ a: 1 }, { a: 2 }, { a: 3 }])
  t.match(errors, [{ message: 'in a listener' }])
})

t.test('the application: settings, events, and login only after `authentication`', async (t) => {
  const app = createClient()
  t.equal(app.set('theme', 'dark').get('theme'), 'dark')
  app.once('ping', (n) => t.equal(n, 1))
  t.equal(app.emit('ping', 1), true)
  for (const call of [() => app.authenticate(), () => app.reAuthenticate(), () => app.logout()])
    await t.rejects(call(), /There is no login: call configure\(authentication\(\)\) first/)
  t.throws(() => app.configure(authentication()), /There is no server for 'authentication': call configure/)
})

t.test('an authentication service of one’s own needs no server', async (t) => {
  const create = async ({ email }: { email?: unknown }) => ({
    accessToken: 'abc',
    authentication: { strategy: 'x' },
    user: { email }
  })
  const app = createClient()
    .use('authentication', { create, remove: async () => null })
    .configure(authentication())
  t.match(await app.authenticate({ strategy: 'x', email: 'ada@example.com' }), { user: { email: 'ada@example.com' } })
})

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const record of records) all.push(record)
  return all
}
const ids = (records: object[]) => records.map((record) => (record as { id: number }).id)

t.test('walks all pages, in order', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 5)
  const query = { $sort: { id: -1 } }
  t.same(ids(await collect(iterate(app.service('numbers'), { query }))), [4, 3, 2, 1, 0])
  t.ok(requests() <= 5, 'none beyond `total`')
  t.same(query, { $sort: { id: -1 } }, 'the query is left as it was')
  t.same(ids(await collect(iterate(app.service('numbers'), { query: { $limit: 3, $skip: 1 } }))), [1, 2, 3, 4])
})

t.test('a plain array is one page', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 0)
  t.same(ids(await collect(iterate(app.service('plain')))), [1, 2])
  t.equal(requests(), 1)
  t.same(await collect(iterate(app.service('numbers'))), [], 'no records: an empty page')
})

t.test('it stops fetching when the loop is left', async (t) => {
  const { app, requests } = await createClientOfNumbers(t, 9)
  for await (const record of iterate(app.service('numbers'), { query: { $limit: 2 } })) if (record.id === 2) break
  t.ok(requests() <= 3, 'of five pages')
})

t.test('it ends on an empty page, where the server tells no total, or -1', async (t) => {
  const { app: uncounted } = await createClientOfEcho(t, ({ url }) => ({
    total: -1,
    data: /skip=2/.test(url) ? [] : [1]
  }))
  t.same(await collect(iterate(uncounted.service('things'))), [1, 1])
  const { app, asked } = await createClientOfEcho(t, ({ url }) => ({
    data: /skip|gt/.test(url) ? [] : [{ id: 1 }, { id: 2 }]
  }))
  t.same(ids(await collect(iterate(app.service('things'), { headers: { 'x-page': '1' } }))), [1, 2])
  t.same(new Set(asked.map(({ headers }) => headers['x-page'])), new Set(['1']))
})

t.test('an answer without records, or none at all, has no pages', async (t) => {
  for (const answer of [null, {}, 'text']) {
    const { app } = await createClientOfEcho(t, () => answer)
    t.same(await collect(iterate(app.service('things'))), [])
  }
})

t.test('its calls have hooks and end with their error', async (t) => {
  const { app } = await createClientOfNumbers(t, 3)
  const seen: unknown[] = []
  app.service('numbers').hooks({ before: { find: [({ params }) => void seen.push(params.query?.$sort)] } })
  await collect(iterate(app.service('numbers')))
  t.same(seen.slice(0, 2), [{ id: 1 }, { id: 1 }])
  await t.rejects(collect(iterate(app.service('nowhere'))), { code: 404 })
})

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.bigInt(), fc.date({ noInvalidDate: true })),
    fc.constantFrom(null, undefined, Number.NaN, '', ' ', "!'()*~-._", '\uD800', '😀', '&=?#[]'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 4 })
  )
}))

const { getQuery } = rest('http://a').fetch(fetch).service('things')
const stringify = (query: object) => getQuery(query as Record<string, unknown>).replace('?', '')

// The same queries in each run. Others: SEED=$RANDOM.
t.test('the query string is byte for byte what `qs.stringify` prints', async (t) => {
  const queries = fc.dictionary(fc.string({ unit: 'binary' }), value, { maxKeys: 5 })
  fc.assert(
    fc.property(queries, (query) => {
      const [ours, theirs] = [stringify(query), qs.stringify(query)]
      if (ours !== theirs) throw new Error(`${ours} !== ${theirs}`)
    }),
    { numRuns: 2000, seed: Number(process.env.SEED ?? 1) }
  )
  t.pass('2,000 queries')
})

t.test('queries as query strings', async (t) => {
  const rows: [object, string][] = [
    [{ name: 'a b' }, 'name=a%20b'],
    [{ $limit: 5, $sort: { at: -1 } }, '%24limit=5&%24sort%5Bat%5D=-1'],
    [{ $select: ['id', 'text'] }, '%24select%5B0%5D=id&%24select%5B1%5D=text'],
    [{ at: { $lt: new Date(0) } }, 'at%5B%24lt%5D=1970-01-01T00%3A00%3A00.000Z'],
    [{ a: null }, 'a='],
    [{}, '']
  ]
  for (const [query, expected] of rows) t.equal(stringify(query), expected)
  t.throws(() => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    stringify(cycle)
  }, RangeError)
})

t.test(
  '`$in: []`, `undefined`, nested empty values vanish, and `null` would be an empty text; a date is sent',
  async (t) => {
    const vanishing = [
      { id: { $in: [] } },
      { id: undefined },
      { id: null },
      { id: 1, $or: [{ a: 1 }, {}] },
      { a: { b: { c: undefined } } },
      { list: [1, undefined] },
      { f: () => 1 }
    ]
    const { app, asked } = await createClientOfEcho(t)
    const change = (query: object) => app.service('things').patch(null, {}, { query } as object)
    for (const query of vanishing)
      await t.rejects(change(query), { message: /^A URL can't express .+ of things.patch$/ })
    t.same(asked, [])
    const queries = [{}, { a: '' }, { at: new Date() }, { a: { $in: [1, 'b', false, 0n] } }]
    for (const query of queries) await t.resolves(change(query))
  }
)

class PostService {
  async find() {
    return []
  }
  async publish({ id }: { id: number }) {
    return { published: id }
  }
  async send({ id }: { id: number }) {
    return { sent: id }
  }
}

t.test('`publish`: a custom method on the server, over HTTP, and in the client', async (t) => {
  const server = Fastify()
  t.teardown(() => server.close())
  await server.register(services)
  const posts = server.service('posts', new PostService(), {
    methods: ['find', 'publish', 'send'],
    hooks: { after: { publish: [({ result }) => ({ result: { ...(result as object), hooked: true } })] } }
  })
  t.same(await posts.publish({ id: 1 }), { published: 1, hooked: true })
  const connection = rest(await server.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch)
  const app = createClient<{ posts: PostService }>().configure(connection)
  app.use('posts', connection.service('posts'), { methods: ['publish', 'send'] })
  t.same(await app.service('posts').publish({ id: 2 }), { published: 2, hooked: true })
  t.same(await app.service('posts').send({ id: 3 }), { sent: 3 })
})

const refused = [...reservedNames, 'base', 'connection', 'getQuery', 'methods', 'name', 'options']

t.test('a name that is taken is refused, and the path stays free', async (t) => {
  const { app, address } = await createClientOfEcho(t)
  const connection = rest(address).fetch(fetch)
  for (const name of refused)
    t.throws(() => app.use('wrong', connection.service('wrong'), { methods: ['find', name] }), {
      message: reservedMessage(name, 'wrong')
    })
  t.same(await app.use('wrong', connection.service('wrong')).service('wrong').find(), {})
  t.type(
    connection.service('right').methods('optionsOf', 'rename').find,
    'function',
    'a name may begin or end like one'
  )
})

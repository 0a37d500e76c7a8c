import { authentication, createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { createClientOfEcho, createEcho } from '../support/client-app.js'

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
  const one = /One default connection for one application: call use\(/
  t.throws(() => app.configure(rest(address).fetch(fetch)), one)
  const connection = rest(address).fetch(fetch)
  createClient().configure(connection)
  t.throws(() => createClient().configure(connection), one, 'two applications would share a login')
  t.throws(() => createClient().service('things'), /There is no server for the service 'things': call configure\(/)
})

t.test('Several servers: `connection.service(<name>)` stands at the path that `app.use` gives it', async (t) => {
  const [one, other] = [await createEcho(t), await createEcho(t)]
  const app = createClient().configure(rest(one.address).fetch(fetch))
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
    one.asked.map(({ url, headers }) => [url, headers['x-key']]),
    [['/things/1', undefined]]
  )
  t.throws(() => app.use('things', { find: async () => [] }), /There is a service 'things' already/)
})

t.test('any object may be a service, and its methods have hooks', async (t) => {
  const app = createClient<{ local: { find(): Promise<number[]>; twice(n: number): Promise<number> } }>()
  app.use('local', { find: async () => [1], twice: async (n: number) => 2 * n }, { methods: ['find', 'twice'] })
  app.hooks({ after: { find: [() => ({ result: [2] })] } })
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
  for (const one of [app, quiet, third]) one.service('things').on('created', (record) => void created.push(record))
  for (const one of [app, quiet])
    one.service('things').once('created', () => {
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
  t.throws(() => app.configure(authentication()), /Authentication needs a connection/)
})

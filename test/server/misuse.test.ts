import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

const service = { find: async () => [] }

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  return app
}

t.test('Registering the plugin twice: an error that says what to do', async (t) => {
  const app = await create(t)
  await t.rejects(
    async () => {
      await app.register(services)
    },
    { message: /fastify-services.*registered.*app\.service\(\)/ }
  )
})

t.test('Registering the plugin again in a child: an error that says what to do', async (t) => {
  const app = await create(t)
  app.register(async (child) => {
    await child.register(services)
  })
  await t.rejects(
    async () => {
      await app.ready()
    },
    { message: /fastify-services.*registered.*app\.service\(\)/ }
  )
})

t.test('Registering a path twice: an error that says what to do', async (t) => {
  const app = await create(t)
  app.service('things', service)
  for (const path of ['things', '/things', 'things/', '/things/']) {
    t.throws(() => app.service(path, service), { message: /'things' is registered already.*another path/ }, path)
  }
})

t.test('Registering a service after the server is ready: an error that says what to do', async (t) => {
  const app = await create(t)
  await app.ready()
  t.throws(() => app.service('things', service), { message: /'things'.*too late.*before the server is ready/ })
})

t.test('Registering an object with none of the methods: an error that says what to do', async (t) => {
  const app = await create(t)
  for (const object of [{}, { find: 1 }, { list: async () => [] }, () => {}]) {
    t.throws(() => app.service('things', object), {
      message: /'things' has none of the methods find, get, create.*`methods`/
    })
  }
  t.doesNotThrow(() => app.service('things', { list: async () => [] }, { methods: ['list'] }))
})

t.test('what is no object at all is refused as well', async (t) => {
  const app = await create(t)
  for (const object of [null, 'text', 1, true])
    t.throws(() => app.service('things', object as never), { message: /things/ })
})

t.test('`methods` that names one that is missing, or that can not be one: an error that names it', async (t) => {
  const app = await create(t)
  for (const name of ['archive', '__proto__'])
    t.throws(() => app.service('a', service, { methods: [name as never] }), {
      message: `The service 'a' has no method '${name}', which its option \`methods\` names`
    })
  for (const name of ['constructor', 'toString', 'setup', 'teardown', 'emit', 'on', 'hooks']) {
    const object = { ...service, setup() {}, teardown() {}, emit() {}, on() {}, hooks() {} }
    t.throws(
      () => app.service('a', object, { methods: [name as never] }),
      { message: /can't be a method of the service 'a'/ },
      name
    )
  }
})

t.test('unknown service lookup: an error that names those that there are', async (t) => {
  const app = await create(t)
  t.throws(() => app.service('things'), { message: /no service 'things'.*none/ })
  app.service('messages', service)
  t.throws(() => app.service('/things/'), { message: /no service 'things'.*'messages'/ })
  for (const path of ['__proto__', 'constructor', 'toString'])
    t.throws(() => app.service(path), { message: /no service/ }, path)
  t.ok(app.service('/messages/'))
})

t.test('hooks of an unknown type or method, or that are no functions: an error that names them', async (t) => {
  const app = await create(t)
  t.throws(() => app.service('a', service, { hooks: { before: { serach: [() => {}] } } }), { message: /'serach'/ })
  t.throws(() => app.service('b', service, { hooks: { before: { find: ['log' as never] } } }), {
    message: /'find' has before hooks that are no functions/
  })
  t.throws(() => app.service('c', service, { hooks: { around: [], during: [] } as never }), {
    message: /'during' is not a valid hook type/
  })
})

t.test('a registration that was refused leaves nothing behind: the path is free', async (t) => {
  const app = await create(t)
  t.throws(() => app.service('things', {}))
  app.service('things', service)
  t.equal((await app.inject('/things')).statusCode, 200)
  t.equal((await app.inject('/a')).statusCode, 404)
})

t.test('a schema for what HTTP can not call: an error that names it, and the path is free', async (t) => {
  const app = await create(t)
  t.throws(() => app.service('things', service, { schema: { fnid: {} } }), {
    message: /'things' has a schema for 'fnid'/
  })
  t.doesNotThrow(() => app.service('things', service))
})

t.test('two instances in one process do not know each other', async (t) => {
  const [one, two] = [await create(t), await create(t)]
  one.service('things', service)
  t.throws(() => two.service('things'), { message: /no service/ })
  two.service('things', { find: async () => ['two'] })
  t.strictSame([(await one.inject('/things')).json(), (await two.inject('/things')).json()], [[], ['two']])
})

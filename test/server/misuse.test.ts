import Fastify from 'fastify'
import services from 'fastify-services'
import authentication from 'fastify-services/authentication'
import events from 'fastify-services/events'
import feathers from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createWarnings } from '../support/mounted-app.js'
import { createRecorder } from '../support/recorder.js'

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

t.test('Registering a path twice: the error says where the other one is, also in a plugin', async (t) => {
  const app = await create(t)
  await app.register(async (child) => {
    child.service('things', service)
  })
  const line = (name: string) =>
    new RegExp(`^A service '${name}' is registered already, at .*misuse\\.test\\.[jt]s:\\d+:\\d+: choose another path`)
  t.throws(() => app.service('things', service), { message: line('things') })
  const { stackTraceLimit } = Error
  t.teardown(() => Object.assign(Error, { stackTraceLimit }))
  Error.stackTraceLimit = 0
  app.service('untraced', service)
  t.throws(() => app.service('untraced', service), {
    message: "A service 'untraced' is registered already: choose another path"
  })
})

t.test('An error of app.service() begins with the line that called it', async (t) => {
  const app = await create(t)
  for (const call of [
    () => app.service('things', service, { hook: {} } as object),
    () => app.service('things', undefined as never, {}),
    () => app.service('nothing')
  ])
    t.match(t.throws(call), { stack: /^\w+: .+\n +at .*misuse\.test\.[jt]s:/ })
})

t.test('A decorator of the plugin that something else has taken: an error that names it', async (t) => {
  for (const name of ['service', 'printServices', 'setup']) {
    const app = Fastify()
    app.decorate(name, () => {})
    await t.rejects(async () => app.register(services), {
      message: `fastify-services needs the decorator \`${name}\`, which something else has taken here: `
    })
  }
})

t.test('A decorator of requests or replies that something else has taken is named in the same way', async (t) => {
  for (const name of ['request.feathers', 'reply.data', 'reply.hook', 'reply.format']) {
    const app = Fastify()
    const [owner, property] = name.split('.') as [string, string]
    if (owner === 'request') app.decorateRequest(property, null)
    else app.decorateReply(property, null)
    await t.rejects(async () => app.register(services), {
      message: `fastify-services needs the decorator \`${name}\`, which something else has taken here: `
    })
  }
})

t.test('The decorator of the streams that something else has taken is named', async (t) => {
  const app = await create(t)
  app.service('things', service)
  app.decorate('events', {} as never)
  await t.rejects(async () => app.register(events, { services: { things: true } }), {
    message: /something else has taken the decorator `events`, which it needs$/
  })
})

t.test('A path that no URL has: an error that says what to write', async (t) => {
  const app = await create(t)
  for (const [path, mark] of [
    ['a?x', '?'],
    ['a?x/:id', '?'],
    ['/a#b', '#'],
    ['http://localhost:3030/things', '://']
  ] as const)
    t.throws(() => app.service(path, service), {
      message: `app.service() needs the path of a service, as in app.service('messages'), got '${path}': the path of a URL has no '${mark}'`
    })
  app.service('things/:lang(en|de-?ch)/:id?', service)
})

t.test('Registering a service after the server is ready: an error that says what to do', async (t) => {
  const app = await create(t)
  await app.ready()
  t.throws(() => app.service('things', service), { message: /'things'.*too late.*before the server is ready/ })
})

t.test('Registering an object with none of the methods: an error that says what to do', async (t) => {
  const app = await create(t)
  for (const object of [{}, { find: 1 }, { list: async () => [] }]) {
    t.throws(() => app.service('things', object), {
      message: /'things' has none of the methods find, get, create.*`methods`/
    })
  }
  t.doesNotThrow(() => app.service('things', { list: async () => [] }, { methods: ['list'] }))
})

t.test('what is no object at all is refused as well', async (t) => {
  const app = await create(t)
  for (const object of [null, 'text', 1, true])
    for (const options of [undefined, { methods: ['find' as never] }])
      t.throws(() => app.service('things', object as never, options), {
        message: /^The service 'things' must be an object with methods, got /
      })
})

t.test('a promise of a service, or `undefined` in its place: an error that says so', async (t) => {
  const app = await create(t)
  const message = "The service 'things' must be an object with methods, got "
  t.throws(() => app.service('things', Promise.resolve(service) as never), { message: `${message}a promise: await it` })
  t.throws(() => app.service('things', undefined as never), { message: `${message}undefined` })
  t.throws(() => app.service('things', undefined as never, {}), { message: `${message}undefined` })
  app.service('things', service)
  t.ok(app.service('things', undefined as never), 'where there is a service it is looked up')
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

t.test('a class in place of an object of it: an error that says what to do', async (t) => {
  const app = await create(t)
  class Messages {
    find = async () => []
  }
  const message = "The service 'things' must be an object with methods, got the class Messages: pass `new Messages()`"
  for (const options of [{}, { methods: ['find'] }])
    t.throws(() => app.service('things', Messages, options), { message })
  t.throws(() => app.service('things', class {} as never), { message: /got a class$/ })
  t.throws(() => app.service('things', (() => {}) as never), { message: /got a function$/ })
  class Static {
    static find = async () => ['found']
    name = 'an object of it has none'
  }
  app.service('things', Static, { methods: ['find'] })
  t.same((await app.inject('/things')).json(), ['found'], 'unless it has the methods itself')
})

t.test('hooks of an unknown type or method, or that are no functions: an error that names them', async (t) => {
  const app = await create(t)
  t.throws(() => app.service('a', service, { hooks: { before: { serach: [() => {}] } as object } }), {
    message: /'serach'/
  })
  t.throws(() => app.service('b', service, { hooks: { before: { find: ['log' as never] } } }), {
    message: "Service 'b': hooks of 'find' must be functions"
  })
  t.throws(() => app.service('c', service, { hooks: { around: [], during: [] } as never }), {
    message: "Service 'c': unknown hook type or method 'during'"
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
  t.throws(() => app.service('things', service, { schema: { fnid: {} } as object }), {
    message: /'things' has a schema for 'fnid'/
  })
  t.doesNotThrow(() => app.service('things', service))
})

t.test('a misspelt part of the schema of a method: an error that names the one that was meant', async (t) => {
  const app = await create(t)
  for (const [part, meant] of [
    ['boddy', 'body'],
    ['Body', 'body'],
    ['queryString', 'querystring'],
    ['param', 'params'],
    ['header', 'headers'],
    ['responses', 'response']
  ] as const)
    t.throws(() => app.service('things', service, { schema: { find: { [part]: { type: 'object' } } } as object }), {
      message: `The option \`schema.find\` of the service 'things' has no part '${part}'. Did you mean '${meant}'?`
    })
  const forOthers = { query: { type: 'object' }, tags: ['a'], hide: true, bode: 'a text', 'x-audience': {} }
  t.doesNotThrow(() => app.service('things', service, { schema: { find: forOthers } as object }), 'names for plugins')
})

t.test('a misspelt method among the hooks of all services: the log says so at the start', async (t) => {
  const warning = "No service has the method 'craete', which has hooks for all services. Did you mean 'create'?"
  for (const [hooks, expected] of [
    [{ before: { craete: [() => {}] } }, [warning]],
    [{ craete: [() => {}] }, [warning]],
    [{ before: { publish: [() => {}], elsewhere: [() => {}] } }, []]
  ] as const) {
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } })
    t.teardown(() => app.close())
    await app.register(services, { hooks } as object)
    app.service('things', { ...service, publish: async () => 1 }, { methods: ['find', 'publish'] })
    await app.ready()
    t.strictSame(
      lines.map((line) => JSON.parse(line).msg),
      expected
    )
  }
})

t.test('two instances in one process do not know each other', async (t) => {
  const [first, second] = [await create(t), await create(t)]
  first.service('things', service)
  t.throws(() => second.service('things'), { message: /no service/ })
  second.service('things', { find: async () => ['two'] })
  t.strictSame([(await first.inject('/things')).json(), (await second.inject('/things')).json()], [[], ['two']])
})

async function createApp(t: Test, options: object = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, options)
  return app
}

const refused = (who: string, name: string, meant?: string) => ({
  message: new RegExp(`^${who} has no option '${name}'. There are: .+${meant ? `. Did you mean '${meant}'\\?` : ''}$`)
})

const ofPlugin: [options: object, name: string, meant?: string][] = [
  [{ errorhandler: {} }, 'errorhandler', 'errorHandler'],
  [{ querry: {} }, 'querry', 'query'],
  [{ hook: {} }, 'hook', 'hooks'],
  [{ idField: 'x' }, 'idField'],
  [{ errorHandler: { HTML: false } }, 'errorHandler.HTML', 'errorHandler.html'],
  [{ notFound: { verbos: true } }, 'notFound.verbos', 'notFound.verbose']
]

t.test('a misspelt option of the plugin is refused, with the name that was meant', async (t) => {
  for (const [options, ...names] of ofPlugin)
    await t.rejects(createApp(t, options), refused('fastify-services', ...names))
  await t.rejects(createApp(t, { prefixes: '/v1' }), {
    message: "fastify-services has no option 'prefixes'. There are: query, formatter, hooks, notFound, errorHandler"
  })
})

t.test('options of the plugin of another type', async (t) => {
  for (const value of [null, true, 'html', () => {}])
    await t.rejects(createApp(t, { errorHandler: value as never }), {
      message: /^The option `errorHandler` of fastify-services must be an object, got /
    })
  for (const value of [null, 'html', () => {}])
    await t.rejects(createApp(t, { notFound: value as never }), {
      message: /^The option `notFound` of fastify-services must be true, false or an object, got /
    })
  for (const notFound of [true, false, {}, undefined]) await t.resolves(createApp(t, { notFound: notFound as never }))
})

t.test('options that Fastify applies to no such plugin are told of', async (t) => {
  const { warnings, logger } = createWarnings()
  const app = Fastify({ logger })
  t.teardown(() => app.close())
  const options = { prefix: '/v1', logLevel: 'error', logSerializers: {} } as const
  await app.register(services, options)
  const advice =
    'Give it to a plugin that registers the services: app.register(async (child) => { child.service(path, object) }'
  t.strictSame(warnings, [
    `The option \`prefix\` of fastify-services has no effect. ${advice}, { prefix: … })`,
    `The option \`logLevel\` of fastify-services has no effect. ${advice}, { logLevel: … })`,
    `The option \`logSerializers\` of fastify-services has no effect. ${advice}, { logSerializers: … })`
  ])
  app.service('things', { find: async () => [] })
  t.equal((await app.inject('/things')).statusCode, 200, 'without the prefix')
})

const ofService: [options: object, name: string, meant?: string][] = [
  [{ hook: { before: {} } }, 'hook', 'hooks'],
  [{ befor: [] }, 'befor', 'before'],
  [{ Schema: {} }, 'Schema', 'schema'],
  [{ multi: true }, 'multi']
]

t.test('a misspelt option of a service is refused, and names the service', async (t) => {
  const app = await createApp(t)
  for (const [options, ...names] of ofService)
    t.throws(() => app.service('things', { find: async () => [] }, options), refused("The service 'things'", ...names))
  app.service('things', { find: async () => [] }, { hooks: {}, before: [], handlerTimeout: 1000 })
})

t.test('a misspelt option of authentication is refused in the same way', async (t) => {
  const register = async (options: object) => {
    const app = await createApp(t)
    await app.register(authentication, { secret: 'x'.repeat(32), entity: null, ...options } as never)
  }
  const jwt = { expiresin: '1d' }
  await t.rejects(register({ jwt }), refused('Authentication', 'jwt.expiresin', 'jwt.expiresIn'))
  await t.rejects(register({ entityI: 'x' }), refused('Authentication', 'entityI', 'entity(Id)?'), 'one of two')
})

async function createRoot(t: Test, path = '/') {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const { service, calls } = createRecorder()
  app.service(path, service)
  return { app, calls }
}

for (const path of ['/', '']) {
  t.test(
    `A service may stand at '${path}': there \`/\` is the path itself, multi calls included, and \`/id\` the record`,
    async (t) => {
      const { app, calls } = await createRoot(t, path)
      for (const [verb, url, payload] of [
        ['GET', '/'],
        ['GET', '/7?a=1'],
        ['POST', '/', {}],
        ['PUT', '/', {}],
        ['PUT', '/7', {}],
        ['PATCH', '/', {}],
        ['PATCH', '/7', {}],
        ['DELETE', '/?a=1'],
        ['DELETE', '/7']
      ] as const)
        t.match(
          (await request(app, verb, url, payload && { payload })).status,
          verb === 'POST' ? 201 : 200,
          `${verb} ${url}`
        )
      t.strictSame(
        calls.map(({ method, args }) => [method, args[0]]),
        [
          ['find', undefined],
          ['get', '7'],
          ['create', {}],
          ['update', null],
          ['update', '7'],
          ['patch', null],
          ['patch', '7'],
          ['remove', null],
          ['remove', '7']
        ]
      )
    }
  )
}

t.test('More specific services win', async (t) => {
  const { app, calls } = await createRoot(t)
  const users = createRecorder(['find'])
  app.service('users', users.service)
  app.service('users/list/all', users.service)
  t.equal((await request(app, 'GET', '/users')).status, 200)
  t.equal((await request(app, 'GET', '/users/list/all')).status, 200)
  for (const verb of ['DELETE', 'PUT', 'PATCH', 'POST', 'OPTIONS'])
    t.equal((await request(app, verb, '/users')).status, 405, verb)
  t.equal((await request(app, 'GET', '/users/1')).status, 405)
  t.strictSame(calls, [], 'they are no records of the service at /')
  t.equal(users.calls.length, 2)
})

t.test("a path that is of no service is 404, the host's own routes stay", async (t) => {
  const { app, calls } = await createRoot(t)
  app.get('/health', async () => 'well')
  t.equal((await request(app, 'GET', '/a/b')).status, 404)
  t.strictSame((await request(app, 'GET', '/health')).body, 'well')
  t.strictSame(calls, [])
  t.equal((await request(app, 'DELETE', '/health')).status, 200)
  t.strictSame(calls[0]?.args, ['health'])
})

t.test('a service at `/` of a prefix: `/v1` is the path itself, `/v1/` an empty id', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const { service, calls } = createRecorder()
  await app.register(services)
  await app.register(
    async (child) => {
      child.service('/', service)
    },
    { prefix: '/v1' }
  )
  t.equal((await request(app, 'DELETE', '/v1')).status, 200)
  t.equal((await request(app, 'DELETE', '/v1/')).status, 400)
  t.equal((await request(app, 'DELETE', '/v1/7')).status, 200)
  t.strictSame(
    calls.map(({ args }) => args),
    [[null], ['7']]
  )
  t.ok(app.service('v1'))
})

t.test("`app.service('/')` looks it up, its hooks run", async (t) => {
  const { app } = await createRoot(t)
  const paths: string[] = []
  app.service('/').hooks({
    before: {
      all: [
        ({ path }) => {
          paths.push(path)
        }
      ]
    }
  })
  await request(app, 'GET', '/')
  t.strictSame(paths, [''])
})

// Not the range of the package, which npm checks: Fastify 5.8.0 says that it is 5.7.4.
t.test('Fastify reads of each plugin what it is called and which Fastify it is for', async (t) => {
  for (const [plugin, name] of [
    [services, 'fastify-services'],
    [authentication, 'fastify-services/authentication'],
    [feathers, 'fastify-services/feathers']
  ] as const)
    t.match(Object.getOwnPropertyDescriptors(plugin), {
      [Symbol.for('plugin-meta')]: { value: { name, fastify: '5.x' } }
    })
})

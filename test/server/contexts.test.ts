import Fastify, { type FastifyInstance } from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  return app
}

const says = (text: string) => ({ find: async () => text })

t.test('two versions of a service under /v1 and /v2 in one app', async (t) => {
  const app = await create(t)
  for (const version of ['v1', 'v2']) {
    app.register(
      async (child) => {
        child.service('messages', says(version))
      },
      { prefix: `/${version}` }
    )
  }
  app.service('messages', says('root'))
  for (const [url, text] of [
    ['/v1/messages', 'v1'],
    ['/v2/messages', 'v2'],
    ['/messages', 'root']
  ])
    t.equal((await request(app, 'GET', url as string)).body, text)
  for (const path of ['v1/messages', '/v2/messages', 'messages']) t.ok(app.service(path))
  t.equal((await request(app, 'POST', '/v1/messages')).status, 405)
  t.equal((await request(app, 'GET', '/v3/messages')).status, 404)
})

t.test(
  "the service's name is `v1/messages`, and that instance may also look it up as `messages`: its prefix first, then the root",
  async (t) => {
    const app = await create(t)
    app.service('messages', says('root'))
    app.service('users', says('users of the root'))
    await app.register(
      async (child) => {
        t.equal(
          await child.service<ReturnType<typeof says>>('messages').find(),
          'root',
          'not there yet: that of the root'
        )
        child.service('messages', says('v1'))
        const find = (path: string) => child.service<ReturnType<typeof says>>(path).find()
        t.strictSame(await Promise.all(['messages', '/messages/', 'v1/messages', 'users'].map(find)), [
          'v1',
          'v1',
          'v1',
          'users of the root'
        ])
        t.throws(() => child.service('nothing'), { message: /nothing/ })
      },
      { prefix: '/v1' }
    )
    t.equal(await app.service<ReturnType<typeof says>>('messages').find(), 'root')
    t.equal(await app.service<ReturnType<typeof says>>('v1/messages').find(), 'v1')
  }
)

t.test('a context without a prefix, and prefixes within prefixes', async (t) => {
  const app = await create(t)
  app.register(async (child) => {
    child.service('plain', says('plain'))
  })
  app.register(
    async (child) => {
      child.register(
        async (inner) => {
          inner.service('deep', says('deep'))
          t.equal(inner.service('deep'), inner.service('v1/admin/deep'))
        },
        { prefix: '/admin/' }
      )
    },
    { prefix: '/v1' }
  )
  t.equal((await request(app, 'GET', '/plain')).body, 'plain')
  t.equal((await request(app, 'GET', '/v1/admin/deep')).body, 'deep')
})

t.test('prefix with a placeholder (`/v1/:tenant`): it is in `params.route`', async (t) => {
  const app = await create(t)
  const { service, calls } = createRecorder()
  app.register(
    async (child) => {
      child.service('users/:id/notes', service)
      child.service('/', service)
    },
    { prefix: '/v1/:tenant' }
  )
  for (const [verb, url] of [
    ['GET', '/v1/acme/users/9/notes/4'],
    ['DELETE', '/v1/a%20b/users/9/notes'],
    ['GET', '/v1/acme'],
    ['GET', '/v1/acme/5']
  ] as const) {
    t.equal((await request(app, verb, url)).status, 200, url)
  }
  t.strictSame(
    calls.map(({ method, args, params }) => [method, args, params.route]),
    [
      ['get', ['4'], { tenant: 'acme', id: '9' }],
      ['remove', [null], { tenant: 'a b', id: '9' }],
      ['find', [], { tenant: 'acme' }],
      ['get', ['5'], { tenant: 'acme' }]
    ]
  )
  t.equal((await request(app, 'POST', '/v1/acme/users/9/notes/4')).status, 405)
  t.equal((await request(app, 'PATCH', '/v1/acme/users/9/notes/', { payload: {} })).status, 400)
})

t.test('its hooks and decorators apply; `context.app` is that instance', async (t) => {
  const app = await create(t)
  const seen: unknown[] = []
  const register = (name: string) =>
    app.register(
      async (child: FastifyInstance) => {
        child.decorate('release', name)
        child.decorateRequest('tag', '')
        child.addHook('onRequest', async (request) => {
          request.feathers.from = `${name} hook`
        })
        child.addHook('onSend', async (_request, reply) => {
          reply.header('x-version', name)
        })
        child.service('messages', createRecorder().service, {
          hooks: {
            before: {
              all: [
                ({ app, params }: HookContext) => {
                  t.equal(app, child)
                  seen.push([app.getDecorator<string>('release'), params.from])
                }
              ]
            }
          }
        })
      },
      { prefix: `/${name}` }
    )
  register('v1')
  register('v2')
  t.equal((await request(app, 'GET', '/v1/messages')).headers['x-version'], 'v1')
  t.equal((await request(app, 'GET', '/v2/messages')).headers['x-version'], 'v2')
  await app.service<{ find(): Promise<unknown> }>('v1/messages').find()
  t.strictSame(seen, [
    ['v1', 'v1 hook'],
    ['v2', 'v2 hook'],
    ['v1', undefined]
  ])
})

t.test('hooks that a context adds do not reach a service of another one', async (t) => {
  const app = await create(t)
  app.service('open', createRecorder().service)
  app.register(async (child) => {
    child.addHook('onRequest', async (_request, reply) => reply.code(401).send({ closed: true }))
    child.service('closed', createRecorder().service)
  })
  t.equal((await request(app, 'GET', '/closed')).status, 401)
  t.equal((await request(app, 'GET', '/open')).status, 200)
})

function createBare(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  return app
}

const notAllowed = {
  status: 405,
  headers: { allow: 'GET, HEAD' },
  body: { name: 'MethodNotAllowed', message: 'Method `create` is not supported by this endpoint.' }
}

async function words(child: FastifyInstance, options = {}) {
  await child.register(services, options)
  child.service('words', { find: async () => ['a'], archive: async () => 'archived' }, { methods: ['find'] })
}

t.test('the plugin registered inside a prefixed child: 405 works there too', async (t) => {
  for (const options of [{}, { notFound: true }]) {
    const app = createBare(t)
    await app.register(
      async (child) => {
        await words(child, options)
      },
      { prefix: '/v1' }
    )
    t.equal((await request(app, 'GET', '/v1/words?a=1')).status, 200)
    t.match(await request(app, 'POST', '/v1/words'), notAllowed)
    t.match(await request(app, 'OPTIONS', '/v1/words'), { status: 405 })
    t.equal((await request(app, 'POST', '/words')).status, 404)
    t.equal((await request(app, 'GET', '/v1/nothing')).status, 404)
  }
})

t.test('405 in a child that has a not-found handler of its own, set before or after', async (t) => {
  for (const when of ['before', 'after']) {
    const app = createBare(t)
    await app.register(
      async (child) => {
        const set = () =>
          child.setNotFoundHandler((_request, reply) => {
            reply.code(404).send('mine')
          })
        if (when === 'before') set()
        await words(child)
        if (when === 'after') set()
      },
      { prefix: '/v1' }
    )
    t.match(await request(app, 'POST', '/v1/words'), notAllowed, when)
    t.match(await request(app, 'GET', '/v1/nothing'), { status: 404, body: 'mine' })
  }
})

t.test('405 of a service in a child with a not-found handler of its own, the plugin at the root', async (t) => {
  const app = createBare(t)
  await app.register(services)
  app.register(
    async (child) => {
      child.setNotFoundHandler((_request, reply) => {
        reply.code(404).send('mine')
      })
      child.service('words', { find: async () => [] })
    },
    { prefix: '/v1' }
  )
  t.match(await request(app, 'POST', '/v1/words'), notAllowed)
  t.match(await request(app, 'GET', '/v1/nothing'), { status: 404, body: 'mine' })
})

t.test('two plugin registrations in sibling contexts do not know each other', async (t) => {
  const app = createBare(t)
  const order: string[] = []
  for (const name of ['one', 'two']) {
    await app.register(
      async (child) => {
        await child.register(services, {
          query: { arrayLimit: name === 'one' ? 1 : 100 },
          hooks: {
            before: {
              all: [
                () => {
                  order.push(name)
                }
              ]
            }
          },
          formatter: (_request, reply) => `${name}:${JSON.stringify(reply.data)}`,
          errorHandler: { html: () => `<p>${name}</p>` }
        })
        child.service(
          'words',
          { find: async ({ query }: { query: { a: unknown } }) => Array.isArray(query.a), archive: async () => name },
          { methods: ['find', 'archive'] }
        )
        t.throws(() => child.service('other/words'), { message: /no service/ })
      },
      { prefix: `/${name}` }
    )
  }
  t.equal((await request(app, 'GET', '/one/words?a=1&a=2')).body, 'one:false')
  t.equal((await request(app, 'GET', '/two/words?a=1&a=2')).body, 'two:true')
  for (const name of ['one', 'two']) {
    t.equal(
      (await request(app, 'POST', `/${name}/words`, { headers: { 'x-service-method': 'archive' } })).body,
      `${name}:"${name}"`
    )
    t.match(await request(app, 'PUT', `/${name}/words`, { headers: { accept: 'text/html' } }), {
      status: 405,
      body: `<p>${name}</p>`
    })
  }
  t.strictSame(order, ['one', 'two', 'one', 'two'])
  t.notOk(app.hasDecorator('service'), 'nothing of it at the root')
})

t.test('two sibling registrations without a prefix', async (t) => {
  const app = createBare(t)
  for (const name of ['one', 'two']) {
    await app.register(async (child) => {
      await child.register(services)
      child.service(name, createRecorder(['find', 'archive']).service, { methods: ['find', 'archive'] })
    })
  }
  for (const name of ['one', 'two']) {
    t.equal((await request(app, 'GET', `/${name}`)).status, 200)
    t.equal((await request(app, 'POST', `/${name}`, { headers: { 'x-service-method': 'archive' } })).status, 200)
    t.equal((await request(app, 'DELETE', `/${name}`)).status, 405)
  }
})

t.test('two Fastify instances in one process', async (t) => {
  const [first, second] = [createBare(t), createBare(t)]
  const recorders = [createRecorder(), createRecorder()] as const
  await first.register(services, { query: { arrayLimit: 1 } })
  await second.register(services)
  first.service('things', recorders[0].service)
  second.service('things', recorders[1].service)
  second.service('more', recorders[1].service)
  t.equal((await request(first, 'GET', '/things?a=1&a=2')).status, 200)
  t.strictSame([recorders[0].calls.length, recorders[1].calls.length], [1, 0])
  t.strictSame(recorders[0].calls[0]?.params.query, { a: { 0: '1', 1: '2' } })
  t.equal((await request(first, 'GET', '/more')).status, 404)
  t.equal((await request(first, 'POST', '/more')).status, 404)
  t.equal((await request(second, 'GET', '/more?a=1&a=2')).status, 200)
  t.strictSame(recorders[1].calls[0]?.params.query, { a: ['1', '2'] })
  await first.close()
  t.equal((await request(second, 'GET', '/more')).status, 200, 'one that is closed leaves the other alone')
})

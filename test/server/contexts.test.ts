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
                  seen.push([(app as FastifyInstance & { release: string }).release, params.from])
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

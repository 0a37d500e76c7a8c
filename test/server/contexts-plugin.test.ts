import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

function create(t: Test) {
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
    const app = create(t)
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
    const app = create(t)
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
  const app = create(t)
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
  const app = create(t)
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
  const app = create(t)
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
  const [one, two] = [create(t), create(t)]
  const recorders = [createRecorder(), createRecorder()] as const
  await one.register(services, { query: { arrayLimit: 1 } })
  await two.register(services)
  one.service('things', recorders[0].service)
  two.service('things', recorders[1].service)
  two.service('more', recorders[1].service)
  t.equal((await request(one, 'GET', '/things?a=1&a=2')).status, 200)
  t.strictSame([recorders[0].calls.length, recorders[1].calls.length], [1, 0])
  t.strictSame(recorders[0].calls[0]?.params.query, { a: { 0: '1', 1: '2' } })
  t.equal((await request(one, 'GET', '/more')).status, 404)
  t.equal((await request(one, 'POST', '/more')).status, 404)
  t.equal((await request(two, 'GET', '/more?a=1&a=2')).status, 200)
  t.strictSame(recorders[1].calls[0]?.params.query, { a: ['1', '2'] })
  await one.close()
  t.equal((await request(two, 'GET', '/more')).status, 200, 'one that is closed leaves the other alone')
})

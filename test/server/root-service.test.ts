import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

async function create(t: Test, path = '/') {
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
      const { app, calls } = await create(t, path)
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
  const { app, calls } = await create(t)
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
  const { app, calls } = await create(t)
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
  const { app } = await create(t)
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

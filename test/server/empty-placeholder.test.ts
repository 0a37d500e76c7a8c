import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

t.test('an empty placeholder is refused as an empty id is: the service is not called', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  let calls = 0
  const count = async () => {
    calls++
    return []
  }
  app.service('users/:userId/notes', { find: count, remove: count })
  for (const [method, url] of [
    ['DELETE', '/users//notes'],
    ['GET', '/users//notes'],
    ['DELETE', '/users//notes/1']
  ] as const) {
    const response = await app.inject({ method, url, headers: { accept: 'application/json' } })
    t.match(
      [response.statusCode, response.json()],
      [400, { name: 'BadRequest', message: "The placeholder 'userId' is empty" }]
    )
  }
  t.equal(calls, 0)
  t.equal((await app.inject('/users/1/notes')).statusCode, 200)
  t.equal(calls, 1)
})

t.test('a `query` function that gives nothing gives an empty query', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query: () => null as never })
  app.service('echo', { find: async (params) => params.query })
  t.strictSame((await app.inject('/echo?a=1')).json(), {})
})

import Fastify, { type FastifyServerOptions } from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

async function create(t: Test, path: string, routerOptions: FastifyServerOptions['routerOptions'] = {}) {
  const app = Fastify({ routerOptions })
  t.teardown(() => app.close())
  await app.register(services)
  const calls: unknown[] = []
  app.service(path, {
    find: async () => [],
    remove: async (...args) => {
      calls.push(args)
      return args[0]
    }
  })
  return {
    calls,
    remove: (url: string) => app.inject({ method: 'DELETE', url, headers: { accept: 'application/json' } })
  }
}

const refused = { name: 'BadRequest', code: 400 }

t.test('an empty placeholder is refused as an empty id is: it must not select the records of all', async (t) => {
  const { calls, remove } = await create(t, 'users/:userId/notes')
  t.match((await remove('/users//notes')).json(), refused)
  t.strictSame(calls, [])
  t.equal((await remove('/users/1/notes')).statusCode, 204)
  t.match(calls, [[null, { route: { userId: '1' } }]])
})

t.test('with `ignoreDuplicateSlashes` too, and at `/`', async (t) => {
  const one = await create(t, 'p/:x', { ignoreDuplicateSlashes: true })
  t.match((await one.remove('/p//1')).json(), refused)
  const root = await create(t, '/', { ignoreDuplicateSlashes: true })
  t.match((await root.remove('//')).json(), refused)
  t.strictSame([...one.calls, ...root.calls], [])
  t.equal((await root.remove('/')).statusCode, 204)
  t.equal(root.calls.length, 1)
})

t.test('a placeholder `:id` with a pattern is no record id', async (t) => {
  const { calls, remove } = await create(t, 'users/:id(\\d+)')
  t.equal((await remove('/users/5')).statusCode, 204)
  t.match(calls, [[null, { route: { id: '5' } }]])
})

t.test('a `query` function that gives nothing gives an empty query', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query: () => null as never })
  app.service('echo', { find: async (params) => params.query })
  t.strictSame((await app.inject('/echo?a=1')).json(), {})
})

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import services, { type Id } from 'fastify-services'
import authentication from 'fastify-services/authentication'
import { createClient, authentication as login, NotAuthenticated, rest } from 'fastify-services/client'
import { type MemoryOptions, memory } from 'fastify-services/memory'
import { adapterSuite, cheapHash, injectFetch, tokenFor } from 'fastify-services/testing'
import t, { type Test } from 'tap'

interface User {
  id: number
  email: string
  password?: string
}

async function createApp(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  await app.register(authentication, { secret: 'a secret of thirty-two characters', guard: 'jwt' })
  const users = app.service('users', memory<User>())
  const ada = await users.create({ email: 'ada@example.com', password: cheapHash('correct horse') })
  await app.ready()
  return { app, users, ada }
}

t.test('tokenFor: a user, or their id, is logged in', async (t) => {
  const { app, ada } = await createApp(t)
  for (const user of [ada, 1, '1']) {
    const headers = { authorization: `Bearer ${tokenFor(app, user)}` }
    t.same((await app.inject({ url: '/users', headers })).json(), [{ email: 'ada@example.com', id: 1 }])
  }
  const headers = { authorization: `Bearer ${tokenFor(app, 2)}` }
  t.equal((await app.inject({ url: '/users', headers })).statusCode, 401, 'nobody has the id')
})

t.test('tokenFor: without an authentication that issues tokens', async (t) => {
  const app = Fastify()
  await app.register(services)
  t.throws(() => tokenFor(app, 1), { message: /There is no authentication here/ })
  await app.register(authentication, { strategies: { none: { parse: () => null, authenticate: () => ({}) } } })
  t.throws(() => tokenFor(app, 1), { message: /set its `secret`/ })
})

t.test('injectFetch: a client without a network', async (t) => {
  const { app, users } = await createApp(t)
  const client = createClient<{ users: typeof users }>()
    .configure(rest('http://localhost/').fetch(injectFetch(app)))
    .configure(login())
  await t.rejects(client.service('users').find(), NotAuthenticated)
  await client.authenticate({ strategy: 'local', email: 'ada@example.com', password: 'correct horse' })
  t.equal((await client.service('users').create({ email: 'böb@example.com' })).email, 'böb@example.com')
  t.same(await client.service('users').find({ query: { email: { $ne: 'ada@example.com' } } }), [
    { email: 'böb@example.com', id: 2 }
  ])
  await client.service('users').remove(2)
  const response = await injectFetch(app)('http://localhost/users', { method: 'HEAD' })
  t.same([response.status, await response.text()], [401, ''])
})

t.test('adapterSuite: it fails for a service that is no adapter', async (t) => {
  const failed: string[] = []
  const test = async (name: string, run: () => Promise<void>) => run().catch(() => failed.push(name))
  // Both ignore the query.
  const create = (options: MemoryOptions) => {
    const service = memory<User>(options)
    const { find, remove } = service
    return Object.assign(service, {
      find: () => find.call(service),
      remove: (id: Id | null) => remove.call(service, id)
    })
  }
  await adapterSuite(test, { create })
  const of = (part: string) => failed.some((name) => name.startsWith(part))
  t.ok(of('a query selects records') && of('remove returns') && of('pages'), 'what depends on the query')
  t.notOk(of('create stores a record') || of('get returns'), 'nothing else')
})

t.test('adapterSuite: with node:test', (t) => {
  const file = join(t.testdir(), 'suite.mjs')
  const at = (name: string) => JSON.stringify(import.meta.resolve(name))
  writeFileSync(
    file,
    `import { test } from 'node:test'
import { memory } from ${at('fastify-services/memory')}
import { adapterSuite } from ${at('fastify-services/testing')}
await adapterSuite(test, { create: (options) => memory(options) })`
  )
  const { stdout, status } = spawnSync(process.execPath, ['--test-reporter=tap', file], { encoding: 'utf8' })
  t.equal(status, 0, stdout)
  t.match(stdout, /^# pass 3\d$/m)
  t.match(stdout, /^# fail 0$/m)
  t.end()
})

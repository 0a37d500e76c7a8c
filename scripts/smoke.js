// Run in a project that has the packed package, by the versions of Node, Fastify and the dependencies that it is to work with.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import bcrypt from 'bcryptjs'
import Fastify from 'fastify'
import services, { NotFound } from 'fastify-services'
import authentication, { authenticate, hashPassword } from 'fastify-services/authentication'
import { createClient, authentication as login, rest } from 'fastify-services/client'

const app = Fastify()
await app.register(services)
const users = []
app.service(
  'users',
  {
    find: async ({ query }) => users.filter(({ email }) => email === query.email),
    get: async (id) => users[id - 1],
    create: async (data) => users[users.push({ ...data, id: users.length + 1 }) - 1]
  },
  { hooks: { before: { create: [hashPassword('password')] } } }
)
await app.register(authentication, {
  secret: 'a secret of 32 bytes for a smoke',
  refresh: true,
  revocation: true,
  strategies: { jwt: true, local: { bcrypt: true } }
})
app.service(
  'things',
  {
    find: async ({ query }) => [query],
    get: async (id) => {
      if (id === 'stream') return Readable.from([{ id: 1 }, { id: 2 }])
      throw new NotFound(`No thing ${id}`)
    },
    create: async (data) => data,
    archive: async (data) => ({ archived: data })
  },
  { methods: ['find', 'get', 'create', 'archive'], schema: { create: { body: { type: 'object', required: ['a'] } } } }
)
app.service('mine', { find: async ({ user }) => user }, { hooks: { around: { all: [authenticate('jwt')] } } })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
users.push({ id: 1, email: 'old@example.com', password: await bcrypt.hash('correct horse', 4) })

const things = `${url}/things`
const form = { method: 'POST', body: new URLSearchParams('a[b][]=1') }
assert.deepEqual(await (await fetch(`${things}?a[b]=1&c[]=2`)).json(), [{ a: { b: '1' }, c: ['2'] }])
assert.deepEqual(await (await fetch(things, form)).json(), { a: { b: ['1'] } })
assert.equal(await (await fetch(`${things}/stream`)).text(), '{"id":1}\n{"id":2}\n')
assert.equal((await fetch(things, { method: 'DELETE' })).status, 405)

const client = createClient()
client.configure(rest(url).fetch(fetch))
client.configure(login())
await assert.rejects(client.service('things').get('1'), { name: 'NotFound', code: 404, message: 'No thing 1' })
await assert.rejects(client.service('things').create([{ b: 1 }]), { code: 400 })
assert.deepEqual(await client.service('things').create([{ a: 1 }]), [{ a: 1 }])
await assert.rejects(client.service('mine').find(), { code: 401 })
await client.service('users').create({ email: 'new@example.com', password: 'correct horse' })
for (const email of ['old@example.com', 'new@example.com']) {
  const { user } = await client.authenticate({ strategy: 'local', email, password: 'correct horse' })
  assert.equal(user.email, email)
  assert.equal(user.password, undefined)
  assert.equal((await client.service('mine').find()).email, email)
  await client.logout()
}
const wrong = { strategy: 'local', email: 'new@example.com', password: 'wrong' }
await assert.rejects(client.authenticate(wrong), { code: 401, message: 'Invalid login' })
await app.close()

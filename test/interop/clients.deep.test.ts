import { feathers } from '@feathersjs/feathers'
import { type ClientRequest, type Connection, rest } from 'fastify-services/client'
import t from 'tap'
import { createApi } from '../support/client-api.js'
import { contract, nothing, type RemoteApp } from '../support/client-contract.js'
import { createDrivers, inNode } from '../support/client-drivers.js'
import { type Column, print } from '../support/client-table.js'
import { clients } from '../support/interop-clients.js'
import { servers } from '../support/interop-servers.js'

/** What a row expects of our clients: an answer without a body is `null`. */
const expectedOf = (expected: unknown): unknown =>
  Array.isArray(expected) ? expected.map(expectedOf) : expected === nothing ? null : expected

t.test('our client: every adapter on every server', async (t) => {
  const columns: Column[] = []
  const drivers = await createDrivers()
  for (const [server, serve] of Object.entries(servers)) {
    const base = await serve(t)
    for (const driver of drivers) {
      const holds = new Map<string, boolean>()
      columns.push({ adapter: driver.adapter, server, passed: holds })
      for (const row of contract) {
        const held = await driver.keep(row, base).catch((error) => ({ failed: String(error) }))
        holds.set(
          row.name,
          t.match(held, expectedOf(row.expected) as object, `${driver.adapter}, ${server}: ${row.name}`)
        )
      }
    }
  }
  t.comment(print(columns))
})

t.test('our client that sends queries as a body: servers of Feathers get them in the URL', async (t) => {
  const { client } = createApi('fetch', fetch)
  for (const [server, serve] of Object.entries(servers)) {
    const sent: string[] = []
    const app = client(await serve(t), { query: 'body' })
    const { connection } = app as unknown as { connection: Connection }
    const { send } = connection
    const things = app.service('things')
    Object.assign(connection, {
      send: (request: ClientRequest) => {
        sent.push(request.method)
        return send(request)
      }
    })
    const query = { name: 'Ada', tags: ['a', 'b'] }
    for (let i = 0; i < 2; i++) t.match(await things.find({ query }), { query }, server)
    t.same(sent.slice(1), server === 'fastify-services' && sent.length === 2 ? ['QUERY'] : ['GET', 'GET'], server)
  }
})

t.test(
  'our client: a custom method without data gets on each server what the client of Feathers gives it',
  async (t) => {
    const empty = undefined as never
    for (const [server, serve] of Object.entries(servers)) {
      const base = await serve(t)
      for (const [adapter, library] of inNode.filter(([name]) => name in clients)) {
        const theirs = await clients[adapter]?.connect(base).service('things').archive(empty)
        const ours = await createApi(adapter, library).app(base).service('things').archive(empty)
        t.same(ours, theirs, `${adapter}, ${server}`)
        t.match(ours, { query: {} })
      }
    }
  }
)

const fill = (expected: unknown, value: unknown): unknown =>
  Array.isArray(expected) ? expected.map((item) => fill(item, value)) : expected === nothing ? value : expected
const { outcome } = createApi('fetch', fetch)

for (const [server, serve] of Object.entries(servers))
  t.test(`clients of Feathers 5 on ${server}`, async (t) => {
    const base = await serve(t)
    for (const [client, { connect, nothing: made }] of Object.entries(clients)) {
      const app = connect(base)
      for (const { name, run, expected } of contract.filter(({ isOurs }) => !isOurs))
        t.match(await run(app, outcome), fill(expected, made) as object, `${client}: ${name}`)
    }
  })

t.test('our connections on an application of @feathersjs/feathers', async (t) => {
  const base = await servers['fastify-services'](t)
  for (const [adapter, library] of inNode) {
    const connection = (rest(base)[adapter] as (library: unknown) => ReturnType<ReturnType<typeof rest>['fetch']>)(
      library
    )
    const app = feathers().configure(connection as never)
    app.use(
      'things',
      connection.service('things') as never,
      {
        methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
      } as never
    )
    app.use('own', { find: async () => [1] } as never)
    t.strictSame(await app.service('own').find(), [1], 'a service of the application itself stands beside them')
    t.equal((app as { rest?: unknown }).rest, library)
    for (const { name, run, expected } of contract.filter(({ isOurs }) => !isOurs))
      t.match(await run(app as unknown as RemoteApp, outcome), fill(expected, null) as object, `${adapter}: ${name}`)
    t.throws(() => app.configure(connection as never), /There is a connection already/)
  }
})

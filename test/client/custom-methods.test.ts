import { feathers } from '@feathersjs/feathers'
import Fastify from 'fastify'
import services, { type Params } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { createClientOfEcho } from '../support/client-app.js'

class Todos {
  async find() {
    return [1]
  }
  async archive(data: { before: number }, { query }: Params) {
    return { archived: data.before, query }
  }
  async count() {
    return { count: 2 }
  }
}

async function create(t: Test) {
  const server = Fastify()
  t.teardown(() => server.close())
  await server.register(services)
  server.service('todos', new Todos(), { methods: ['find', 'archive', 'count'] })
  const address = await server.listen({ port: 0 })
  const connection = rest(address).fetch(fetch)
  return {
    address,
    connection,
    app: createClient<{ todos: Todos; own: { find(): Promise<number[]> } }>().configure(connection)
  }
}

t.test('a custom method needs no name in `use`', async (t) => {
  const { app } = await create(t)
  const todos = app.service('todos')
  t.same(await todos.archive({ before: 1 }, { query: { a: '1' } }), { archived: 1, query: { a: '1' } })
  t.same(await todos.count(), { count: 2 })
  const [first, other] = await Promise.all([todos.archive({ before: 2 }), todos.archive({ before: 3 })])
  t.same([first.archived, other.archived], [2, 3])
  t.same(await todos.find(), [1])
})

t.test('an application of Feathers takes a connection, and names custom methods at `use`', async (t) => {
  const { address } = await create(t)
  const connection = rest(address).fetch(fetch)
  const app = feathers().configure(connection as never)
  app.use('todos', connection.service('todos') as never, { methods: ['find', 'archive'] })
  const todos = app.service('todos') as unknown as Todos
  t.same(await todos.archive({ before: 1 }, { query: {} }), { archived: 1, query: {} })
  t.same(await todos.find(), [1])
})

t.test('its hooks run, of the service and of the application, added before the first call or after it', async (t) => {
  const { app } = await create(t)
  const calls: string[] = []
  const todos = app.service('todos').hooks({
    before: { archive: ({ data, service }) => void calls.push(`before ${data.before} ${service === todos}`) }
  })
  app.hooks({ around: { all: [async ({ method }, next) => next().then(() => calls.push(`around ${method}`))] } })
  await todos.archive({ before: 1 })
  todos.hooks({ after: { archive: ({ result }) => void calls.push(`after ${result.archived}`) } })
  await todos.archive({ before: 2 })
  t.same(calls, ['before 1 true', 'around archive', 'before 2 true', 'after 2', 'around archive'])
})

t.test(
  "what JavaScript and frameworks look up is no method, nor what can be none, nor what an object of one's own lacks",
  async (t) => {
    const { app, asked } = await createClientOfEcho(t)
    const things = app.service('things') as unknown as Record<PropertyKey, unknown>
    for (const name of [
      'then',
      'setup',
      'around',
      'toJSON',
      '$$typeof',
      '__v_isRef',
      '@@iterator',
      Symbol.iterator,
      Symbol.toPrimitive
    ])
      t.equal(things[name], undefined, String(name))
    t.equal(await things, things)
    JSON.stringify(things)
    app.use('own', { find: async () => [] })
    t.equal((app.service('own') as unknown as Record<string, unknown>).archive, undefined)
    t.same(asked, [])
  }
)

t.test(
  'who only looks at a service does not change it, nor takes it for a stream, a promise or a DOM node',
  async (t) => {
    const app = createClient().configure(rest('http://localhost').fetch(fetch))
    const service = app.service('todos') as unknown as Record<string, unknown>
    const names = Object.keys(service)
    for (const name of ['archive', 'count', 'publish']) t.type(service[name], 'function')
    for (const name of [
      'then',
      'catch',
      'finally',
      'pipe',
      'getReader',
      'nodeType',
      'length',
      'asymmetricMatch',
      'toJSON'
    ])
      t.equal(service[name], undefined, name)
    t.same(Object.keys(service), names)
  }
)

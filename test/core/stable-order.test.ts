import { memory } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type AroundHook, type Params, type Query, stableOrder } from 'fastify-services'
import { allow } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { pagesOf } from '../support/paged-ids.js'

/** Returns the `$sort` that a service gets for one of a query. */
async function orderOf(t: Test, query: Query | undefined, field?: string, service: object = {}): Promise<unknown> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [stableOrder(field)] } } })
  const find = async ({ query }: Params) => query?.$sort
  const get = async (_id: unknown, { query }: Params) => query ?? {}
  const echo = app.service('echo', { ...service, find, get })
  const params: Params = query === undefined ? {} : { query }
  t.same(await echo.get(1, params), query ?? {}, 'only `find` has an order')
  return Object.entries((await echo.find(params)) as object)
}

t.test('the order ends with the id, in the direction of the field before it', async (t) => {
  for (const query of [undefined, {}]) t.same(await orderOf(t, query), [['id', 1]])
  const sorted = { $sort: { name: 1, at: '-1' }, $limit: 1 }
  t.same(await orderOf(t, sorted), [
    ['name', 1],
    ['at', '-1'],
    ['id', '-1']
  ])
  t.same(await orderOf(t, { $sort: { id: -1, name: 1 } }), [
    ['id', -1],
    ['name', 1]
  ])
  t.same(await orderOf(t, { $sort: { name: 1 } }, undefined, { options: { id: '_id' } }), [
    ['name', 1],
    ['_id', 1]
  ])
  t.same(await orderOf(t, {}, 'cities.id'), [['cities.id', 1]])
  t.same(await orderOf(t, { $sort: '-at' }), Object.entries('-at'), 'an order of another form is left to the service')
})

t.test('pages of records with equal values neither repeat nor lose any', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { find: [stableOrder()] } } })
  // Records in no order.
  const store = Object.fromEntries([7, 3, 12, 1, 9, 4].map((id) => [`key ${id}`, { id, name: 'same' }]))
  app.service('things', memory({ store, paginate: { default: 2, max: 2 } }))
  t.same(await pagesOf(app, '/things?'), [1, 3, 4, 7, 9, 12])
  t.same(await pagesOf(app, '/things?$sort[name]=-1'), [12, 9, 7, 4, 3, 1])
})

t.test('other hooks see the query as it was: a role need not see the id', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { find: [stableOrder()] } } })
  const readUser: AroundHook = ({ params }, next) => {
    Object.assign(params, { user: { id: 1, role: 'reader' } })
    return next()
  }
  const around = { all: [readUser, allow({ reader: { find: ['name'] } })] }
  app.service('things', memory({ store: { 2: { id: 2, name: 'b' }, 1: { id: 1, name: 'a' } } }), { hooks: { around } })
  t.same((await app.inject('/things')).json(), [{ name: 'a' }, { name: 'b' }])
})

t.test('it is an around hook, and takes the name of a field', async (t) => {
  for (const field of ['', 7, null, {}])
    t.throws(() => stableOrder(field as never), { name: 'TypeError', message: /needs the name/ })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', memory(), { hooks: { before: { find: [stableOrder()] } } as never })
  await t.rejects(async () => app.ready(), {
    message: "stableOrder at 'things' is a hook for 'around', not for 'before'"
  })
})

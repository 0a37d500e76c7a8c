import { BadRequest } from 'fastify-services'
import t, { type Test } from 'tap'
import { definitionOf, methods } from '../../lib/core/methods.js'
import { createApp } from '../support/core.js'

const rows: [
  name: string,
  verb: string,
  id: boolean | 'optional',
  args: string[],
  event: string | null,
  status: number
][] = [
  ['find', 'GET', false, ['params'], null, 200],
  ['get', 'GET', true, ['id', 'params'], null, 200],
  ['create', 'POST', false, ['data', 'params'], 'created', 201],
  ['update', 'PUT', 'optional', ['id', 'data', 'params'], 'updated', 200],
  ['patch', 'PATCH', 'optional', ['id', 'data', 'params'], 'patched', 200],
  ['remove', 'DELETE', 'optional', ['id', 'params'], 'removed', 200]
]

t.test('Each service method maps to one HTTP method and one path shape. The mapping is fixed', async (t) => {
  t.same(
    [...methods.keys()],
    rows.map(([name]) => name)
  )
  for (const [name, verb, id, args, event, status] of rows) {
    t.match(methods.get(name), { verb, id, arguments: args, event, status }, name)
    t.equal(definitionOf(name), methods.get(name), `${name} has its own definition`)
  }
})

t.test('every other name is a custom method: name(data, params), by POST, without an event', async (t) => {
  for (const name of ['archive', 'constructor', 'toString', '__proto__']) {
    t.match(
      definitionOf(name),
      { verb: 'POST', id: false, arguments: ['data', 'params'], event: null, status: 200 },
      name
    )
  }
})

type Call = (...args: unknown[]) => Promise<unknown>

/** Calls a method of a service that returns its arguments. */
async function createCall(t: Test) {
  const echo = async (...args: unknown[]) => args
  const { app } = await createApp(t)
  const object = { find: echo, get: echo, create: echo, update: echo, patch: echo, remove: echo, archive: echo }
  const service = app.service('echo', object, { methods: ['find', 'archive'] }) as unknown as Record<string, Call>
  return (name: string, ...args: unknown[]) => (service[name] as Call)(...args)
}

const badRequest = (message: string) => ({ constructor: BadRequest, message, code: 400 })

t.test('the id of get, update, patch and remove must be given, null stands for many records', async (t) => {
  const call = await createCall(t)
  for (const name of ['get', 'update', 'patch', 'remove']) {
    const data = name === 'update' || name === 'patch' ? [{}] : []
    await t.rejects(call(name), badRequest(`An id must be provided to the '${name}' method`))
    await t.rejects(call(name, undefined, ...data), badRequest(`An id must be provided to the '${name}' method`))
    for (const id of [null, 0, ''])
      t.same(await call(name, id, ...data), [id, ...data, {}], `${name}(${JSON.stringify(id)})`)
  }
})

t.test('create, update, patch without a body: 400 BadRequest `No data provided`', async (t) => {
  const call = await createCall(t)
  await t.rejects(call('create'), badRequest('No data provided'))
  await t.rejects(call('update', '1'), badRequest('No data provided'))
  await t.rejects(call('patch', null, undefined, {}), badRequest('No data provided'))
})

t.test("`First parameter for 'create' must be an object` (`Second parameter for 'update' …`)", async (t) => {
  const call = await createCall(t)
  for (const data of [null, 1, 0, 's', '', true, false, Symbol('s'), 1n, () => {}]) {
    await t.rejects(
      call('create', data),
      badRequest("First parameter for 'create' must be an object"),
      `create ${String(data)}`
    )
    await t.rejects(
      call('update', '1', data),
      badRequest("Second parameter for 'update' must be an object"),
      `update ${String(data)}`
    )
    await t.rejects(
      call('patch', '1', data),
      badRequest("Second parameter for 'patch' must be an object"),
      `patch ${String(data)}`
    )
  }
})

t.test('a body that is not an object (for `create`: nor an array)', async (t) => {
  const call = await createCall(t)
  t.same(await call('create', [{ text: 'a' }]), [[{ text: 'a' }], {}], 'create takes a batch')
  t.same(await call('create', []), [[], {}], 'an empty one too')
  await t.rejects(call('update', '1', []), badRequest("Second parameter for 'update' must be an object"))
  await t.rejects(call('patch', '1', [{}]), badRequest("Second parameter for 'patch' must be an object"))
})

t.test('find and custom methods are called with anything, params are an object where none is given', async (t) => {
  const call = await createCall(t)
  t.same(await call('find'), [{}])
  t.same(await call('find', null), [{}])
  t.same(await call('find', { query: { a: '1' } }), [{ query: { a: '1' } }])
  t.same(await call('archive'), [undefined, {}])
  t.same(await call('archive', 's', { query: {} }), ['s', { query: {} }])
})

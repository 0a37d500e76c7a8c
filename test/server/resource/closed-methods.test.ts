import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { resource, type ServiceOptions } from 'fastify-services'
import t from 'tap'
import * as z from 'zod'

const tasks = resource(z.object({ id: z.int(), state: z.string() }), {
  readOnly: ['id'],
  methods: { update: false, remove: false, close: { route: 'POST /:id/close' } }
})

class Tasks extends MemoryService {
  async close(id: number) {
    return this._patch(id, { state: 'closed' })
  }
}

async function createApp(t: { teardown(end: () => unknown): void }, options: object = { schema: tasks }) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const service = app.service<Record<string, unknown>, string>(
    'tasks',
    new Tasks({ startId: 1 }) as never,
    options as ServiceOptions
  )
  const send = async (method: 'PUT' | 'POST' | 'PATCH' | 'DELETE', url: string, payload: object, headers = {}) =>
    (await app.inject({ method, url, payload, headers })).statusCode
  await send('POST', '/tasks', { state: 'open' })
  return { app, service: service as unknown as Tasks, send }
}

t.test('clients may not call methods that the resource closes, the server may', async (t) => {
  const { app, service, send } = await createApp(t)
  t.equal(await send('PUT', '/tasks/1', { state: 'a' }), 405)
  t.equal(await send('POST', '/tasks', { id: 1 }, { 'x-service-method': 'update' }), 405)
  t.equal(await send('DELETE', '/tasks/1', {}), 405)
  t.equal(await send('PATCH', '/tasks/1', { state: 'b' }), 200)
  t.equal(await send('POST', '/tasks/1/close', {}), 200)
  t.strictSame(await service.update(1, { state: 'c' }), { id: 1, state: 'c' })
  t.notMatch(app.printServices(), /update|remove/)
})

t.test('a copy of the schemas keeps them closed', async (t) => {
  const { send } = await createApp(t, { schema: { ...tasks, patch: { ...tasks.patch, summary: 'Change' } } })
  t.equal(await send('PUT', '/tasks/1', { state: 'a' }), 405)
  await t.rejects(createApp(t, { schema: { ...tasks, update: { summary: 'Replace' } } }), {
    message: /has a schema for 'update', which HTTP can't call/
  })
})

t.test('the option `methods` of the service has the last word', async (t) => {
  const { send } = await createApp(t, { schema: tasks, methods: ['create', 'update'] })
  t.equal(await send('PUT', '/tasks/1', { state: 'a' }), 200)
  t.equal(await send('PATCH', '/tasks/1', { state: 'a' }), 405)
})

t.test('only standard methods can be closed', async (t) => {
  t.throws(() => resource(z.object({ id: z.int() }), { methods: { close: false } }), /can't close 'close' in `methods`/)
  t.throws(
    () => resource(z.object({ id: z.int() }), { methods: { update: true as never } }),
    /'update' in `methods`: it is one of the six, which can only be false there/
  )
})

import swagger from '@fastify/swagger'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type CustomMethods, type HookOptions, type Id, idempotency, resource } from 'fastify-services'
import { openapi } from 'fastify-services/openapi'
import t, { type Test } from 'tap'
import * as z from 'zod'

const Task = z.object({ id: z.int(), state: z.string() })

class Tasks extends MemoryService<{ id?: number; state: string }> {
  async close(id: Id) {
    return this._patch(id, { state: 'closed' })
  }
  async copy(id: Id) {
    return this._create({ state: (await this._get(id)).state })
  }
}

async function createApp(t: Test, methods: Record<string, object>, hooks: HookOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const tasks = app.service<Record<string, unknown>, string>('tasks', new Tasks({ startId: 1 }) as never, {
    schema: resource(Task, { readOnly: ['id'], methods: methods as CustomMethods }),
    hooks
  })
  const heard: unknown[] = []
  for (const event of ['created', 'updated', 'patched', 'removed'])
    tasks.on(event, (record: unknown) => void heard.push([event, record]))
  const post = async (url: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers })
    return [statusCode, JSON.parse(body).message ?? JSON.parse(body)]
  }
  await app.inject({ method: 'POST', url: '/tasks', payload: { state: 'open' } })
  heard.length = 0
  return { app, tasks, heard, post }
}

t.test('a declared event is emitted with the result, by its route, by the header and by the server', async (t) => {
  const close = { route: 'POST /:id/close', event: 'patched' }
  const { tasks, heard, post } = await createApp(t, { close })
  const closed = { id: 1, state: 'closed' }
  t.strictSame(await post('/tasks/1/close'), [200, closed])
  await (tasks as unknown as Tasks).close(1)
  t.strictSame(heard, [
    ['patched', closed],
    ['patched', closed]
  ])
  t.strictSame((await post('/tasks/9/close'))[0], 404)
  t.equal(heard.length, 2, 'a call that fails emits nothing')
})

t.test('hooks see a declared event and may change it, and the status stays that of the method', async (t) => {
  const seen: unknown[] = []
  const methods = {
    close: { route: 'POST /:id/close', event: 'patched' },
    copy: { route: 'POST /:id/copy', event: 'created' }
  }
  const { heard, post } = await createApp(t, methods, {
    around: {
      close: [
        async (context, next) => {
          seen.push(context.event)
          context.event = null
          await next()
        }
      ]
    }
  })
  t.equal((await post('/tasks/1/close'))[0], 200)
  t.strictSame([seen, heard], [['patched'], []])
  t.strictSame(await post('/tasks/1/copy'), [200, { id: 2, state: 'closed' }])
  t.strictSame(heard, [['created', { id: 2, state: 'closed' }]])
})

t.test('a declaration says whether the method takes or needs an Idempotency-Key', async (t) => {
  const close = (idempotency: unknown) => ({ close: { route: 'POST /:id/close', event: 'patched', idempotency } })
  const hooks = { around: { all: [idempotency()] } }
  const required = await createApp(t, close('required'), hooks)
  t.strictSame(await required.post('/tasks/1/close'), [400, "'close' of 'tasks' needs the header Idempotency-Key"])
  for (let call = 0; call < 2; call++) await required.post('/tasks/1/close', { 'idempotency-key': 'a' })
  t.equal(required.heard.length, 1, 'the second is a repetition')

  const without = await createApp(t, close(false), { around: { close: [idempotency({ required: true })] } })
  t.strictSame(await without.post('/tasks/1/close', { 'idempotency-key': 'a' }), [
    400,
    "'close' of 'tasks' takes no Idempotency-Key"
  ])
  t.equal((await without.post('/tasks/1/close'))[0], 200, 'no key is needed')

  const optional = await createApp(t, close(true), { around: { close: [idempotency({ required: true })] } })
  t.equal((await optional.post('/tasks/1/close'))[0], 200)
})

t.test('documents say whether a key is needed', async (t) => {
  const parametersWith = async (value: boolean | 'required') => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(swagger, openapi({ info: { title: 'Tasks', version: '1' } }))
    await app.register(services)
    const methods = { close: { route: 'POST /:id/close', idempotency: value } } as const
    app.service<Record<string, unknown>, string>('tasks', new Tasks({}) as never, {
      schema: resource(Task, { methods }) as never,
      hooks: { around: { all: [idempotency()] } }
    })
    await app.ready()
    const { parameters } = app.swagger().paths?.['/tasks/{id}/close']?.post ?? {}
    return (parameters as { name: string; required?: boolean }[]).find(({ name }) => name === 'Idempotency-Key')
  }
  t.match(await parametersWith('required'), { required: true })
  t.match(await parametersWith(true), { name: 'Idempotency-Key', required: false })
  t.equal(await parametersWith(false), undefined)
})

t.test('a declared key without the hook that reads it stops the start', async (t) => {
  for (const value of [true, 'required'])
    await t.rejects(
      createApp(t, { close: { idempotency: value } }, { around: { create: [idempotency()] } }),
      /^The resource of 'tasks' declares `idempotency` for 'close', but no hook reads the key: add idempotency\(\)/
    )
  await createApp(t, { close: { idempotency: false } })
})

t.test('options of a declaration of another kind are refused', async (t) => {
  const refused: [object, RegExp][] = [
    [
      { event: 'closed' },
      /`methods.close.event` of resource\(\) must be one of created, updated, patched, removed, got/
    ],
    [
      { allow: 'admin' },
      /`methods.close.allow` of resource\(\) must be a list of roles, as in \['admin'\], got 'admin'/
    ],
    [{ allow: [1] }, /must be a list of roles/],
    [{ allow: null }, /must be a list of roles.*, got null/],
    [{ idempotency: 'need' }, /must be true, false or 'required', got 'need'/],
    [{ events: 'patched' }, /no option 'methods.close.events'.*Did you mean 'methods.close.event'/]
  ]
  for (const [close, message] of refused) t.throws(() => resource(Task, { methods: { close } as never }), message)
})

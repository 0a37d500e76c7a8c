import { BadRequest, type HookContext } from 'fastify-services'
import t from 'tap'
import { createEmitting, fail, set } from '../support/core-services.js'

const rows = [
  ['create', 'created', [{}]],
  ['update', 'updated', ['1', {}]],
  ['patch', 'patched', ['1', {}]],
  ['remove', 'removed', ['1']]
] as const

for (const [method, event, args] of rows) {
  t.test(`\`${method}\` → \`${event}\`; listeners get \`(record, context)\``, async (t) => {
    const { service, emitted } = await createEmitting(t)
    await service[method](...args)
    t.equal(emitted.length, 1)
    const [[name, record, context]] = emitted as [[string, unknown, HookContext]]
    t.same([name, record], [event, { id: '1' }])
    t.match(context, { path: 'things', method, event, result: { id: '1' } })
    t.equal(context.service, service)
  })
}

t.test('find, get and custom methods emit nothing', async (t) => {
  const { service, seen } = await createEmitting(t)
  await service.find()
  await service.get('1')
  await service.archive({})
  t.same(seen(), [])
})

t.test('once per record of an array result', async (t) => {
  const { service, seen, emitted } = await createEmitting(t, { result: [{ id: '1' }, { id: '2' }] })
  await service.create([{}, {}])
  t.equal(emitted[0]?.[2], emitted[1]?.[2], 'with the same context')
  t.same(seen(), [
    ['created', { id: '1' }],
    ['created', { id: '2' }]
  ])
  await service.remove(null)
  t.same(seen(), [
    ['removed', { id: '1' }],
    ['removed', { id: '2' }]
  ])
  const empty = await createEmitting(t, { result: [] })
  await empty.service.remove(null)
  t.same(empty.seen(), [])
})

t.test('after the method and its hooks succeeded', async (t) => {
  const order: string[] = []
  const { service } = await createEmitting(t, {
    hooks: {
      around: {
        create: async (_context, next) => {
          await next()
          order.push('around')
        }
      },
      after: {
        create: (context) => {
          order.push('after')
          context.result = { id: 'changed' }
        }
      }
    }
  })
  service.on('created', (record: { id: string }) => order.push(`created ${record.id}`))
  await service.create({})
  t.same(order, ['after', 'around', 'created changed'])
})

t.test('a call that fails emits nothing, one that an error hook recovers does', async (t) => {
  const before = await createEmitting(t, { hooks: { before: { create: fail(new BadRequest('no')) } } })
  await t.rejects(before.service.create({}))
  t.same(before.seen(), [])
  const after = await createEmitting(t, { hooks: { after: { create: fail(new BadRequest('no')) } } })
  await t.rejects(after.service.create({}))
  t.same(after.seen(), [])
  const recovered = await createEmitting(t, {
    hooks: {
      after: { create: fail(new BadRequest('no')) },
      error: {
        create: set({ result: { id: 'recovered' } })
      }
    }
  })
  await recovered.service.create({})
  t.same(recovered.seen(), [['created', { id: 'recovered' }]])
})

t.test('a result that a hook set is emitted too', async (t) => {
  const { service, seen } = await createEmitting(t, {
    hooks: {
      before: {
        create: set({ result: { id: 'early' } })
      }
    }
  })
  await service.create({})
  t.same(seen(), [['created', { id: 'early' }]])
})

t.test('a call over HTTP emits as one from the server itself does', async (t) => {
  const { app, emitted } = await createEmitting(t)
  await app.inject({ method: 'POST', url: '/things', payload: {} })
  t.match(emitted, [['created', { id: '1' }, { params: { provider: 'rest' } }]])
})

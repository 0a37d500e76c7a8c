import t from 'tap'
import { createEmitting, type Emitting, set } from '../support/core-services.js'

t.test('`context.event = null`: nothing is emitted; another name: that event', async (t) => {
  const silent = await createEmitting(t, {
    hooks: {
      before: {
        create: set({ event: null })
      }
    }
  })
  await silent.service.create({})
  t.same(silent.seen(), [])
  const renamed = await createEmitting(t, {
    hooks: {
      after: {
        archive: set({ event: 'archived' })
      }
    }
  })
  await renamed.service.archive({})
  t.same(renamed.seen(), [['archived', { id: '1' }]])
})

for (const [name, setup] of [
  ['`events` option', { events: ['created', 'archived'] }],
  ['`events` property', { property: ['created', 'archived'] }]
] as const) {
  t.test(`${name}: a standard event listed there is not emitted for it`, async (t) => {
    const { service, seen } = await createEmitting(t, setup as Emitting)
    await service.create({})
    t.same(seen(), [])
    await service.patch('1', {})
    t.same(seen(), [['patched', { id: '1' }]])
    t.equal(service.emit('created', { id: 'by itself' }), true)
    t.equal(service.emit('archived', { id: 'by itself' }), true)
    t.same(seen(), [
      ['created', { id: 'by itself' }],
      ['archived', { id: 'by itself' }]
    ])
  })
}

t.test('the `events` option stands in for the property; a property that is no list is none', async (t) => {
  const option = await createEmitting(t, { events: [], property: ['created'] })
  await option.service.create({})
  t.same(option.seen(), [['created', { id: '1' }]])
  const other = await createEmitting(t, { property: { created: true } })
  await other.service.create({})
  t.same(other.seen(), [['created', { id: '1' }]])
})

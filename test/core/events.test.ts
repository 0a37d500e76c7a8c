import { createHook } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { EventEmitter as EventEmitter3 } from 'eventemitter3'
import { BadRequest, type HookContext, type Listener } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/core.js'
import { createEmitting, type Emitting, fail, set } from '../support/core-services.js'

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

t.test('`context.event = null`: nothing is emitted; another name: that event', async (t) => {
  const silent = await createEmitting(t, {
    hooks: {
      before: {
        create: set({ event: null })
      }
    }
  })
  silent.service.on('null', () => t.fail('it is no name of an event'))
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

/** What the two kinds declare differently. */
interface Emitter {
  on(event: string, listener: Listener): unknown
  once(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  emit(event: string, ...args: unknown[]): boolean
  listenerCount(event: string): number
  removeAllListeners(): unknown
}
const emitters: [string, () => Emitter][] = [
  ["node's EventEmitter", () => new EventEmitter()],
  ['eventemitter3', () => new EventEmitter3() as Emitter]
]

for (const [name, createEmitter] of emitters) {
  t.test(`If the object is an event emitter (${name}), its events are the service's events`, async (t) => {
    const { app } = await createApp(t)
    const object = Object.assign(createEmitter(), { create: async (data: { id: string }) => data })
    const service = app.service('things', object)
    const calls: string[] = []
    service.on('created', ({ id }) => calls.push(`service ${id}`))
    object.on('created', ({ id }) => calls.push(`object ${id}`))
    await service.create({ id: '1' })
    t.same(calls.splice(0), ['service 1', 'object 1'])
    service.on('archived', (id) => calls.push(`archived ${id}`))
    object.emit('archived', '2')
    service.emit('archived', '3')
    t.same(calls.splice(0), ['archived 2', 'archived 3'])
    t.equal(service.listenerCount('created'), object.listenerCount('created'))
    object.removeAllListeners()
    await service.create({ id: '2' })
    t.same(calls, [])
  })

  t.test(`a listener that was added to the object (${name}) is seen and taken off by the service`, async (t) => {
    const { app } = await createApp(t)
    const object = Object.assign(createEmitter(), { create: async (data: object) => data })
    const service = app.service('things', object)
    const calls: string[] = []
    const onObject = () => calls.push('on the object')
    const onService = () => calls.push('on the service')
    object.on('created', onObject)
    service.on('created', onService)
    t.same(service.listeners('created'), [onObject, onService])
    service.off('created', onObject)
    await service.create({})
    t.same(calls, ['on the service'])
  })

  t.test(
    `a listener that was added to the object (${name}) by \`once\` gets one event, those beside it get all`,
    async (t) => {
      const { app } = await createApp(t)
      class Things {
        create = async (data: object) => data
      }
      const emitter = createEmitter()
      // A method in front of that of the emitter takes as many arguments as it likes.
      const off = (event: string, listener: Listener) =>
        Object.getPrototypeOf(emitter).off.call(emitter, event, listener)
      const object = Object.assign(emitter, new Things(), { off })
      const service = app.service('things', object)
      const calls: string[] = []
      const same = () => calls.push('same')
      object.once('created', same)
      object.on('created', same)
      service.once('created', () => calls.push('of the service'))
      await service.create({})
      t.same(calls.splice(0), ['same', 'same', 'of the service'])
      await service.create({})
      t.same(calls, ['same'])
    }
  )

  t.test(`a service may emit a standard event by itself, from inside its method (${name})`, async (t) => {
    const { app } = await createApp(t)
    const emitter = createEmitter()
    const object = Object.assign(emitter, {
      async create(data: { id: string }) {
        emitter.emit('created', { id: `${data.id}, by itself` })
        return data
      }
    })
    const service = app.service('things', object, { events: ['created'] })
    const seen: unknown[] = []
    service.on('created', (record) => seen.push(record))
    await service.create({ id: '1' })
    t.same(seen, [{ id: '1, by itself' }])
  })
}

/** How many promises are made while a function runs. */
async function promisesOf(run: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count++
    }
  }).enable()
  await run()
  hook.disable()
  return count
}

t.test('a batch with listeners is not dear: no promise for each record', async (t) => {
  const { app } = await createApp(t)
  const service = app.service('things', { create: async (data: object) => data })
  const batch = Array.from({ length: 1000 }, (_, id) => ({ id }))
  const before = await promisesOf(() => service.create(batch))
  const seen: unknown[] = []
  service.on('created', (record) => void seen.push(record))
  service.once('created', (record) => void seen.push(record))
  const after = await promisesOf(() => service.create(batch))
  t.equal(seen.length, 1001)
  t.ok(after < before + 100, `${after} promises with listeners, ${before} without`)
})

import { EventEmitter } from 'node:events'
import { EventEmitter as EventEmitter3 } from 'eventemitter3'
import type { Listener } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/core.js'

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

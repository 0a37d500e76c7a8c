import { EventEmitter } from 'node:events'
import t from 'tap'
import { createApp } from '../support/core.js'

for (const name of ['on', 'once', 'off', 'emit', 'listeners', 'listenerCount', 'removeAllListeners'] as const) {
  t.test(
    `an object that has all of an emitter but \`${name}\` is none: its service has events of its own`,
    async (t) => {
      const { app } = await createApp(t)
      const object = Object.assign(new EventEmitter(), { create: async (data: object) => data, [name]: undefined })
      const service = app.service('things', object as { create(data: object): Promise<object> })
      const seen: unknown[] = []
      service.on('created', (record) => seen.push(record))
      await service.create({ id: '1' })
      t.same(seen, [{ id: '1' }])
      t.equal(service.listenerCount('created'), 1)
      t.equal(EventEmitter.prototype.listenerCount.call(object, 'created'), 0)
    }
  )
}

import { EventEmitter } from 'node:events'
import t from 'tap'
import { createApp } from '../support/core.js'

for (const [name, emitter] of [
  ['plain object', {}],
  ["node's EventEmitter", new EventEmitter()]
] as const) {
  t.test(`${name}: of two equal listeners, \`off\` takes the one that was added last`, async (t) => {
    const { app } = await createApp(t)
    const service = app.service('things', Object.assign(emitter, { create: async (data: object) => data }))
    const calls: string[] = []
    const twice = () => calls.push('twice')
    service
      .on('created', twice)
      .on('created', () => calls.push('between'))
      .on('created', twice)
      .off('created', twice)
    await service.create({})
    t.same(calls, ['twice', 'between'])
  })
}

import { EventEmitter } from 'node:events'
import { EventEmitter as EventEmitter3 } from 'eventemitter3'
import t from 'tap'
import { createApp, settled } from '../support/core.js'

const create = async (data: object) => data
const kinds = [
  ['a plain object', () => ({ create })],
  ["node's EventEmitter", () => Object.assign(new EventEmitter(), { create })],
  ['eventemitter3', () => Object.assign(new EventEmitter3(), { create })]
] as const

for (const [name, createObject] of kinds) {
  t.test(`A listener that throws or rejects is logged, and changes nothing for the caller (${name})`, async (t) => {
    const { app, logged } = await createApp(t)
    const service = app.service('things', createObject() as { create: typeof create })
    const called: string[] = []
    service.on('created', () => {
      throw new Error('it throws')
    })
    service.once('created', async () => {
      throw new Error('it rejects')
    })
    service.on('created', () => called.push('others'))
    t.same(await service.create({ id: '1' }), { id: '1' })
    t.same(called, ['others'], 'other listeners are still called')
    await settled()
    t.match(logged, [
      { err: { message: 'it throws' }, path: 'things', event: 'created' },
      { err: { message: 'it rejects' }, path: 'things', event: 'created' }
    ])

    const response = await app.inject({ method: 'POST', url: '/things', payload: { id: '2' } })
    t.match([response.statusCode, response.json()], [201, { id: '2' }], 'the response is unaffected')
    t.same(called, ['others', 'others'])
    t.equal(logged.length, 3, 'the one that was added by `once` is not called again')
  })

  t.test(`emit by the service itself: listeners that throw are logged too (${name})`, async (t) => {
    const { app, logged } = await createApp(t)
    const service = app.service('things', createObject() as { create: typeof create })
    const called: unknown[] = []
    service.on('archived', () => {
      throw new Error('it throws')
    })
    service.on('archived', (id) => called.push(id))
    t.equal(service.emit('archived', '1'), true)
    t.same(called, ['1'])
    await settled()
    t.match(logged, [{ err: { message: 'it throws' }, path: 'things', event: 'archived' }])
  })

  t.test(`the caller does not wait for a listener (${name})`, async (t) => {
    const { app } = await createApp(t)
    const service = app.service('things', createObject() as { create: typeof create })
    const order: string[] = []
    service.on('created', async () => {
      order.push('begun')
      await settled()
      order.push('ended')
    })
    await service.create({})
    t.same(order, ['begun'])
    await settled()
    await settled()
    t.same(order, ['begun', 'ended'])
  })
}

for (const [name, emitter] of [
  ["node's EventEmitter", new EventEmitter()],
  ['eventemitter3', new EventEmitter3() as EventEmitter3 & Pick<EventEmitter, 'on'>]
] as const) {
  t.test(
    `a listener that was added to the object (${name}) and throws is logged, and changes nothing for the caller`,
    async (t) => {
      const { app, logged } = await createApp(t)
      const service = app.service('things', Object.assign(emitter, { create }))
      emitter.on('created', () => {
        throw new Error('it throws')
      })
      t.same(await service.create({ id: '1' }), { id: '1' })
      await settled()
      t.match(logged, [{ err: { message: 'it throws' }, path: 'things', event: 'created' }])
    }
  )
}

for (const thrown of [undefined, null, 'text', 42, {}]) {
  t.test(`a listener that throws ${JSON.stringify(thrown)} is logged`, async (t) => {
    const { app, logged } = await createApp(t)
    const service = app.service('things', { create })
    service.on('created', () => {
      throw thrown
    })
    await service.create({})
    await settled()
    t.match(logged, [{ path: 'things', event: 'created', msg: String }])
  })
}

type Emitting = { emit(event: string, ...args: unknown[]): boolean }
const emitters: [string, Emitting][] = [
  ["node's EventEmitter", new EventEmitter()],
  ['eventemitter3', new EventEmitter3()]
]

for (const [name, emitter] of emitters) {
  t.test(
    `an event that the object emits itself (${name}): a listener of the service that throws changes nothing for the caller`,
    async (t) => {
      const { app, logged } = await createApp(t)
      const object = Object.assign(emitter, {
        async create(data: object) {
          emitter.emit('created', data)
          return data
        }
      })
      const service = app.service('things', object as { create: typeof create }, { events: ['created'] })
      service.on('created', () => {
        throw new Error('it throws')
      })
      const called: unknown[] = []
      service.on('created', (record) => called.push(record))
      t.same(await service.create({ id: '1' }), { id: '1' })
      t.same(called, [{ id: '1' }])
      await settled()
      t.match(logged, [{ err: { message: 'it throws' }, path: 'things', event: 'created' }])
    }
  )
}

type Then = (resolve: (value: unknown) => void, reject: (error: Error) => void) => void

t.test(
  'a listener may return any thenable: one that resolves, rejects twice, or resolves with a promise',
  async (t) => {
    const { app, logged } = await createApp(t)
    const service = app.service('others', { create })
    const rejected = Promise.reject(new Error('later'))
    rejected.catch(() => {})
    const thens: Then[] = [
      (resolve) => void setImmediate(() => resolve(1)),
      (_resolve, reject) => {
        reject(new Error('once'))
        reject(new Error('twice'))
      },
      (resolve) => resolve(rejected)
    ]
    for (const then of thens) service.on('created', () => Object.fromEntries([['then', then]]))
    await service.create({})
    await new Promise((resolve) => setTimeout(resolve, 10))
    t.same(logged.map(({ err }) => err.message).sort(), ['later', 'once'])
  }
)

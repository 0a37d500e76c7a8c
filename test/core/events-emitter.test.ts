import { EventEmitter } from 'node:events'
import { EventEmitter as EventEmitter3 } from 'eventemitter3'
import t, { type Test } from 'tap'
import { createApp, settled } from '../support/core.js'

class OnNode extends EventEmitter {
  async create(data: object) {
    return data
  }
}

class OnEventEmitter3 extends EventEmitter3 {
  async create(data: object) {
    return data
  }
}

class Plain {
  async create(data: object) {
    return data
  }
}

async function createService(t: Test, object: object) {
  const { app } = await createApp(t)
  return app.service('things', object as Plain)
}

for (const [name, Service] of [
  ['plain object', Plain],
  ["node's EventEmitter", OnNode],
  ['eventemitter3', OnEventEmitter3]
] as const) {
  t.test(`${name}: on, once, off, addListener, removeListener, removeAllListeners`, async (t) => {
    const service = await createService(t, new Service())
    const calls: string[] = []
    const always = () => calls.push('always')
    const once = () => calls.push('once')
    const both = () => calls.push('both')
    t.equal(service.on('created', always), service, 'it chains on the service')
    t.equal(service.once('created', once).addListener('created', both).once('created', both), service)
    t.equal(service.listenerCount('created'), 4)
    await service.create({})
    t.same(calls.splice(0), ['always', 'once', 'both', 'both'])
    await service.create({})
    t.same(
      calls.splice(0),
      ['always', 'both'],
      'what was added by `once` is gone, the same function added by `on` stays'
    )
    t.same(service.listeners('created'), [always, both])
    t.equal(service.off('created', always).removeListener('created', both), service)
    await service.create({})
    t.same(calls, [])
    service.once('created', once).off('created', once)
    await service.create({})
    t.same(calls, [], '`off` takes off what `once` added')
    service.on('created', always).on('patched', always)
    t.equal(service.removeAllListeners('created'), service)
    t.same([service.listenerCount('created'), service.listenerCount('patched')], [0, 1])
    service.removeAllListeners()
    t.equal(service.listenerCount('patched'), 0)
  })

  t.test(`${name}: \`this\` of a listener is the service, as in Feathers`, async (t) => {
    const service = await createService(t, new Service())
    const seen: unknown[] = []
    function listener(this: unknown) {
      seen.push(this)
    }
    service.on('created', listener).once('created', listener)
    await service.create({})
    t.equal(seen.length, 2)
    t.ok(seen.every((self) => self === service))
  })

  t.test(`${name}: emit says whether there are listeners, and hands on all arguments`, async (t) => {
    const service = await createService(t, new Service())
    const calls: unknown[][] = []
    t.equal(service.emit('archived', 1), false)
    t.equal(service.emit('error', new Error('no listener')), false, 'nothing throws where nobody listens')
    service.on('archived', (...args) => calls.push(args))
    t.equal(service.emit('archived', 1, 'b', null), true)
    t.equal(service.emit('archived'), true)
    t.same(calls, [[1, 'b', null], []])
  })

  t.test(`${name}: a listener that is no function: an error that names the event`, async (t) => {
    const service = await createService(t, new Service())
    for (const listener of [undefined, null, 'text', {}]) {
      t.throws(() => service.on('created', listener as never), { message: /created/ })
    }
  })

  t.test(`${name}: a listener that is added or taken off by another one`, async (t) => {
    const service = await createService(t, new Service())
    const calls: string[] = []
    const last = () => calls.push('last')
    service.on('created', () => {
      calls.push('first')
      service.off('created', last).once('created', () => calls.push('added'))
    })
    service.on('created', last)
    await service.create({})
    t.same(calls.splice(0), ['first', 'last'], 'this event goes to those that stood there when it was emitted')
    await service.create({})
    t.same(calls, ['first', 'added'])
  })
}

t.test('an object with some methods of an emitter is none', async (t) => {
  const ofService: unknown[] = []
  const service = await createService(t, {
    on: (...args: unknown[]) => ofService.push(args),
    emit: () => ofService.push('emit'),
    create: async (data: object) => data
  })
  const seen: unknown[] = []
  service.on('created', (record) => seen.push(record))
  await service.create({ id: '1' })
  t.same(seen, [{ id: '1' }])
  t.same(ofService, [])
})

t.test('services do not hear each other', async (t) => {
  const { app } = await createApp(t)
  const plain = app.service('one', new Plain())
  const two = app.service('two', new Plain())
  plain.on('created', () => t.fail('not of this service'))
  await two.create({})
  t.equal(two.listenerCount('created'), 0)
})

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

t.test('a listener that was added to the object and fails is logged, and changes nothing for others', async (t) => {
  const { app, logged } = await createApp(t)
  const emitter = new EventEmitter()
  const service = app.service('things', Object.assign(emitter, { create }))
  const called: unknown[] = []
  emitter.once('created', () => {
    throw new Error('it throws')
  })
  emitter.on('created', async () => {
    throw new Error('it rejects')
  })
  emitter.on('created', (record) => called.push(record))
  service.once('created', (record) => called.push(record))
  for (const id of ['1', '2']) t.same(await service.create({ id }), { id })
  t.same(called, [{ id: '1' }, { id: '1' }, { id: '2' }])
  await settled()
  t.same(
    logged.map(({ err, path, event }) => [err.message, path, event]),
    ['it throws', 'it rejects', 'it rejects'].map((message) => [message, 'things', 'created'])
  )
  t.equal(emitter.listenerCount('created'), 2)
  service.removeAllListeners('created')
  t.same(service.listeners('created'), [])
})

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

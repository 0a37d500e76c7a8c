import { EventEmitter } from 'node:events'
import Fastify from 'fastify'
import services, { type HookContext, NotFound, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'

type Payload = Record<string, unknown>

class Messages {
  async find() {
    return [{ id: '1' }]
  }
  async get(id: string) {
    return { id }
  }
  async create(data: Payload | Payload[]) {
    return data
  }
  async update(id: string | null, data: Payload) {
    return { ...data, id }
  }
  async patch(id: string | null, data: Payload) {
    return id === null
      ? [
          { ...data, id: '1' },
          { ...data, id: '2' }
        ]
      : { ...data, id }
  }
  async remove(id: string) {
    if (id === 'missing') throw new NotFound()
    return { id }
  }
  async archive(data: Payload) {
    return data
  }
}

const names = ['created', 'updated', 'patched', 'removed', 'archived', 'found']

async function create<S extends object>(t: Test, service: S, options: ServiceOptions<S> = {}) {
  const lines: { level: number; msg: string; err?: { message: string } }[] = []
  const app = Fastify({
    logger: {
      stream: {
        write: (line: string) => {
          lines.push(JSON.parse(line))
        }
      }
    }
  })
  t.teardown(() => app.close())
  await app.register(services)
  const registered = app.service('messages', service, options)
  const events: [name: string, record: unknown, context: HookContext][] = []
  for (const name of names)
    registered.on(name, (record: unknown, context: HookContext) => events.push([name, record, context]))
  return { app, registered, lines, events }
}

const requests = {
  create: { method: 'POST', url: '/messages', payload: { text: 'a' } },
  batch: { method: 'POST', url: '/messages', payload: [{ text: 'a' }, { text: 'b' }] },
  update: { method: 'PUT', url: '/messages/1', payload: { text: 'a' } },
  patch: { method: 'PATCH', url: '/messages/1', payload: { text: 'a' } },
  multi: { method: 'PATCH', url: '/messages', payload: { text: 'a' } },
  remove: { method: 'DELETE', url: '/messages/1' }
} as const

const rows: Record<keyof typeof requests, [event: string, record: unknown][]> = {
  create: [['created', { text: 'a' }]],
  batch: [
    ['created', { text: 'a' }],
    ['created', { text: 'b' }]
  ],
  update: [['updated', { text: 'a', id: '1' }]],
  patch: [['patched', { text: 'a', id: '1' }]],
  multi: [
    ['patched', { text: 'a', id: '1' }],
    ['patched', { text: 'a', id: '2' }]
  ],
  remove: [['removed', { id: '1' }]]
}

for (const [name, expected] of Object.entries(rows)) {
  t.test(
    `\`create\` → \`created\`, \`update\` → \`updated\`, …, once per record of an array result: ${name}`,
    async (t) => {
      const { app, events } = await create(t, new Messages())
      await app.inject(requests[name as keyof typeof requests])
      t.strictSame(
        events.map(([event, record]) => [event, record]),
        expected
      )
    }
  )
}

t.test('find, get and custom methods emit nothing', async (t) => {
  const { app, events } = await create(t, new Messages(), { methods: ['find', 'get', 'archive'] })
  await app.inject('/messages')
  await app.inject('/messages/1')
  const response = await app.inject({
    method: 'POST',
    url: '/messages',
    headers: { 'x-service-method': 'archive' },
    payload: {}
  })
  t.equal(response.statusCode, 200)
  t.strictSame(events, [])
})

t.test('after the method and its hooks succeeded: with the result that the hooks left', async (t) => {
  const order: string[] = []
  const after = async (context: HookContext) => {
    order.push('hook')
    context.result = { hooked: true }
    context.dispatch = { shown: true }
  }
  const { app, registered, events } = await create(t, new Messages(), {
    hooks: { after: { create: [after as never] } }
  })
  registered.on('created', () => order.push('event'))
  await app.inject(requests.create)
  t.strictSame(order, ['hook', 'event'])
  t.strictSame(
    events.map(([, record]) => record),
    [{ hooked: true }],
    'the result, not what leaves the server'
  )
})

t.test('nothing is emitted for a call that failed, in the method or in a hook', async (t) => {
  const fail = async () => {
    throw new Error('broken')
  }
  const { app, events } = await create(t, new Messages(), { hooks: { after: { create: [fail] } } })
  t.equal((await app.inject({ method: 'DELETE', url: '/messages/missing' })).statusCode, 404)
  t.equal((await app.inject(requests.create)).statusCode, 500)
  t.strictSame(events, [])
})

t.test('listeners get `(record, context)`', async (t) => {
  const { app, events } = await create(t, new Messages())
  await app.inject(requests.update)
  const [, , context] = events[0] as (typeof events)[number]
  t.match(context, {
    path: 'messages',
    method: 'update',
    id: '1',
    event: 'updated',
    params: { provider: 'rest' },
    result: { text: 'a', id: '1' }
  })
})

t.test('calls from the server itself emit as well', async (t) => {
  const { registered, events } = await create(t, new Messages())
  await registered.remove('1')
  t.strictSame(
    events.map(([event, record]) => [event, record]),
    [['removed', { id: '1' }]]
  )
})

t.test(
  'A service lists events it emits itself in `events`; a standard event listed there is not emitted for it',
  async (t) => {
    const option = await create(t, new Messages(), { events: ['created', 'archived'] })
    await option.app.inject(requests.create)
    await option.app.inject(requests.update)
    option.registered.emit('archived', { id: '9' })
    t.strictSame(
      option.events.map(([name, record]) => [name, record]),
      [
        ['updated', { text: 'a', id: '1' }],
        ['archived', { id: '9' }]
      ]
    )
    const property = await create(t, Object.assign(new Messages(), { events: ['created'] }))
    await property.app.inject(requests.create)
    t.strictSame(property.events, [])
  }
)

t.test("a service that is an event emitter: its events are the service's events", async (t) => {
  class Emitting extends EventEmitter {
    async create(data: Payload) {
      return data
    }
    announce() {
      this.emit('archived', { by: 'itself' })
    }
  }
  const object = new Emitting()
  const { app, registered, events } = await create(t, object)
  const seen: unknown[] = []
  object.on('created', (record) => seen.push(record))
  await app.inject(requests.create)
  object.announce()
  registered.announce()
  t.strictSame(seen, [{ text: 'a' }])
  t.strictSame(
    events.map(([name, record]) => [name, record]),
    [
      ['created', { text: 'a' }],
      ['archived', { by: 'itself' }],
      ['archived', { by: 'itself' }]
    ]
  )
})

const listeners: Record<string, () => unknown> = {
  'listener that throws': () => {
    throw new Error('listener broke')
  },
  'listener that rejects': async () => {
    throw new Error('listener broke')
  }
}

for (const [name, listener] of Object.entries(listeners)) {
  t.test(`${name}: logged, the response is unaffected`, async (t) => {
    for (const service of [
      new Messages(),
      Object.assign(new EventEmitter(), { create: async (data: Payload) => data })
    ]) {
      const { app, registered, lines } = await create(t, service as Messages)
      const seen: unknown[] = []
      registered.on('created', listener)
      registered.on('created', (record) => seen.push(record))
      const response = await app.inject(requests.create)
      t.strictSame([response.statusCode, response.json()], [201, { text: 'a' }])
      t.strictSame(seen, [{ text: 'a' }], 'the others are called all the same')
      await new Promise(setImmediate)
      t.match(
        lines.filter(({ level }) => level === 50),
        [
          {
            err: { message: 'listener broke' },
            path: 'messages',
            event: 'created',
            msg: 'A listener of a service failed'
          }
        ]
      )
    }
  })
}

t.test('an `error` event without a listener does not end the process', async (t) => {
  const { app, registered } = await create(
    t,
    Object.assign(new EventEmitter(), { create: async (data: Payload) => data })
  )
  t.doesNotThrow(() => registered.emit('error', new Error('unheard')))
  t.equal((await app.inject(requests.create)).statusCode, 201)
})

t.test('`once`, `off`, `listenerCount` and chaining', async (t) => {
  const { app, registered } = await create(t, new Messages())
  const seen: string[] = []
  const listener = () => seen.push('on')
  t.equal(registered.once('created', () => seen.push('once')).on('created', listener), registered)
  t.equal(registered.listenerCount('created'), 3)
  await app.inject(requests.create)
  registered.off('created', listener)
  await app.inject(requests.create)
  t.strictSame(seen, ['once', 'on'])
})

t.test(
  'The HTTP API itself sends no events: a listener that never settles does not hold the answer back',
  async (t) => {
    const { app, registered } = await create(t, new Messages())
    registered.on('created', () => new Promise(() => {}))
    t.equal((await app.inject(requests.create)).statusCode, 201)
  }
)

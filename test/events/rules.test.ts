import { MemoryAdapter, MemoryService } from '@feathersjs/memory'
import t, { type Test } from 'tap'
import type { HookContext, ServiceOptions } from '../../index.js'
import { allow, own, protect, scope, within } from '../../lib/authentication/index.js'
import type { ServiceEvents } from '../../lib/events/index.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

/** What two users are told of what happens to the notes of the first. */
async function hear(
  t: Test,
  {
    object = memory(),
    options = {},
    setting = true
  }: { object?: object; options?: ServiceOptions; setting?: true | ServiceEvents }
) {
  const hooks = { ...options.hooks, before: { all: [readUser] } } as ServiceOptions['hooks']
  const { app, subscribe, call, logs } = await startEvents(
    t,
    (app) => app.service('notes', object as MemoryService, { ...options, hooks } as never),
    { services: { notes: setting } }
  )
  const ann = await subscribe(list('notes'), { 'x-user': 'ann' }).connected
  const bob = await subscribe(list('notes'), { 'x-user': 'bob' }).connected
  const made = await call('POST', '/notes', { text: 'a', userId: 'ann' }, { 'x-user': 'ann' })
  await call('PATCH', '/notes/1', { text: 'b' }, { 'x-user': 'ann' })
  return { ann, bob, made, logs, app, call, subscribe }
}

const names = (frames: readonly { event: string; data?: unknown }[]) =>
  frames.map(({ event, data }) => (data === undefined ? event : `${event} ${JSON.stringify(data)}`))

t.test('an adapter tells ids to those whose query has the record', async (t) => {
  const mine = (context: HookContext) => {
    if (context.params.user) context.params.query = { ...context.params.query, userId: context.params.user.id }
  }
  const { ann, bob } = await hear(t, { options: { hooks: { around: {}, before: {} } } })
  t.same(names(await ann.count(2)), ['created {"id":1}', 'patched {"id":1}'])
  t.same(names(await bob.count(2)), ['created {"id":1}', 'patched {"id":1}'])
  const { app, subscribe, call } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [mine] } } }),
    { services: { notes: true } }
  )
  const [own1, other] = [
    await subscribe(list('notes'), { 'x-user': 'ann' }).connected,
    await subscribe(list('notes'), { 'x-user': 'bob' }).connected
  ]
  await call('POST', '/notes', { text: 'a', userId: 'ann' })
  await call('PATCH', '/notes/1', { text: 'b' })
  await call('PATCH', '/notes/1', { userId: 'bob' })
  await call('DELETE', '/notes/1')
  t.same(
    names(await own1.count(3)),
    ['created {"id":1}', 'patched {"id":1}', 'changed'],
    'what leaves is told without its id'
  )
  t.same(names(await other.count(2)), ['patched {"id":1}', 'removed {"id":1}'])
  t.equal(app.events.streams, 2)
})

t.test('where the rule is not known, nobody gets an id', async (t) => {
  const filter = async (context: HookContext) => {
    const { result } = context
    context.result = result.filter(({ userId }: { userId: string }) => userId === context.params.user?.id)
  }
  const cases: [string, Parameters<typeof hear>[1], RegExp][] = [
    [
      'an after hook that filters',
      { options: { hooks: { after: { find: [filter] } } } },
      /filter \(after\) may change/
    ],
    [
      'an around hook',
      {
        options: {
          hooks: {
            around: {
              all: [
                async function log(_: HookContext, next: () => Promise<void>) {
                  await next()
                }
              ]
            }
          }
        }
      },
      /log \(around\) may change/
    ],
    [
      'a find that filters itself',
      {
        object: new (class extends MemoryService {
          override async find() {
            return [] as never
          }
        })({ startId: 1 })
      },
      /is not the unchanged one of a database adapter/
    ],
    [
      'a part of the adapter that is replaced',
      {
        object: new (class extends MemoryService {
          override getQuery(params: never) {
            return super.getQuery(params)
          }
        })({ startId: 1 })
      },
      /is not the unchanged one of a database adapter/
    ],
    [
      'a matcher of its own',
      { object: memory({ matcher: () => () => true }) },
      /is not the unchanged one of a database adapter/
    ],
    [
      'a class of the application with a find of its own',
      {
        object: new (class Notes extends MemoryAdapter {
          async find() {
            return []
          }
          create = this._create
          patch = this._patch
          remove = this._remove
        })({ startId: 1 })
      },
      /is not the unchanged one of a database adapter/
    ],
    [
      'an around hook without a name',
      {
        options: {
          hooks: {
            around: {
              all: [
                (
                  () => async (_: HookContext, next: () => Promise<void>) =>
                    next()
                )()
              ]
            }
          }
        }
      },
      /a hook \(around\) may change/
    ],
    ['a formatter', { options: { formatter: (_, reply) => reply.data } }, /middleware or a formatter/]
  ]
  for (const [name, setup, reason] of cases)
    await t.test(name, async (t) => {
      const { ann, bob, logs } = await hear(t, setup)
      t.same(names(await ann.count(2)).slice(0, 2), ['changed', 'changed'])
      t.same(names(await bob.count(2)).slice(0, 2), ['changed', 'changed'])
      t.match(logs.map(({ msg }) => msg).join(), reason)
    })
})

t.test("rule: 'hooks' says that the query is the rule of a service of one's own", async (t) => {
  const object = {
    find: async () => [],
    create: async (data: object) => ({ ...data, id: 7 }),
    patch: async (id: string, data: object) => ({ ...data, id: Number(id) })
  }
  const { ann, logs } = await hear(t, { object, setting: { rule: 'hooks' } })
  t.same(names(await ann.count(2)), ['created {"id":7}', 'patched {"id":1}'])
  t.same(logs, [])
})

t.test('an operator of a service may find more than what stands beside it', async (t) => {
  const object = { find: async () => [], create: async (data: object) => ({ ...data, id: 7 }) }
  const { app, subscribe } = await startEvents(t, (app) => app.service('notes', object as never), {
    services: { notes: { rule: 'hooks' } }
  })
  const subscriber = await subscribe(list('notes', '&subscribe[0][query][kind]=a&subscribe[0][query][$alike]=yes'))
    .connected
  await serviceAt(app, 'notes').create({ kind: 'A' })
  await serviceAt(app, 'notes').create({ kind: 'b' })
  t.same(names(await subscriber.count(2)), ['changed', 'changed'])
})

t.test(
  'a hook that answers by itself, or hands more than a query to the adapter, leaves the rule unknown',
  async (t) => {
    for (const change of [
      (context: HookContext) => {
        context.result = []
      },
      (context: HookContext) => {
        context.params.adapter = { id: 'id' }
      }
    ]) {
      const { ann } = await hear(t, {
        setting: { rule: 'hooks' },
        options: {
          hooks: {
            around: {
              find: [
                async (context: HookContext, next: () => Promise<void>) => {
                  change(context)
                  await next()
                }
              ]
            }
          }
        }
      })
      t.same(names(await ann.count(2)).slice(0, 2), ['changed', 'changed'])
    }
  }
)

t.test('a hook that keeps answers by their query keeps none that is wrong', async (t) => {
  const answers = new Map<string, unknown>()
  const cache = async (context: HookContext, next: () => Promise<void>) => {
    const key = JSON.stringify(context.params.query)
    if (answers.has(key)) context.result = answers.get(key) as never
    else await next()
    answers.set(key, context.result)
  }
  const { call, subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { around: { find: [cache] } } }),
    { services: { notes: { rule: 'hooks' } } }
  )
  await subscribe(list('notes')).connected
  await call('POST', '/notes', { text: 'a' })
  t.match((await call('GET', '/notes')).body, /"text":"a"/)
})

t.test('scopes and roles say who hears', async (t) => {
  const rooms = memory()
  const { app, subscribe, call } = await startEvents(
    t,
    (app) => {
      const before = { all: [readUser] }
      const ownRooms = scope(({ params }) => ({ member: params.user?.id }))
      app.service('rooms', rooms, {
        hooks: {
          around: {
            all: [
              async function user(context: HookContext, next: () => Promise<void>) {
                readUser(context)
                await next()
              },
              ownRooms
            ]
          }
        }
      })
      app.service('rooms/:roomId/messages', memory(), { hooks: { around: { all: [within('rooms')] } } })
      app.service('notes', memory(), { hooks: { before, around: { all: [own('userId')] } } } as never)
    },
    { services: { rooms: { rule: 'hooks' }, 'rooms/:roomId/messages': true } }
  )
  await rooms.create([{ member: 'ann' }, { member: 'bob' }])
  const ann = await subscribe(list('rooms/1/messages'), { 'x-user': 'ann' }).connected
  const refused = await subscribe(list('rooms/1/messages'), { 'x-user': 'bob' }).end()
  t.equal(refused.status, 404, 'within asks for the room as its caller')
  await call('POST', '/rooms/2/messages', { text: 'of bob' }, { 'x-user': 'bob' })
  await call('POST', '/rooms/1/messages', { text: 'of ann' }, { 'x-user': 'ann' })
  t.same(await ann.count(1), [{ path: 'rooms/1/messages', event: 'created', data: { id: 2 } }])
  await app.close()
})

t.test('where `find` does not give the id, the events do not', async (t) => {
  const asUser = async function user(context: HookContext, next: () => Promise<void>) {
    context.params.user = { id: 1, role: context.params.headers?.['x-user'] }
    await next()
  }
  const roles = allow({ admin: true, member: { find: ['text'], get: ['text'] } })
  const setups = [
    { options: { hooks: { around: { all: [asUser, roles] } } }, setting: { rule: 'hooks' as const } },
    { options: { hooks: { around: { all: [protect('id')] } } }, setting: true as const }
  ]
  const [byRole, byField] = setups.map((setup) =>
    startEvents(t, (app) => app.service('notes', memory(), setup.options as never), {
      services: { notes: setup.setting }
    })
  )
  const { subscribe, app } = (await byRole) as Awaited<typeof byRole> & object
  const admin = await subscribe(list('notes'), { 'x-user': 'admin' }).connected
  const member = await subscribe(list('notes'), { 'x-user': 'member' }).connected
  const nobody = await subscribe(list('notes'), { 'x-user': 'none' }).end()
  await serviceAt(app, 'notes').create({ text: 'a' })
  t.same(names(await admin.count(1)), ['created {"id":1}'])
  t.same(names(await member.count(1)), ['changed'])
  t.equal(nobody.status, 403)
  const second = (await byField) as Awaited<typeof byField> & object
  const reader = await second.subscribe(list('notes')).connected
  await second.call('POST', '/notes', { text: 'a' })
  t.same(names(await reader.count(1)), ['changed'])
})

t.test('what the author is answered does not change what others hear', async (t) => {
  const hide = (context: HookContext) => {
    context.result = { text: 'hidden' } as never
  }
  const rename = (context: HookContext) => {
    context.result = { ...context.result, kind: 'b' }
  }
  const { subscribe, call } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { after: { create: [rename], update: [hide] } } }),
    { services: { notes: true } }
  )
  const b = await subscribe(list('notes', '&subscribe[0][query][kind]=b')).connected
  const a = await subscribe(list('notes', '&subscribe[0][query][kind]=a')).connected
  await call('POST', '/notes', { kind: 'a', text: 'x' })
  t.same(names(await a.count(1)), ['created {"id":1}'], 'the record is that of the method, not that of the hook')
  await call('PUT', '/notes/1', { kind: 'a', text: 'y' })
  t.same(names(await a.count(2)).slice(1), ['changed'], 'a result without its id says nothing')
  await call('PATCH', '/notes/1?$select[]=text', { text: 'z' })
  t.same(names(await a.count(3)).slice(2), ['changed'], 'fields that were not selected are not known')
  t.same(names(b.events), ['changed', 'changed'], 'the first is none of its records')
})

t.test('a custom method whose hook names an event is told of as that', async (t) => {
  class Issues extends MemoryService {
    async close({ id }: { id: number }) {
      return this._patch(id, { state: 'closed' })
    }
    async open() {
      return this._create({ state: 'open' })
    }
  }
  const named = (event: string) => (context: HookContext) => {
    context.event = event
  }
  const hide = (context: HookContext) => {
    context.result = { ...context.result, state: 'open' }
  }
  const { app, subscribe } = await startEvents(
    t,
    (app) =>
      app.service('notes', new Issues({ startId: 1 }), {
        methods: ['find', 'close', 'open'],
        hooks: { before: { close: [named('patched')], open: [named('created')] }, after: { close: [hide] } }
      } as never),
    { services: { notes: true } }
  )
  const open = await subscribe(list('notes', '&subscribe[0][query][state]=open')).connected
  const closed = await subscribe(list('notes', '&subscribe[0][query][state]=closed')).connected
  const service = app.service<Record<string, Issues>>('notes' as never) as unknown as Issues
  await service.open()
  t.same(names(await open.count(1)), ['created {"id":1}'])
  await service.close({ id: 1 })
  t.same(names(await closed.count(2)), ['changed', 'patched {"id":1}'], 'what it writes is not known by its data')
  t.same(names(await open.count(2)).slice(1), ['changed'])
})

t.test('records that can not be read, ids that are none, events by hand', async (t) => {
  const { subscribe, app } = await startEvents(t, (app) => app.service('notes', memory(), { events: ['archived'] }), {
    services: { notes: true }
  })
  const all = await subscribe(list('notes')).connected
  const some = await subscribe(list('notes', '&subscribe[0][query][kind]=a')).connected
  const service = serviceAt(app, 'notes')
  const hostile = {
    get id(): number {
      throw new Error('id')
    },
    get kind(): string {
      throw new Error('kind')
    }
  }
  service.emit('created', hostile)
  service.emit('created', { id: 5n, kind: 'a' })
  service.emit('archived', { id: { toHexString: () => 'ab12', toString: () => 'ab12' }, kind: 'a' })
  service.emit('archived', { id: {}, kind: 'a' })
  service.emit('created', null)
  service.emit('created', { id: 'x'.repeat(100_000), kind: 'a' })
  service.emit('created', { id: 1, kind: 'b' })
  service.emit('removed', { id: 2, kind: 'a' })
  t.same(names(await some.count(7)), [
    'changed',
    'created {"id":"5"}',
    'archived {"id":"ab12"}',
    'changed',
    'changed',
    'changed',
    'removed {"id":2}'
  ])
  t.equal((await all.count(8)).length, 8)
})

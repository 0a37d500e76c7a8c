import t from 'tap'
import { type HookContext, resource } from '../../index.js'
import { allow } from '../../lib/authentication/index.js'
import { list, memory, readUser, startEvents } from '../support/events-app.js'
import { JsonObject } from '../support/json-object.js'

t.test('`publish` narrows: what it refuses, throws over or never answers is not sent', async (t) => {
  const { subscribe, call, logs } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { all: [readUser] } } }),
    {
      services: { notes: true },
      limits: { timeout: 50 },
      publish({ id, path, event }, subscriber) {
        if (id === 1) throw new Error(`${path} ${event}`)
        if (id === 2) return Promise.reject(new Error('later'))
        if (id === 3) return new Promise(() => {})
        if (id === 4) return 'yes' as never
        return (subscriber.params.user as { id: string }).id === 'ann'
      }
    }
  )
  const ann = await subscribe(list('notes'), { 'x-user': 'ann' }).connected
  const bob = await subscribe(list('notes'), { 'x-user': 'bob' }).connected
  for (let id = 1; id <= 6; id++) await call('POST', '/notes', {})
  t.same(
    (await ann.count(2)).map(({ data }) => data),
    [{ id: 5 }, { id: 6 }]
  )
  t.same(bob.events, [])
  t.equal(logs.filter(({ msg }) => /`publish` has failed/.test(String(msg))).length >= 3, true)
})

t.test('records are sent as `get` answers them to each', async (t) => {
  const asUser = async (context: HookContext, next: () => Promise<void>) => {
    const role = context.params.headers?.['x-user']
    context.params.user = { id: role, role }
    if (role === 'none' && context.method === 'get') throw Object.assign(new Error('No'), { statusCode: 403 })
    await next()
  }
  const shout = (context: HookContext) => {
    if (context.params.user?.id === 'odd') context.result = { ...context.result, at: 'x'.repeat(3) } as never
  }
  const record = {
    type: 'object',
    required: ['id', 'text'],
    properties: {
      id: { type: 'integer', readOnly: true },
      text: { type: 'string' },
      secret: { type: 'string', writeOnly: true },
      at: { type: 'string' }
    }
  } as const
  const roles = allow({ admin: true, none: true, odd: true, member: { find: ['id', 'text'], get: ['id', 'text'] } })
  const { subscribe, call } = await startEvents(
    t,
    (app) =>
      app.service('notes', memory(), {
        schema: resource(record),
        hooks: { around: { all: [asUser, roles] }, after: { get: [shout] } }
      } as never),
    { services: { notes: { records: true, rule: 'hooks' } } }
  )
  const [admin, member, none, odd] = await Promise.all(
    ['admin', 'member', 'none', 'odd'].map((role) => subscribe(list('notes'), { 'x-user': role }).connected)
  )
  await call('POST', '/notes', { text: 'a', secret: 's', at: 'now' }, { 'x-user': 'admin' })
  await call('PATCH', '/notes/1', { text: 'line\nbreak' }, { 'x-user': 'admin' })
  await call('DELETE', '/notes/1', undefined, { 'x-user': 'admin' })
  const dataOf = async (stream: typeof admin) => (await stream?.count(3))?.map(({ event, data }) => [event, data])
  const whole = { id: 1, text: 'a', at: 'now' }
  const patched = { id: 1, text: 'line\nbreak', at: 'now' }
  t.same(await dataOf(admin), [
    ['created', whole],
    ['patched', patched],
    ['removed', { id: 1 }]
  ])
  t.same(await dataOf(member), [
    ['created', { id: 1, text: 'a' }],
    ['patched', { id: 1, text: 'line\nbreak' }],
    ['removed', { id: 1 }]
  ])
  t.same(
    await dataOf(none),
    [
      ['created', { id: 1 }],
      ['patched', { id: 1 }],
      ['removed', { id: 1 }]
    ],
    'who may find, and not get, has the id'
  )
  t.same((await dataOf(odd))?.[0], ['created', { ...whole, at: 'xxx' }])
})

t.test('a record that `get` selects otherwise than `find`, one that is slow, one that can not be copied', async (t) => {
  let wait: Promise<unknown> | undefined
  const only = async (context: HookContext) => {
    context.params.query = { ...context.params.query, kind: 'a' }
    await wait
  }
  const { subscribe, call, app, logs } = await startEvents(
    t,
    (app) =>
      app.service('notes', memory(), {
        formatter: (_, reply) => reply.type('application/json').send(JSON.stringify(reply.data, null, 2)),
        hooks: { before: { get: [only] } }
      }),
    { services: { notes: { records: true, rule: 'hooks' } }, limits: { timeout: 50 } }
  )
  const stream = await subscribe(list('notes')).connected
  await call('POST', '/notes', { kind: 'a' })
  await call('POST', '/notes', { kind: 'b' })
  t.same(
    (await stream.count(2)).map(({ data }) => data),
    [{ id: 1, kind: 'a' }, { id: 2 }]
  )
  app
    .service<Record<string, { emit(...args: unknown[]): void }>>('notes' as never)
    .emit('created' as never, { id: 3, kind: 'a', run() {} })
  t.same((await stream.count(3))[2]?.data, { id: 3 })
  wait = new Promise(() => {})
  await call('POST', '/notes', { kind: 'a' })
  t.same((await stream.count(4))[3]?.data, { id: 3 })
  t.match(logs, [{ msg: /could not be read/ }])
})

t.test('a record whose id no URL can name is told by its id', async (t) => {
  const { subscribe, call, logs } = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: { records: true } }
  })
  const stream = await subscribe(list('notes')).connected
  const ids = ['\ud800', '..']
  for (const id of ids) await call('POST', '/notes', { id, text: 'a' })
  t.same(
    (await stream.count(2)).map(({ data }) => data),
    ids.map((id) => ({ id }))
  )
  t.same(logs, [])
})

t.test('a record has what its `toJSON` gives, and so have the values in it', async (t) => {
  class Secret extends JsonObject {
    readonly secret = 'SECRET'
  }
  class Note extends Secret {
    readonly id = 1
  }
  const at = new Date(0)
  const create = async () => new Note({ id: 1, kid: new Secret({ name: 'a' }), kids: [new Secret({ at })] })
  const { subscribe, call } = await startEvents(
    t,
    (app) => app.service('notes', { find: async () => [], get: create, create } as never),
    { services: { notes: { records: true, rule: 'hooks' } } }
  )
  const stream = await subscribe(list('notes')).connected
  await call('POST', '/notes', {})
  t.same((await stream.count(1))[0]?.data, { id: 1, kid: { name: 'a' }, kids: [{ at: at.toISOString() }] })
})

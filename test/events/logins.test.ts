import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { type HookContext, NotFound } from '../../index.js'
import authentication, { authenticate, own, type Strategy } from '../../lib/authentication/index.js'
import { type EventLog, memoryLog } from '../../lib/events/index.js'
import '../support/auth-scrypt.js'
import { list, memory, readUser, serviceAt, startEvents } from '../support/events-app.js'

const secret = 'a secret that is long enough for every algorithm'
const hashOfCall = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 22)

async function startWithLogin(t: Test, options: object, jwt = {}) {
  const api = await startEvents(
    t,
    async (app) => {
      app.service('users', memory(), { methods: ['get'] })
      await app.register(authentication, { secret, strategies: { jwt: true, local: true }, revocation: true, jwt })
      app.service('notes', memory(), { hooks: { around: { all: [authenticate('jwt'), own('userId')] } } })
      app.service('open', memory(), { hooks: { before: { create: [authenticate('jwt')] } } })
      await serviceAt(app, 'users').create([
        { email: 'ann', password: 'pw' },
        { email: 'bob', password: 'pw' }
      ])
    },
    { services: { notes: true, open: true }, ...options }
  )
  const login = async (email: string) => {
    const { body } = await api.call('POST', '/authentication', { strategy: 'local', email, password: 'pw' })
    return { authorization: `Bearer ${JSON.parse(body).accessToken}` }
  }
  return { ...api, login }
}

t.test('a user hears of the own records; without a login the list is refused', async (t) => {
  const { subscribe, call, login } = await startWithLogin(t, {})
  const [ann, bob] = [await login('ann'), await login('bob')]
  t.equal((await subscribe(list('notes')).end()).status, 401)
  const stream = await subscribe(list('notes'), ann).connected
  const other = await subscribe(list('notes'), bob).connected
  await call('POST', '/notes', { text: 'of bob' }, bob)
  await call('POST', '/notes', { text: 'of ann' }, ann)
  t.same(await stream.count(1), [{ path: 'notes', event: 'created', data: { id: 2 } }])
  t.same(await other.count(1), [{ path: 'notes', event: 'created', data: { id: 1 } }])
})

t.test('the hash of a call comes back to its user alone, and to no call that it has led to', async (t) => {
  const { subscribe, call, login } = await startWithLogin(t, {})
  const [ann, bob] = [await login('ann'), await login('bob')]
  const ids = ['a1b2c3d4e5f6a7b8', 'too-short', 'x'.repeat(65)]
  const streams = [
    await subscribe(list('open'), ann).connected,
    await subscribe(list('open'), bob).connected,
    await subscribe(list('open')).connected
  ]
  for (const id of ids) await call('POST', '/open', {}, { ...ann, 'x-events-call': id })
  const [own1, others, nobody] = await Promise.all(streams.map((stream) => stream.count(3)))
  t.same(
    own1?.map(({ call }) => call),
    [hashOfCall(ids[0] as string), undefined, undefined]
  )
  t.same(
    others?.map(({ call }) => call),
    [undefined, undefined, undefined]
  )
  t.same(
    nobody?.map(({ call }) => call),
    [undefined, undefined, undefined]
  )
})

t.test('params that are passed on to another service bring neither the call nor the question there', async (t) => {
  const audited: unknown[] = []
  const { app, subscribe, call } = await startEvents(
    t,
    (app) => {
      app.service('audit', memory())
      const record = async (context: HookContext) => {
        audited.push(await serviceAt(context.app, 'audit').create({ method: context.method }, context.params))
        await serviceAt(context.app, 'audit').find({ ...context.params, query: {} })
      }
      app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [record], create: [record] } } })
    },
    { services: { notes: true, audit: true } }
  )
  const stream = await subscribe(`${list('notes')}&subscribe[1][path]=audit`).connected
  t.same(audited, [{ id: 1, method: 'find' }], 'the record was created, the page was read')
  await call('POST', '/notes', {}, { 'x-events-call': 'a1b2c3d4e5f6a7b8' })
  t.same(
    (await stream.count(2)).map(({ path, event, call }) => [path, event, call]),
    [
      ['audit', 'created', undefined],
      ['notes', 'created', hashOfCall('a1b2c3d4e5f6a7b8')]
    ]
  )
  await app.close()
})

t.test('a stream ends before its token does, and with a log-out', async (t) => {
  const short = await startWithLogin(t, {}, { expiresIn: '3s' })
  const ending = await (await short.subscribe(list('notes'), await short.login('ann')).connected).end()
  t.same(ending.events, [{ path: 'events', event: 'stopped', reason: 'expired' }])
  const { app, subscribe, call, login } = await startWithLogin(t, { heartbeat: 20 })
  const ann = await login('ann')
  const streams = [await subscribe(list('notes'), ann).connected, await subscribe(list('notes'), ann).connected]
  const bob = await subscribe(list('notes'), await login('bob')).connected
  await call('DELETE', '/authentication', undefined, ann)
  for (const stream of streams)
    t.same((await stream.end()).events, [{ path: 'events', event: 'stopped', reason: 'revoked' }])
  t.equal(app.events.streams, 1)
  t.notOk(bob.isOver)
})

t.test('a stream that begins when its token is about to end lasts until then', async (t) => {
  const { call, subscribe, login } = await startWithLogin(t, {}, { expiresIn: '3s' })
  const ann = await login('ann')
  await (await subscribe(list('notes'), ann).connected).end()
  const late = await subscribe(list('notes'), ann).connected
  for (const text of ['a', 'b', 'c']) await call('POST', '/notes', { text }, ann)
  t.same((await late.end()).events, [
    ...[1, 2, 3].map((id) => ({ path: 'notes', event: 'created', data: { id } })),
    { path: 'events', event: 'stopped', reason: 'expired' }
  ])
})

t.test('a token that ends while what was missed is read: nothing of that is told', async (t) => {
  const log = memoryLog()
  let read = log.read
  const slow: EventLog = { ...log, read: (after) => read(after) }
  const { call, subscribe, login } = await startWithLogin(t, { log: slow }, { expiresIn: '3s' })
  const ann = await login('ann')
  const first = await subscribe(list('notes'), ann).connected
  first.socket.destroy()
  await call('POST', '/notes', { text: 'missed' }, ann)
  let goOn = () => {}
  const isOver = new Promise<void>((resolve) => {
    goOn = resolve
  })
  read = async (after) => {
    await isOver
    return log.read(after)
  }
  const late = subscribe(list('notes'), { ...ann, 'last-event-id': String(first.id) })
  await late.end()
  goOn()
  t.same(late.frames, [{ path: 'events', event: 'stopped', reason: 'expired' }])
})

t.test('users who are looked up slowly: the stream of one who is gone ends once', async (t) => {
  const { app, subscribe, login } = await startWithLogin(t, { heartbeat: 10 })
  const stream = await subscribe(list('notes'), await login('ann')).connected
  const waiting: (() => void)[] = []
  const refuseLate = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    throw new NotFound('No such user')
  }
  app.service('users').hooks({ before: { get: [refuseLate] } })
  while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  for (const goOn of waiting) goOn()
  t.same((await stream.end()).events, [{ path: 'events', event: 'stopped', reason: 'revoked' }])
})

t.test('rules are asked for again: a membership that has ended, one that is new, a list that is refused', async (t) => {
  const memberships = new Map([['ann', ['a']]])
  let isBroken = false
  const mine = (context: HookContext) => {
    if (isBroken) throw new Error('The database is away')
    const groups = memberships.get(context.params.user?.id)
    if (groups === undefined) throw Object.assign(new Error('Not for you'), { statusCode: 403 })
    context.params.query = { ...context.params.query, group: { $in: groups } }
  }
  const { app, subscribe, call } = await startEvents(
    t,
    (app) => {
      app.service('notes', memory(), { hooks: { before: { all: [readUser], find: [mine] } } })
      app.service('open', memory(), { hooks: { before: { all: [readUser] } } })
    },
    { services: { notes: true, open: true }, recheck: 10, heartbeat: 10_000 }
  )
  const ann = { 'x-user': 'ann' }
  const stream = await subscribe(`${list('notes')}&subscribe[1][path]=open`, ann).connected
  const alone = await subscribe(list('notes'), ann).connected
  await app.events.recheck('ann')
  memberships.set('ann', ['b'])
  const rechecking = app.events.recheck({ id: 'ann' })
  await call('POST', '/notes', { group: 'a' })
  await rechecking
  await call('POST', '/notes', { group: 'a' })
  await call('POST', '/notes', { group: 'b' })
  await stream.until(({ events }) => events.at(-1)?.event === 'created')
  t.same(
    stream.events.flatMap(({ data }) => data ?? []),
    [{ id: 3 }],
    'no id of the group that was left'
  )
  isBroken = true
  await app.events.recheck('ann')
  t.notOk(alone.isOver, 'what is broken has decided nothing')
  isBroken = false
  memberships.delete('ann')
  await app.events.recheck('ann')
  t.match((await alone.end()).events.at(-1), { event: 'stopped', reason: 'forbidden' })
  await stream.until(({ events }) => events.at(-1)?.event === 'stopped')
  t.match(stream.events.at(-1), { path: 'events', reason: 'forbidden', subscriptions: [0] })
  await call('POST', '/open', {})
  await stream.until(({ events }) => events.at(-1)?.path === 'open')
})

t.test('streams end after their time, and are checked by themselves', async (t) => {
  let isOpen = true
  const check = () => {
    if (!isOpen) throw Object.assign(new Error('No'), { statusCode: 401 })
  }
  const { subscribe } = await startEvents(
    t,
    (app) => app.service('notes', memory(), { hooks: { before: { find: [check] } } }),
    { services: { notes: true }, recheck: 10, heartbeat: 10 }
  )
  const stream = await subscribe(list('notes')).connected
  isOpen = false
  t.match((await stream.end()).events.at(-1), { event: 'stopped', reason: 'revoked' })
  const brief = await startEvents(t, (app) => app.service('notes', memory()), {
    services: { notes: true },
    lifetime: 50
  })
  t.match((await (await brief.subscribe(list('notes')).connected).end()).events, [
    { event: 'stopped', reason: 'closing' }
  ])
})

t.test('a login by a key in a header lasts as long as the stream', async (t) => {
  const apiKey = {
    parse: ({ headers }: { headers: Record<string, unknown> }) =>
      headers['x-key'] === undefined ? null : { strategy: 'apiKey', key: headers['x-key'] },
    authenticate: async () => ({ user: { id: 'robot' } })
  }
  const { subscribe, call } = await startEvents(
    t,
    async (app) => {
      await app.register(authentication, { secret, entity: null, strategies: { jwt: true, apiKey: apiKey as never } })
      app.service('notes', memory(), { hooks: { around: { all: [authenticate('apiKey')] } } })
    },
    { services: { notes: true }, heartbeat: 10 }
  )
  const key = { 'x-key': 'a' }
  const robot = await subscribe(list('notes'), key).connected
  const before = robot.id
  await new Promise((resolve) => setTimeout(resolve, 50))
  await call('POST', '/notes', {}, key)
  t.match(await robot.count(1), [{ event: 'created' }])
  t.ok(before)
})

t.test('`recheck` takes an id as a number or a text, or a record with the id', async (t) => {
  const asked: unknown[] = []
  const note = ({ params }: HookContext) => void asked.push(Object(params.account).number)
  const key: Strategy = {
    parse: ({ headers }) => (headers['x-key'] ? { key: headers['x-key'] } : null),
    authenticate: ({ key }) => ({ account: { number: Number(key) } })
  }
  const options = { entity: 'account', entityId: 'number', strategies: { key }, guard: 'key' }
  const objectId = { id: Buffer.from('12'), toHexString: () => '12', toString: () => '12' }
  const { app, subscribe } = await startEvents(
    t,
    async (app) => {
      await app.register(authentication, options)
      app.service('notes', memory(), { hooks: { before: { find: [note] } } })
    },
    { services: { notes: true } }
  )
  for (const number of ['12', '1']) await subscribe(list('notes'), { 'x-key': number }).connected
  const ids = [12, '12', objectId]
  for (const user of [...ids, { id: 12 }, { _id: '12' }, { id: null, _id: objectId }, { id: 12, toHexString: 'a' }]) {
    asked.length = 0
    await app.events.recheck(user)
    t.same(asked, [12], inspect(user))
  }
  for (const user of [undefined, null, {}, { email: 'ann' }, { id: null }])
    await t.rejects(app.events.recheck(user as never), { name: 'TypeError', message: /needs a user with an id/ })
})

import '../support/auth-scrypt.js'
import { Readable } from 'node:stream'
import { feathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, {
  type AroundHook,
  type HookContext,
  type HookOptions,
  type IdempotencyOptions,
  idempotency,
  memoryStore,
  type Params,
  type Store
} from 'fastify-services'
import authentication, { allow, authenticate, own } from 'fastify-services/authentication'
import mounted from 'fastify-services/feathers'
import t, { type Test } from 'tap'
import { eventually } from '../support/eventually.js'

type Order = { readonly id?: number; readonly item?: string }

class Orders extends MemoryService<Order> {
  calls = 0
  /** What `create` waits for. */
  gate: Promise<unknown> | undefined
  override async create(data: never, params?: Params): Promise<never> {
    this.calls++
    await this.gate
    if ((data as Order).item === 'broken') throw new Error('It has failed')
    return (await super.create(data, params as never)) as never
  }
  async report(data: { kind: string }) {
    this.calls++
    if (data.kind === 'stream') return Readable.from([{ n: 1 }])
    if (data.kind === 'file') return new Blob(['1'])
    if (data.kind === 'nothing') return undefined
    return { text: data.kind === 'large' ? 'x'.repeat(20_000) : 'small' }
  }
}

async function serve(t: Test, options?: IdempotencyOptions, orders = new Orders({ startId: 1 })) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.addHook('onRequest', async (request) => {
    const { 'x-user': id, 'x-params': params } = request.headers
    if (id !== undefined) request.feathers = { user: { id } }
    if (params !== undefined) request.feathers = JSON.parse(String(params))
  })
  const events: unknown[] = []
  const hooks = { around: { all: [idempotency(options)] } }
  app.service('orders', orders, { methods: ['create', 'find', 'patch', 'report'], hooks }).on('created', (order) => {
    events.push(order)
  })
  const post = async (key: string | undefined, payload: object, headers: Record<string, string> = {}) => {
    const sent = { ...headers, ...(key !== undefined && { 'idempotency-key': key }) }
    const answer = await app.inject({ method: 'POST', url: '/orders', payload, headers: sent })
    return {
      status: answer.statusCode,
      body: answer.body === '' ? undefined : answer.json(),
      replayed: answer.headers['idempotency-replayed']
    }
  }
  return { app, orders, post, events }
}

/** The sorted statuses of one request that is sent several times: the first one runs until all others are answered. */
async function statusesOf(orders: Orders, posts: Awaited<ReturnType<typeof serve>>['post'][]): Promise<number[]> {
  let open = () => {}
  orders.gate = new Promise<void>((resolve) => {
    open = resolve
  })
  let answered = 0
  const statuses = posts.map(async (post) => {
    const { status } = await post('a', { item: 'book' })
    answered += 1
    if (answered === posts.length - 1) open()
    return status
  })
  return (await Promise.all(statuses)).sort()
}

t.test('a request that is sent twice is carried out once, and answered twice', async (t) => {
  const { orders, post, events } = await serve(t)
  const first = await post('a', { item: 'book' })
  t.match(first, { status: 201, body: { id: 1, item: 'book' }, replayed: undefined })
  t.same(await post('a', { item: 'book' }), { ...first, replayed: 'true' })
  t.same(await post('"a"', { item: 'book' }), { ...first, replayed: 'true' }, 'a key in quotes')
  t.equal(orders.calls, 1)
  t.equal(events.length, 1, 'one event')
  t.match(await post('b', { item: 'book' }), { status: 201, body: { id: 2 } }, 'another key')
  t.match(await post(undefined, { item: 'book' }), { status: 201, body: { id: 3 } }, 'without a key')
})

t.test('a key belongs to one request, of one user', async (t) => {
  const { post } = await serve(t)
  await post('a', { item: 'book' }, { 'x-user': '1' })
  t.match(await post('a', { item: 'pen' }, { 'x-user': '1' }), {
    status: 422,
    body: { message: /came with another request/ }
  })
  t.match(await post('a', { item: 'book' }, { 'x-user': '2' }), { status: 201, body: { id: 2 }, replayed: undefined })
  t.match(await post('a', { item: 'book' }), { status: 201, body: { id: 3 }, replayed: undefined })
  for (const key of ['x'.repeat(256), '', ' ', '""'])
    t.match(await post(key, { item: 'book' }), { status: 400, body: { message: /has 1 to 255 characters/ } })
})

t.test('of requests at the same time one runs', async (t) => {
  const { orders, post } = await serve(t)
  t.same(await statusesOf(orders, [post, post, post]), [201, 409, 409])
  t.equal(orders.calls, 1)
})

t.test('of two processes with one store one runs a request', async (t) => {
  const store = memoryStore()
  const orders = new Orders({ startId: 1 })
  const servers = await Promise.all([1, 2].map(() => serve(t, { store }, orders)))
  const posts = servers.map(({ post }) => post)
  t.same(await statusesOf(orders, posts), [201, 409])
  t.match(await servers[1]?.post('a', { item: 'book' }), { status: 201, replayed: 'true' })
})

t.test('what has failed may be sent again', async (t) => {
  const { orders, post } = await serve(t)
  t.equal((await post('a', { item: 'broken' })).status, 500)
  t.equal((await post('a', { item: 'broken' })).status, 500)
  t.equal(orders.calls, 2)
})

t.test('the key of a call that a hook gives up stays taken until the call has ended', async (t) => {
  const { app, orders, post } = await serve(t)
  let isPatient = false
  const giveUp: AroundHook = async (_context, next) => {
    const running = next()
    if (isPatient) return running
    throw new Error('It takes too long')
  }
  app.service('orders').hooks({ around: { create: [giveUp] } })
  for (const [key, item, end] of [
    ['a', 'book', 409],
    ['b', 'broken', 500]
  ] as const) {
    isPatient = false
    let open = () => {}
    orders.gate = new Promise<void>((resolve) => {
      open = resolve
    })
    t.equal((await post(key, { item })).status, 500)
    isPatient = true
    t.match(await post(key, { item }), { status: 409, body: { message: /still runs/ } })
    open()
    await eventually(t).equal(async () => /still runs/.test(JSON.stringify(await post(key, { item }))), false)
    t.equal((await post(key, { item })).status, end)
  }
  t.same(Object.values(orders.store), [{ id: 1, item: 'book' }], 'a change is not made again')
})

t.test('the key of a call that runs for long is renewed, until the call has ended', async (t) => {
  // The renewal alone keeps no process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  for (const item of ['book', 'broken']) {
    const orders = new Orders({ startId: 1 })
    let end = () => {}
    orders.gate = new Promise<void>((resolve) => {
      end = resolve
    })
    const memory = memoryStore() as Required<Store>
    let renewals = 0
    let lastSet: unknown
    const send = async (key: string, value: string) => {
      const isRenewal = !value.includes('"answer"')
      // The call ends while a renewal is on its way. One that fails is followed by the next.
      if (isRenewal && ++renewals === 4) end()
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
      if (isRenewal && renewals === 2) throw new Error('The store is away')
      memory.set(key, value, 60)
    }
    const set: Store['set'] = (key, value) => {
      lastSet = send(key, value)
      return lastSet
    }
    const { post } = await serve(t, { store: { ...memory, set }, lock: 0.03 }, orders)
    const { status } = await post('a', { item })
    await lastSet
    t.equal(status, item === 'book' ? 201 : 500)
    t.match(await post('a', { item }), { status, replayed: item === 'book' ? 'true' : undefined })
    t.equal(orders.calls, item === 'book' ? 1 : 2)
  }
})

t.test('custom methods have it too; an answer that is not kept is not given twice', async (t) => {
  const { orders, post } = await serve(t)
  const report = (key: string, kind: string) => post(key, { kind }, { 'x-service-method': 'report' })
  t.match(await report('a', 'small'), { status: 200, replayed: undefined })
  t.match(await report('a', 'small'), { status: 200, body: { text: 'small' }, replayed: 'true' })
  t.equal((await report('b', 'large')).status, 200)
  t.match(await report('b', 'large'), { status: 409, body: { message: /its answer was not kept/ } })
  t.equal((await report('c', 'stream')).status, 200)
  t.equal((await report('c', 'stream')).status, 409)
  t.match(await report('e', 'file'), { status: 200, body: 1 })
  t.equal((await report('e', 'file')).status, 409)
  t.match(await report('d', 'nothing'), { status: 204, replayed: undefined })
  t.match(await report('d', 'nothing'), { status: 204, replayed: 'true' })
  t.equal(orders.calls, 5)
})

t.test('a key may be required of each write over HTTP', async (t) => {
  const { app, post } = await serve(t, { required: true })
  t.match(await post(undefined, { item: 'book' }), {
    status: 400,
    body: { message: /needs the header Idempotency-Key/ }
  })
  await post('a', { item: 'book' })
  t.equal((await app.inject('/orders')).statusCode, 200)
  t.equal((await app.inject({ method: 'PATCH', url: '/orders/1', payload: { item: 'pen' } })).statusCode, 400)
  t.match(await app.service<Orders>('orders').create({ item: 'internal' } as never), { id: 2 }, 'a call of the server')
})

t.test('a store that is away: the request fails before it runs, and is answered after it has', async (t) => {
  // The pauses between the looks keep no process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  let isAway = () => true
  const memory = memoryStore()
  const check = () => {
    if (isAway()) throw new Error('The store is away')
  }
  const store: Store = {
    get: (key) => memory.get(key),
    set: (...args) => {
      check()
      return memory.set(...args)
    },
    add: (...args) => {
      check()
      keys.add(args[0])
      return memory.add?.(...args) ?? false
    }
  }
  const keys = new Set<string>()
  const orders = new Orders({ startId: 1 })
  const { post } = await serve(t, { store }, orders)
  t.equal((await post('a', { item: 'book' })).status, 500)
  t.equal(orders.calls, 0)
  isAway = () => orders.calls > 0
  t.equal((await post('a', { item: 'book' })).status, 201)
  t.match(await post('a', { item: 'book' }), { status: 201, replayed: 'true' }, 'the process has the answer')
  t.equal((await post('a', { item: 'pen' })).status, 422)
  // A store that is begun anew has lost the keys that were taken.
  for (const key of keys) memory.delete?.(key)
  isAway = () => false
  t.match(await post('a', { item: 'book' }), { status: 201, replayed: 'true' }, 'also of a key that was lost')
  const { post: postElsewhere } = await serve(t, { store }, orders)
  await eventually(t).strictSame(
    async () => JSON.parse((await memory.get(String([...keys].at(-1)))) ?? '{}').answer?.result,
    { item: 'book', id: 1 },
    'kept when it is back'
  )
  t.match(await postElsewhere('a', { item: 'book' }), { status: 201, replayed: 'true' })
  t.equal(orders.calls, 1)
})

t.test('a store whose client asks again where it got no answer has the key for the first time', async (t) => {
  const memory = memoryStore() as Required<Store>
  const add: Store['add'] = (...entry) => memory.add(...entry) && memory.add(...entry)
  const { orders, post } = await serve(t, { store: { ...memory, add } })
  t.match(await post('a', { item: 'book' }), { status: 201, replayed: undefined })
  t.match(await post('a', { item: 'book' }), { status: 201, replayed: 'true' })
  t.equal(orders.calls, 1)
})

t.test('a key that the store takes though its answer was late or lost is given free again', async (t) => {
  // The pauses between the looks keep no process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  for (const isLate of [false, true]) {
    const memory = memoryStore() as Required<Store>
    let failures = 0
    let late = () => {}
    const lose = (ask: () => unknown) => {
      if (++failures > 1) return ask()
      if (isLate) late = ask
      else ask()
      throw new Error('The store is away')
    }
    const store: Store = {
      get: (key) => {
        const value = memory.get(key)
        // A store that stands still does what it was asked for behind the first look.
        if (failures > 0) late()
        late = () => {}
        return value
      },
      set: (key, value, seconds) => lose(() => memory.set(key, value, seconds)),
      delete: memory.delete,
      add: (key, value, seconds) => lose(() => memory.add(key, value, seconds)) as boolean
    }
    const { orders, post } = await serve(t, { store })
    t.equal((await post('a', { item: 'book' })).status, 500)
    await eventually(t).strictSame(async () => (await post('a', { item: 'book' })).status, 201)
    t.equal(orders.calls, 1)
    t.match(await post('a', { item: 'book' }), { status: 201, replayed: 'true' })
  }
})

t.test('memoryStore forgets the oldest of more than `max`', async (t) => {
  const store = memoryStore({ max: 2 })
  for (const key of ['a', 'b', 'c']) store.set(key, key, 60)
  t.same([store.get('a'), store.get('b'), store.get('c')], [undefined, 'b', 'c'])
})

t.test('memoryStore forgets the oldest of what takes more than `maxBytes`', async (t) => {
  const store = memoryStore({ maxBytes: 1000 })
  const text = 'x'.repeat(149)
  for (let time = 0; time < 9; time++) store.set('a', text, 60)
  for (const key of ['b', 'c']) store.set(key, text, 60)
  store.delete?.('b')
  t.same([store.get('a'), store.get('b'), store.get('c')], [text, undefined, text], 'what is gone takes nothing')
  for (const key of ['d', 'e']) store.set(key, text, 60)
  t.same([store.get('a'), store.get('c'), store.get('d'), store.get('e')], [undefined, text, text, text])
  store.set('f', 'x'.repeat(1000), 60)
  t.same(
    [store.get('e'), store.get('f')],
    [text, undefined],
    'what is too large by itself is not kept, and takes the place of nothing'
  )
})

t.test('it stands around methods, or the server does not start', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('orders', new Orders(), { hooks: { before: { all: [idempotency() as never] } } })
  await t.rejects(async () => app.ready(), /idempotency at 'orders' is a hook for 'around', not for 'before'/)
})

t.test('what a hook makes of the body counts; what JSON does not tell apart is refused', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const values: Record<string, unknown> = { number: 1n, map: new Map(), date: new Date(0), list: ['a'] }
  const set = async (context: HookContext) => {
    context.data = { value: values[context.data.value] }
  }
  const outer: AroundHook = (context, next) => set(context).then(next)
  const inner: AroundHook = async (context, next) => {
    await next()
    context.dispatch = { ...context.result, value: 'shown' }
  }
  const orders = { create: async () => ({ id: 1 }) }
  app.service('orders', orders, { hooks: { around: { create: [outer, idempotency(), inner] } } })
  for (const [value, status] of Object.entries({ number: 201, date: 201, list: 201, map: 400 })) {
    const send = () =>
      app.inject({ method: 'POST', url: '/orders', payload: { value }, headers: { 'idempotency-key': value } })
    t.equal((await send()).statusCode, status, value)
    const again = await send()
    t.equal(again.statusCode, status)
    if (status === 201) t.same(again.json(), { id: 1, value: 'shown' })
  }
})

t.test(
  'a key that another process has just given free is 409; a store that can not forget does not hide the error',
  async (t) => {
    const odd: Store = { get: () => undefined, set: () => undefined, add: () => false }
    const { post } = await serve(t, { store: odd })
    t.equal((await post('a', { item: 'book' })).status, 409)
    const forgetful: Store = {
      ...memoryStore(),
      delete: () => {
        throw new Error('The store is away')
      }
    }
    const other = await serve(t, { store: forgetful })
    t.match(await other.post('a', { item: 'broken' }), { status: 500, body: { message: 'It has failed' } })
  }
)

t.test('logins are not kept, nor the passwords of users', async (t) => {
  const store = memoryStore()
  const stored: string[] = []
  const watched: Store = {
    ...store,
    set: (key, value, seconds) => {
      stored.push(value)
      store.set(key, value, seconds)
    }
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [idempotency({ store: watched })] } } })
  app.service('users', new MemoryService({ startId: 1 }))
  await app.register(authentication, { secret: 'x'.repeat(32) })
  const post = async (url: string, payload: object) =>
    (await app.inject({ method: 'POST', url, payload, headers: { 'idempotency-key': 'a' } })).statusCode
  const user = { email: 'ada@example.com', password: 'a long password' }
  t.equal(await post('/users', user), 201)
  t.equal(await post('/authentication', { strategy: 'local', ...user }), 400)
  t.equal(stored.length, 1)
  t.notMatch(stored[0], /password/)
})

t.test(
  'a guard, a scope or the permissions of roles within it stop the start: a repeated request would pass them by',
  async (t) => {
    const start = async (common: HookOptions, hooks: HookOptions) => {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services, { hooks: common })
      app.service('users', new MemoryService())
      app.service('orders', new Orders(), { hooks })
      await app.register(authentication, { secret: 'x'.repeat(32) })
      await app.ready()
    }
    const once = { around: { all: [idempotency()] } }
    for (const inner of [authenticate('jwt'), own('userId'), allow({ member: true })]) {
      await t.rejects(start(once, { around: { create: [inner as AroundHook] } }), /put it behind them/)
      await t.rejects(start({}, { around: { all: [idempotency(), inner as AroundHook] } }), /stands around the guard/)
      await start({ around: { all: [inner as AroundHook] } }, once).catch(({ message }) =>
        t.match(message, /authenticate/)
      )
      await start({}, { around: { all: [inner as AroundHook, idempotency()] } })
      await start(once, { around: { find: [inner as AroundHook] } })
    }
    await t.rejects(start({}, { ...once, before: { create: [authenticate('jwt')] } }), /'create' at 'orders'/)
    await start({}, { around: { create: [idempotency()], all: [allow({ member: true })] } })
    await start(once, { around: { find: [own('userId')], get: [own('userId')] } })
  }
)

t.test(
  'keys of users whose ids are alike are apart, and of those who can not be told apart there are none',
  async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(services, { errorHandler: { html: false, logger: false } })
    for (const name of ['users', 'admins']) app.service(name, new MemoryService({ startId: 1 }))
    const secret = 'x'.repeat(32)
    await app.register(authentication, { secret })
    await app.register(authentication, { secret: 'y'.repeat(32), path: 'admin', service: 'admins', entity: 'admin' })
    const tokens = { secret: 'z'.repeat(32), path: 'machine', entity: null }
    const key = { authenticate: async () => ({ apiKey: {} }), parse: () => ({ strategy: 'key' }) }
    await app.register(authentication, { ...tokens, strategies: { key } as never })
    const guards = {
      users: authenticate('jwt'),
      admins: authenticate({ service: 'admin', strategies: ['jwt'] }),
      machines: authenticate({ service: 'machine', strategies: ['key'] })
    }
    const orders = new Orders({ startId: 1 })
    const chosen: AroundHook = (context, next) =>
      guards[context.params.headers?.['x-guard'] as 'users'](context as never, next as never)
    app.service('orders', orders, { hooks: { around: { create: [chosen, idempotency()] } } })
    const credentials = { email: 'ada@example.com', password: 'a long password' }
    const login = async (users: string, path: string) => {
      await app.inject({ method: 'POST', url: users, payload: credentials })
      const payload = { strategy: 'local', ...credentials }
      return (await app.inject({ method: 'POST', url: path, payload })).json().accessToken as string
    }
    const post = (guard: string, token: string) =>
      app.inject({
        method: 'POST',
        url: '/orders',
        payload: { item: 'book' },
        headers: { 'idempotency-key': 'a', 'x-guard': guard, authorization: `Bearer ${token}` }
      })
    const [user, admin] = [await login('/users', '/authentication'), await login('/admins', '/admin')]
    t.match((await post('users', user)).json(), { id: 1 })
    t.match((await post('admins', admin)).json(), { id: 2 }, 'an admin with the same id')
    for (const [guard, token] of [
      ['users', user],
      ['admins', admin]
    ] as const)
      t.equal((await post(guard, token)).headers['idempotency-replayed'], 'true')
    t.match((await post('machines', 'x')).json(), { code: 500, message: /can't tell this caller from others/ })
    t.equal(orders.calls, 2)
  }
)

t.test('the option `user` may wait; what it gives for several callers is refused', async (t) => {
  const idIn = async ({ user }: Params) => (user as { id: string }).id
  const waiting = await serve(t, { user: idIn })
  t.match(await waiting.post('a', {}, { 'x-user': '1' }), { body: { id: 1 } })
  t.match(await waiting.post('a', {}, { 'x-user': '2' }), { body: { id: 2 } })
  for (const user of [({ user }: Params) => user, () => null, () => ({})]) {
    const { post, orders } = await serve(t, { user })
    t.match(await post('a', {}, { 'x-user': '1' }), { status: 500, body: { message: /option `user` must give an id/ } })
    t.equal(orders.calls, 0)
  }
  const object = await serve(t, { user: ({ user }) => new URL(`urn:${(user as { id: string }).id}`) })
  t.match(await object.post('a', {}, { 'x-user': '1' }), { body: { id: 1 } }, 'an id that is an object')
  t.match(await object.post('a', {}, { 'x-user': '2' }), { body: { id: 2 } })
})

t.test('who calls, where no login of this package says it', async (t) => {
  const { post } = await serve(t)
  const order = (params: object) => post('a', { item: 'book' }, { 'x-params': JSON.stringify(params) })
  t.match(await order({ user: { id: 1 } }), { status: 201, body: { id: 1 } })
  t.match(await order({ user: { id: '1' } }), { status: 201, body: { id: 2 } }, 'a text is no number')
  t.match(await order({ user: { _id: 'x' } }), { status: 201, body: { id: 3 } })
  t.match(await order({ user: { _id: 'x', name: 'Ada' } }), { status: 201, body: { id: 3 }, replayed: 'true' })
  t.match(await order({}), { status: 201, body: { id: 4 } }, 'nobody')
  for (const params of [{ authenticated: true }, { user: { email: 'ada@example.com' } }])
    t.match(await order(params), { status: 500, body: { message: /can't tell this caller from others/ } })
})

t.test('fields in another order are the same request', async (t) => {
  const { post } = await serve(t)
  await post('a', { item: 'book', parts: [{ x: 1, y: 2 }] })
  t.match(await post('a', { parts: [{ y: 2, x: 1 }], item: 'book' }), { status: 201, replayed: 'true' })
  t.equal((await post('a', { parts: [{ y: 1, x: 2 }], item: 'book' })).status, 422)
})

t.test('a client that leaves before the answer, and asks again, gets the answer of the first request', async (t) => {
  const { app, orders, post } = await serve(t)
  let release = () => {}
  const started = new Promise<void>((resolve) => {
    orders.create = async (data: never, params?: Params) => {
      resolve()
      await new Promise<void>((continueIt) => {
        release = continueIt
      })
      return Orders.prototype.create.call(orders, data, params)
    }
  })
  const controller = new AbortController()
  const sent = fetch(`${await app.listen({ port: 0 })}/orders`, {
    method: 'POST',
    body: '{"item":"book"}',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'a' },
    signal: controller.signal
  })
  await started
  controller.abort()
  await t.rejects(sent)
  release()
  while ((await post('a', { item: 'book' })).status === 409) await new Promise((resolve) => setTimeout(resolve, 5))
  t.match(await post('a', { item: 'book' }), { status: 201, body: { id: 1 }, replayed: 'true' })
  t.equal(orders.calls, 1)
})

t.test('what a store gives that was not kept there is no answer', async (t) => {
  for (const text of ['{', '7', 'null']) {
    const { orders, post } = await serve(t, { store: { get: () => text, set: () => undefined, add: () => false } })
    t.match(await post('a', { item: 'book' }), { status: 500, body: { message: /^The store of idempotency has lost/ } })
    t.equal(orders.calls, 0)
  }
})

t.test('services of a mounted application take no keys: their guards would stand within', async (t) => {
  const application = feathers()
  application.use('orders', { create: async () => ({ id: 1 }) } as never)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [idempotency()] } } })
  await app.register(mounted, { app: application } as never)
  const post = (headers: Record<string, string>) => app.inject({ method: 'POST', url: '/orders', payload: {}, headers })
  t.equal((await post({})).statusCode, 201)
  t.equal((await post({ 'idempotency-key': 'a' })).statusCode, 400)
})

t.test('a body that is nested too deep is 400, where another parser has read it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addContentTypeParser('application/x-order', { parseAs: 'string' }, async (_request: unknown, text: string) =>
    JSON.parse(text)
  )
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('orders', { create: async () => ({}) }, { hooks: { around: { all: [idempotency({ user: () => 1 })] } } })
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/orders',
    headers: { 'content-type': 'application/x-order', 'idempotency-key': 'a' },
    payload: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  })
  t.strictSame([statusCode, JSON.parse(body).message], [400, 'The data is nested too deep'])
})

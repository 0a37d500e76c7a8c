import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() =>
    app.close().then(
      () => {},
      () => {}
    )
  )
  await app.register(services)
  return app
}

t.test('`teardown(app, path)` runs when the server closes, once, `close()` twice', async (t) => {
  const app = await create(t)
  const calls: unknown[][] = []
  class Things {
    readonly #log = calls
    async find() {
      return []
    }
    async teardown(...args: unknown[]) {
      this.#log.push(args)
    }
  }
  app.service('things', new Things())
  await app.listen({ port: 0 })
  t.equal(calls.length, 0)
  await Promise.all([app.close(), app.close()])
  await app.close()
  t.equal(calls.length, 1)
  t.equal(calls[0]?.[0], app)
  t.equal(calls[0]?.[1], 'things')
})

t.test('tear-down goes in the opposite order of set-up, each after the one before', async (t) => {
  const app = await create(t)
  const order: string[] = []
  for (const name of ['a', 'b', 'c']) {
    app.service(name, {
      find: async () => [],
      async teardown() {
        await new Promise((resolve) => setImmediate(resolve))
        order.push(name)
      }
    })
  }
  await app.ready()
  await app.close()
  t.strictSame(order, ['c', 'b', 'a'])
})

t.test('a tear-down that fails does not keep the others from theirs, and `close()` says so', async (t) => {
  const app = await create(t)
  const order: string[] = []
  const failing = (name: string) => ({
    find: async () => [],
    async teardown() {
      order.push(name)
      throw new Error(`${name} broke`)
    }
  })
  app.service('a', {
    find: async () => [],
    async teardown() {
      order.push('a')
    }
  })
  app.service('b', failing('b'))
  app.service('c', failing('c'))
  await app.ready()
  await t.rejects(app.close(), { errors: [{ message: 'c broke' }, { message: 'b broke' }] })
  t.strictSame(order, ['c', 'b', 'a'])
})

t.test('one tear-down that fails: `close()` rejects with its error', async (t) => {
  const app = await create(t)
  app.service('a', {
    find: async () => [],
    async teardown() {
      throw new Error('broke')
    }
  })
  await app.listen({ port: 0 })
  await t.rejects(app.close(), { message: 'broke' })
  t.equal(app.server.listening, false, 'the server is closed all the same')
})

t.test('`close()` with calls in flight: calls finish, then teardown, once', async (t) => {
  const app = await create(t)
  const order: string[] = []
  let finish: () => void = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let start: () => void = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  app.service('things', {
    async get(id: string) {
      start()
      await finished
      order.push('call')
      return { id }
    },
    async teardown() {
      order.push('teardown')
    }
  })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const response = fetch(`${base}/things/1`, { headers: { connection: 'close' } })
  await started
  const closed = Promise.all([app.close(), app.close()])
  setTimeout(finish, 50)
  t.strictSame(await (await response).json(), { id: '1' })
  await closed
  t.strictSame(order, ['call', 'teardown'])
})

t.test('a service that was not set up since an earlier one failed: `close()` ends all the same', async (t) => {
  const app = await create(t)
  app.service('a', {
    find: async () => [],
    async setup() {
      throw new Error('no database')
    }
  })
  app.service('b', { find: async () => [], async teardown() {} })
  await t.rejects(
    async () => {
      await app.ready()
    },
    { message: 'no database' }
  )
  await app.close().then(
    () => {},
    (error) => t.equal(error.message, 'no database')
  )
  t.equal(app.server.listening, false)
})

import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { createServer as createSecureServer, get as getSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'
import { createCertificate } from '../support/certificate.js'

/** A service that writes its set-up and tear-down into a log. */
class Lifecycle {
  readonly calls: unknown[][] = []
  readonly #secret = 'own'
  async find() {
    return []
  }
  async setup(...args: unknown[]) {
    this.calls.push(['setup', this.#secret, ...args])
  }
  async teardown(...args: unknown[]) {
    this.calls.push(['teardown', this.#secret, ...args])
  }
}

async function create(t: Test) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  return app
}

t.test(
  'Listening: starting the HTTP server also initialises (sets up) the services, once, with `(app, path, server)`',
  async (t) => {
    const app = await create(t)
    const service = new Lifecycle()
    app.service('/things/', service)
    t.strictSame(service.calls, [])
    await app.listen({ port: 0 })
    await app.ready()
    t.equal(service.calls.length, 1)
    const [name, secret, instance, path, server] = service.calls[0] as unknown[]
    t.strictSame([name, secret, path], ['setup', 'own', 'things'], 'on the object itself')
    t.equal(instance, app)
    t.equal(server, app.server)
  }
)

t.test('`ready` sets up the services as well, in the order of registration, each after the one before', async (t) => {
  const app = await create(t)
  const order: string[] = []
  const slow = (name: string) => ({
    find: async () => [],
    async setup() {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(name)
    }
  })
  for (const name of ['a', 'b', 'c']) app.service(name, slow(name))
  await app.ready()
  t.strictSame(order, ['a', 'b', 'c'])
})

t.test('a service inside `register(…, { prefix })`: set up with its own instance and its full path', async (t) => {
  const app = await create(t)
  const service = new Lifecycle()
  let child: unknown
  app.register(
    async (instance) => {
      child = instance
      instance.service('things', service)
    },
    { prefix: '/v1' }
  )
  await app.ready()
  t.equal(service.calls[0]?.[2], child)
  t.equal(service.calls[0]?.[3], 'v1/things')
})

t.test('a service may call others in its set-up, and needs none', async (t) => {
  const app = await create(t)
  let lookedUp: unknown
  app.service('a', {
    find: async () => [],
    async setup() {
      lookedUp = await app.service<{ find(): Promise<string[]> }>('b').find()
    }
  })
  app.service('b', { find: async () => ['b'] })
  await app.ready()
  t.strictSame(lookedUp, ['b'])
})

t.test('an error in set-up: the server does not start, and the error says why', async (t) => {
  const app = await create(t)
  app.service('things', {
    find: async () => [],
    async setup() {
      throw new Error('no database')
    }
  })
  await t.rejects(app.listen({ port: 0 }), { message: 'no database' })
  t.equal(app.server.listening, false)
})

t.test(
  'When the server is created separately, `app.setup(server)` is called explicitly: `http.createServer(app.routing)`',
  async (t) => {
    const app = await create(t)
    const service = new Lifecycle()
    app.service('things', service)
    const server = createServer((request, response) => app.routing(request, response))
    t.teardown(() => server.close())
    await app.setup(server)
    t.equal(service.calls.length, 1)
    t.equal(service.calls[0]?.[4], server, 'with that server')
    server.listen(0)
    await once(server, 'listening')
    const response = await fetch(`http://localhost:${(server.address() as AddressInfo).port}/things`, {
      headers: { connection: 'close' }
    })
    t.strictSame([response.status, await response.json()], [200, []])
    await app.ready()
    t.equal(service.calls.length, 1, 'once')
  }
)

t.test('When the server is created separately: HTTPS by hand', async (t) => {
  const app = await create(t)
  const service = new Lifecycle()
  app.service('things', service)
  const certificate = createCertificate()
  const server = createSecureServer(certificate, (request, response) => app.routing(request, response))
  t.teardown(() => server.close())
  await app.setup(server)
  t.equal(service.calls[0]?.[4], server)
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = getSecure({
    port,
    host: 'localhost',
    servername: 'localhost',
    path: '/things',
    ca: certificate.cert,
    agent: false
  })
  const [response] = await once(request, 'response')
  t.equal(await text(response), '[]')
})

t.test('Sub-applications: a virtual host in front of two applications, each with a set-up of its own', async (t) => {
  const apps = { one: await create(t), two: await create(t) }
  const server = createServer((request, response) =>
    apps[request.headers.host === 'two.test' ? 'two' : 'one'].routing(request, response)
  )
  for (const [name, app] of Object.entries(apps)) {
    app.service('things', { find: async () => [name] })
    await app.setup(server)
  }
  server.listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (host: string) =>
    once(get({ port, path: '/things', headers: { host }, agent: false }), 'response').then(([response]) =>
      text(response)
    )
  t.strictSame([await ask('one.test'), await ask('two.test')], ['["one"]', '["two"]'])
})

t.test('`app.setup(server)` where set-up has run already: it says so', async (t) => {
  const app = await create(t)
  const service = new Lifecycle()
  app.service('things', service)
  await app.ready()
  await t.rejects(app.setup(createServer()), { message: /set up already/ })
  t.equal(service.calls.length, 1)
  const other = await create(t)
  await other.setup(createServer())
  await t.rejects(other.setup(createServer()), { message: /set up already/ })
})

t.test('`app.setup()` inside an encapsulated context waits for the whole application', async (t) => {
  const app = await create(t)
  const service = new Lifecycle()
  let child: typeof app | undefined
  app.register(async (instance) => {
    child = instance as unknown as typeof app
    instance.service('things', service)
  })
  await app.after()
  const server = createServer()
  await child?.setup(server)
  t.equal(service.calls[0]?.[4], server)
})

t.test('`app.setup(server)` rejects with the error of a set-up', async (t) => {
  const app = await create(t)
  app.service('things', {
    find: async () => [],
    async setup() {
      throw new Error('no database')
    }
  })
  await t.rejects(app.setup(createServer()), { message: 'no database' })
})

async function createClosing(t: Test) {
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
  const app = await createClosing(t)
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
  const app = await createClosing(t)
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
  const app = await createClosing(t)
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
  const app = await createClosing(t)
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
  const app = await createClosing(t)
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
  const app = await createClosing(t)
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

import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { BadRequest, type HookContext, type Middleware } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp, getJSON, listen } from '../support/response-app.js'

const service = { get: async (id: string) => ({ id, text: 'hello' }), remove: async () => null }
const create = (t: Test, after: Middleware | Middleware[], host?: (app: FastifyInstance) => unknown) =>
  createApp(t, { service, options: { after }, ...(host && { host }) })

t.test('Per-service middleware: before and after the service, in run order, each form', async (t) => {
  const order: string[] = []
  const mark = (name: string) => async () => {
    order.push(name)
  }
  const callback =
    (name: string) => (_request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction) => {
      order.push(name)
      setImmediate(done)
    }
  const app = await createApp(t, {
    service: {
      get: async () => {
        order.push('service')
        return {}
      }
    },
    options: {
      before: [mark('before 1'), callback('before 2'), mark('before 3')],
      after: [callback('after 1'), mark('after 2'), callback('after 3')]
    },
    plugin: {
      formatter: () => {
        order.push('formatter')
        return 'ok'
      }
    }
  })
  await app.inject('/things/1')
  t.strictSame(order, ['before 1', 'before 2', 'before 3', 'service', 'after 1', 'after 2', 'after 3', 'formatter'])
})

t.test('Per-service middleware: it runs for REST requests only, and for its own service only', async (t) => {
  let runs = 0
  const app = await create(t, async () => {
    runs++
  })
  app.service('others', service)
  await app.ready()
  await app.service<typeof service>('things').get('1')
  await app.inject('/others/1')
  t.equal(runs, 0)
  await app.inject('/things/1')
  t.equal(runs, 1)
})

t.test('After-service middleware sees `reply.data` and `reply.hook`', async (t) => {
  const seen: unknown[] = []
  const app = await create(t, async (_request, reply) => {
    const { method, path, id, result, params } = reply.hook as HookContext
    seen.push(reply.data, { method, path, id, result, provider: params.provider })
  })
  await app.inject('/things/7')
  t.strictSame(seen, [
    { id: '7', text: 'hello' },
    { method: 'get', path: 'things', id: '7', result: { id: '7', text: 'hello' }, provider: 'rest' }
  ])
})

t.test('After-service middleware sees in `reply.data` what will be sent: the dispatch', async (t) => {
  const seen: unknown[] = []
  const hook = (context: HookContext) => {
    context.dispatch = { shown: true }
  }
  const app = await createApp(t, {
    service,
    options: {
      after: async (_request, reply) => {
        seen.push(reply.data)
      },
      hooks: { after: { get: [hook] } }
    }
  })
  await app.inject('/things/7')
  t.strictSame(seen, [{ shown: true }])
})

t.test('After-service middleware may change `reply.data`, the status and headers', async (t) => {
  const app = await create(t, [
    async (_request, reply) => {
      reply.data = { ...(reply.data as object), one: 1 }
    },
    (_request, reply, done) => {
      reply.data = { ...(reply.data as object), two: 2 }
      reply.code(202).header('x-after', 'yes')
      done()
    }
  ])
  const response = await app.inject('/things/7')
  t.strictSame(response.json(), { id: '7', text: 'hello', one: 1, two: 2 })
  t.equal(response.statusCode, 202)
  t.equal(response.headers['x-after'], 'yes')
})

t.test('After-service middleware may replace a `null` result, where it says a status too', async (t) => {
  const app = await create(t, async (_request, reply) => {
    reply.data = { removed: true }
    reply.code(200)
  })
  const removed = await app.inject({ method: 'DELETE', url: '/things/7' })
  t.strictSame([removed.statusCode, removed.body], [200, '{"removed":true}'])
})

const answering: Record<string, Middleware> = {
  'async, returns the reply': async (_request, reply) => reply.code(202).send({ own: true }),
  'async, returns nothing': async (_request, reply) => {
    reply.code(202).send({ own: true })
  },
  'with done, which it never calls': (_request, reply, _done) => {
    reply.code(202).send({ own: true })
  },
  'with done, later': (_request, reply, _done) => {
    setImmediate(() => reply.code(202).send({ own: true }))
  },
  'async, a stream': async (_request, reply) =>
    reply
      .code(202)
      .type('application/json')
      .send(Readable.from(['{"own":', 'true}'])),
  'by `reply.raw` after `hijack`': async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(202, { 'content-type': 'application/json' }).end('{"own":true}')
  }
}

for (const [name, middleware] of Object.entries(answering)) {
  t.test(
    `If it sends a response itself, later middleware (including the REST formatter) is skipped: ${name}`,
    async (t) => {
      const later: string[] = []
      const app = await createApp(t, {
        service,
        options: {
          after: [
            middleware,
            async () => {
              later.push('middleware')
            }
          ]
        },
        plugin: {
          formatter: (_request, reply) => {
            later.push('formatter')
            return reply.data
          }
        }
      })
      const response = await app.inject('/things/7')
      t.equal(response.statusCode, 202)
      t.strictSame(response.json(), { own: true })
      t.strictSame(later, [])
    }
  )
}

t.test('If a before-middleware sends a response itself, the service is not called', async (t) => {
  let calls = 0
  for (const [name, before] of Object.entries(answering)) {
    const app = await createApp(t, {
      service: {
        get: async () => {
          calls++
        }
      },
      options: { before }
    })
    t.equal((await app.inject('/things/7')).statusCode, 202, name)
  }
  t.equal(calls, 0)
})

const failing: Record<string, Middleware> = {
  'async, throws': async () => {
    throw new Error('broken')
  },
  'with done, throws': (_request, _reply, _done) => {
    throw new Error('broken')
  },
  'with done, hands it over': (_request, _reply, done) => done(new Error('broken'))
}

for (const [name, middleware] of Object.entries(failing)) {
  t.test(
    `a middleware that throws is answered in the error format, later middleware is skipped: ${name}`,
    async (t) => {
      let later = 0
      for (const options of [
        {
          after: [
            middleware,
            async () => {
              later++
            }
          ]
        },
        {
          before: [
            middleware,
            async () => {
              later++
            }
          ]
        }
      ]) {
        const app = await createApp(t, { service, options })
        const response = await getJSON(app, '/things/7')
        t.equal(response.statusCode, 500)
        t.strictSame(response.json(), {
          name: 'GeneralError',
          message: 'broken',
          code: 500,
          className: 'general-error'
        })
      }
      t.equal(later, 0)
    }
  )
}

t.test('middleware does not run after a call that failed', async (t) => {
  let runs = 0
  const app = await createApp(t, {
    service: {
      get: async () => {
        throw new Error('broken')
      }
    },
    options: {
      after: async () => {
        runs++
      }
    }
  })
  t.equal((await app.inject('/things/7')).statusCode, 500)
  t.equal(runs, 0)
})

t.test('middleware that is no function is refused at registration', async (t) => {
  await t.rejects(createApp(t, { service, options: { after: ['log'] as never } }), {
    message: "The option `after` of the service 'things' must be functions, got a string"
  })
})

t.test('client goes away while a before-middleware is at work: the service is not called', async (t) => {
  let calls = 0
  let entered: (done: HookHandlerDoneFunction) => void = () => {}
  const inside = new Promise<HookHandlerDoneFunction>((resolve) => {
    entered = resolve
  })
  const app = await createApp(t, {
    service: {
      remove: async () => {
        calls++
      }
    },
    // It would refuse the request, had it the time to.
    options: { before: (_request, _reply, done) => entered(done) }
  })
  await listen(app)
  const [socket, connection] = await Promise.all([
    connect((app.server.address() as AddressInfo).port, '127.0.0.1'),
    once(app.server, 'connection')
  ])
  socket.write('DELETE /things/1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const done = await inside
  socket.destroy()
  await once(connection[0], 'close')
  await new Promise(setImmediate)
  t.equal(calls, 0)
  done(new Error('refused'))
  await new Promise(setImmediate)
  t.equal(calls, 0)
})

const fail = () => {
  throw new BadRequest('No such file')
}
const results: [name: string, result: () => unknown, answer: [status: number, message: string]][] = [
  [
    'a stream that fails before its first item',
    async function* () {
      yield* []
      fail()
    },
    [400, 'No such file']
  ],
  [
    'a result that is no JSON',
    () => ({ toJSON: fail }),
    [500, 'things.get: the result is not JSON (BigInt or a cycle?)']
  ]
]

for (const [name, result, answer] of results)
  for (const [where, after] of [
    ['without middleware after the call', []],
    ['behind middleware after the call', [async () => {}]]
  ] as const)
    t.test(`${name}, ${where}: its own error is the answer`, async (t) => {
      const app = await createApp(t, { service: { get: async () => result() }, options: { after } })
      const response = await getJSON(app, '/things/1')
      t.strictSame([response.statusCode, response.json().message], answer)
    })

t.test('middleware that takes the data away: an answer without a body', async (t) => {
  const app = await create(t, async (_request, reply) => {
    reply.data = undefined
  })
  const { statusCode, body } = await app.inject('/things/1')
  t.strictSame([statusCode, body], [200, ''])
})

t.test('Middleware order: a hook of the host that answers by itself keeps the service from being called', async (t) => {
  const app = await createApp(t, {
    service: { get: async () => t.fail('it is called') },
    host: (app) => app.addHook('onRequest', async (_request, reply) => reply.code(401).send({ mine: true }))
  })
  const response = await app.inject('/things/1')
  t.strictSame([response.statusCode, response.json()], [401, { mine: true }])
})

t.test(
  'Middleware order: `onSend`, `preSerialization` and `onResponse` hooks of the host run for services too',
  async (t) => {
    const order: string[] = []
    const host = (app: FastifyInstance) => {
      app.addHook('preSerialization', async (_request, _reply, payload) => {
        order.push('preSerialization')
        return { wrapped: payload }
      })
      app.addHook('onSend', async (_request, reply) => {
        order.push('onSend')
        reply.header('x-host', 'yes')
      })
      app.addHook('onResponse', async () => {
        order.push('onResponse')
      })
    }
    const app = await createApp(t, { service: { get: async (id: string) => ({ id }) }, host })
    const response = await app.inject('/things/1')
    t.strictSame(response.json(), { wrapped: { id: '1' } })
    t.equal(response.headers['x-host'], 'yes')
    await new Promise(setImmediate)
    t.strictSame(order, ['preSerialization', 'onSend', 'onResponse'])
  }
)

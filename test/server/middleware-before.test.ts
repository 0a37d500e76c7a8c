import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import services, { Forbidden, type Formatter, type Middleware } from 'fastify-services'
import t, { type Test } from 'tap'
import { createGuarded, request } from '../support/host.js'

t.test(
  'Per-service middleware may be given with a service at registration, in run order: async and with `done`',
  async (t) => {
    const order: string[] = []
    const { app, calls } = await createGuarded(
      t,
      [
        async (request) => {
          await null
          order.push('first')
          request.feathers.first = true
        },
        (_request, _reply, done) => {
          setImmediate(() => {
            order.push('second')
            done()
          })
        },
        (request: FastifyRequest) => {
          order.push('third')
          t.strictSame(request.feathers, { first: true })
        },
        (_request, _reply, done) => {
          order.push('fourth')
          done()
        }
      ],
      {
        hooks: {
          before: {
            all: [
              () => {
                order.push('hook')
              }
            ]
          }
        }
      } as never
    )
    t.equal((await request(app, 'GET', '/guarded/1')).status, 200)
    t.strictSame(order, ['first', 'second', 'third', 'fourth', 'hook'])
    t.match(calls, [{ method: 'get', params: { first: true } }])
  }
)

t.test('one function alone is a list of one, and it runs for each method', async (t) => {
  const seen: string[] = []
  const { app } = await createGuarded(t, async ({ method }) => {
    seen.push(method)
  })
  for (const [verb, payload] of [['GET'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const)
    await request(app, verb, '/guarded/1', payload && { payload })
  await request(app, 'POST', '/guarded', { payload: {} })
  await request(app, 'HEAD', '/guarded')
  t.strictSame(seen, ['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'HEAD'])
  await request(app, 'GET', '/things')
  t.equal(seen.length, 6, 'not for another service')
})

t.test('It runs for REST requests only: a call from the server itself passes it by', async (t) => {
  let ran = 0
  const { app, calls } = await createGuarded(t, async () => {
    ran++
  })
  await app.service<{ get(id: string): Promise<unknown> }>('guarded').get('1')
  t.strictSame([ran, calls.length], [0, 1])
})

t.test('middleware sees the parsed query and body, and its context is the instance', async (t) => {
  const { app } = await createGuarded(t, [
    async function (request) {
      t.strictSame([request.query, request.body], [{ a: { b: '1' } }, { text: 'hello' }])
      t.ok(this.service)
    },
    function (_request, _reply, done) {
      t.ok(this.service)
      done()
    }
  ])
  t.equal((await request(app, 'POST', '/guarded?a[b]=1', { payload: { text: 'hello' } })).status, 201)
})

const answers: [name: string, middleware: Middleware][] = [
  ['async, returns `reply.send()`', async (_request, reply) => reply.code(299).send({ own: true })],
  [
    'async, awaits it',
    async (_request, reply) => {
      await reply.code(299).send({ own: true })
    }
  ],
  [
    'async, returns the reply and sends later',
    async (_request, reply) => {
      setImmediate(() => {
        reply.code(299).send({ own: true })
      })
      return reply
    }
  ],
  [
    'with `done`, never calls it',
    ((_request: FastifyRequest, reply: FastifyReply, _done: () => void) => {
      reply.code(299).send({ own: true })
    }) as Middleware
  ],
  [
    'with `done`, sends later',
    ((_request: FastifyRequest, reply: FastifyReply, _done: () => void) => {
      setImmediate(() => {
        reply.code(299).send({ own: true })
      })
    }) as Middleware
  ],
  [
    'with `done`, calls it as well',
    (_request, reply, done) => {
      reply.code(299).send({ own: true })
      done()
    }
  ],
  [
    'by a stream',
    async (_request, reply) =>
      reply
        .code(299)
        .type('application/json')
        .send(Readable.from(['{"own"', ':true}']))
  ],
  [
    'hijacked',
    async (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(299, { 'content-type': 'application/json' }).end('{"own":true}')
    }
  ]
]
for (const [name, middleware] of answers) {
  t.test(`middleware that answers itself ends the chain: the service is not called (${name})`, async (t) => {
    let later = 0
    const { app, calls } = await createGuarded(t, [
      middleware,
      async () => {
        later++
      }
    ])
    const { status, body } = await request(app, 'DELETE', '/guarded/1')
    t.strictSame([status, body], [299, { own: true }])
    await new Promise((resolve) => setImmediate(resolve))
    t.strictSame([later, calls], [0, []])
  })
}

t.test(
  'throw of a string, number, `{}`, `null`, `undefined` in a middleware: 500 GeneralError in the error shape',
  async (t) => {
    for (const thrown of [
      'text',
      5,
      0,
      '',
      false,
      {},
      [],
      null,
      undefined,
      Symbol('x'),
      new Error('broken'),
      Object.create(null)
    ]) {
      const name = Object.prototype.toString.call(thrown)
      const forms: [string, Middleware][] = [
        [
          'async',
          async () => {
            throw thrown
          }
        ],
        [
          'sync',
          (() => {
            throw thrown
          }) as unknown as Middleware
        ],
        [
          'with done',
          (_request, _reply, _done) => {
            throw thrown
          }
        ]
      ]
      if (thrown)
        forms.push([
          'done(error)',
          (_request, _reply, done) => {
            done(thrown as Error)
          }
        ])
      for (const [form, middleware] of forms) {
        const { app, calls } = await createGuarded(t, middleware)
        const { status, body } = await request(app, 'GET', '/guarded')
        t.match(
          { status, body, calls },
          { status: 500, body: { name: 'GeneralError', code: 500, className: 'general-error' }, calls: [] },
          `${form} ${name}`
        )
      }
    }
  }
)

t.test('a service error of a middleware is answered as it is', async (t) => {
  for (const middleware of [
    async () => {
      throw new Forbidden('Not for you', { reason: 'age' })
    },
    (_request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
      done(new Forbidden('Not for you', { reason: 'age' }))
    }
  ]) {
    const { app, calls } = await createGuarded(t, middleware)
    const { status, body } = await request(app, 'GET', '/guarded')
    t.strictSame(
      [status, body],
      [403, { name: 'Forbidden', message: 'Not for you', code: 403, className: 'forbidden', data: { reason: 'age' } }]
    )
    t.strictSame(calls, [])
  }
})

t.test('what is no function is refused at registration', async (t) => {
  for (const before of ['log', [null], [async () => {}, {}]])
    await t.rejects(createGuarded(t, before as never), {
      message: /^The option `before` of the service 'guarded' must be functions, got /
    })
})

/** A host whose `onSend` hooks take their time: a reply that is sent is not through for a while. */
async function create(t: Test, { before = [], formatter }: { before?: readonly Middleware[]; formatter?: Formatter }) {
  const errors: object[] = []
  const stream = { write: (line: string) => void errors.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'error', stream } })
  t.teardown(() => app.close())
  app.addHook('onSend', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
  })
  await app.register(services, formatter === undefined ? {} : { formatter })
  let calls = 0
  const get = async (id: string) => {
    calls++
    return { id }
  }
  app.service('things', { get }, { before })
  return { app, calls: () => calls, errors }
}

t.test('middleware that answers itself ends the chain, whether it returns the reply or not', async (t) => {
  for (const middleware of [
    (async (_request, reply) => {
      reply.code(401).send({ no: 1 })
    }) satisfies Middleware,
    ((_request, reply, _done) => {
      reply.code(401).send({ no: 1 })
    }) satisfies Middleware
  ]) {
    const { app, calls } = await create(t, { before: [middleware] })
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.json()], [401, { no: 1 }])
    t.equal(calls(), 0)
  }
})

t.test(
  'an async formatter that gives nothing and sends nothing: an empty answer, not one that never comes',
  async (t) => {
    const { app } = await create(t, { formatter: async () => undefined })
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.body], [200, ''])
  }
)

t.test('an async formatter that sends by itself is sent once', async (t) => {
  const { app } = await create(t, {
    formatter: async (_request, reply) => {
      reply.send({ own: true })
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { own: true })
})

t.test('what fails after it has answered changes nothing of the answer', async (t) => {
  const sendAndFail = async (_request: unknown, reply: FastifyReply) => {
    reply.send({ sent: true })
    throw new Error('too late')
  }
  const sendAndCallBack: Middleware = (_request, reply, done) => {
    reply.send({ sent: true })
    done(new Error('too late'))
  }
  for (const options of [{ before: [sendAndFail] }, { before: [sendAndCallBack] }, { formatter: sendAndFail }]) {
    const { app, errors } = await create(t, options)
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.json()], [200, { sent: true }])
    t.match(errors, [{ err: { message: 'too late' }, msg: /^(Middleware|A formatter) failed after it had answered$/ }])
  }
  for (const middleware of [sendAndFail, sendAndCallBack]) {
    const { app, calls } = await createGuarded(t, [middleware])
    await app.inject('/guarded/1')
    t.strictSame(calls, [], 'the method is not called')
  }
})

t.test('the chain ends where the client has left', async (t) => {
  const seen: string[] = []
  const { app, calls } = await createGuarded(t, [
    async ({ raw }) => {
      seen.push('first')
      await once(raw.socket.destroy(), 'close')
    },
    async () => void seen.push('second')
  ])
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  await t.rejects(fetch(`http://127.0.0.1:${port}/guarded/1`))
  await app.close()
  t.strictSame(seen, ['first'])
  t.strictSame(calls, [])
})

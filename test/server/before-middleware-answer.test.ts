import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Middleware } from 'fastify-services'
import t from 'tap'
import { createGuarded, request } from '../support/host.js'

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

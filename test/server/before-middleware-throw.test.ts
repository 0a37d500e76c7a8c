import type { FastifyReply, FastifyRequest } from 'fastify'
import { Forbidden, type Middleware } from 'fastify-services'
import t from 'tap'
import { createGuarded, request } from '../support/host.js'

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
    await t.rejects(createGuarded(t, before as never), { message: /is a function/ })
})

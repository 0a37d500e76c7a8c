import type { FastifyRequest } from 'fastify'
import t from 'tap'
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

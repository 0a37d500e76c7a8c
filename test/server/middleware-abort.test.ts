import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { HookHandlerDoneFunction } from 'fastify'
import t from 'tap'
import { createApp, listen } from '../support/response-app.js'

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

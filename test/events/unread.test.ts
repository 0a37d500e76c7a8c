import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { memory, startEvents } from '../support/events-app.js'
import { eventually } from '../support/eventually.js'

const accept = 'text/event-stream'
const streams = (t: Test, app: FastifyInstance, count: number) =>
  eventually(t).equal(async () => app.events.streams, count)
const noStream = (t: Test, app: FastifyInstance) => streams(t, app, 0)
const notes = (app: FastifyInstance) => app.service('notes', memory())
/** Sends three requests for streams without waiting for their answers. */
async function pipeline(app: FastifyInstance, url: string): Promise<Socket> {
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\n\r\n`.repeat(3))
  return socket
}

const options = { services: { notes: true } } as const

t.test('an answer to HEAD leaves no stream', async (t) => {
  const { app } = await startEvents(t, notes, { ...options, limits: { subscribers: 1 } })
  const { port } = app.server.address() as { port: number }
  for (const url of [`http://127.0.0.1:${port}/notes`, `http://127.0.0.1:${port}/notes?kind=a`]) {
    const response = await fetch(url, { method: 'HEAD', headers: { accept } })
    t.match([response.status, response.headers.get('content-type')], [200, accept])
    await noStream(t, app)
  }
  await app.inject({ method: 'HEAD', url: '/notes', headers: { accept } })
  await noStream(t, app)
})

t.test('an answer for which a hook sends something else leaves no stream', async (t) => {
  const { app, call } = await startEvents(
    t,
    (app) => {
      app.addHook('onSend', async () => 'closed for today')
      notes(app)
    },
    options
  )
  for (const url of ['/notes', '/events']) {
    const { body } = await call('GET', url, undefined, { accept })
    t.equal(body, 'closed for today')
    await noStream(t, app)
  }
})

t.test('streams that wait behind another answer end with their connection', async (t) => {
  for (const url of ['/notes', '/events']) {
    const { app } = await startEvents(t, notes, options)
    const socket = await pipeline(app, url)
    await streams(t, app, 3)
    socket.destroy()
    await noStream(t, app)
  }
})

t.test('no stream begins on a connection that was closed while a hook of the application waited', async (t) => {
  for (const url of ['/notes', '/events']) {
    let waiting = 0
    let asked = 0
    const { app } = await startEvents(
      t,
      (app) => {
        app.addHook('onRequest', async ({ raw }) => {
          if (raw.headers.accept !== accept) return
          waiting += 1
          await once(raw.socket, 'close')
        })
        // The rule of each list is asked for by a request of the server, for which nobody has left.
        app.addHook('onResponse', async ({ headers }) => {
          if (headers.accept !== accept) asked += 1
        })
        notes(app)
      },
      options
    )
    const socket = await pipeline(app, url)
    await eventually(t).equal(async () => waiting, 3)
    socket.destroy()
    await eventually(t).equal(async () => asked, 3)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await noStream(t, app)
  }
})

import { connect as connectSession, type Http2Server } from 'node:http2'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import production, { serverOptions } from 'fastify-services/production'
import t from 'tap'
import { createCertificate } from '../support/certificate.js'
import { open } from './started.js'

const certificate = createCertificate()

/** A route that answers when it is told to. */
function createGate() {
  let answer = () => {}
  let call = () => {}
  const called = new Promise<void>((resolve) => {
    call = resolve
  })
  const handler = async () => {
    call()
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return ['answered']
  }
  return { handler, called, answer: () => answer() }
}

t.test('HTTPS: a call in flight is answered, and silent connections are closed', async (t) => {
  const app = Fastify(serverOptions({ https: certificate }))
  await app.register(production, { maxEventLoopDelay: false })
  const { handler, called, answer } = createGate()
  app.get('/call', handler)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const { received } = await open(t, port)
  const body = new Promise<string>((resolve, reject) => {
    get({ port, path: '/call', rejectUnauthorized: false }, (response) => resolve(text(response))).on('error', reject)
  })
  await called
  const closed = app.close()
  t.equal(await received, '', 'before the call is answered')
  answer()
  t.equal(await body, '["answered"]')
  await closed
})

for (const [title, server] of [
  ['HTTP/2', Fastify(serverOptions({ http2: true }))],
  ['HTTP/2 with TLS', Fastify(serverOptions({ http2: true, https: certificate }))]
] as const)
  t.test(`${title}: calls in flight are answered, sessions end, and half a body is cut off`, async (t) => {
    const app = server as FastifyInstance<Http2Server>
    await app.register(production, { maxEventLoopDelay: false })
    const { handler, called, answer } = createGate()
    app.get('/call', handler)
    app.post('/call', handler)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const sessions = [1, 2, 3].map(() => connectSession(url, { rejectUnauthorized: false }))
    for (const session of sessions) {
      t.teardown(() => session.destroy())
      session.on('error', () => {})
      await new Promise((resolve) => session.once('connect', resolve))
    }
    const [idle, calling, posting] = sessions
    const call = calling?.request({ ':path': '/call' })
    const body = call && text(call)
    await called
    const post = posting?.request({ ':path': '/call', ':method': 'POST', 'content-type': 'application/json' })
    post?.on('error', () => {}).write('{"')
    // The server has all that was sent before.
    await new Promise((resolve) => posting?.ping(resolve))
    const closed = app.close()
    await new Promise((resolve) => idle?.once('close', resolve))
    // It takes three seconds, and the call in flight lasts longer.
    await new Promise((resolve) => post?.once('close', resolve))
    answer()
    t.equal(await body, '["answered"]')
    await closed
  })

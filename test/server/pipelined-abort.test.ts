import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

/** Sends requests at once over one connection, and goes away when all of their methods have run. */
async function leave(port: number, paths: string[], hasRun: Promise<unknown>) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  await hasRun
  socket.destroy()
}

t.test('requests that wait behind another one on their connection end with it', { timeout: 10_000 }, async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  const waiting = 15
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  let calls = 0
  let run: () => void = () => {}
  const hasRun = new Promise<void>((resolve) => {
    run = resolve
  })
  const closed: Promise<unknown>[] = []
  const signals: AbortSignal[] = []
  app.service('streams', {
    get: async (_id: string, { signal }) => {
      const source = new Readable({ read() {} })
      closed.push(once(source, 'close'))
      signals.push(signal as AbortSignal)
      if (++calls === waiting + 1) run()
      return source
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  await leave(port, ['/streams/first', ...Array(waiting).fill('/streams/next')], hasRun)
  t.equal((await Promise.all(closed)).length, waiting + 1, 'every stream is closed')
  t.ok(
    signals.every(({ aborted }) => aborted),
    'every signal aborts'
  )
  t.same(warnings, [])
})

t.test('a response that waited and got its turn is sent as others are', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', {
    get: async (id: string) => {
      if (id === 'slow') await wait(50)
      return { id }
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  const request = (id: string, more = '') => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  socket.write(request('slow') + request('2') + request('3', 'Connection: close\r\n'))
  let answer = ''
  for await (const chunk of socket) answer += chunk
  t.same(answer.match(/\{.*?\}/g), ['{"id":"slow"}', '{"id":"2"}', '{"id":"3"}'])
})

t.test(
  'one that waited, got its turn and is being sent ends with its connection too',
  { timeout: 10_000 },
  async (t) => {
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    await app.register(services)
    const source = new Readable({ read() {} })
    const closed = once(source, 'close')
    app.service('things', {
      get: async (id: string) => {
        if (id === 'stream') return source
        await wait(50)
        return { id }
      }
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
    const request = (id: string) => `GET /things/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    socket.write(request('slow') + request('stream'))
    source.push('chunk')
    for await (const chunk of socket) if (String(chunk).includes('chunk')) break
    await closed
    t.pass('the stream is closed')
  }
)

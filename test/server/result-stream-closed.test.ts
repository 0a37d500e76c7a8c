import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type HookContext, type ServiceOptions } from 'fastify-services'
import t from 'tap'
import { sources } from '../support/sources.js'

type Options = ServiceOptions<Record<string, unknown>>
interface Way {
  readonly status: number
  readonly options?: Options
  readonly server?: FastifyServerOptions
  readonly method?: 'HEAD'
}

const fail = () => {
  throw new Error('broken')
}
const after = (...hooks: ((context: HookContext) => unknown)[]): Options => ({ hooks: { after: { get: hooks } } })
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What becomes of a stream that is never sent. */
const ways: Readonly<Record<string, Way>> = {
  'an after hook replaces it': {
    status: 200,
    options: after((context) => {
      context.result = { id: 1 } as never
    })
  },
  'an after hook refuses it': { status: 500, options: after(fail) },
  'an after hook puts another in its place, and refuses that': {
    status: 500,
    options: after(async (context) => {
      context.result = (await sources['a stream of bytes']?.())?.result as never
    }, fail)
  },
  'a hook sends something else as dispatch': {
    status: 200,
    options: after((context) => {
      context.dispatch = { id: 1 }
    })
  },
  'a hook sets a bad header': {
    status: 500,
    options: after((context) => {
      context.http.headers = { 'x-bad': 'a\r\nb' }
    })
  },
  'after-middleware answers itself': {
    status: 200,
    options: { after: async (_request, reply) => reply.send({ id: 1 }) }
  },
  'after-middleware throws': { status: 500, options: { after: fail } },
  'the formatter throws': { status: 500, options: { formatter: fail } },
  'the formatter answers 406': {
    status: 406,
    options: { formatter: (_request, reply) => reply.format({ 'text/plain': fail }) }
  },
  'the formatter gives something else': { status: 200, options: { formatter: () => 'text' } },
  'the time for the call passes': {
    status: 503,
    options: after(({ params }) => new Promise((resolve) => params.signal?.addEventListener('abort', resolve))),
    server: { handlerTimeout: 50 }
  },
  'the request is HEAD': { status: 200, method: 'HEAD' }
}

for (const [kind, create] of Object.entries(sources))
  for (const [way, { status, options, server, method = 'GET' }] of Object.entries(ways))
    t.test(`a stream that is not sent is closed: ${kind}, ${way}`, async (t) => {
      const source = await create()
      const app = Fastify({ forceCloseConnections: true, ...server })
      t.teardown(() => app.close())
      await app.register(services, { errorHandler: { logger: false } })
      app.service('things', { get: async () => source.result }, options)
      const response = await app.inject({ method, url: '/things/1', headers: { accept: 'application/json' } })
      t.equal(response.statusCode, status)
      await source.closed
    })

for (const [kind, create] of Object.entries(sources))
  t.test(`a stream that is not sent is closed: ${kind}, the client has left while the method ran`, async (t) => {
    const source = await create()
    let leave: () => void = () => {}
    const hasLeft = new Promise<void>((resolve) => {
      leave = resolve
    })
    const app = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    await app.register(services)
    const get = async () => {
      socket.destroy()
      await hasLeft
      return source.result
    }
    app.service('things', { get })
    app.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', leave))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET /things/1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await source.closed
    t.pass()
  })

t.test('a call of the server that fails closes its stream, one that succeeds hands it over', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  for (const [kind, create] of Object.entries(sources)) {
    const source = await create()
    const refused = app.service(
      `refused/${kind.replace(/\W+/g, '-')}`,
      { get: async (_id: string) => source.result },
      after(fail)
    )
    await t.rejects(refused.get('1'), { message: 'broken' })
    await source.closed
  }
  const [create] = Object.values(sources)
  const source = await create?.()
  const get = async (_id: string) => source?.result
  const later = app.service(
    'handed-over',
    { get },
    after(() => wait(1))
  )
  const stream = (await later.get('1')) as { destroyed: boolean; listenerCount(event: string): number }
  t.equal(stream, source?.result)
  t.equal(stream.destroyed, false)
  t.equal(stream.listenerCount('error'), 0, 'its errors are the affair of the caller')
})

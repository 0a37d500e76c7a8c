import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BadRequest, commonOperators, type HookContext, type Params } from 'fastify-services'
import t from 'tap'
import { createApp, getJSON } from '../support/response-app.js'

const aborted = (signal: AbortSignal | undefined) => {
  if (signal === undefined) throw new Error('There is no signal')
  return signal.aborted ? Promise.resolve() : once(signal, 'abort')
}

/** Sends a request, and gives what ends its connection. */
async function send(app: FastifyInstance, method: string, path: string, body = ''): Promise<() => void> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  await once(socket, 'connect')
  const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\n${body}`)
  return () => void socket.destroy()
}

for (const [method, path, body] of [
  ['GET', '/things/1', ''],
  ['POST', '/things', '{"a":1}'],
  ['PATCH', '/things/1', '{"a":1}'],
  ['DELETE', '/things/1', '']
] as const)
  t.test(`\`params.signal\` aborts when the client has left, and not before: ${method}`, async (t) => {
    let called: (params: Params) => void = () => {}
    const call = new Promise<Params>((resolve) => {
      called = resolve
    })
    let finish: (value?: unknown) => void = () => {}
    const finished = new Promise((resolve) => {
      finish = resolve
    })
    const run = async (params: Params) => {
      called(params)
      await aborted(params.signal)
      finish(params.signal?.reason)
    }
    const service = {
      get: (_id: string, params: Params) => run(params),
      create: (_data: object, params: Params) => run(params),
      patch: (_id: string, _data: object, params: Params) => run(params),
      remove: (_id: string, params: Params) => run(params)
    }
    const app = await createApp(t, { service })
    const leave = await send(app, method, path, body)
    const { signal } = await call
    // The body has been read by now, which Node tells in the same way as the end of the connection.
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.equal(signal?.aborted, false)
    leave()
    t.match(await finished, { name: 'AbortError', message: 'The client has left' })
  })

t.test('it aborts when `handlerTimeout` has passed, also where there is a body', async (t) => {
  const reasons: unknown[] = []
  const run = async ({ signal }: Params) => {
    await aborted(signal)
    reasons.push(signal?.reason.name)
  }
  const service = {
    find: (params: Params) => run(params),
    create: (_data: object, params: Params) => run(params)
  }
  const app = await createApp(t, { service, server: { handlerTimeout: 50 } })
  t.equal((await getJSON(app, '/things')).statusCode, 503)
  const headers = { accept: 'application/json' }
  const created = await app.inject({ method: 'POST', url: '/things', headers, payload: {} })
  t.equal(created.statusCode, 503)
  t.match(created.json(), { name: 'Unavailable', className: 'unavailable' })
  t.strictSame(reasons, ['TimeoutError', 'TimeoutError'])
})

t.test('it does not abort when the call has been answered', async (t) => {
  const signals: (AbortSignal | undefined)[] = []
  const app = await createApp(t, {
    service: {
      get: async (id: string, { signal }: Params) => {
        signals.push(signal)
        return { id }
      }
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  await (await fetch(`http://127.0.0.1:${port}/things/1`)).text()
  await app.close()
  t.equal(signals[0]?.aborted, false)
})

t.test('hooks see it, also those behind one that has copied the params; it is no key of the params', async (t) => {
  const seen: unknown[] = []
  const look = ({ params }: HookContext) => void seen.push(params.signal)
  const copy = (context: HookContext) => {
    context.params = { ...context.params, mine: true }
  }
  const replace = (context: HookContext) => {
    context.params = { query: {} }
  }
  const service = {
    async get(id: string, params: Params) {
      seen.push(params.signal)
      return { id, keys: Object.keys(params) }
    }
  }
  const before = { get: [look, commonOperators(), copy, look, replace, look] }
  const app = await createApp(t, { service, options: { hooks: { before } } })
  const response = await getJSON(app, '/things/1')
  t.strictSame(response.json(), { id: '1', keys: ['query'] })
  t.equal(seen.length, 4)
  t.ok(seen[0] instanceof AbortSignal)
  t.ok(seen.every((signal) => signal === seen[0]))
})

t.test('a hook may set another one, as any of the params', async (t) => {
  const signals: unknown[] = []
  const app = await createApp(t, {
    service: {
      async get(_id: string, params: Params) {
        for (const value of [AbortSignal.timeout(1), undefined, null]) {
          params.signal = value as AbortSignal
          signals.push(params.signal, Object.keys(params).includes('signal'))
        }
        Reflect.deleteProperty(params, 'signal')
        signals.push(params.signal)
        return {}
      }
    }
  })
  await getJSON(app, '/things/1')
  t.match(signals, [AbortSignal, true, undefined, true, null, true, AbortSignal])
})

t.test('a hook may leave it out of the call', async (t) => {
  for (const value of [undefined, null]) {
    const service = { get: async (_id: string, { signal }: Params) => ({ hasSignal: signal !== value }) }
    const leave = (context: HookContext) => void Object.assign(context.params, { signal: value })
    const app = await createApp(t, { service, options: { hooks: { before: { get: [leave] } } } })
    t.same((await getJSON(app, '/things/1')).json(), { hasSignal: false })
  }
})

t.test('a call of the server that hands its params on has it too; one that does not has none', async (t) => {
  const seen: unknown[] = []
  const app = await createApp(t, {
    service: {
      async get(_id: string, params: Params) {
        seen.push(params.signal)
        await app.service('inner').get('1', { ...params })
        await app.service('inner').get('1')
        return {}
      }
    }
  })
  app.service('inner', {
    async get(_id: string, params: Params) {
      seen.push(params.signal)
      return {}
    }
  })
  await getJSON(app, '/things/1')
  t.ok(seen[0] instanceof AbortSignal)
  t.equal(seen[1], seen[0])
  t.equal(seen[2], undefined)
})

t.test(
  'a call that was answered goes on: calls of the server with its params are made, also after an error',
  async (t) => {
    const made: unknown[] = []
    let later: () => Promise<unknown> = async () => {}
    const app = await createApp(t, {
      service: {
        async get(id: string, params: Params) {
          const { signal } = params
          later = async () => {
            t.equal(signal?.aborted, false)
            await app.service('inner').get(id, { ...params })
            await app.service('inner').get(id, { ...params, signal: new AbortController().signal })
          }
          if (id === 'fails') throw new BadRequest('No')
          return { id }
        }
      }
    })
    app.service('inner', { get: async (id: string) => void made.push(id) })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const id of ['1', 'fails']) {
      await (
        await fetch(`${url}/things/${id}`, { headers: { accept: 'application/json', connection: 'close' } })
      ).text()
      await later()
    }
    t.strictSame(made, ['1', '1', 'fails', 'fails'])
  }
)

t.test('params may be frozen deeply', async (t) => {
  const freeze = (value: object) => {
    for (const key of Reflect.ownKeys(value)) {
      const inner: unknown = Reflect.get(value, key)
      if (typeof inner === 'object' && inner !== null && key !== 'headers') freeze(inner)
      if (typeof inner === 'function') Object.freeze(inner)
    }
    return Object.freeze(value)
  }
  const hook = (context: HookContext) => {
    context.params = freeze({ ...context.params }) as Params
  }
  const service = { get: async (_id: string, { signal }: Params) => ({ is: signal instanceof AbortSignal }) }
  const app = await createApp(t, { service, options: { hooks: { before: { get: [hook] } } } })
  t.equal((await getJSON(app, '/things/1')).statusCode, 200)
})

t.test('params of any kind, and frozen ones, are taken as they are', async (t) => {
  const values: unknown[] = [undefined, null, 'text', 1, Object.freeze({ query: {} })]
  for (const params of values) {
    const hook = (context: HookContext) => {
      context.params = params as Params
    }
    const service = { get: async (_id: string, ...rest: unknown[]) => ({ isSame: rest[0] === params }) }
    const app = await createApp(t, { service, options: { hooks: { before: { get: [hook] } } } })
    t.strictSame((await getJSON(app, '/things/1')).json(), { isSame: true })
  }
})

t.test('it aborts where somebody else has given the answer, and the call ends there', async (t) => {
  let answered: FastifyReply['raw'] | undefined
  const calls: string[] = []
  const hook = async ({ id, params }: HookContext) => {
    const aborts = id === 'watched' ? aborted(params.signal) : undefined
    answered?.end('enough')
    if (id === 'late') t.match(params.signal, { aborted: true, reason: { name: 'TimeoutError' } })
    await aborts
  }
  const app = await createApp(t, {
    service: { get: async (id: string) => void calls.push(id) },
    options: {
      hooks: { before: { get: [hook] } },
      before: async (_request, reply) => {
        answered = reply.raw
      }
    }
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const id of ['watched', 'late']) t.equal(await (await fetch(`${url}/things/${id}`)).text(), 'enough')
  t.strictSame(calls, [])
})

t.test('a hook may put another one in its place', async (t) => {
  const own = AbortSignal.abort(new Error('enough'))
  const service = { get: async (_id: string, { signal }: Params) => ({ isOwn: signal === own }) }
  const hook = (context: HookContext) => {
    context.params.signal = own
  }
  const app = await createApp(t, { service, options: { hooks: { before: { get: [hook] } } } })
  t.match((await getJSON(app, '/things/1')).json(), { code: 500, message: 'enough' })
})

t.test('it is never taken from the client', async (t) => {
  const service = { create: async (_data: object, params: Params) => ({ is: params.signal instanceof AbortSignal }) }
  const app = await createApp(t, { service })
  const response = await app.inject({
    method: 'POST',
    url: '/things?signal=x&signal[aborted]=true',
    headers: { signal: 'x' },
    payload: { signal: { aborted: true } }
  })
  t.strictSame(response.json(), { is: true })
})

t.test('a call that was aborted before its method ran does not run it', async (t) => {
  const calls: string[] = []
  let leave: () => void = () => {}
  let answer: (value: unknown) => void = () => {}
  const answered = new Promise((resolve) => {
    answer = resolve
  })
  const app = await createApp(t, {
    service: { get: async (id: string) => void calls.push(id) },
    options: {
      hooks: {
        before: {
          get: [
            async ({ id, params }: HookContext) => {
              if (id !== 'left') return
              leave()
              await aborted(params.signal)
            }
          ]
        },
        error: { get: [({ error }: HookContext) => answer(error)] }
      }
    }
  })
  leave = await send(app, 'GET', '/things/left')
  t.match(await answered, { name: 'AbortError' })
  const reason = new Error('enough')
  await t.rejects(app.service('things').get('internal', { signal: AbortSignal.abort(reason) }), reason)
  t.strictSame(calls, [])
  await app.service('things').get('1', { signal: new AbortController().signal })
  t.strictSame(calls, ['1'])
})

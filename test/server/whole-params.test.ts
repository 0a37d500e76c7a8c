import Fastify from 'fastify'
import services, { type HookContext, type Middleware } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

const told = (value: unknown) => (value === undefined ? 'undefined' : value)

t.test('what middleware and hooks see of a request', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const seen: unknown[] = []
  const sets: Record<string, Middleware> = {
    nothing: async () => {},
    read: async (request) => void seen.push(request.feathers),
    one: async (request) => void Object.assign(request.feathers, { a: 1 }),
    assigned: async (request) => {
      request.feathers = { a: 1, b: 2 }
      request.feathers = { b: 3, c: 4 }
      const { feathers } = request
      seen.push({ ...feathers }, feathers === request.feathers)
    },
    'assigned nothing': async (request) => {
      request.feathers = undefined as never
      request.feathers = null as never
    },
    reserved: async (request) => {
      request.feathers = {
        provider: 'mine',
        query: { own: 1 },
        headers: { own: '1' },
        route: { own: 1 },
        signal: 'mine',
        user: { id: 1 }
      }
    },
    'a body': async (request) => {
      request.body = { supplied: 1 }
    },
    'before there is a call': async (_request, reply) => void seen.push([told(reply.data), told(reply.hook)])
  }
  const hook = ({ params, data, id, path, method, type, provider }: HookContext & { provider?: unknown }) => {
    const { headers, ...rest } = params as { headers: Record<string, string>; signal?: unknown }
    const { signal } = params as { signal?: unknown }
    seen.push({
      data: told(data),
      id: told(id),
      path,
      method,
      type,
      provider: told(provider),
      rest,
      own: headers.own ?? headers['x-own']
    })
    seen.push([
      Object.keys(params),
      signal instanceof AbortSignal ? 'a signal' : told(signal),
      Object.keys({ ...params })
    ])
  }
  const show: Middleware = async (_request, reply) => void seen.push([reply.data, reply.hook?.method, reply.hook?.type])
  const service = { find: async () => [], create: async (data: object) => data }
  const rows: Record<string, unknown> = {}
  let index = 0
  for (const middleware of Object.values(sets))
    app.service(`s${index++}`, service, {
      before: middleware,
      after: show,
      hooks: { before: { all: [hook] } }
    } as object)
  index = 0
  for (const name of Object.keys(sets)) {
    const url = `/s${index++}`
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode, body } = await app.inject({
        method,
        url: `${url}?a=1&provider=x`,
        headers: { 'x-own': 'sent' }
      })
      rows[`${name}: ${method}`] = [statusCode, body, ...seen.splice(0)]
    }
  }
  isKept(t, rows, 'test/server/whole-params.txt')
})

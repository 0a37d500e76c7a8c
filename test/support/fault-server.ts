import Fastify, { type FastifyRequest } from 'fastify'
import plugin, { type HookContext, type Middleware, NotFound, type ServiceOptions } from 'fastify-services'
import { type Fault, faults, pathOf } from './faults.js'

// Started as a process of its own: a fault that ends it ends no test. `late`: the host has hooks that take their time.
const late = process.argv[2] === 'late'
const app = Fastify({
  forceCloseConnections: true,
  logger: { level: 'info', stream: { write() {} } },
  handlerTimeout: 1000
})
if (late) {
  app.addHook('preSerialization', async (_request, _reply, payload) => payload)
  app.addHook('onSend', async (_request, _reply, payload) => payload)
}
await app.register(plugin, { errorHandler: { html: false } })

const act = (id: unknown, context?: HookContext) => faults[Number(id)]?.act(context)
const ofContext = (context: HookContext) => act(context.id, context) as undefined
const idOf = (request: { params: unknown }) => Object.values(request.params as Record<string, string>)[0]
const get = async () => ({ id: 1 })
const twice = async (_context: HookContext, next: () => Promise<void>) => {
  await next()
  await next()
}
const withDone = async (request: FastifyRequest, _reply: unknown, _done: unknown) => {
  act(idOf(request))
}

const services: Record<
  NonNullable<Fault['place']>,
  [service: object, options?: ServiceOptions<Record<string, unknown>>]
> = {
  'a method': [{ get: async (id: string) => act(id) }],
  'a before hook': [{ get }, { hooks: { before: { get: [ofContext] } } }],
  'an after hook': [{ get }, { hooks: { after: { get: [ofContext] } } }],
  'an error hook': [
    {
      get: () => {
        throw new NotFound()
      }
    },
    { hooks: { error: { get: [ofContext] } } }
  ],
  'a hook that calls next() twice': [{ get }, { hooks: { around: { get: [twice] } } }],
  'a hook that never calls next()': [{ get }, { hooks: { around: { get: [async () => {}] } } }],
  'a middleware before': [
    { get },
    {
      before: async (request) => {
        act(idOf(request))
      }
    }
  ],
  'a middleware after': [
    { get },
    {
      after: async (request) => {
        act(idOf(request))
      }
    }
  ],
  'a middleware with done': [
    { get },
    {
      after: (request, _reply, _done) => {
        act(idOf(request))
      }
    }
  ],
  'an async middleware with done': [{ get }, { after: withDone as Middleware }],
  'a formatter': [{ get }, { formatter: (request) => act(idOf(request)) }],
  'an async formatter': [{ get }, { formatter: async (request) => act(idOf(request)) }],
  'a listener': [{ remove: async (id: string) => ({ id }) }],
  'an async listener': [{ remove: async (id: string) => ({ id }) }]
}
for (const [name, [service, options]] of Object.entries(services))
  app.service(pathOf(name), service as Record<string, unknown>, options)
app.service(pathOf('a listener')).on('removed', ({ id }) => act(id))
app.service(pathOf('an async listener')).on('removed', async ({ id }) => act(id))

app.get('/alive', async () => ({ polluted: String(({} as { polluted?: unknown }).polluted) }))

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.(app.server.address())
process.once('disconnect', () => app.close())

import Fastify from 'fastify'
import services, { type HookContext } from 'fastify-services'
import t from 'tap'

t.test('headers that a hook adds for a result that fails are not those of the result that replaces it', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const add = (name: string) => (context: HookContext) => {
    context.http.headers ??= {}
    context.http.headers[name] = 'yes'
  }
  const fail = () => {
    throw new Error('it fails')
  }
  const replace = (context: HookContext) => {
    context.result = { replaced: true }
  }
  const hooks = { before: [add('x-before')], after: [fail, add('x-after')], error: [replace] }
  app.service('things', { find: async () => [] }, { hooks })
  const { headers, body } = await app.inject('/things')
  t.strictSame([headers['x-before'], headers['x-after'], body], ['yes', undefined, '{"replaced":true}'])
})

t.test('a status that can not be sent is an error that says so', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const statuses = [99, 199, 600, 200.5, '200', -1]
  for (const status of statuses) {
    const hook = ({ http }: HookContext) => {
      http.status = status as number
    }
    app.service(`things/${status}/all`, { find: async () => [] }, { hooks: { after: [hook] } })
  }
  for (const status of statuses) {
    const { statusCode, body } = await app.inject({
      url: `/things/${status}/all`,
      headers: { accept: 'application/json' }
    })
    // What a text says may be what a client has sent.
    const shown = typeof status === 'string' ? 'a string' : status
    const message = `A hook of things/${status}/all.find has set the status to ${shown}: it must be a whole number from 200 to 599`
    t.strictSame([statusCode, JSON.parse(body).message], [500, message])
  }
})

t.test('a Response without a body: its length is not sent', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', {
    find: async () => new Response(null, { headers: { 'content-length': '5', 'x-own': 'yes' } })
  })
  const { headers, body } = await app.inject('/things')
  t.strictSame([headers['x-own'], headers['content-length'] ?? '0', body], ['yes', '0', ''])
})

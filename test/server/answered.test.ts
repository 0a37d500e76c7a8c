import Fastify, { type FastifyReply } from 'fastify'
import services, { type Formatter, type Middleware } from 'fastify-services'
import t, { type Test } from 'tap'

/** A host whose `onSend` hooks take their time: a reply that is sent is not through for a while. */
async function create(t: Test, { before = [], formatter }: { before?: readonly Middleware[]; formatter?: Formatter }) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onSend', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
  })
  await app.register(services, formatter === undefined ? {} : { formatter })
  let calls = 0
  const get = async (id: string) => {
    calls++
    return { id }
  }
  app.service('things', { get }, { before })
  return { app, calls: () => calls }
}

t.test('middleware that answers itself ends the chain, whether it returns the reply or not', async (t) => {
  for (const middleware of [
    (async (_request, reply) => {
      reply.code(401).send({ no: 1 })
    }) satisfies Middleware,
    ((_request, reply, _done) => {
      reply.code(401).send({ no: 1 })
    }) satisfies Middleware
  ]) {
    const { app, calls } = await create(t, { before: [middleware] })
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.json()], [401, { no: 1 }])
    t.equal(calls(), 0)
  }
})

t.test(
  'an async formatter that gives nothing and sends nothing: an empty answer, not one that never comes',
  async (t) => {
    const { app } = await create(t, { formatter: async () => undefined })
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.body], [200, ''])
  }
)

t.test('an async formatter that sends by itself is sent once', async (t) => {
  const { app } = await create(t, {
    formatter: async (_request, reply) => {
      reply.send({ own: true })
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { own: true })
})

t.test('what fails after it has answered changes nothing of the answer', async (t) => {
  const sendAndFail = async (_request: unknown, reply: FastifyReply) => {
    reply.send({ sent: true })
    throw new Error('too late')
  }
  const sendAndCallBack: Middleware = (_request, reply, done) => {
    reply.send({ sent: true })
    done(new Error('too late'))
  }
  for (const options of [{ before: [sendAndFail] }, { before: [sendAndCallBack] }, { formatter: sendAndFail }]) {
    const { app } = await create(t, options)
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.json()], [200, { sent: true }])
  }
})

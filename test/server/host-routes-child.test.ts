import Fastify, { type FastifyInstance } from 'fastify'
import services from 'fastify-services'
import t from 'tap'
import { request } from '../support/host.js'
import { createRecorder } from '../support/recorder.js'

// The plugin inside a prefixed child, and routes of the host in that child: what the host defines itself, before or after, stays the host's.
const places = ['before registration', 'after it in the same scope', 'in a plugin registered later'] as const

for (const where of places) {
  t.test(`the plugin inside a prefixed child, own routes overlapping there, ${where}: both work`, async (t) => {
    const app = Fastify()
    t.teardown(() => app.close())
    const { service, calls } = createRecorder()
    const define = (child: FastifyInstance) => {
      child.get('/things', async () => ({ host: 'list' }))
      child.delete('/things/:id', async () => ({ host: 'gone' }))
      child.post('/things/:id', async () => ({ host: 'posted' }))
      child.head('/things/:id', async (_request, reply) => reply.header('x-host', '1').send())
    }
    await app.register(
      async (child) => {
        if (where === 'before registration') define(child)
        await child.register(services)
        child.service('things', service)
        if (where === 'after it in the same scope') define(child)
        if (where === 'in a plugin registered later') child.register(async (inner) => define(inner))
      },
      { prefix: '/v1' }
    )
    t.strictSame((await request(app, 'GET', '/v1/things')).body, { host: 'list' })
    t.strictSame((await request(app, 'DELETE', '/v1/things/1')).body, { host: 'gone' })
    t.strictSame((await request(app, 'POST', '/v1/things/1')).body, { host: 'posted' })
    t.equal((await request(app, 'HEAD', '/v1/things/1')).headers['x-host'], '1')
    t.strictSame(calls, [])
    t.match((await request(app, 'GET', '/v1/things/1')).body, { method: 'get', args: ['1'] })
    t.match((await request(app, 'DELETE', '/v1/things')).body, { method: 'remove', args: [null] })
    t.match((await request(app, 'POST', '/v1/things', { payload: {} })).body, { method: 'create' })
    t.equal(calls.length, 3)
  })
}

t.test(
  "routes of another context: the plugin in a child, the host's route at the root, before and later",
  async (t) => {
    for (const when of ['before', 'later']) {
      const app = Fastify()
      t.teardown(() => app.close())
      const { service, calls } = createRecorder()
      if (when === 'before') app.get('/v1/things', async () => ({ host: true }))
      await app.register(
        async (child) => {
          await child.register(services)
          child.service('things', service)
        },
        { prefix: '/v1' }
      )
      if (when === 'later') app.get('/v1/things', async () => ({ host: true }))
      t.strictSame((await request(app, 'GET', '/v1/things')).body, { host: true }, when)
      t.strictSame((await request(app, 'GET', '/v1/things/1')).status, 200)
      t.equal(calls.length, 1)
    }
  }
)

t.test(
  "a host with its own `POST /path`: a custom method does not stand over it, nor does it take the service's other routes",
  async (t) => {
    for (const when of ['before', 'after', 'later']) {
      const app = Fastify()
      t.teardown(() => app.close())
      await app.register(services)
      const { service, calls } = createRecorder(['find', 'create', 'archive'])
      if (when === 'before') app.post('/mail', async () => ({ host: true }))
      app.service('mail', service, { methods: ['find', 'create', 'archive'] })
      if (when === 'after') app.post('/mail', async () => ({ host: true }))
      if (when === 'later')
        app.register(async (child) => {
          child.post('/mail', async () => ({ host: true }))
        })
      t.strictSame((await request(app, 'POST', '/mail', { payload: {} })).body, { host: true }, when)
      t.strictSame(
        (await request(app, 'POST', '/mail', { payload: {}, headers: { 'x-service-method': 'unknown' } })).body,
        { host: true },
        when
      )
      t.equal((await request(app, 'GET', '/mail')).status, 200)
      t.strictSame(
        calls.map(({ method }) => method),
        ['find']
      )
    }
  }
)

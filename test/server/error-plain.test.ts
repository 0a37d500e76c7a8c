import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import t from 'tap'

const json = { accept: 'application/json' }

t.test('a plain object of `@fastify/rate-limit` is answered with its message, and its fields as data', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(rateLimit, { global: false })
  await app.register(services)
  const errorResponseBuilder = () => ({ statusCode: 429, error: 'Slow down', message: 'Two at most', max: 2 })
  app.service('busy', { find: async () => [] }, { config: { rateLimit: { max: 1, errorResponseBuilder } } })
  await app.inject('/busy')
  const response = await app.inject({ url: '/busy', headers: json })
  t.equal(response.statusCode, 429)
  t.strictSame(response.json(), {
    name: 'TooManyRequests',
    message: 'Two at most',
    code: 429,
    className: 'too-many-requests',
    data: { error: 'Slow down', max: 2 }
  })
})

t.test('a plain object that is thrown tells neither what a service hides nor of faults of the server', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const thrown: Record<string, object> = {
    own: {
      statusCode: 409,
      stack: 'at file',
      cause: { query: 'select' },
      error: { stack: 'at file', code: 'E' },
      headers: { cookie: 'c' },
      password: 'hash',
      user: { password: 'hash' },
      id: 1
    },
    server: { statusCode: 500, message: 'broken', password: 'hash' }
  }
  const get = async (id: string) => {
    throw thrown[id]
  }
  const record = {
    type: 'object',
    properties: { id: { type: 'string' }, password: { type: 'string', writeOnly: true } }
  } as const
  app.service('resource', { get }, { schema: resource(record) })
  app.service('protected', { get }, { hooks: { around: { all: [protect('password')] } } })
  for (const path of ['resource', 'protected']) {
    const failed = async (id: string) => (await app.inject({ url: `/${path}/${id}`, headers: json })).json()
    t.strictSame((await failed('own')).data, { error: { code: 'E' }, user: {}, id: 1 }, path)
    t.strictSame(await failed('server'), {
      name: 'GeneralError',
      message: 'broken',
      code: 500,
      className: 'general-error'
    })
  }
})

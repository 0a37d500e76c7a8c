import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import services from '../../index.js'
import authentication from '../../lib/authentication/index.js'
import events from '../../lib/events/index.js'
import { openapi } from '../../lib/openapi/index.js'
import { memory } from '../support/events-app.js'

t.test('the document shows streams, and lists that are heard', async (t) => {
  const app = Fastify()
  await app.register(swagger, openapi({ info: { title: 'Notes', version: '1.0.0' } }))
  await app.register(services)
  app.service('notes', memory())
  app.service('quiet', memory())
  await app.register(events, { services: { notes: true } })
  await app.ready()
  t.teardown(() => app.close())
  const { paths = {} } = app.swagger() as unknown as {
    paths?: Record<
      string,
      Record<
        string,
        {
          operationId: string
          security: object[]
          responses: Record<string, { content?: object }>
          parameters: object[]
        }
      >
    >
  }
  const typesAt = (path: string) => Object.keys(paths[path]?.get?.responses[200]?.content ?? {})
  t.same(typesAt('/notes'), ['application/json', 'text/event-stream'])
  t.same(typesAt('/quiet'), ['application/json'])
  t.same(typesAt('/events'), ['text/event-stream'])
  t.equal(paths['/events']?.get?.operationId, 'listenToEvents')
  t.match(paths['/events']?.get?.parameters, [
    { name: 'subscribe', in: 'query' },
    { name: 'Last-Event-ID', in: 'header' }
  ])
  t.same(Object.keys(paths['/events'] ?? {}), ['get'])
  t.same(paths['/events']?.get?.security, [{}], 'no credentials are needed')
})

t.test('an application that compiles all schemas with zod has streams', async (t) => {
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(
    swagger,
    openapi({ info: { title: 'Notes', version: '1.0.0' } }, { transform: jsonSchemaTransform })
  )
  await app.register(services)
  app.service('notes', memory())
  await app.register(events, { services: { notes: true } })
  t.teardown(() => app.close())
  await app.ready()
  const refused = await app.inject({
    url: '/events?subscribe[0][path]=nothing',
    headers: { accept: 'application/json' }
  })
  t.match([refused.statusCode, refused.json()], [404, { message: /nothing/ }])
  t.match(app.swagger(), { paths: { '/events': { get: { parameters: [{ name: 'subscribe' }, {}] } } } })
})

t.test('a document that the application makes by itself names no credentials that it does not have', async (t) => {
  const app = Fastify()
  await app.register(swagger, { openapi: { info: { title: 'Notes', version: '1.0.0' } } })
  await app.register(services)
  app.service('notes', memory())
  app.service('users', memory())
  await app.register(authentication, {
    secret: 'a secret that is long enough for it',
    guard: 'jwt',
    strategies: { jwt: true }
  })
  await app.register(events, { services: { notes: true } })
  t.teardown(() => app.close())
  await app.ready()
  const operation = app.swagger().paths?.['/events']?.get
  t.equal(operation?.summary, 'Hear what happens to lists')
  t.notOk(operation && 'security' in operation)
})

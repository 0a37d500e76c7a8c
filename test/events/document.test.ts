import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import t from 'tap'
import services from '../../index.js'
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

import * as server from 'fastify-services'
import t from 'tap'

const own = [
  'AxiosClient',
  'FetchClient',
  'JqueryClient',
  'RequestClient',
  'SuperagentClient',
  'authentication',
  'createClient',
  'memoryStorage',
  'rest'
]

t.test('the door of the client exports these names, the errors of the server, and no others', async (t) => {
  const client = await import('fastify-services/client')
  const errors = Object.keys(server).filter((name) => /^[A-Z]/.test(name))
  t.same(Object.keys(client).sort(), [...errors, ...own].sort())
  t.equal(client.NotFound, server.NotFound, 'an error of the one is an error of the other')
})

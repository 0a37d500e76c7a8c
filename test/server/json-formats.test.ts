import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

t.test('formats that are written in JSON are read as JSON', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service('things', { create: async (data: object) => data })
  const post = (type: string, payload: string) =>
    app.inject({ method: 'POST', url: '/things', headers: { 'content-type': type }, payload })
  for (const type of [
    'application/vnd.api+json',
    'application/ld+json; charset=utf-8',
    'Application/Merge-Patch+JSON'
  ]) {
    const { statusCode, body } = await post(type, '{"a":"ü"}')
    t.same([statusCode, body], [201, '{"a":"ü"}'], type)
    t.match((await post(type, '{')).json(), { code: 400 }, `${type} that is none`)
    t.match((await post(type, '')).json(), { message: 'No data provided' }, `${type} that is empty`)
    t.match((await post(type, '{"__proto__":{}}')).json(), { code: 400 }, `${type} with a prototype`)
  }
  for (const type of ['text/vnd.api+json', 'application/vnd.api+jsonx', 'application/+json', 'application/json+xml'])
    t.equal((await post(type, '{"a":1}')).statusCode, 415, type)
})

t.test('a parser of the application for one of them stays', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addContentTypeParser('application/vnd.api+json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { of: 'the application', body })
  )
  await app.register(services)
  app.service('things', { create: async (data: object) => data })
  const headers = { 'content-type': 'application/vnd.api+json' }
  const { body } = await app.inject({ method: 'POST', url: '/things', headers, payload: '{"a":1}' })
  t.equal(body, '{"of":"the application","body":"{\\"a\\":1}"}')
})

import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

type Verb = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'

t.test('X-Service-Method that is empty, or names one of the six methods', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const tell = (name: string) => async () => ({ name })
  const six = ['find', 'get', 'create', 'update', 'patch', 'remove']
  const object = Object.fromEntries([...six, 'archive'].map((name) => [name, tell(name)]))
  app.service('things', object, { methods: [...six, 'archive'] as never })
  app.service('archives', { archive: tell('archive') } as object, { methods: ['archive'] as never })
  const ask = async (method: Verb, url: string, name: string) => {
    const payload = method === 'GET' || method === 'HEAD' ? {} : { payload: {} }
    const { statusCode, body } = await app.inject({ method, url, headers: { 'x-service-method': name }, ...payload })
    const { name: called, message } = body === '' ? { name: '', message: undefined } : JSON.parse(body)
    return `${statusCode} ${message ?? called}`
  }
  const not = (name: string) => `405 Method \`${name}\` is not supported by this endpoint.`
  const rows: [Verb, string, string, string][] = [
    ['POST', '/things', '', '201 create'],
    ['GET', '/things', '', '200 find'],
    ['PATCH', '/things/1', '', '200 patch'],
    ['POST', '/archives', '', not('create')],
    ['POST', '/things', 'archive', '200 archive'],
    ['GET', '/things', 'archive', '200 find'],
    ...six.map((name): [Verb, string, string, string] => ['POST', '/things', name, not(name)]),
    ['GET', '/things', 'find', '200 find'],
    ['GET', '/things/1', 'get', '200 get'],
    ['HEAD', '/things', 'find', '200 '],
    ['PATCH', '/things/1', 'patch', '200 patch'],
    ['GET', '/things', 'create', not('find')],
    ['GET', '/things/1', 'patch', not('get')],
    ['HEAD', '/things', 'remove', '405 '],
    ['PATCH', '/things', 'get', not('patch')],
    ['DELETE', '/things', 'find', not('remove')]
  ]
  for (const [method, url, name, expected] of rows)
    t.equal(await ask(method, url, name), expected, `${method} ${url} ${name}`)
})

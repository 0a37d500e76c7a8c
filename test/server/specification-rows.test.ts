import Fastify, { type FastifyInstance } from 'fastify'
import services, { type ServicesOptions } from 'fastify-services'
import t, { type Test } from 'tap'

/** A host with a service that tells what it was called with. */
async function create(t: Test, options: ServicesOptions = {}, prepare: (app: FastifyInstance) => unknown = () => {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  prepare(app)
  await app.register(services, options)
  app.service('echo', { find: async (params) => params, create: async (data, params) => ({ data, params }) })
  return app
}

const accept = { accept: 'application/json' }

t.test('Other params: what middleware sets on `request.feathers` becomes service params', async (t) => {
  const app = await create(t)
  app.addHook('onRequest', async (request) => {
    request.feathers.user = { id: 1 }
    request.feathers = { locale: 'de' }
  })
  t.match((await app.inject('/echo')).json(), { user: { id: 1 }, locale: 'de', provider: 'rest' })
})

t.test(
  'Client-to-server transfer: only `params.query` travels, other params are never accepted from the client',
  async (t) => {
    const app = await create(t)
    const sent = { user: 'root', provider: '', authenticated: 'true' }
    const found = (await app.inject({ url: '/echo', query: sent })).json()
    t.strictSame(Object.keys(found).sort(), ['headers', 'provider', 'query', 'route'])
    t.strictSame([found.provider, found.query], ['rest', sent])
    const created = (await app.inject({ method: 'POST', url: '/echo', payload: sent })).json()
    t.strictSame([created.params.provider, created.params.query, created.data], ['rest', {}, sent])
    t.strictSame(Object.keys(created.params).sort(), ['headers', 'provider', 'query', 'route'])
  }
)

t.test(
  'Body parsers not registered before services: the plugin brings both, also where the host has none',
  async (t) => {
    const app = await create(t, {}, (app) => app.removeAllContentTypeParsers())
    const post = async (type: string, payload: string) =>
      (await app.inject({ method: 'POST', url: '/echo', payload, headers: { ...accept, 'content-type': type } })).json()
    t.match(await post('application/json', '{"a":1}'), { data: { a: 1 } })
    t.match(await post('application/x-www-form-urlencoded', 'a[b]=1'), { data: { a: { b: '1' } } }, 'extended mode')
    const none = await app.inject({ method: 'POST', url: '/echo', headers: accept })
    t.match(none.json(), { name: 'BadRequest', message: 'No data provided' })
  }
)

t.test('No route matches: NotFound with status 404; with `verbose` the URL is included', async (t) => {
  const brief = await create(t, { notFound: true })
  t.match((await brief.inject({ url: '/nowhere', headers: accept })).json(), {
    name: 'NotFound',
    code: 404,
    message: 'Page not found'
  })
  const verbose = await create(t, { notFound: { verbose: true } })
  const response = await verbose.inject({ url: '/nowhere', headers: accept })
  t.match(
    [response.statusCode, response.json()],
    [404, { message: 'Page not found: /nowhere', data: { url: '/nowhere' } }]
  )
})

t.test(
  'Array size in a query string: 20 items, a longer array is an object with indices as keys; the limit can be raised',
  async (t) => {
    const url = (size: number) => `/echo?${Array.from({ length: size }, (_, index) => `a[]=${index}`).join('&')}`
    const app = await create(t)
    t.ok(Array.isArray((await app.inject(url(20))).json().query.a))
    const long = (await app.inject(url(21))).json().query.a
    t.strictSame([Array.isArray(long), Object.keys(long).length, long[20]], [false, 21, '20'])
    const raised = await create(t, { query: { arrayLimit: 1000 } })
    t.equal((await raised.inject(url(1000))).json().query.a.length, 1000)
  }
)

t.test('Query value type: always string, every query parameter', async (t) => {
  const app = await create(t)
  const { query } = (await app.inject('/echo?a=1&b=true&c=null&d[e]=1.5&f[]=2&g')).json()
  t.strictSame(query, { a: '1', b: 'true', c: 'null', d: { e: '1.5' }, f: ['2'], g: '' })
})

import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t, { type Test } from 'tap'

const text = { type: 'string' }
const record = { type: 'object', properties: { title: text, at: { type: 'object', properties: { x: text } } } }

async function serve(t: Test, schema?: object, query: object = {}) {
  const asked: unknown[] = []
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { query, errorHandler: { html: false, logger: false } })
  const service = {
    find: async (params: object) => asked.push((params as { query: unknown }).query) && [],
    create: async (data: object) => asked.push(data) && data
  }
  app.service('things', service as object, { ...(schema && { schema: schema as object }) })
  return { app, asked }
}

/** Queries and forms, with the name that an error tells. */
const inherited = {
  'constructor=1': 'constructor',
  constructor: 'constructor',
  '__proto__[x]=1': '__proto__[x]',
  '__proto__=1': '__proto__',
  'title=a&toString=1': 'toString',
  'title[constructor]=1': 'title[constructor]',
  'title[__proto__]=1': 'title[__proto__]',
  'title[__proto__][$ne]=1': 'title[__proto__][$ne]',
  'title%5B__proto__%5D=1': 'title[__proto__]',
  '%63onstructor=1': 'constructor',
  'title[%63onstructor]=1': 'title[constructor]',
  '%5F%5Fproto%5F%5F%5Bx%5D=1': '__proto__[x]',
  '$or[0][constructor]=1': '$or[0][constructor]',
  '[constructor]=1': 'constructor',
  'a=b[constructor]=1': 'a=b[constructor]',
  'title[$in][][valueOf]=1': 'title[$in][valueOf]'
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('names of Object.prototype in a query or a form of a resource are not known', async (t) => {
  const { app, asked } = await serve(t, resource(record as never))
  for (const [query, name] of Object.entries(inherited)) {
    const answers = [
      await app.inject(`/things?${query}`),
      await app.inject({ method: 'POST', url: '/things', headers: form, payload: query }),
      await app.inject({ method: 'POST', url: `/things?${query}`, payload: { title: 'a' } })
    ]
    for (const answer of answers) t.match([answer.statusCode, answer.json().message], [400, `${name} is not known`])
  }
  for (const payload of ['{"__proto__":{"x":1}}', '{"title":{"constructor":1}}', '{"constructor":{"prototype":{}}}']) {
    const headers = { 'content-type': 'application/json' }
    t.equal((await app.inject({ method: 'QUERY' as 'GET', url: '/things', headers, payload })).statusCode, 400)
    t.equal((await app.inject({ method: 'POST', url: '/things', headers, payload })).statusCode, 400)
  }
  t.strictSame(asked, [])
  for (const query of ['title=constructor', 'title=__proto__', 'title=a[constructor]%3D1'])
    t.equal((await app.inject(`/things?${query}`)).statusCode, 200, 'values may be anything')
})

t.test('options of the parser', async (t) => {
  const dots = await serve(t, resource(record as never), { allowDots: true, delimiter: ';' })
  for (const query of ['title=a;title.constructor=1', 'title=a;__proto__.x=1'])
    t.equal((await dots.app.inject(`/things?${query}`)).statusCode, 400, query)
  const decoder = (value: string) => value.replaceAll('~', '_')
  const decoded = await serve(t, resource(record as never), { decoder })
  t.equal((await decoded.app.inject('/things?~~proto~~[x]=1')).statusCode, 400)
  t.equal((await decoded.app.inject('/things?title=a')).statusCode, 200)
})

t.test('without resource() they are dropped', async (t) => {
  const { app, asked } = await serve(t)
  for (const query of Object.keys(inherited)) t.equal((await app.inject(`/things?${query}`)).statusCode, 200, query)
  t.notMatch(JSON.stringify(asked), /constructor|__proto__|valueOf|toString/)
})

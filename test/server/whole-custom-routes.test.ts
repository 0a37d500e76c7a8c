import Fastify, { type FastifyServerOptions } from 'fastify'
import services, { type MethodRoutes } from 'fastify-services'
import t from 'tap'
import { isKept } from '../support/kept.js'

// Which routes custom methods can have, and what is said of others.

const six = ['find', 'get', 'create', 'update', 'patch', 'remove']
const names = [...six, 'publish', 'stats', 'hide']
const object = Object.fromEntries(names.map((name) => [name, async () => ({ name })]))
const ask = { method: 'POST', url: '/in/1', headers: { 'x-service-method': 'publish' }, payload: {} } as const

async function create(server: FastifyServerOptions = {}) {
  const app = Fastify(server)
  await app.register(services)
  return app
}

/** Registers a service for each row: those that are refused leave nothing behind for the next. */
async function tell(
  rows: Record<string, readonly [routes: unknown, methods?: string[]]>,
  server?: FastifyServerOptions
) {
  const answers: Record<string, unknown> = {}
  let app = await create(server)
  for (const [name, [routes, methods = names]] of Object.entries(rows))
    try {
      app.service('in/:room', object, { methods, routes: routes as MethodRoutes })
      answers[name] = (await app.inject(ask)).body
      app = await create(server)
    } catch (error) {
      answers[name] = Object(error).message
    }
  return answers
}

const record = { id: 1 }
const rows: Record<string, readonly [routes: unknown, methods?: string[]]> = {
  'none, named': [undefined],
  'none, not named': [{}, six],
  'of one of the six': [{ find: 'GET /all' }],
  'of a name that is missing': [{ release: 'POST /release' }],
  'of a name that is not exposed': [{ publish: 'POST /publish' }, ['find', 'stats']],
  'of an inherited name': [{ toString: 'POST /x' }],
  'the second': [{ publish: 'POST /a', stats: 'POST a' }],
  'the URLs of one of the six': [{ publish: 'POST /', stats: 'GET /:id' }],
  'the URLs of two': [{ publish: 'POST /by/:a/', stats: 'GET /by/:b' }],
  'one URL, two verbs': [{ publish: 'POST /both', stats: 'GET /both' }],
  'one URL, one verb': [{ publish: 'GET /both', stats: 'GET /both/' }],
  'a name twice': [{}, ['find', 'find']],
  'a verb that records have': [{ publish: 'PATCH /:id' }],
  'a verb that records lack': [{ publish: 'POST /:id' }],
  'a verb that the service lacks': [{ publish: 'PUT /' }, ['find', 'publish']],
  'a verb that the service has for many': [{ publish: 'PUT /' }],
  'two after another, in capitals': [{ publish: 'POST /one', stats: 'GET /one', hide: 'PUT /ONE' }],
  'the URLs of two, and of a third': [{ publish: 'POST /by/:a', stats: 'PUT /by/:a', hide: 'GET /by/:c' }],
  'in capitals': [{ publish: 'GET /one', stats: 'GET /ONE' }],
  'in capitals, two verbs': [{ publish: 'PUT /one', stats: 'GET /ONE' }],
  'a placeholder in capitals, two verbs': [{ publish: 'PUT /one/:a', stats: 'GET /one/:A' }],
  'longer, in capitals': [{ publish: 'GET /one/:a/Two', stats: 'GET /ONE/:a/two' }]
}
const wholes = ['', 'x', '/x', 'POST', 'POST x', 'post /x', 'HEAD /x', 'OPTIONS /x', 'POST  /x', ' POST /x', 'POST //x']
const others = [
  'GETS /x',
  'POST /x ',
  'POST /x//y',
  'POST /:key',
  'PATCH /:idx',
  'POST /:ID',
  'GET /:room/x',
  'POST /:id/:id'
]
const fine = ['GET /x', 'PUT /x', 'PATCH /x', 'DELETE /x', 'POST /x/', 'POST /:id/x', 'POST /x/:id', 'POST /:ID/x']
const segments = `* x* ? x? :id? # % a%20b ( ) :id(1) \\ ; . .. ... .a a. a.b : :1 :_ :a-b :A :aB_9 :ä a:b ä - $a @a a=b&c
  :id:id :a/:a :a/:b :a/:b/:a :a/b/:a/:b :a/:b/:a/:b :a/:b/:b/:a x*/y* :room :id/:room b/:rooms`
for (const text of [...wholes, ...others, ...fine]) rows[`'${text}'`] = [{ publish: text }]
for (const text of ['a b', '\t', ...segments.split(/\s+/)]) rows[text] = [{ publish: `POST /x/${text}` }]
for (const value of [undefined, null, 1, true, ['POST /x'], record])
  rows[`${JSON.stringify(value)}`] = [{ publish: value }]

t.test('routes of custom methods', async (t) => {
  const lax = Object.fromEntries(Object.entries(rows).filter(([name]) => name.includes('capitals')))
  const answers = [await tell(rows), await tell(lax, { routerOptions: { caseSensitive: false } })]
  isKept(t, answers, 'test/server/whole-custom-routes.txt')
})

// Services that are registered without `await`, with something of the application between them.
import Fastify, { type FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import services from 'fastify-services'
import t from 'tap'

const echo = () => ({ find: async () => [], create: async (data: unknown) => data })

/** Registers two services without `await`, with something between them. */
async function start(between: (app: FastifyInstance) => void) {
  const app = Fastify()
  await app.register(services)
  app.service('first', echo())
  between(app)
  app.service('second', echo())
  await app.ready()
  return app
}

const marked = async (app: FastifyInstance) => {
  const headers = await Promise.all(['/first', '/second'].map(async (url) => (await app.inject(url)).headers))
  return headers.map(({ mark }) => mark)
}

const addMark = async (app: FastifyInstance) => {
  app.addHook('onSend', async (_request, reply) => void reply.header('mark', 'set'))
}

t.test('a hook between two services is for both, as Fastify hands it on to instances that exist', async (t) => {
  t.strictSame(await marked(await start((app) => void addMark(app))), ['set', 'set'])
  t.strictSame(await marked(await start((app) => void app.register(plugin(addMark)))), ['set', 'set'])
  t.strictSame(await marked(await start((app) => void app.after(() => addMark(app)))), ['set', 'set'])
})

t.test('a parser of a plugin between two services is for the second', async (t) => {
  const parsers = plugin(async (app) => {
    app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, { csv: body }))
  })
  const app = await start((app) => void app.register(parsers))
  const post = (url: string) =>
    app.inject({ method: 'POST', url, headers: { 'content-type': 'text/csv' }, payload: 'a,b' })
  t.equal((await post('/first')).statusCode, 415)
  t.strictSame((await post('/second')).json(), { csv: 'a,b' })
})

t.test('each service has an instance of its own, with its prefix', async (t) => {
  const app = Fastify()
  const prefixes: string[] = []
  app.addHook('onRegister', (instance) => void prefixes.push(instance.prefix))
  await app.register(services)
  app.service('first', echo())
  app.service('second', echo())
  await app.ready()
  t.strictSame(prefixes, ['/first', '/second'])
})

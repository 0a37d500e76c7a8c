import Fastify from 'fastify'
import services from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import { createClientOfEcho } from '../support/client-app.js'

class PostService {
  async find() {
    return []
  }
  async publish({ id }: { id: number }) {
    return { published: id }
  }
  async send({ id }: { id: number }) {
    return { sent: id }
  }
}

t.test('`publish`: a custom method on the server, over HTTP, and in the client', async (t) => {
  const server = Fastify()
  t.teardown(() => server.close())
  await server.register(services)
  const posts = server.service('posts', new PostService(), {
    methods: ['find', 'publish', 'send'],
    hooks: { after: { publish: [({ result }) => ({ result: { ...(result as object), hooked: true } })] } }
  })
  t.same(await posts.publish({ id: 1 }), { published: 1, hooked: true })
  const connection = rest(await server.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch)
  const app = createClient<{ posts: PostService }>().configure(connection)
  app.use('posts', connection.service('posts'), { methods: ['publish', 'send'] })
  t.same(await app.service('posts').publish({ id: 2 }), { published: 2, hooked: true })
  t.same(await app.service('posts').send({ id: 3 }), { sent: 3 })
})

const refused = {
  'every service has it already': [
    'base',
    'connection',
    'getQuery',
    'methods',
    'name',
    'options',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'hooks',
    'on',
    'once',
    'off',
    'emit',
    'addListener',
    'removeListener',
    'removeAllListeners',
    'listeners',
    'listenerCount'
  ],
  'it is called automatically': ['setup', 'teardown', 'then'],
  'hooks use the word': ['all', 'around', 'before', 'after', 'error']
}

t.test('a name that is taken is refused with the reason, and the path stays free', async (t) => {
  const { app, address } = await createClientOfEcho(t)
  const connection = rest(address).fetch(fetch)
  for (const [reason, names] of Object.entries(refused))
    for (const name of names)
      t.throws(() => app.use('wrong', connection.service('wrong'), { methods: ['find', name] }), {
        message: `'${name}' can't be a method of the service 'wrong': ${reason}`
      })
  t.same(await app.use('wrong', connection.service('wrong')).service('wrong').find(), {})
})

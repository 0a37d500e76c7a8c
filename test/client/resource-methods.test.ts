import Fastify, { type FastifyRequest } from 'fastify'
import services, { type Id, resource, type ServiceOf } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import t from 'tap'
import * as z from 'zod'

const posts = resource(z.object({ id: z.int(), title: z.string(), at: z.string().optional() }), {
  readOnly: ['id'],
  methods: {
    publish: {
      route: 'POST /:id/publish',
      body: z.object({ at: z.string() }),
      query: z.object({ loud: z.boolean().optional() })
    },
    like: { route: 'PUT /:id/likes' },
    stats: { route: 'GET /stats', response: z.object({ count: z.int() }) },
    archive: { body: z.object({ before: z.string() }), response: z.object({ archived: z.string() }) }
  }
})

class PostService {
  async get(id: Id) {
    return { id: Number(id), title: 'Hello' }
  }
  async publish(id: string, { at }: { at: string }) {
    return { ...(await this.get(id)), at }
  }
  async like(id: string) {
    return this.get(id)
  }
  async stats() {
    return { count: 2 }
  }
  async archive({ before }: { before: string }) {
    return { archived: before }
  }
}

t.test('a client that is told the resource calls its methods by their routes', async (t) => {
  const server = Fastify({ forceCloseConnections: true })
  t.teardown(() => server.close())
  await server.register(services)
  const seen: string[] = []
  server.addHook('onRequest', async ({ method, url, headers }: FastifyRequest) => {
    seen.push([method, url, headers['x-service-method']].filter(Boolean).join(' '))
  })
  server.service('posts', new PostService(), { schema: posts })
  const connection = rest(await server.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch)
  const client = createClient<{ posts: ServiceOf<typeof posts, 'get'> }>().configure(connection)
  client.use('posts', connection.service('posts'), { schema: posts })
  const service = client.service('posts')
  const called: string[] = []
  service.hooks({ before: { archive: ({ data }) => called.push(data.before) } })

  t.strictSame(await service.publish(1, { at: 'now' }, { query: { loud: true } }), { id: 1, title: 'Hello', at: 'now' })
  t.strictSame(await service.like(1), { id: 1, title: 'Hello' })
  t.strictSame(await service.stats(), { count: 2 })
  t.strictSame(await service.archive({ before: '2020' }), { archived: '2020' })
  t.strictSame(await service.get(1), { id: 1, title: 'Hello' })
  await t.rejects(service.publish(1, { at: 1 as unknown as string }), { message: 'at must be a string' })
  t.strictSame(called, ['2020'])
  t.strictSame(seen, [
    'POST /posts/1/publish?loud=true',
    'PUT /posts/1/likes',
    'GET /posts/stats',
    'POST /posts archive',
    'GET /posts/1',
    'POST /posts/1/publish'
  ])
})

t.test('one that is not told sends the values of placeholders with the data', async (t) => {
  const server = Fastify({ forceCloseConnections: true })
  t.teardown(() => server.close())
  await server.register(services)
  server.service('posts', new PostService(), { schema: posts })
  const connection = rest(await server.listen({ port: 0, host: '127.0.0.1' })).fetch(fetch)
  const service = createClient().configure(connection).service('posts') as unknown as {
    publish(data: object): Promise<object>
  }
  t.strictSame(await service.publish({ id: 1, at: 'now' }), { id: 1, title: 'Hello', at: 'now' })
})

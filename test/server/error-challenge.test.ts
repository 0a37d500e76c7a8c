import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import services, { NotAuthenticated } from 'fastify-services'
import t from 'tap'

t.test('a 401 has the challenge of whoever has refused, and `Bearer` where there is none', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('WWW-Authenticate', 'Basic realm="Inner"')
    throw new NotAuthenticated()
  }
  const failing = (headers?: unknown) => ({
    find: async () => {
      throw Object.assign(new Error('Who is it?'), { statusCode: 401, headers })
    }
  })
  app.service('middleware', { find: async () => [] }, { before: refuse })
  await app.register(async (child) => {
    child.addHook('onRequest', refuse)
    child.service('hook', { find: async () => [] })
  })
  // The error of a database or of another server may bring theirs.
  app.service('error', failing({ 'WWW-Authenticate': 'Digest realm="d"' }))
  app.service('none', failing())

  const challenge = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url, headers: { accept: 'application/json' } })
    return [statusCode, headers['www-authenticate']]
  }
  t.strictSame(await challenge('/middleware'), [401, 'Basic realm="Inner"'])
  t.strictSame(await challenge('/hook'), [401, 'Basic realm="Inner"'])
  for (const url of ['/error', '/none']) t.strictSame(await challenge(url), [401, 'Bearer'], url)
})

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Forbidden, NotAuthenticated } from 'fastify-services'
import { authenticate, type Strategy } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import { around, ask, bearer, createGuardsApp, whoami } from '../support/auth-guards.js'

const guard = authenticate('jwt')

/** The error handler of a host: it tells what it was handed. */
const own = (error: Error & { statusCode?: number }, _request: FastifyRequest, reply: FastifyReply) =>
  reply.code(error.statusCode ?? 500).send({ own: true, error: error.name, message: error.message })

t.test(
  'The guard of a host route sets `WWW-Authenticate` and throws: the error handler decides the body',
  async (t) => {
    const app = await createGuardsApp(t as Test, {
      before: async (app) => {
        app.get('/plain', { preHandler: guard }, async () => 'let in')
        app.get('/early', { onRequest: guard }, async () => 'let in')
        app.get('/route', { preHandler: guard, errorHandler: own }, async () => 'let in')
        await app.register(async (child) => {
          child.setErrorHandler(own)
          child.get('/child', { preHandler: guard }, async () => 'let in')
        })
      }
    })
    for (const url of ['/plain', '/early', '/route', '/child'])
      for (const headers of [{}, bearer('bad')] as Record<string, string>[]) {
        const answer = await ask(app, url, headers)
        t.equal(answer.status, 401, url)
        t.equal(answer.headers['www-authenticate'], 'Bearer', url)
        const message = 'authorization' in headers ? 'Invalid access token' : 'Not authenticated'
        const { body } = answer
        t.match(
          body,
          url === '/plain' || url === '/early' ? { error: 'Unauthorized', message } : { own: true, message }
        )
        t.equal((await ask(app, url)).headers['www-authenticate'], undefined, 'not for those who are let in')
      }
  }
)

t.test('the error is a NotAuthenticated, as the error handler sees it', async (t) => {
  const seen: unknown[] = []
  const app = await createGuardsApp(t as Test, {
    before: (app) => {
      app.setErrorHandler((error, _request, reply) => {
        seen.push(error)
        return reply.code(418).header('www-authenticate', 'Own').send('')
      })
      app.get('/route', { preHandler: guard }, async () => 'let in')
    }
  })
  const { status, headers } = await ask(app, '/route', {})
  t.same([status, headers['www-authenticate']], [418, 'Own'], 'what it answers is up to it')
  const [error] = seen as [NotAuthenticated]
  t.type(error, NotAuthenticated)
  const { code, statusCode, className, message } = error
  t.same([code, statusCode, className, message], [401, 401, 'not-authenticated', 'Not authenticated'])
})

t.test('other errors than 401 carry none, and stay what they are', async (t) => {
  const strategies: Record<string, Strategy | true> = {
    jwt: true,
    forbidding: {
      parse: () => ({}),
      authenticate() {
        throw new Forbidden('Not you')
      }
    },
    broken: {
      parse: () => ({}),
      authenticate() {
        throw new Error('no database')
      }
    }
  }
  const app = await createGuardsApp(t as Test, {
    options: { strategies },
    before: (app) => {
      for (const name of ['forbidding', 'broken'] as const) {
        app.get(`/${name}`, { preHandler: authenticate(name) }, async () => 'let in')
        app.service(`${name}-service`, whoami, around(authenticate(name)))
      }
    }
  })
  for (const [url, status, message] of [
    ['/forbidding', 403, 'Not you'],
    ['/forbidding-service', 403, 'Not you'],
    ['/broken', 500, 'no database'],
    ['/broken-service', 500, 'no database']
  ] as const) {
    const answer = await ask(app, url)
    t.match([answer.status, answer.body], [status, { message }], url)
    t.notHas(answer.headers, 'www-authenticate')
  }
})

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import services from 'fastify-services'
import authentication, { JwksStrategy } from 'fastify-services/authentication'
import t from 'tap'
import { audience, startIssuer } from '../support/issuer.js'

t.test('an issuer that never ends its answer: calls end with 503 after one request, and others go on', async (t) => {
  const issuer = await startIssuer(t)
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const jwks = new JwksStrategy({ issuer: issuer.url, audience, map: ({ sub }) => ({ id: sub }) })
  await app.register(authentication, { strategies: { jwks }, guard: 'jwks', public: ['news'] })
  app.service('me', { find: async () => [] })
  app.service('news', { find: async () => [] })
  issuer.answer = (reply) =>
    void reply.hijack().raw.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":[')
  const headers = { authorization: `Bearer ${await issuer.sign()}` }
  const answers = Array.from({ length: 20 }, () => app.inject({ url: '/me', headers }))
  t.equal((await app.inject('/news')).statusCode, 200)
  for (const { statusCode } of await Promise.all(answers)) t.equal(statusCode, 503)
  t.equal(issuer.requests, 1)
})

const script = fileURLToPath(new URL('../support/jose-missing.js', import.meta.url))

t.test('without the package jose, the server does not start, and says what to do', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  t.equal(stdout, 'JwksStrategy needs the package jose: npm i jose\n')
})

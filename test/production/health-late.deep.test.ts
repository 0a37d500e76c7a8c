import Fastify from 'fastify'
import production from 'fastify-services/production'
import t from 'tap'

t.test('`/health` answers 503 if `isReady` does not answer within 5 seconds, and then it asks again', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  let count = 0
  await app.register(production, { isReady: () => count++ > 0 || new Promise(() => {}) })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/health`
  const response = await fetch(url)
  t.match([response.status, await response.json()], [503, { message: 'The server is not ready' }])
  t.equal((await fetch(url)).status, 200)
})

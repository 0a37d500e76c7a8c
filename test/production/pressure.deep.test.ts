import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import production from 'fastify-services/production'
import t from 'tap'

/** Blocks the event loop for a turn of 20 ms. */
async function block() {
  const end = performance.now() + 20
  while (performance.now() < end);
  await delay(0)
}

t.test('while the event loop is late, requests get 503, but health checks do not', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(production, { maxEventLoopDelay: 1 })
  app.get('/notes', async () => [])
  while (!app.isUnderPressure()) await block()
  t.equal((await app.inject('/notes')).statusCode, 200, 'the load of the start does not count')
  let response = await app.inject('/notes')
  while (response.statusCode === 200) {
    await block()
    response = await app.inject('/notes')
  }
  t.match([response.statusCode, response.json()], [503, { name: 'Unavailable', data: { retryAfter: 5 } }])
  t.match(response.headers, { 'retry-after': '5', 'x-request-id': /./ })
  for (const path of ['/health', '/health/live']) t.equal((await app.inject(path)).statusCode, 200, path)
})

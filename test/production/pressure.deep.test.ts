import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import production from 'fastify-services/production'
import t from 'tap'

/** Blocks the event loop for turns of 20 ms, until the plugin has measured it. */
async function block(isLate: () => boolean) {
  while (!isLate()) {
    const end = performance.now() + 20
    while (performance.now() < end);
    await delay(0)
  }
}

t.test('while the event loop is late, requests get 503, but health checks do not', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(production, { maxEventLoopDelay: 1 })
  app.get('/notes', async () => [])
  await app.ready()
  await block(() => app.isUnderPressure())
  t.equal((await app.inject('/notes')).statusCode, 200, 'the load of the start does not count')
  await delay(2000)
  await block(() => app.isUnderPressure())
  const { statusCode, headers, body } = await app.inject('/notes')
  t.match([statusCode, JSON.parse(body)], [503, { name: 'Unavailable', data: { retryAfter: 5 } }])
  t.match(headers, { 'retry-after': '5', 'x-request-id': /./ })
  for (const path of ['/health', '/health/live']) t.equal((await app.inject(path)).statusCode, 200, path)
})

import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

t.setTimeout(900_000)

t.test('thousands of services start and close', async (t) => {
  const app = Fastify()
  await app.register(services)
  for (let i = 0; i < 2500; i++) app.service(`s${i}`, { find: async () => [i] })
  await app.ready()
  t.same((await app.inject('/s2499')).json(), [2499])
  await app.close()
})

import Fastify from 'fastify'
import services from 'fastify-services'
import t from 'tap'

t.test('3,000 services start, answer and stop', async (t) => {
  t.setTimeout(0)
  const app = Fastify()
  await app.register(services)
  const started: string[] = []
  for (let i = 0; i < 3000; i++) {
    const setup = async (_app: unknown, path: string) => void started.push(path)
    app.service(`service-${i}`, { create: async () => ({ i }), setup })
  }
  await app.ready()
  t.equal(started.length, 3000)
  for (const i of [0, 1500, 2999])
    t.strictSame((await app.inject({ method: 'POST', url: `/service-${i}`, payload: {} })).json(), { i })
  t.equal((await app.inject({ method: 'DELETE', url: '/service-2999' })).statusCode, 405)
  await t.resolves(app.close())
})

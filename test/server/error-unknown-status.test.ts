import Fastify from 'fastify'
import services from 'fastify-services'
import t, { type Test } from 'tap'

async function answer(t: Test, code: number, accept: string) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { expose: false } })
  app.service('things', {
    get: async () => {
      throw Object.assign(new Error('secret'), { statusCode: code })
    }
  })
  return app.inject({ url: '/things/1', headers: { accept } })
}

t.test(
  'a status that HTTP has no words for keeps its code, and tells nothing more where 5xx are not shown',
  async (t) => {
    const response = await answer(t, 599, 'application/json')
    t.match([response.statusCode, response.json()], [599, { code: 599, message: 'Error', className: 'general-error' }])
  }
)

t.test('its page has the code for a title', async (t) => {
  const response = await answer(t, 499, 'text/html')
  t.equal(response.statusCode, 499)
  t.match(response.body, '<title>499</title>')
})

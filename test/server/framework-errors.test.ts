import Fastify from 'fastify'
import services, { errorHandler, frameworkErrors } from 'fastify-services'
import t, { type Test } from 'tap'
import { getJSON } from '../support/response-app.js'

const service = { get: async (id: string) => ({ id }) }

async function create(t: Test, own: boolean) {
  const app = own ? Fastify({ frameworkErrors }) : Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  app.service('things', service)
  return app
}

t.test("The router's own 400 (`%zz`): `Fastify({ frameworkErrors })` gives it this shape", async (t) => {
  const response = await getJSON(await create(t, true), '/things/%zz')
  t.equal(response.statusCode, 400)
  t.match(response.headers['content-type'], 'application/json')
  t.match(response.json(), { name: 'BadRequest', message: String, code: 400, className: 'bad-request' })
})

t.test("The router's own 414: `Fastify({ frameworkErrors })` gives it this shape", async (t) => {
  const response = await getJSON(await create(t, true), `/things/${'a'.repeat(101)}`)
  t.equal(response.statusCode, 414)
  t.match(response.json(), { name: 'UriTooLong', message: String, code: 414, className: 'uri-too-long' })
  t.equal((await getJSON(await create(t, true), `/things/${'a'.repeat(100)}`)).statusCode, 200)
})

t.test('frameworkErrors answers HTML to a browser, escaped', async (t) => {
  const response = await (await create(t, true)).inject({
    url: '/things/%zz<script>',
    headers: { accept: 'text/html' }
  })
  t.equal(response.statusCode, 400)
  t.equal(response.headers['content-type'], 'text/html; charset=utf-8')
  t.notMatch(response.body, '<script')
})

t.test('frameworkErrors of a path without a service too, and the server goes on', async (t) => {
  const app = await create(t, true)
  t.match((await getJSON(app, '/%zz')).json(), { name: 'BadRequest', code: 400 })
  t.strictSame((await getJSON(app, '/things/1')).json(), { id: '1' })
})

t.test('without it the answer is that of Fastify, never 500', async (t) => {
  const app = await create(t, false)
  t.match((await getJSON(app, '/things/%zz')).json(), { statusCode: 400 })
  t.match((await getJSON(app, `/things/${'a'.repeat(5000)}`)).json(), { statusCode: 414 })
})

t.test('with options: `Fastify({ frameworkErrors: errorHandler(options) })`', async (t) => {
  const app = Fastify({ frameworkErrors: errorHandler({ html: false, logger: false }) })
  t.teardown(() => app.close())
  const response = await app.inject('/%zz')
  t.match(
    response.json(),
    { name: 'BadRequest', code: 400, className: 'bad-request' },
    'JSON, though it is not asked for'
  )
})

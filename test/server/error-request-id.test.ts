import Fastify from 'fastify'
import services, { BadRequest, type ErrorData, type ServicesOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import { request } from '../support/host.js'

const circle: Record<string, unknown> = {}
circle.circle = circle

const data: Record<string, unknown> = {
  none: undefined,
  null: null,
  object: { a: 1 },
  bare: Object.assign(Object.create(null), { a: 1 }),
  list: [1],
  text: 'text',
  date: new Date(0),
  own: { requestId: 'mine' },
  circle
}

async function create(t: Test, options: ServicesOptions) {
  const app = Fastify({ genReqId: () => 'r-1' })
  t.teardown(() => app.close())
  await app.register(services, options)
  app.service('things', {
    get: async (id: string) => {
      throw Object.assign(new BadRequest('No'), { data: data[id] as ErrorData })
    }
  })
  return app
}

t.test('`errorHandler: { requestId: true }`: the id of the request stands in the data of an error', async (t) => {
  const app = await create(t, { errorHandler: { requestId: true }, notFound: true })
  const requestId = 'r-1'
  for (const [name, expected] of [
    ['none', { requestId }],
    ['null', { requestId }],
    ['object', { a: 1, requestId }],
    ['bare', { a: 1, requestId }],
    ['own', { requestId }],
    ['list', [1]],
    ['text', 'text'],
    ['date', '1970-01-01T00:00:00.000Z'],
    ['circle', { requestId }]
  ] as const)
    t.strictSame((await request(app, 'GET', `/things/${name}`)).body.data, expected, name)
  t.strictSame(data.object, { a: 1 }, 'the error is not changed')
  t.strictSame((await request(app, 'DELETE', '/things/1')).body.data, { requestId })
  t.strictSame((await request(app, 'GET', '/nowhere')).body.data, { url: '/nowhere', requestId })
})

t.test('only when it is asked for', async (t) => {
  for (const options of [{}, { errorHandler: {} }, { errorHandler: { requestId: false } }]) {
    const app = await create(t, options)
    t.notMatch((await app.inject({ url: '/things/object', headers: { accept: 'application/json' } })).body, 'r-1')
  }
})

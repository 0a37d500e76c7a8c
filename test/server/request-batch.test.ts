import t from 'tap'
import { createApp } from '../support/response-app.js'

const bad = [[null], [1], ['s'], [true], [[]], [[{}]], [{}, null], [{}, {}, 'x']]

for (const schema of [undefined, { create: { body: { type: 'object' } } }])
  t.test(`each record of a batch is an object: ${schema ? 'with' : 'without'} a schema`, async (t) => {
    const calls: unknown[] = []
    const service = {
      async create(data: unknown) {
        calls.push(data)
        return data
      }
    }
    const app = await createApp(t, { service, options: schema ? { schema } : {} })
    for (const payload of bad) {
      const headers = { accept: 'application/json' }
      const response = await app.inject({ method: 'POST', url: '/things', headers, payload })
      t.equal(response.statusCode, 400, JSON.stringify(payload))
      t.match(response.json(), { name: 'BadRequest', message: /^First parameter for 'create' must be an object/ })
      await t.rejects(app.service('things').create(payload), { code: 400 }, `${JSON.stringify(payload)} of the server`)
    }
    t.strictSame(calls, [])
    for (const payload of [[], [{ id: 1 }], [{}, {}]]) {
      const response = await app.inject({ method: 'POST', url: '/things', payload })
      t.equal(response.statusCode, 201)
      t.strictSame(response.json(), payload)
    }
  })

t.test('a list is no data of `update` and `patch`', async (t) => {
  const service = { update: async () => ({}), patch: async () => ({}) }
  const app = await createApp(t, { service })
  for (const method of ['PUT', 'PATCH'] as const)
    t.equal((await app.inject({ method, url: '/things/1', payload: [{}] })).statusCode, 400)
})

t.test('the data is checked when the service is called: middleware before it may supply the body', async (t) => {
  const service = { create: async (data: object) => data }
  const app = await createApp(t, {
    service,
    options: {
      before: async (request) => {
        if (request.headers['x-supply']) request.body = JSON.parse(String(request.headers['x-supply']))
      }
    }
  })
  const ask = (supplied?: string) =>
    app.inject({
      method: 'POST',
      url: '/things',
      headers: { accept: 'application/json', ...(supplied && { 'x-supply': supplied }) }
    })
  t.match((await ask()).json(), { code: 400, message: 'No data provided' })
  t.match((await ask('{"a":1}')).json(), { a: 1 })
  t.match((await ask('"text"')).json(), { code: 400, message: "First parameter for 'create' must be an object" })
})

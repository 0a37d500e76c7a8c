import t from 'tap'
import { createApp } from '../support/response-app.js'

const keys = [
  'pipe',
  'getReader',
  'then',
  'toJSON',
  'constructor',
  'length',
  'destroy',
  'cancel',
  'on',
  'data',
  'body',
  'return'
]
const values = ['text', 1, true, null, [], {}, ['a'], { pipe: 'x' }]

t.test('a record with a field of any name is stored and answered as data', async (t) => {
  const records = new Map<string, unknown>()
  const app = await createApp(t, {
    service: {
      find: async () => [...records.values()],
      get: async (id: string) => records.get(id),
      async create(data: { id: string }) {
        records.set(data.id, data)
        return data
      },
      async patch(id: string, data: object) {
        const record = { ...(records.get(id) as object), ...data }
        records.set(id, record)
        return record
      }
    }
  })
  for (const key of keys)
    for (const value of values) {
      const record = { id: '1', [key]: value }
      const name = JSON.stringify(record)
      const created = await app.inject({ method: 'POST', url: '/things', payload: record })
      t.equal(created.statusCode, 201, name)
      t.equal(created.body, name)
      for (const url of ['/things/1', '/things']) t.ok((await app.inject(url)).body.includes(name), `${url} ${name}`)
      t.equal((await app.inject({ method: 'PATCH', url: '/things/1', payload: {} })).body, name)
      records.clear()
    }
})

t.test('a result that JSON has no word for is an error', async (t) => {
  const results = [Symbol('x'), () => {}, { toJSON: () => undefined }]
  const app = await createApp(t, { service: { get: async (id: string) => results[Number(id)] } })
  for (const id of results.keys()) {
    const response = await app.inject({ url: `/things/${id}`, headers: { accept: 'application/json' } })
    t.match(response.json(), { code: 500, message: 'The result can not be serialized' })
  }
})

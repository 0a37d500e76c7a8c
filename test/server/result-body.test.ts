import type { HookContext } from 'fastify-services'
import t from 'tap'
import { createApp } from '../support/response-app.js'

const JSON_TYPE = 'application/json; charset=utf-8'

const json: Record<string, [result: unknown, body: string]> = {
  'a string': ['text', '"text"'],
  'an empty string': ['', '""'],
  'a string that is JSON already': ['{"a":1}', '"{\\"a\\":1}"'],
  'a number': [1.5, '1.5'],
  'a zero': [0, '0'],
  'a true': [true, 'true'],
  'a false': [false, 'false'],
  'an object': [{ a: 1 }, '{"a":1}'],
  'an empty list': [[], '[]'],
  'a list of strings': [['a'], '["a"]'],
  'a date': [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  'an object with toJSON': [{ toJSON: () => ({ b: 2 }) }, '{"b":2}']
}

for (const [name, [result, body]] of Object.entries(json)) {
  t.test(`a string, number or boolean result is JSON too: ${name}`, async (t) => {
    const app = await createApp(t, { service: { get: async () => result, create: async () => result } })
    const response = await app.inject('/things/1')
    t.equal(response.statusCode, 200)
    t.equal(response.body, body)
    t.equal(response.headers['content-type'], JSON_TYPE)
    const created = await app.inject({ method: 'POST', url: '/things', payload: {} })
    t.equal(created.statusCode, 201)
    t.equal(created.body, body)
    const head = await app.inject({ method: 'HEAD', url: '/things/1' })
    t.equal(head.statusCode, 200, 'HEAD: as GET')
    t.equal(head.body, '', 'HEAD: no body')
    t.equal(head.headers['content-length'], String(Buffer.byteLength(body)))
    t.equal(head.headers['content-type'], JSON_TYPE)
  })
}

const bytes = Buffer.from([0, 255, 1, 254])
const binary: Record<string, ArrayBufferView> = {
  Buffer: bytes,
  Uint8Array: new Uint8Array(bytes),
  'Uint8Array into the middle of a buffer': new Uint8Array([9, 9, ...bytes, 9, 9]).subarray(2, 6),
  Uint16Array: new Uint16Array(new Uint8Array(bytes).buffer),
  DataView: new DataView(new Uint8Array(bytes).buffer)
}

for (const [name, result] of Object.entries(binary)) {
  t.test(`\`Buffer\` results are sent as they are, not as JSON: ${name}`, async (t) => {
    const app = await createApp(t, { service: { get: async () => result } })
    const response = await app.inject('/things/1')
    t.equal(response.statusCode, 200)
    t.strictSame(response.rawPayload, bytes)
    t.equal(response.headers['content-type'], 'application/octet-stream')
    const head = await app.inject({ method: 'HEAD', url: '/things/1' })
    t.equal(head.statusCode, 200)
    t.equal(head.headers['content-length'], '4')
    t.equal(head.body, '')
  })
}

t.test('a Buffer keeps the content type that a hook has set', async (t) => {
  const hook = (context: HookContext) => {
    context.http.headers = { 'content-type': 'image/png' }
  }
  const app = await createApp(t, {
    service: { get: async () => bytes },
    options: { hooks: { after: { get: [hook] } } }
  })
  const response = await app.inject('/things/1')
  t.equal(response.headers['content-type'], 'image/png')
  t.strictSame(response.rawPayload, bytes)
})

t.test('a Buffer as `context.dispatch` is sent as it is', async (t) => {
  const hook = (context: HookContext) => {
    context.dispatch = bytes
  }
  const app = await createApp(t, { service: { get: async () => ({}) }, options: { hooks: { after: { get: [hook] } } } })
  t.strictSame((await app.inject('/things/1')).rawPayload, bytes)
})

t.test('`Response` results are sent as they are', async (t) => {
  const headers = { 'content-type': 'text/csv', 'x-own': 'yes' }
  const service = {
    get: async (id: string) =>
      id === 'json' ? Response.json({ a: 1 }) : new Response('a,b', { status: 206, headers }),
    remove: async () => new Response(null, { status: 204 })
  }
  const app = await createApp(t, { service })
  const response = await app.inject('/things/1')
  t.equal(response.statusCode, 206)
  t.equal(response.body, 'a,b')
  t.match(response.headers, headers)
  t.strictSame((await app.inject('/things/json')).json(), { a: 1 })
  t.equal((await app.inject({ method: 'DELETE', url: '/things/1' })).statusCode, 204)
})

t.test('HEAD of a `Response` result: as GET, no body', async (t) => {
  const app = await createApp(t, {
    service: { get: async () => new Response('a,b', { status: 206, headers: { 'x-own': 'yes' } }) }
  })
  const head = await app.inject({ method: 'HEAD', url: '/things/1' })
  t.equal(head.statusCode, 206)
  t.equal(head.headers['x-own'], 'yes')
  t.equal(head.body, '')
})

t.test('HEAD of a `null` result and of an error: the status of GET, no body', async (t) => {
  const get = async (id: string) => {
    if (id === 'bad') throw new Error('broken')
    return null
  }
  const app = await createApp(t, { service: { get } })
  const [none, bad] = [
    await app.inject({ method: 'HEAD', url: '/things/1' }),
    await app.inject({ method: 'HEAD', url: '/things/bad' })
  ]
  t.equal(none.statusCode, 204)
  t.equal(bad.statusCode, 500)
  t.equal(none.body + bad.body, '')
})

t.test('Transport registration: the default formatter sends the service result as a JSON response', async (t) => {
  const app = await createApp(t, {
    service: { find: async () => ({ total: 1, limit: 10, skip: 0, data: [{ id: 1 }] }) }
  })
  const response = await app.inject('/things')
  t.equal(response.headers['content-type'], JSON_TYPE)
  t.strictSame(response.json(), { total: 1, limit: 10, skip: 0, data: [{ id: 1 }] })
})

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
    t.match(response.json(), { code: 500, message: 'things.get: the result is not JSON (BigInt or a cycle?)' })
  }
})

const blobs: Record<string, [blob: Blob, type: string, body: string]> = {
  'a `Blob`': [new Blob(['<p>Hi</p>'], { type: 'text/html' }), 'text/html', '<p>Hi</p>'],
  'a `Blob` without a type': [new Blob(['a', 'b']), 'application/octet-stream', 'ab'],
  'an empty `Blob`': [new Blob([]), 'application/octet-stream', ''],
  'a `File`': [new File(['a,b'], 'a.csv', { type: 'text/csv' }), 'text/csv', 'a,b']
}

for (const [name, [result, type, body]] of Object.entries(blobs))
  t.test(`${name} is sent as its bytes, with its type`, async (t) => {
    const service = { get: async () => result, create: async () => result }
    const app = await createApp(t, { service })
    const response = await app.inject('/things/1')
    t.strictSame([response.statusCode, response.headers['content-type'], response.body], [200, type, body])
    const created = await app.inject({ method: 'POST', url: '/things', payload: {} })
    t.strictSame([created.statusCode, created.body], [201, body], 'with the status of the method')
    const head = await app.inject({ method: 'HEAD', url: '/things/1' })
    t.strictSame([head.statusCode, head.headers['content-type'], head.body], [200, type, ''])
    const typed = ({ http }: HookContext) => ({ http: { ...http, headers: { 'content-type': 'text/plain' } } })
    const hooked = await createApp(t, {
      service,
      options: { hooks: { after: { all: [typed] } }, formatter: (_request, { data }) => data }
    })
    const { headers, body: formatted } = await hooked.inject('/things/1')
    t.strictSame([headers['content-type'], formatted], ['text/plain', body], 'a type of a hook, and a formatter')
  })

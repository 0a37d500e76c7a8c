import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'

type Payload = Record<string, unknown>

const service = {
  create: async (data: unknown) => data,
  update: async (_id: string, data: unknown) => data,
  patch: async (_id: string, data: unknown) => data
}

const body = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', maxLength: 5 },
    count: { type: 'integer', default: 1 },
    tags: { type: 'array', items: { type: 'string' } }
  },
  additionalProperties: false
}

const create = (t: Test, schema: Record<string, object> = { create: { body } }) =>
  createApp(t, { service, options: { schema }, plugin: { errorHandler: { html: false } } })

const post = (payload: Payload | Payload[], url = '/things') => ({ method: 'POST', url, payload }) as const

t.test('body for one record: defaults, coercion, what the schema does not name is removed', async (t) => {
  const app = await create(t)
  t.strictSame((await app.inject(post({ text: 'a' }))).json(), { text: 'a', count: 1 })
  t.strictSame((await app.inject(post({ text: 1, count: '2', other: true, tags: 'one' }))).json(), {
    text: '1',
    count: 2,
    tags: ['one']
  })
})

t.test('body for one record: what is not valid is BadRequest with `errors`, the service is not called', async (t) => {
  const app = await create(t)
  const response = await app.inject(post({ text: 'too long' }))
  t.equal(response.statusCode, 400)
  t.match(response.json(), {
    name: 'BadRequest',
    message: /body\/text/,
    code: 400,
    className: 'bad-request',
    errors: [{ instancePath: '/text', keyword: 'maxLength' }]
  })
  t.match((await app.inject(post({}))).json(), { code: 400, errors: [{ keyword: 'required' }] })
})

t.test('body for each item of a batch: defaults, coercion, removeAdditional', async (t) => {
  const app = await create(t)
  const response = await app.inject(post([{ text: 'a' }, { text: 2, count: '5', other: true }]))
  t.equal(response.statusCode, 201)
  t.strictSame(response.json(), [
    { text: 'a', count: 1 },
    { text: '2', count: 5 }
  ])
  t.strictSame((await app.inject(post([]))).json(), [])
})

t.test('body for each item of a batch: the error path names the index', async (t) => {
  const app = await create(t)
  const response = await app.inject(post([{ text: 'a' }, { text: 'b' }, { text: 'too long' }]))
  t.equal(response.statusCode, 400)
  t.match(response.json(), {
    name: 'BadRequest',
    message: /2.*text/,
    code: 400,
    className: 'bad-request',
    errors: [{ instancePath: '/2/text' }]
  })
  t.match((await app.inject(post([{}, { text: 'b' }]))).json(), {
    errors: [{ instancePath: '/0', keyword: 'required' }]
  })
})

t.test('body for each item of a batch: what is no object is refused', async (t) => {
  const app = await create(t)
  for (const item of [null, 1, 'text', []]) {
    const response = await app.inject(post([{ text: 'a' }, item as never]))
    t.strictSame([response.statusCode, response.json().name], [400, 'BadRequest'], JSON.stringify(item))
  }
})

t.test('a batch without a body schema is passed on, and so is one record', async (t) => {
  const app = await create(t, {})
  t.strictSame((await app.inject(post([{ a: 1 }, { b: 2 }]))).json(), [{ a: 1 }, { b: 2 }])
})

t.test('a schema with `body` alone: a batch is held to it, a batch for update and patch is refused', async (t) => {
  const app = await create(t, { update: { body }, patch: { body: { ...body, required: [] } } })
  t.strictSame((await app.inject({ method: 'PUT', url: '/things/1', payload: { text: 'a', other: 1 } })).json(), {
    text: 'a',
    count: 1
  })
  t.strictSame((await app.inject({ method: 'PATCH', url: '/things/1', payload: {} })).json(), { count: 1 })
  t.equal(
    (await app.inject({ method: 'PATCH', url: '/things', payload: { text: 'too long' } })).statusCode,
    400,
    'the form without an id'
  )
  for (const method of ['PUT', 'PATCH'] as const) {
    const response = await app.inject({ method, url: '/things/1', payload: [{ text: 'a' }] })
    t.match(response.json(), { code: 400, message: /^Second parameter for '(update|patch)' must be an object$/ })
  }
})

t.test('a batch of a schema with more: query and headers are validated and coerced as well', async (t) => {
  const seen: unknown[] = []
  const app = await createApp(t, {
    service: {
      create: async (data: unknown, { query }: { query: unknown }) => {
        seen.push(query)
        return data
      }
    },
    options: {
      schema: { create: { body, querystring: { type: 'object', properties: { dry: { type: 'boolean' } } } } }
    },
    plugin: { errorHandler: { html: false } }
  })
  await app.inject(post([{ text: 'a' }], '/things?dry=true'))
  await app.inject(post({ text: 'a' }, '/things?dry=true'))
  t.strictSame(seen, [{ dry: true }, { dry: true }])
  t.match((await app.inject(post([{ text: 'a' }], '/things?dry=maybe'))).json(), { code: 400, message: /querystring/ })
  t.match((await app.inject(post({ text: 'a' }, '/things?dry=maybe'))).json(), { code: 400, message: /querystring/ })
})

t.test('a batch at a path whose placeholders are not valid is refused', async (t) => {
  const params = { type: 'object', properties: { room: { type: 'integer' } } }
  const app = await createApp(t, { service, plugin: { errorHandler: { html: false } } })
  app.service('rooms/:room/things', service, { schema: { create: { body, params } } })
  for (const payload of [{ text: 'a' }, [{ text: 'a' }]]) {
    t.match((await app.inject(post(payload, '/rooms/x/things'))).json(), { code: 400, message: /params/ })
    t.equal((await app.inject(post(payload, '/rooms/1/things'))).statusCode, 201)
  }
})

t.test('one record of a schema with more: query and headers that are not valid are refused', async (t) => {
  const headers = { type: 'object', required: ['x-tenant'] }
  const app = await create(t, { create: { body, headers } })
  for (const payload of [{ text: 'a' }, [{ text: 'a' }]]) {
    t.match((await app.inject(post(payload))).json(), { code: 400, message: /headers/ })
    t.equal((await app.inject({ ...post(payload), headers: { 'x-tenant': '1' } })).statusCode, 201)
  }
})

t.test('a body of a form is validated and coerced as well', async (t) => {
  const app = await create(t)
  const response = await app.inject({
    method: 'POST',
    url: '/things',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'text=a&count=3'
  })
  t.strictSame(response.json(), { text: 'a', count: 3 })
})

t.test('no body, and one that is no object: the words of the contract, not of the schema', async (t) => {
  const app = await create(t)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  t.match((await app.inject({ method: 'POST', url: '/things', headers })).json(), {
    code: 400,
    message: 'No data provided'
  })
  t.match((await app.inject({ method: 'POST', url: '/things', headers, payload: '1' })).json(), {
    code: 400,
    message: "First parameter for 'create' must be an object"
  })
})

t.test("a custom method's schema alone governs it, never create's", async (t) => {
  const custom = { ...service, archive: async (data: unknown) => data, unchecked: async (data: unknown) => data }
  const app = await createApp(t, {
    service: custom,
    options: {
      methods: ['create', 'archive', 'unchecked'],
      schema: {
        create: { body },
        archive: { body: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } }
      }
    },
    plugin: { errorHandler: { html: false } }
  })
  const call = (name: string, payload: Payload | Payload[]) =>
    app.inject({ ...post(payload), headers: { 'x-service-method': name } })
  t.strictSame((await call('archive', { id: '7' })).json(), { id: 7 })
  t.equal((await call('archive', { text: 'a' })).statusCode, 400)
  t.strictSame((await call('archive', [{ id: '7' }, { id: 8 }])).json(), [{ id: 7 }, { id: 8 }], 'each item of a batch')
  t.strictSame((await call('unchecked', { text: 'too long' })).json(), { text: 'too long' })
  t.equal((await app.inject(post({ id: 7 }))).statusCode, 400, 'and never governs create')
})

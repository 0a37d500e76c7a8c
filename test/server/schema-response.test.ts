import { Readable } from 'node:stream'
import type { HookContext } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'

const record = { id: 1, text: 'a', secret: 's' }
const shown = { id: '1', text: 'a' }
const single = { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } }

const service = {
  find: async ({ query }: { query: { page?: string } }) => {
    if (query.page === 'none') return null
    const page = { total: 2, limit: 10, skip: 0, data: [record, record] }
    return query.page ? { ...page, ...(query.page === 'more' && { next: 'cursor', ratio: 0.5 }) } : [record, record]
  },
  get: async () => record,
  create: async (data: unknown) => (Array.isArray(data) ? data.map(() => record) : record),
  update: async () => record,
  patch: async (id: string | null) => (id === null ? [record, record] : record),
  remove: async (id: string | null) => (id === null ? [record] : record)
}

const methods = ['find', 'get', 'create', 'update', 'patch', 'remove']
const all = (response: object) => Object.fromEntries(methods.map((name) => [name, { response }]))
const create = (t: Test, response: object, options: object = {}) =>
  createApp(t, { service, options: { schema: all(response), ...options } })

for (const [form, response] of Object.entries({
  'a map of status': { '2xx': single },
  'a record alone': single,
  'a map with 200 and 201': { 200: single, 201: single },
  default: { default: single }
})) {
  t.test(`response for a record, an array, a page and a batch: by ${form}`, async (t) => {
    const app = await create(t, response)
    const send = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
      (await app.inject({ method, url, ...(payload && { payload }) })).json()
    t.strictSame((await app.inject('/things/1')).json(), shown)
    t.strictSame((await app.inject('/things')).json(), [shown, shown])
    t.strictSame((await app.inject('/things?page=1')).json(), { total: 2, limit: 10, skip: 0, data: [shown, shown] })
    t.strictSame(await send('POST', '/things', {}), shown)
    t.strictSame(await send('POST', '/things', [{}, {}]), [shown, shown])
    t.strictSame(await send('PUT', '/things/1', {}), shown)
    t.strictSame(await send('PATCH', '/things/1', {}), shown)
    t.strictSame(await send('PATCH', '/things', {}), [shown, shown])
    t.strictSame(await send('DELETE', '/things/1'), shown)
    t.strictSame(await send('DELETE', '/things'), [shown])
  })
}

t.test('response for a page: what else an adapter says of it stays', async (t) => {
  const app = await create(t, { '2xx': single })
  t.strictSame((await app.inject('/things?page=more')).json(), {
    total: 2,
    limit: 10,
    skip: 0,
    next: 'cursor',
    ratio: 0.5,
    data: [shown, shown]
  })
})

t.test('response status maps: the schema of the status that is answered', async (t) => {
  const status = (context: HookContext) => {
    context.http.status = Number(context.params.query?.status ?? 200)
  }
  const just = (name: string) => ({ type: 'object', properties: { [name]: {} } })
  const response = { 200: just('id'), 202: just('text'), '2xx': just('secret') }
  const app = await create(t, response, { hooks: { after: { get: [status] } } })
  t.strictSame((await app.inject('/things/1')).json(), { id: 1 })
  t.strictSame((await app.inject('/things/1?status=202')).json(), { text: 'a' })
  t.strictSame((await app.inject('/things/1?status=203')).json(), { secret: 's' })
  t.strictSame((await app.inject('/things/1?status=404')).json(), record, 'no schema for it: as it is')
})

t.test('response status maps: in capitals (`2XX`), an error has none', async (t) => {
  const app = await createApp(t, {
    service: {
      get: async (id: string) => {
        if (id === 'bad') throw new Error('broken')
        return record
      }
    },
    options: { schema: { get: { response: { '2XX': single } } } }
  })
  t.strictSame((await app.inject('/things/1')).json(), shown)
  t.strictSame((await app.inject({ url: '/things/bad', headers: { accept: 'application/json' } })).json(), {
    name: 'GeneralError',
    message: 'broken',
    code: 500,
    className: 'general-error'
  })
})

t.test('an error keeps its shape where the schema describes other errors, or every status', async (t) => {
  const other = { type: 'object', properties: { problem: { type: 'string' } } }
  for (const response of [{ '2xx': single, '5xx': other }, { default: single }, { 500: other }]) {
    const app = await createApp(t, {
      service: {
        get: async () => {
          throw new Error('broken')
        }
      },
      options: { schema: { get: { response } } }
    })
    t.strictSame((await app.inject({ url: '/things/1', headers: { accept: 'application/json' } })).json(), {
      name: 'GeneralError',
      message: 'broken',
      code: 500,
      className: 'general-error'
    })
  }
})

t.test('response: `null` stays 204, a string, buffers and streams stay what they are', async (t) => {
  const results: Record<string, () => unknown> = {
    text: () => 'a',
    bytes: () => Buffer.from('ab'),
    stream: () => Readable.from([{ id: 1 }])
  }
  const app = await createApp(t, {
    service: { ...service, get: async (id: string) => results[id]?.() },
    options: { schema: all({ '2xx': single }) }
  })
  t.equal((await app.inject('/things?page=none')).statusCode, 204)
  t.equal((await app.inject('/things/nothing')).statusCode, 204)
  t.equal((await app.inject('/things/text')).body, '"a"')
  t.equal((await app.inject('/things/bytes')).body, 'ab')
  t.equal((await app.inject('/things/stream')).body, '{"id":1}\n')
})

t.test('response: a schema of a number, a boolean, a string', async (t) => {
  for (const [type, result] of [
    ['integer', 0],
    ['boolean', false],
    ['string', ''],
    ['string', 'a']
  ] as const) {
    const app = await createApp(t, {
      service: { get: async () => result },
      options: { schema: { get: { response: { 200: { type } } } } }
    })
    t.equal((await app.inject('/things/1')).body, JSON.stringify(result))
  }
})

t.test('response: the dispatch is held to it', async (t) => {
  const dispatch = (context: HookContext) => {
    context.dispatch = [{ ...record, id: 9 }]
  }
  const app = await create(t, { '2xx': single }, { hooks: { after: { get: [dispatch] } } })
  t.strictSame((await app.inject('/things/1')).json(), [{ id: '9', text: 'a' }])
})

t.test('response: a result that has `data` of its own, and is no page', async (t) => {
  const schema = {
    type: 'object',
    properties: { data: { type: 'array', items: { type: 'integer' } }, id: { type: 'string' } }
  }
  const app = await createApp(t, {
    service: { get: async () => ({ id: 1, data: [1, 2], secret: 's' }) },
    options: { schema: { get: { response: { 200: schema } } } }
  })
  t.strictSame((await app.inject('/things/1')).json(), { data: [1, 2], id: '1' })
})

t.test('response: a required field that is missing is 500, no engine internals in the message', async (t) => {
  const response = { '2xx': { ...single, required: ['text'] } }
  const app = await createApp(t, {
    service: { get: async () => ({}), find: async () => [record, {}] },
    options: { schema: { get: { response }, find: { response } } }
  })
  for (const url of ['/things/1', '/things']) {
    const answer = await app.inject({ url, headers: { accept: 'application/json' } })
    t.equal(answer.statusCode, 500)
    t.match(answer.json(), { name: 'GeneralError', code: 500, className: 'general-error' })
  }
})

t.test('a custom formatter has its say: the data is not serialized before it', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: all({ '2xx': single }) },
    plugin: { formatter: (_request, reply) => reply.data }
  })
  t.strictSame((await app.inject('/things/1')).json(), shown, 'Fastify holds a record to the schema')
})

t.test("a custom method's response schema alone governs it", async (t) => {
  const custom = { create: async () => record, archive: async () => record, list: async () => [record] }
  const app = await createApp(t, {
    service: custom,
    options: {
      methods: ['create', 'archive', 'list'],
      schema: {
        create: { response: single },
        list: { response: { 200: { type: 'object', properties: { text: {} } } } }
      }
    }
  })
  const call = async (name?: string) =>
    (
      await app.inject({
        method: 'POST',
        url: '/things',
        payload: {},
        headers: name ? { 'x-service-method': name } : {}
      })
    ).json()
  t.strictSame(await call(), shown)
  t.strictSame(await call('archive'), record)
  t.strictSame(await call('list'), [{ text: 'a' }])
})

t.test('a result with another status has the schema of that status, or of `default`, or none', async (t) => {
  for (const status of [303, 404]) {
    const hook = (context: HookContext) => {
      context.http.status = status
    }
    const ask = async (response: object) => {
      const app = await createApp(t, { service, options: { schema: { get: { response } }, hooks: { after: [hook] } } })
      return (await app.inject('/things/1')).json()
    }
    t.strictSame(await ask({ '2xx': single, default: single }), shown)
    t.strictSame(await ask({ '2xx': single, [status]: single }), shown)
    t.strictSame(await ask(single), record, 'that of success is for success')
  }
})

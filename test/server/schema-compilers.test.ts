import Fastify, { type FastifyInstance, type FastifySchemaCompiler } from 'fastify'
import services, { type Params } from 'fastify-services'
import t, { type Test } from 'tap'
import { createApp } from '../support/response-app.js'

/** A schema of a library of its own: a function that gives the value or throws. */
type Check = (value: unknown) => unknown

const upper: Check = (value) => {
  const { text } = value as { text?: unknown }
  if (typeof text !== 'string') throw new Error('text is missing')
  return { text: text.toUpperCase() }
}

const validator: FastifySchemaCompiler<Check> =
  ({ schema }) =>
  (data: unknown) => {
    try {
      return { value: schema(data) }
    } catch (error) {
      return { error: error as Error }
    }
  }

const service = {
  find: async ({ query }: { query: unknown }) => [{ query }],
  get: async (id: string) => ({ id, secret: 's' }),
  create: async (data: unknown) => data
}

t.test('a host with its own validator compiler: a record, and each item of a batch', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body: upper } } },
    plugin: { errorHandler: { html: false } },
    host: (app) => {
      app.setValidatorCompiler(validator as FastifySchemaCompiler<unknown>)
    }
  })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.strictSame(await post({ text: 'a' }), { text: 'A' })
  t.strictSame(await post([{ text: 'a' }, { text: 'b' }]), [{ text: 'A' }, { text: 'B' }])
  t.match(await post({}), { name: 'BadRequest', code: 400, message: /text is missing/ })
  t.match(await post([{ text: 'a' }, {}]), { name: 'BadRequest', code: 400, message: /1.*text is missing/ })
})

t.test('a host with its own validator compiler: the query', async (t) => {
  const numbers: Check = (query) =>
    Object.fromEntries(Object.entries(query as object).map(([key, value]) => [key, Number(value)]))
  const app = await createApp(t, {
    service,
    options: { schema: { find: { querystring: numbers } } },
    host: (app) => {
      app.setValidatorCompiler(validator as FastifySchemaCompiler<unknown>)
    }
  })
  t.strictSame((await app.inject('/things?a=1')).json(), [{ query: { a: 1 } }])
})

t.test('a host with its own serializer compiler: one record, lists, pages and batches by it', async (t) => {
  const app = await createApp(t, {
    service: {
      ...service,
      find: async ({ query }: { query: { page?: string } }) =>
        query.page ? { total: 1, data: [{ id: 1, secret: 's' }] } : [{ id: 1, secret: 's' }]
    },
    options: {
      schema: {
        get: { response: { 200: ['id'] } },
        find: { response: { 200: ['id'] } },
        create: { response: { '2xx': ['id'] } }
      }
    },
    host: (app) => {
      app.setSerializerCompiler(({ schema }) => {
        const keys = schema as unknown as string[]
        return (data) =>
          JSON.stringify(Object.fromEntries(keys.map((key) => [key, (data as Record<string, unknown>)[key]])))
      })
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: '1' })
  t.strictSame((await app.inject('/things')).json(), [{ id: 1 }])
  t.strictSame((await app.inject('/things?page=1')).json(), { total: 1, data: [{ id: 1 }] })
  t.strictSame((await app.inject({ method: 'POST', url: '/things', payload: [{ id: 1, a: 2 }] })).json(), [{ id: 1 }])
})

t.test('a host with its own reply serializer: it stays out of the way of services with a schema', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { get: { response: { 200: { type: 'object', properties: { id: {} } } } } } },
    host: (app) => {
      app.setReplySerializer((payload) => JSON.stringify({ host: payload }))
    }
  })
  t.strictSame((await app.inject('/things/1')).json(), { id: '1' })
})

t.test('a host with Ajv options of its own: they hold for services, batches too', async (t) => {
  const body = { type: 'object', properties: { count: { type: 'integer' } }, additionalProperties: false }
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body } } },
    plugin: { errorHandler: { html: false } },
    server: { ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } }
  })
  const post = async (payload: object) => (await app.inject({ method: 'POST', url: '/things', payload })).json()
  t.match(await post({ count: '1' }), { code: 400 })
  t.match(await post([{ count: 1 }, { count: '1', other: 1 }]), {
    code: 400,
    errors: [{ instancePath: /^\/1/ }, { instancePath: /^\/1/ }]
  })
  t.strictSame(await post([{ count: 1 }]), [{ count: 1 }])
})

t.test('a host with a schema error formatter of its own: it is asked for one record', async (t) => {
  const app = await createApp(t, {
    service,
    options: { schema: { create: { body: { type: 'object', required: ['text'] } } } },
    plugin: { errorHandler: { html: false } },
    server: { schemaErrorFormatter: (errors, part) => new Error(`${part}: ${errors.length} wrong`) }
  })
  const response = await app.inject({ method: 'POST', url: '/things', payload: {} })
  t.match(response.json(), { name: 'BadRequest', code: 400, message: 'body: 1 wrong' })
})

/** Sends a batch to a host whose compiler of validators is its own. */
async function create(t: Test, validate: (value: unknown) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  app.setValidatorCompiler((() => validate) as FastifySchemaCompiler<unknown>)
  await app.register(services)
  app.service('things', { create: async (data) => data }, { schema: { create: { body: { own: 'kind of schema' } } } })
  const response = await app.inject({ method: 'POST', url: '/things', payload: [{ a: 1 }, { a: 2 }] })
  return [response.statusCode, response.json()]
}

const isBad = (value: unknown) => Array.isArray(value) || (value as { a?: number }).a === 2

t.test('a validator that answers `{ error }`: each record of a batch is held to it', async (t) => {
  const answer = await create(t, (value) => (isBad(value) ? { error: new Error('too much') } : { value }))
  t.match(answer, [400, { name: 'BadRequest', message: 'body/1 is not valid: too much' }])
})

t.test('a validator that answers later: each record of a batch is held to it', async (t) => {
  const answer = await create(t, async (value) => (isBad(value) ? { error: new Error('too much') } : { value }))
  t.match(answer, [400, { name: 'BadRequest', message: 'body/1 is not valid: too much' }])
  const seen = await create(t, async (value) => ({ value: Array.isArray(value) ? value : { seen: value } }))
  t.strictSame(seen, [201, [{ seen: { a: 1 } }, { seen: { a: 2 } }]])
})

t.test('a validator that answers `{ value }`: the service gets the values', async (t) => {
  t.strictSame(await create(t, (value) => ({ value: Array.isArray(value) ? value : { seen: value } })), [
    201,
    [{ seen: { a: 1 } }, { seen: { a: 2 } }]
  ])
})

t.test(
  'a validator that answers a list of problems, as those of type providers: each says in which record',
  async (t) => {
    const problems = [{ instancePath: '/a', message: 'must be < 2', keyword: 'maximum' }]
    const answer = await create(t, (value) => (isBad(value) ? { error: problems } : { value }))
    t.match(answer, [
      400,
      {
        message: 'body/1/a must be < 2',
        errors: [{ instancePath: '/1/a', message: 'must be < 2', keyword: 'maximum' }]
      }
    ])
  }
)

t.test('a validator that answers `false`, with little or nothing to say', async (t) => {
  const silent = (value: unknown) => !isBad(value)
  t.match(await create(t, silent), [400, { message: 'body/1 is not valid', errors: [] }])
  const brief = Object.assign((value: unknown) => !isBad(value), { errors: [{}] })
  t.match(await create(t, brief), [400, { message: 'body/1 is not valid', errors: [{ instancePath: '/1' }] }])
})

const queried = {
  find: async ({ query }: { query: unknown }) => query,
  get: async (id: string, { query }: { query: unknown }) => ({ id, query }),
  remove: async (id: string | null, { query }: { query: unknown }) => ({ id, query })
}

const querystring = {
  type: 'object',
  properties: {
    $limit: { type: 'integer', maximum: 100, default: 10 },
    archived: { type: 'boolean' },
    status: { type: 'object', properties: { $ne: { type: 'string', enum: ['open', 'closed'] } } },
    ids: { type: 'array', items: { type: 'integer' } },
    $sort: { type: 'object', additionalProperties: { type: 'integer' } }
  },
  additionalProperties: false
}

t.test('querystring coercion after `qs` parsed it', async (t) => {
  const app = await createApp(t, { service: queried, options: { schema: { find: { querystring } } } })
  const url = '/things?$limit=5&archived=true&status[$ne]=open&ids[]=1&ids[]=2&$sort[createdAt]=-1'
  t.strictSame((await app.inject(url)).json(), {
    $limit: 5,
    archived: true,
    status: { $ne: 'open' },
    ids: [1, 2],
    $sort: { createdAt: -1 }
  })
})

t.test('querystring: defaults, and what the schema does not name is removed', async (t) => {
  const app = await createApp(t, { service: queried, options: { schema: { find: { querystring } } } })
  t.strictSame((await app.inject('/things')).json(), { $limit: 10 })
  t.strictSame((await app.inject('/things?other=1&$where=x')).json(), { $limit: 10 })
})

const bad: Record<string, [url: string, path: string]> = {
  'a number that is none': ['/things?$limit=many', '/$limit'],
  'a number over the maximum': ['/things?$limit=1000', '/$limit'],
  'an object for a number': ['/things?$limit[a]=1', '/$limit'],
  'a nested value': ['/things?status[$ne]=other', '/status/$ne'],
  'an item of a list': ['/things?ids[]=1&ids[]=x', '/ids/1']
}

for (const [name, [url, path]] of Object.entries(bad)) {
  t.test(`querystring: what is not valid is BadRequest with \`errors\`: ${name}`, async (t) => {
    let calls = 0
    const counted = {
      find: async () => {
        calls++
      }
    }
    const app = await createApp(t, {
      service: counted,
      options: { schema: { find: { querystring } } },
      plugin: { errorHandler: { html: false } }
    })
    const response = await app.inject(url)
    t.equal(response.statusCode, 400)
    t.match(response.json(), {
      name: 'BadRequest',
      code: 400,
      className: 'bad-request',
      errors: [{ instancePath: path }]
    })
    t.match(response.json().message, 'querystring')
    t.equal(calls, 0)
  })
}

t.test('querystring: per method', async (t) => {
  const app = await createApp(t, {
    service: queried,
    options: { schema: { find: { querystring }, remove: { querystring: { type: 'object', required: ['sure'] } } } }
  })
  t.strictSame(
    (await app.inject('/things/1?$limit=many')).json(),
    { id: '1', query: { $limit: 'many' } },
    'get has none'
  )
  t.equal((await app.inject({ method: 'DELETE', url: '/things/1' })).statusCode, 400)
  t.equal((await app.inject({ method: 'DELETE', url: '/things' })).statusCode, 400, 'the form without an id')
  t.strictSame((await app.inject({ method: 'DELETE', url: '/things?sure=1' })).json(), {
    id: null,
    query: { sure: '1' }
  })
  t.equal((await app.inject('/things?sure=1')).statusCode, 200)
})

t.test('querystring: `query` is the same schema under the name that Fastify knows it by as well', async (t) => {
  const app = await createApp(t, {
    service: queried,
    options: { schema: { find: { query: querystring } as object } }
  })
  t.strictSame((await app.inject('/things?$limit=5')).json(), { $limit: 5 })
})

t.test('headers and params may have schemas', async (t) => {
  const headers = { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'integer' } } }
  const seen: unknown[] = []
  const find = async (params: { headers: Record<string, unknown> }) => {
    seen.push(params.headers['x-tenant'])
  }
  const app = await createApp(t, { service: { find }, options: { schema: { find: { headers } } } })
  t.equal((await app.inject('/things')).statusCode, 400)
  t.equal((await app.inject({ url: '/things', headers: { 'x-tenant': '7' } })).statusCode, 204)
  t.strictSame(seen, [7])
})

t.test('a query that passes a limit is refused before a schema looks at it', async (t) => {
  const app = await createApp(t, {
    service: queried,
    options: { schema: { find: { querystring } } },
    plugin: { errorHandler: { html: false } }
  })
  t.equal((await app.inject('/things?status[a][b][c][d][e][f][g]=1')).statusCode, 400)
})

/** Sends a batch, and the query `?a=1`, to a host whose compiler of validators is its own. @returns the query of the call */
async function queryOf(t: Test, validateQuery: (query: unknown) => unknown) {
  const app = Fastify()
  t.teardown(() => app.close())
  const compiler: FastifySchemaCompiler<unknown> = ({ httpPart }) =>
    httpPart === 'querystring'
      ? (validateQuery as never)
      : (body) => (Array.isArray(body) ? { error: new Error('a list') } : { value: body })
  app.setValidatorCompiler(compiler)
  await app.register(services)
  const create = async (_data: unknown, { query }: Params) => ({ query })
  app.service('things', { create }, { schema: { create: { body: { own: 'kind' }, querystring: { own: 'kind' } } } })
  const response = await app.inject({ method: 'POST', url: '/things?a=1', payload: [{}] })
  return [response.statusCode, response.json().query ?? response.json().message]
}

t.test('a query that its validator gives another value: a batch gets that', async (t) => {
  t.strictSame(await queryOf(t, () => ({ value: { a: 1 } })), [201, { a: 1 }])
})

t.test(
  'a query that its validator leaves as it is: a batch gets it, and what the validator has changed in it',
  async (t) => {
    t.strictSame(await queryOf(t, () => true), [201, { a: '1' }])
    t.strictSame(await queryOf(t, (query) => Object.assign(query as object, { b: 2 }) && undefined), [
      201,
      { a: '1', b: 2 }
    ])
  }
)

t.test('a query that its validator refuses: a batch is answered with 400', async (t) => {
  t.strictSame(await queryOf(t, () => ({ error: new Error('bad') })), [400, 'querystring is not valid: bad'])
})

t.test('the `schemaErrorFormatter` of a host words what is wrong with a record, and with each of a list', async (t) => {
  const body = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }
  const querystring = { type: 'object', properties: { page: { type: 'integer' } } }
  const format = (errors: readonly { instancePath: string }[], part: string) =>
    Object.assign(new Error(`ours: ${part} ${errors[0]?.instancePath}`), { statusCode: 422 })
  const setups = {
    'an option of Fastify': { server: { schemaErrorFormatter: format } },
    'set later': { host: (app: FastifyInstance) => void app.setSchemaErrorFormatter(format) },
    'one without a status': {
      host: (app: FastifyInstance) => void app.setSchemaErrorFormatter((_, part) => new Error(`ours: ${part} /1/text`))
    }
  }
  for (const [name, setup] of Object.entries(setups)) {
    const app = await createApp(t, {
      service,
      options: { schema: { create: { body, querystring } } },
      plugin: { errorHandler: { html: false, logger: false } },
      ...setup
    })
    const post = async (payload: object, url = '/things') => (await app.inject({ method: 'POST', url, payload })).json()
    const code = name === 'one without a status' ? 400 : 422
    t.match(await post({}), { code, message: /ours: body/ }, name)
    t.match(await post([{ text: 'a' }, { text: {} }]), { code, message: 'ours: body /1/text' }, name)
    t.match(await post([{ text: 'a' }], '/things?page=x'), { code, message: /ours: querystring/ }, name)
    t.strictSame(await post([{ text: 'a' }]), [{ text: 'a' }], name)
  }
})

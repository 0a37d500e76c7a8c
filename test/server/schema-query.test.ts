import t from 'tap'
import { createApp } from '../support/response-app.js'

const service = {
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
  const app = await createApp(t, { service, options: { schema: { find: { querystring } } } })
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
  const app = await createApp(t, { service, options: { schema: { find: { querystring } } } })
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
    service,
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
  const app = await createApp(t, { service, options: { schema: { find: { query: querystring } as object } } })
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
    service,
    options: { schema: { find: { querystring } } },
    plugin: { errorHandler: { html: false } }
  })
  t.equal((await app.inject('/things?status[a][b][c][d][e][f][g]=1')).statusCode, 400)
})

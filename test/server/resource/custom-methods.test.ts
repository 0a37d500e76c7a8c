import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify, { type InjectOptions } from 'fastify'
import services, { resource, type ServiceOptions } from 'fastify-services'
import t, { type Test } from 'tap'
import Type from 'typebox'
import * as v from 'valibot'
import * as z from 'zod'

const Post = z.object({ id: z.int(), title: z.string(), owner: z.string(), token: z.string().optional() })
const options = { readOnly: ['id', 'owner'], writeOnly: ['token'] } as const

type Service = Record<string, (...args: never[]) => unknown>

async function createApp(t: Test, schema: object, service: Service, more: ServiceOptions = {}) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false, logger: false } })
  app.service<Record<string, unknown>, string>('posts', service as object, {
    schema: schema as NonNullable<ServiceOptions['schema']>,
    ...more
  })
  const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: unknown, named?: string) => {
    const request: InjectOptions = {
      method,
      url: `/posts${url}`,
      headers: { ...(named && { 'x-service-method': named }) }
    }
    const answer = await app.inject({ ...request, ...(payload !== undefined && { payload: payload as object }) })
    return [answer.statusCode, answer.body === '' ? '' : (Object(answer.json()).message ?? answer.json())]
  }
  return { app, send }
}

const any = { response: z.any() }
const echo = async (...args: unknown[]) => {
  const { query, route } = args.at(-1) as { query: object; route: object }
  return { args: args.slice(0, -1), query, route }
}

const bodies: Record<string, unknown> = {
  typebox: Type.Object({ at: Type.String({ maxLength: 4 }), days: Type.Optional(Type.Integer({ minimum: 1 })) }),
  zod: z.object({ at: z.string().max(4), days: z.int().min(1).optional() }),
  valibot: toStandardJsonSchema(
    v.object({
      at: v.pipe(v.string(), v.maxLength(4)),
      days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)))
    })
  ),
  arktype: ark({ at: 'string <= 4', 'days?': 'number.integer >= 1' })
}

for (const [library, body] of Object.entries(bodies))
  t.test(`the data of a custom method is held to its schema: ${library}`, async (t) => {
    const methods = { publish: { route: 'POST /:id/publish', body, ...any }, act: { body, ...any } } as const
    const { send } = await createApp(t, resource(Post, { ...options, methods }), { publish: echo, act: echo })
    const rows: [data: unknown, status: number, message?: string][] = [
      [{ at: '2030' }, 200],
      [{ at: '2030', days: 2 }, 200],
      [{ at: '2030', days: '2' }, 400, 'days must be an integer'],
      [{ at: '2030', days: 0 }, 400, 'days must be at least 1'],
      [{ at: '20300' }, 400, 'at must have at most 4 characters'],
      [{ at: '2030', more: 1 }, 400, 'more is not known'],
      [{ at: '2030', owner: 'me' }, 400, 'owner can not be set'],
      [{}, 400, 'at is required'],
      [undefined, 400, 'at is required'],
      [[{ at: '2030' }], 400, 'The data must be an object: no list of records is taken here']
    ]
    for (const [data, status, message] of rows) {
      const sent = status === 200 ? { args: ['1', data], query: {}, route: {} } : message
      t.strictSame(await send('POST', '/1/publish', data), [status, sent])
      const byHeader = status === 200 ? { ...(sent as object), args: [data] } : message
      t.strictSame(await send('POST', '', data ?? {}, 'act'), [status, byHeader])
    }
    t.strictSame(await send('POST', '', { id: 1, at: '2030' }, 'publish'), [
      200,
      { args: ['1', { at: '2030' }], query: {}, route: {} }
    ])
    t.strictSame(await send('POST', '', { id: 1, at: 2030 }, 'publish'), [400, 'at must be a string'])
    t.strictSame(await send('POST', '/x/publish', { at: '2030' }), [404, "No record found for id 'x'"])
  })

t.test('no body is one without fields, where none must be there', async (t) => {
  const body = z.object({ at: z.string().default('now'), note: z.string().optional() })
  const methods = { publish: { route: 'POST /:id/publish', body, ...any } } as const
  const { send } = await createApp(t, resource(Post, { ...options, methods }), { publish: echo })
  t.strictSame(await send('POST', '/1/publish'), [200, { args: ['1', { at: 'now' }], query: {}, route: {} }])
})

t.test('a method that declares no body takes no data', async (t) => {
  const methods = { publish: { route: 'POST /:id/publish', ...any } } as const
  const { send } = await createApp(t, resource(Post, { ...options, methods }), { publish: echo })
  t.strictSame(await send('POST', '/1/publish'), [200, { args: ['1', {}], query: {}, route: {} }])
  t.strictSame(await send('POST', '/1/publish', { title: 'a' }), [400, 'title is not known'])
})

t.test(
  'fields that only the server sets are refused: in an open body, in a record, and where the body says so',
  async (t) => {
    const methods = {
      loose: { body: z.looseObject({ title: z.string() }), ...any },
      many: { body: z.object({ posts: z.array(Post.partial()) }), ...any },
      flagged: { body: z.object({ title: z.string(), at: z.string().optional().meta({ readOnly: true }) }), ...any },
      assign: { body: z.object({ owner: z.string() }), settable: ['owner'], ...any },
      whole: { body: Post, ...any }
    }
    const service = { loose: echo, many: echo, flagged: echo, assign: echo, whole: echo }
    const { send } = await createApp(t, resource(Post, { ...options, methods }), service)
    const rows: [method: string, data: object, status: number, message?: string][] = [
      ['loose', { title: 'a', more: { id: 1 } }, 200],
      ['loose', { title: 'a', owner: 'me' }, 400, 'owner can not be set'],
      ['many', { posts: [{ title: 'a' }] }, 200],
      ['many', { posts: [{ title: 'a', owner: 'me' }] }, 400, 'posts[0].owner can not be set'],
      ['flagged', { title: 'a' }, 200],
      ['flagged', { title: 'a', at: 'now' }, 400, 'at can not be set'],
      ['assign', { owner: 'me' }, 200],
      ['whole', { title: 'a' }, 200],
      ['whole', { title: 'a', id: 1 }, 400, 'id can not be set']
    ]
    for (const [method, data, status, message] of rows) {
      const [code, answer] = await send('POST', '', data, method)
      t.strictSame([code, message && answer], [status, message], method)
    }
  }
)

t.test('checks of the library run, also those that wait', async (t) => {
  const body = z
    .object({ from: z.int(), to: z.int() })
    .refine(async ({ from, to }) => from <= to, { message: 'ends before it begins', path: ['to'] })
    .transform((range) => ({ ...range, days: range.to - range.from }))
  const { send } = await createApp(t, resource(Post, { methods: { plan: { body, ...any } } }), { plan: echo })
  t.strictSame(await send('POST', '', { from: 1, to: 3 }, 'plan'), [
    200,
    { args: [{ from: 1, to: 3, days: 2 }], query: {}, route: {} }
  ])
  t.strictSame(await send('POST', '', { from: 3, to: 1 }, 'plan'), [400, 'to: ends before it begins'])
})

t.test('the query of a custom method is read and held to its schema, and nothing else is taken', async (t) => {
  const query = z.object({ year: z.int(), tags: z.array(z.string()).optional(), all: z.boolean().optional() })
  const methods = {
    stats: { route: 'GET /stats', query, ...any },
    bare: { route: 'DELETE /:id/bare', ...any },
    tagged: { route: 'GET /tagged/:tag', ...any }
  } as const
  const { send } = await createApp(t, resource(Post, { ...options, methods }), {
    stats: echo,
    bare: echo,
    tagged: echo
  })
  const rows: [url: string, status: number, answer: unknown][] = [
    ['/stats?year=2030', 200, { args: [], query: { year: 2030 }, route: {} }],
    ['/stats?year=2030&tags=a&all=true', 200, { args: [], query: { year: 2030, tags: ['a'], all: true }, route: {} }],
    ['/stats', 400, 'year is required'],
    ['/stats?year=x', 400, 'year must be an integer'],
    ['/stats?year=2030&title=a', 400, 'title is not known: there are all, tags, year'],
    ['/stats?year=2030&$limit=1', 400, '$limit is not known: there are all, tags, year'],
    ['/tagged/a', 200, { args: [], query: {}, route: { tag: 'a' } }]
  ]
  for (const [url, status, answer] of rows) t.strictSame(await send('GET', url), [status, answer], url)
  t.strictSame(await send('DELETE', '/1/bare'), [200, { args: ['1'], query: {}, route: {} }])
  t.strictSame(await send('DELETE', '/1/bare?a=1'), [400, 'a is not known'])
  t.strictSame(await send('POST', '?year=2030', { ignored: 1 }, 'stats'), [
    200,
    { args: [], query: { year: 2030 }, route: {} }
  ])
})

t.test('the answer of a custom method is the record, or what its schema has', async (t) => {
  const record = { id: '1', title: 'a', owner: 'me', token: 'secret', more: 1 }
  const methods = {
    publish: { route: 'POST /:id/publish' },
    mine: { route: 'GET /mine', response: z.array(Post.pick({ id: true })) }
  } as const
  const service = { get: async () => record, publish: async () => record, mine: async () => [record] }
  const { send } = await createApp(t, resource(Post, { ...options, methods }), service)
  t.strictSame(await send('POST', '/1/publish'), [200, { id: 1, title: 'a', owner: 'me' }])
  t.strictSame(await send('GET', '/mine'), [200, [{ id: 1 }]])
  t.strictSame(await send('GET', '/1'), [200, { id: 1, title: 'a', owner: 'me' }], 'beside the six')
})

t.test('the option `methods` of a service has the last word, and `routes` too', async (t) => {
  const methods = {
    publish: { route: 'POST /:id/publish', ...any },
    hide: { route: 'POST /:id/hide', ...any }
  } as const
  const service = { get: echo, publish: echo, hide: echo }
  const { send } = await createApp(t, resource(Post, { methods }), service, {
    methods: ['publish'],
    routes: { publish: 'POST /publish/:id' }
  })
  t.strictSame(await send('POST', '/publish/1'), [200, { args: ['1', {}], query: {}, route: {} }])
  for (const url of ['/1/publish', '/1/hide', '/1'])
    t.equal((await send('POST', url))[0], url === '/1' ? 405 : 404, url)
})

t.test('what can not be is refused at the start', async (t) => {
  const wrong: [methods: object, message: string][] = [
    [
      { get: {} },
      "resource() can't declare 'get' in `methods`: it is one of the six, which can only be false there. Their schemas are the options create, update, patch, query and response"
    ],
    [
      { publish: { rout: 'POST /' } },
      "resource() has no option 'methods.publish.rout'. There are: methods.publish.route, methods.publish.body, methods.publish.settable, methods.publish.query, methods.publish.response, methods.publish.produces, methods.publish.event, methods.publish.allow, methods.publish.idempotency. Did you mean 'methods.publish.route'?"
    ],
    [
      { stats: { route: 'GET /stats', body: z.object({}) } },
      "resource() can't give 'stats' a body: its route 'GET /stats' has none. Use POST, PUT or PATCH"
    ],
    [
      { publish: { body: z.array(z.int()) } },
      "The option 'methods.publish.body' of resource(): it must be the schema of an object. A list is the field of one"
    ],
    [
      { publish: { query: z.int() } },
      "The option 'methods.publish.query' of resource(): resource() needs the schema of an object with its properties: that of one record"
    ],
    [
      { publish: { response: 1 } },
      "The option 'methods.publish.response' of resource(): resource() can't use this schema. Give it a JSON Schema (TypeBox), or a Standard Schema that gives JSON Schema: zod 4.2 and later, ArkType, Valibot through `toStandardJsonSchema(schema)` of @valibot/to-json-schema"
    ]
  ]
  for (const [methods, message] of wrong) t.throws(() => resource(Post, { methods } as object), { message })
  const posts = resource(Post, { methods: { publish: { route: 'POST /:id/publish' } } })
  await t.rejects(createApp(t, posts, { get: echo }), {
    message: "The service 'posts' has no method 'publish', which its resource declares"
  })
  const ofAll = resource(Post, { methods: { all: {} } })
  await t.rejects(createApp(t, ofAll, { all: echo }), {
    message: "'all' can't be a method of the service 'posts': the name is taken"
  })
  const other = resource(Post, { methods: { publish: { route: 'POST publish' as 'POST /' } } })
  await t.rejects(createApp(t, other, { publish: echo }), {
    message:
      "The service 'posts' can't have the route 'POST publish' for 'publish': write a verb and a path, as in 'POST /:id/publish'"
  })
  const missing = resource(Post, { methods: { publish: { response: { $ref: 'none' } } } })
  const app = Fastify()
  await app.register(services)
  app.service<Record<string, unknown>>('posts', { publish: echo } as object, { schema: missing as object })
  await t.rejects(async () => app.ready(), { message: "The reference 'none' leads to no schema" })
})

t.test('a method that answers a number: what is none leaves as null', async (t) => {
  const values: Record<string, unknown> = { a: 5, b: {}, c: undefined, d: [1] }
  const count = async ({ name }: { name: string }) => values[name]
  const body = z.object({ name: z.string() })
  const schema = resource(Post, { ...options, methods: { count: { body, response: z.int() } } })
  const { send } = await createApp(t, schema, { count })
  const sent = await Promise.all(Object.keys(values).map((name) => send('POST', '', { name }, 'count')))
  t.strictSame(sent, [
    [200, 5],
    [200, null],
    [204, ''],
    [200, [1]]
  ])
})

t.test('data of a method that is no object', async (t) => {
  const schema = resource(Post, { ...options, methods: { count: { body: z.object({}), ...any } } })
  const { app } = await createApp(t, schema, { count: echo })
  const headers = { 'content-type': 'application/json', 'x-service-method': 'count' }
  for (const payload of ['null', '5', '"text"', 'true', '[]', '[{}]']) {
    const answer = await app.inject({ method: 'POST', url: '/posts', headers, payload })
    t.match(answer.json().message, /^The data must be an object/)
  }
})

t.test('parameters whose schema refers to others, and to itself', async (t) => {
  const query = {
    type: 'object',
    properties: {
      a: { $ref: '#/definitions/whole' },
      b: { $ref: '#/$defs/flag' },
      c: false,
      any: true,
      of: { $ref: '#' }
    },
    definitions: { whole: { type: 'integer' } },
    $defs: { flag: { type: 'boolean' } }
  }
  const schema = resource(Post, { ...options, methods: { stats: { route: 'GET /stats', query, ...any } } } as object)
  const { send } = await createApp(t, schema, { stats: echo })
  t.strictSame(await send('GET', '/stats?a=1&b=true&any=x'), [
    200,
    { args: [], query: { a: 1, b: true, any: 'x' }, route: {} }
  ])
  t.strictSame(await send('GET', '/stats?a=x'), [400, 'a must be an integer'])
  t.equal((await send('GET', '/stats?c=1'))[0], 400)
})

import multipart from '@fastify/multipart'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type as ark } from 'arktype'
import Fastify from 'fastify'
import services, { resource } from 'fastify-services'
import t from 'tap'
import * as v from 'valibot'
import * as z from 'zod'

const create = async (data: object) => data
const find = async () => []
const json = { accept: 'application/json', 'content-type': 'application/json' }

t.test('a file that only the server sets', async (t) => {
  const app = Fastify()
  await app.register(multipart)
  await app.register(services)
  const file = { type: 'string', format: 'binary' }
  const schema = resource({
    type: 'object',
    properties: {
      photo: file,
      tags: { type: 'array', items: { type: 'string' } },
      icon: { ...file, readOnly: true },
      scans: { type: 'array', items: file, readOnly: true }
    }
  })
  app.service('things', { create } as object, { schema: schema as object })
  for (const name of ['icon', 'scans']) {
    const data = new FormData()
    data.append(name, new File(['x'], 'x.txt'))
    const { headers, body } = new Response(data)
    const payload = Buffer.from(await new Response(body).arrayBuffer())
    const type = headers.get('content-type') as string
    const answer = await app.inject({
      method: 'POST',
      url: '/things',
      headers: { ...json, 'content-type': type },
      payload
    })
    t.match(answer, { statusCode: 400, body: /can not be (set|a file)/ }, name)
    const payloadOfJson = { [name]: name === 'icon' ? null : [] }
    const ofJson = await app.inject({ method: 'POST', url: '/things', headers: json, payload: payloadOfJson })
    t.match(ofJson, { statusCode: 400 }, `${name} in JSON`)
  }
  await app.close()
})

t.test('long lists whose items must differ are looked through once', async (t) => {
  const app = Fastify()
  await app.register(services)
  const schema = resource({ type: 'object', properties: { rows: { type: 'array', uniqueItems: true } } })
  app.service('things', { create } as object, { schema: schema as object })
  const post = (rows: unknown) =>
    app.inject({ method: 'POST', url: '/things', headers: json, payload: { rows } as object })
  const rows = Array.from({ length: 20_000 }, (_, a) => ({ a, b: [a, null] }))
  t.equal((await post(rows)).statusCode, 201)
  const again = await post([...rows, { b: [7, null], a: 7 }])
  t.match(again, { statusCode: 400, body: /rows must have no item twice/ }, 'whatever the order of the fields')
  t.equal(
    (await post([1, '1', true, null, [], {}, 'null'])).statusCode,
    201,
    'what is of another type is another value'
  )
  await app.close()
})

t.test('a field that does not leave stays hidden behind a transformation', async (t) => {
  const app = Fastify()
  await app.register(services)
  const secret = z
    .string()
    .meta({ writeOnly: true })
    .transform((text) => `hash of ${text}`)
  const stamp = z.string().pipe(z.string().meta({ readOnly: true }))
  const Node = z.object({
    name: z.string(),
    secret: secret.optional(),
    stamp: stamp.optional(),
    list: z.array(z.object({ secret })).optional(),
    get inner() {
      return Node.optional()
    }
  })
  app.service('things', { create, find } as object, { schema: resource(Node) as object })
  const post = (payload: object) => app.inject({ method: 'POST', url: '/things', headers: json, payload })
  const nested = { name: 'a', secret: 's', list: [{ secret: 't' }] }
  const left = { name: 'a', list: [{}] }
  t.strictSame((await post({ ...nested, inner: nested })).json(), { ...left, inner: left })
  t.match(await app.inject({ url: '/things?secret=a', headers: json }), { statusCode: 400, body: /is not known/ })
  for (const data of [
    { name: 'a', stamp: 'b' },
    { name: 'a', inner: { name: 'a', stamp: 'b' } }
  ])
    t.match(await post(data), { statusCode: 400, body: /stamp can not be set/ })
  await app.close()
})

t.test('a transformation that no schema describes can not take an object with hidden fields', async (t) => {
  const key = v.pipe(v.string(), v.metadata({ writeOnly: true }))
  const hiding = {
    zod: z.object({ a: z.string(), key: z.string().meta({ writeOnly: true }) }),
    valibot: v.object({ a: v.string(), key }),
    arktype: ark({ a: 'string', key: ark('string').configure({ writeOnly: true } as object) })
  }
  const Folder = z.object({
    a: z.string(),
    key: z.string().meta({ writeOnly: true }),
    get folders() {
      return z.array(Folder).optional()
    }
  })
  const same = <T>(value: T) => value
  const rows: [schema: object, place: string][] = [
    [z.object({ f: hiding.zod.transform(same) }), "'f'"],
    [z.object({ f: z.array(hiding.zod).transform(same) }), "'f'"],
    [z.object({ f: z.tuple([z.string(), hiding.zod]).transform(same) }), "'f'"],
    [z.object({ f: z.record(z.string(), hiding.zod).transform(same) }), "'f'"],
    [z.object({ f: z.xor([z.string(), hiding.zod]).transform(same) }), "'f'"],
    [z.object({ f: z.array(z.object({ g: hiding.zod.transform(same).optional() })) }), "'f[].g'"],
    [z.object({ f: Folder.transform(same) }), "'f'"],
    [z.object({ f: hiding.zod.transform(({ a }) => ({ b: a })) }), "'f'"],
    [z.object({ f: hiding.zod.transform(({ a }) => a) }), "'f'"],
    [hiding.zod.transform(same), 'the record'],
    [ark({ f: hiding.arktype.pipe((value) => same(value)) }), "'f'"],
    [toStandardJsonSchema(v.object({ f: v.pipe(hiding.valibot, v.transform(same)) })), "'f'"]
  ]
  const refusal = (place: string) => ({
    message:
      `resource() can't hide the \`writeOnly\` fields of ${place}: it has a transformation whose result no schema describes. ` +
      'Describe the result, as in .pipe(z.object({ … })), or set the option `response`'
  })
  for (const [schema, place] of rows) {
    t.throws(() => resource(schema), refusal(place))
    t.throws(() => resource(z.object({ a: z.string() }), { response: schema }), refusal(place), 'as a response')
  }
  const stored = { a: 'x', key: 's' }
  const described: [schema: object, left: unknown][] = [
    [resource(z.object({ f: hiding.zod.transform(same).pipe(hiding.zod) })), { a: 'x' }],
    [resource(z.object({ f: hiding.zod.transform(same) }), { response: z.object({ f: hiding.zod }) }), { a: 'x' }]
  ]
  for (const [schema, left] of described) {
    const app = Fastify()
    await app.register(services)
    app.service('things', { create, find } as object, { schema })
    const { body } = await app.inject({ method: 'POST', url: '/things', headers: json, payload: { f: stored } })
    t.equal(body, JSON.stringify({ f: left }))
    await app.close()
  }
})

t.test('a flag behind a transformation of Valibot holds, and what it gives leaves as it is', async (t) => {
  const app = Fastify()
  await app.register(services)
  const hash = v.transform((text: string) => `hash of ${text}`)
  const schema = toStandardJsonSchema(
    v.object({
      done: v.optional(v.boolean()),
      secret: v.optional(v.pipe(v.string(), hash, v.metadata({ writeOnly: true }))),
      stamp: v.optional(v.pipe(v.string(), hash, v.metadata({ readOnly: true }))),
      sum: v.optional(
        v.pipe(
          v.array(v.number()),
          v.reduceItems((left, right) => left + right, 0)
        )
      ),
      day: v.optional(
        v.pipe(
          v.string(),
          v.transform((text) => new Date(text)),
          v.date()
        )
      )
    })
  )
  const asStored = async (data: object) => ({ ...data, done: 1 })
  app.service('things', { create: asStored, find } as object, { schema: resource(schema) as object })
  const post = (payload: object) => app.inject({ method: 'POST', url: '/things', headers: json, payload })
  const sent = { secret: 's', sum: [1, 2], day: '2030-01-31' }
  t.strictSame((await post(sent)).json(), { done: true, sum: 3, day: '2030-01-31T00:00:00.000Z' })
  t.match(await post({ stamp: 'a' }), { statusCode: 400, body: /stamp can not be set/ })
  t.match(await app.inject({ url: '/things?secret=a', headers: json }), { statusCode: 400, body: /is not known/ })
  await app.close()
})

t.test('a text for `format: url` takes no longer because it is long', async (t) => {
  const app = Fastify()
  await app.register(services)
  const schema = resource({ type: 'object', properties: { link: { type: 'string', format: 'url' } } })
  app.service('links', { create: async (data: object) => data } as object, { schema: schema as object })
  const post = async (link: string) =>
    (await app.inject({ method: 'POST', url: '/links', payload: { link } })).statusCode
  t.equal(await post('https://example.com/a?b=c'), 201)
  t.equal(await post(`https://example.com/${'a'.repeat(2000)}`), 201)
  for (const link of ['nothing', `http://[${'1:'.repeat(100_000)}`, `http://${'a-'.repeat(100_000)}`])
    t.equal(await post(link), 400)
  await app.close()
})

t.test('what a definition hides can not be asked for', async (t) => {
  const app = Fastify()
  const $defs = { a: { $id: 'Secret', type: 'string', writeOnly: true }, b: { $id: 'Name', type: 'string' } }
  await app.register(services)
  const secret = { $ref: 'Secret#' }
  const properties = {
    id: { type: 'integer' },
    name: { $ref: 'Name#' },
    secret
  }
  const stored = { id: 1, name: 'a', secret: 's' }
  const object = { find: async () => [stored] }
  app.service('things', object as object, {
    schema: resource({ type: 'object', properties, $defs } as object) as object
  })
  const queries = [
    'secret=s',
    'secret[$in][]=s',
    'secret[$ne]=s',
    '$or[0][secret]=s',
    '$sort[secret]=1',
    '$select[]=secret'
  ]
  for (const query of queries) t.equal((await app.inject(`/things?${query}`)).statusCode, 400, query)
  for (const query of ['id=1', 'name=a', '$sort[name]=1', '$select[]=name'])
    t.strictSame((await app.inject(`/things?${query}`)).json(), [{ id: 1, name: 'a' }], query)
  await app.close()
})

t.test('what a definition hides or leaves to the server holds for schemas of single methods, too', async (t) => {
  const app = Fastify()
  const $defs = {
    a: { $id: 'Secret', type: 'string', writeOnly: true },
    b: { $id: 'Role', type: 'string', readOnly: true }
  }
  await app.register(services, { errorHandler: { html: false, logger: false } })
  const properties = { name: { type: 'string' }, secret: { $ref: 'Secret#' }, role: { $ref: 'Role#' } }
  const open = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: true }
  const schema = resource({ type: 'object', properties, $defs } as object, {
    create: open,
    methods: { join: { route: 'POST /join', body: open, response: open } }
  })
  const stored = { name: 'a', secret: 's', role: 'admin', other: 1 }
  const object = { create: async () => stored, join: async () => stored }
  app.service('things', object as object, { schema: schema as object })
  const post = async (url: string, payload: object) => {
    const { statusCode, ...response } = await app.inject({ method: 'POST', url, payload })
    return [statusCode, response.json().message ?? response.json()]
  }
  t.strictSame(await post('/things/join', { name: 'a' }), [200, { name: 'a', role: 'admin', other: 1 }])
  t.strictSame(await post('/things/join', { role: 'admin' }), [400, 'role can not be set'])
  t.strictSame(await post('/things', { name: 'a' }), [201, { name: 'a', role: 'admin' }])
  t.strictSame(await post('/things', { role: 'admin' }), [400, 'role can not be set'])
  await app.close()
})

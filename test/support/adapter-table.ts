import Fastify, { type InjectOptions } from 'fastify'
import services, { type HookContext, resource, type ServiceOptions, version } from 'fastify-services'
import { scope } from 'fastify-services/authentication'
import { databaseErrors, inTransaction, type TransactionalDatabase } from 'fastify-services/database'
import type { SuiteOptions } from 'fastify-services/testing'
import type { Test } from 'tap'
import { adapterContract } from './adapter-contract.js'

/** A database adapter on a table. */
export interface TableAdapter {
  readonly name: string
  /** A service on an empty table with the columns `id`, `text` (not null, unique), `author` and `at`. */
  createSmall(t: Test, options?: SuiteOptions): Promise<object>
  /** The same, with `stars` (a number), `isDone` (a boolean, false by default), `tags` (JSON) and `version` (a number, 1 by default). */
  create(t: Test, options?: SuiteOptions): Promise<object>
  /** Whether it has `$like` and `$ilike`. Default `true`. */
  readonly hasPatterns?: boolean
  /** For `inTransaction`; none where the library has no transactions that wait. */
  readonly database?: object
}

const isDone = { type: 'boolean' } as const
const messages = resource(
  {
    type: 'object',
    required: ['id', 'text'],
    properties: {
      id: { type: 'integer' },
      text: { type: 'string' },
      author: { type: ['string', 'null'] },
      at: { type: ['string', 'null'] },
      stars: { type: ['integer', 'null'] },
      isDone,
      tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      version: { type: 'integer' }
    }
  } as const,
  { readOnly: ['id', 'version', 'isDone'], lists: true }
)

async function start(t: Test, service: object, hooks: ServiceOptions<object>['hooks'] = {}, schema: object = messages) {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false }, hooks: { around: { all: [databaseErrors()] } } })
  app.service('messages', service, { schema, hooks } as ServiceOptions<object>)
  return async (method: InjectOptions['method'], url: string, payload?: object, headers = {}) => {
    const request = { method, url: `/messages${url}`, headers, ...(payload && { payload }) } as InjectOptions
    const { statusCode, body, headers: answered } = await app.inject(request)
    return { status: statusCode, body: body === '' ? undefined : JSON.parse(body), etag: String(answered.etag) }
  }
}

type Send = Awaited<ReturnType<typeof start>>
const texts = async (send: Send, query: string) => {
  const { status, body } = await send('GET', `?${query}`)
  return status === 200 ? body.map(({ text }: { text: string }) => text).sort() : status
}

/** What our own adapters promise beyond the contract of all adapters. */
export async function tableContract(t: Test, adapter: TableAdapter): Promise<void> {
  await adapterContract(t, { name: adapter.name, create: (t, options) => adapter.createSmall(t, options) })

  await t.test(`${adapter.name}: records of all types`, async (t) => {
    const send = await start(t, await adapter.create(t, { multi: ['create'] }))
    const whole = { text: 'one', author: 'ada', at: null, stars: 3, tags: ['a', "'"] }
    const { body } = await send('POST', '', whole)
    t.strictSame(body, { id: 1, ...whole, isDone: false, version: 1 })
    t.strictSame((await send('GET', '/1')).body, body)
    t.match((await send('PATCH', '/1', { tags: [] })).body, { tags: [], stars: 3 })
    const { body: replaced } = await send('PUT', '/1', { text: 'ONE' })
    t.strictSame(
      { ...replaced, author: replaced.author ?? null, stars: replaced.stars ?? null, tags: replaced.tags ?? null },
      { ...body, text: 'ONE', author: null, stars: null, tags: null, at: replaced.at },
      'fields that a client can not send stay, the others go'
    )
    const list = [{ text: 'two', stars: 2 }, { text: 'three', author: 'bob' }, { text: 'four' }]
    const { body: created } = await send('POST', '', list)
    t.match(
      created,
      list.map((record) => ({ ...record, isDone: false, version: 1 })),
      'each column has its default'
    )
  })

  await t.test(`${adapter.name}: conditions`, async (t) => {
    const service = await adapter.create(t, { multi: true })
    const { create } = service as { create(data: object[]): Promise<unknown> }
    await create.call(service, [
      { text: 'one', stars: 1, isDone: true, author: 'ada' },
      { text: 'two', stars: 2, isDone: false, author: null },
      { text: '50% off_\\', stars: null, isDone: false, author: 'Ada' }
    ])
    const send = await start(t, service, {}, {})
    const rows: readonly (readonly [query: string, found: readonly string[] | number])[] = [
      ['stars=1', ['one']],
      ['stars[$ne]=1', ['two']],
      ['stars[$nin][]=1', ['two']],
      ['stars[$gte]=1&stars[$lt]=2', ['one']],
      ['stars[$in][]=1&stars[$in][]=2', ['one', 'two']],
      ['id[$in][]=1&id[$in][]=2', ['one', 'two']],
      ['id[$lte]=2', ['one', 'two']],
      ['id[$ne]=1&id[$ne]=3', 400],
      ['id[$ne]=1&stars=2', ['two']],
      ['isDone=true', ['one']],
      ['isDone[$ne]=true', ['50% off_\\', 'two']],
      ['text[$like]=%25%5C%25%25', ['50% off_\\']],
      ['text[$like]=%25%5C%5C', ['50% off_\\']],
      ['text[$like]=%25%5C_%25', ['50% off_\\']],
      ['text[$ilike]=O_E', ['one']],
      ['$and[0][stars]=1&$and[1][isDone]=true', ['one']],
      ['$or[0][stars]=1&$or[1][stars]=2&isDone=false', ['two']],
      ['$or=1', 400],
      ['text[$regex]=a', 400],
      ['text[$in][0][a]=1', 400],
      ['text[a]=1', 400],
      ['text+as+id=1', 400],
      ['messages.text=one', 400],
      ['$select=text+as+id', 400],
      ['$select[]=text%3B', 400],
      ['$sort[text+desc]=1', 400],
      ['$sort=text', 400]
    ]
    const { hasPatterns = true } = adapter
    for (const [query, found] of rows)
      t.strictSame(await texts(send, query), query.includes('like]') && !hasPatterns ? 400 : found, query)
    const { find, patch } = service as {
      find(params: object): Promise<{ text: string }[]>
      patch(id: number, data: object): Promise<object>
    }
    t.match(await patch.call(service, 1, {}), { text: 'one', stars: 1 }, 'a patch without fields changes nothing')
    const select = async (query: object) => (await find.call(service, { query })).map(({ text }) => text).sort()
    t.strictSame(await select({ stars: null }), ['50% off_\\'])
    t.strictSame(await select({ stars: { $ne: null } }), ['one', 'two'])
    t.strictSame(await select({ stars: { $in: [1, null] } }), ['50% off_\\', 'one'])
    t.strictSame(await select({ stars: { $nin: [1, null] } }), ['two'])
    t.strictSame(await select({ stars: { $in: [] } }), [])
    t.strictSame((await select({ stars: { $nin: [] } })).length, 3)
    t.strictSame((await select({ $or: [{ stars: 1 }, {}] })).length, 3)
    t.strictSame((await select({ $and: [] })).length, 3)
    for (const query of [{ stars: undefined }, { stars: Number.NaN }, { stars: {} }, { $or: [] }, { stars: [1] }])
      await t.rejects(select(query), { code: 400 }, `no record: ${JSON.stringify(query)}`)
    for (const query of ['id=1abc', 'id[$in][]=1abc', 'text=%00', 'stars=1e400', 'stars=99999999999999999999'])
      t.ok(['400', ''].includes(String(await texts(send, query))), query)
    const { get } = service as { get(id: unknown): Promise<object> }
    for (const id of [null, undefined, { $gt: 0 }, [1], Number.NaN]) {
      await t.rejects(get.call(service, id), { code: 400 }, `no id: ${JSON.stringify(id)}`)
      if (id !== null) await t.rejects(patch.call(service, id as never, { stars: 9 }), { code: 400 })
    }
    for (const id of ['7abc', '1 or 1=1', "1'", 'x', '99', '1.5', '%31', '-1', '1\0', '1 or'])
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const { status } = await send(
          method,
          `/${encodeURIComponent(id)}`,
          method === 'PATCH' ? { stars: 9 } : undefined
        )
        t.ok([400, 404].includes(status), `${method} ${id}: ${status}`)
      }
    t.equal((await select({})).length, 3)
  })

  await t.test(`${adapter.name}: values of other types`, async (t) => {
    const service = await adapter.create(t, { multi: true })
    const { create, get, patch } = service as Record<
      'create' | 'get' | 'patch',
      (...args: unknown[]) => Promise<Record<string, unknown>>
    >
    await create.call(service, { text: 'one', author: 'ada' })
    const send = await start(t, service, {}, {})
    for (const author of [{ text: 'one' }, ['ada'], true, 5, 'a\0b']) {
      const { status } = await send('PATCH', '/1', { author })
      t.ok([200, 400].includes(status), `${JSON.stringify(author)}: ${status}`)
      const { author: stored } = await get.call(service, 1)
      if (typeof author === 'object')
        t.ok(['ada', JSON.stringify(author), '{"ada"}'].includes(String(stored)), `an object is no column: ${stored}`)
    }
    for (const payload of [
      {},
      { text: null },
      { text: 'two', stars: 1e30 },
      { text: 'two', other: 1 },
      { text: 'one' }
    ]) {
      const { status, body } = await send('POST', '', payload)
      if (status !== 201) t.ok([400, 409].includes(status), `${JSON.stringify(payload)}: ${status}`)
      t.notMatch(JSON.stringify(body), /insert into/i)
    }
    for (const tags of ['text', 5, false, { a: [null, "'"] }, ['[]']]) {
      await patch.call(service, 1, { tags })
      t.strictSame((await get.call(service, 1)).tags, tags, `JSON: ${JSON.stringify(tags)}`)
    }
    const at = new Date(0)
    const { id } = await create.call(service, { text: 'dated', at })
    const { find } = service as { find(params: object): Promise<object[]> }
    t.match(await find.call(service, { query: { at } }), [{ id }], 'a date in a column of text')
  })

  await t.test(`${adapter.name}: a scope is part of each statement`, async (t) => {
    const service = await adapter.create(t, { multi: true })
    const { create } = service as { create(data: object[]): Promise<unknown> }
    await create.call(service, [
      { text: 'one', author: 'ada' },
      { text: 'two', author: 'bob' }
    ])
    const ofAda = scope(() => ({ author: 'ada' }))
    const send = await start(t, service, { around: { all: [ofAda] } }, {})
    t.strictSame(await texts(send, '$or[0][author]=bob&$or[1][author]=ada'), ['one'])
    for (const [method, url, payload] of [
      ['GET', '/2'],
      ['PUT', '/2', { text: 'x' }],
      ['PATCH', '/2', { text: 'x' }],
      ['DELETE', '/2']
    ] as const)
      t.equal((await send(method, url, payload)).status, 404, method)
    t.strictSame((await send('PATCH', '', { stars: 5 })).body.length, 1)
    t.strictSame((await send('DELETE', '')).body.length, 1)
    const { find } = service as { find(params?: object): Promise<object[]> }
    t.match(await find.call(service), [{ text: 'two', stars: null, author: 'bob' }])
  })

  await t.test(`${adapter.name}: writes with If-Match lose nothing`, async (t) => {
    const service = await adapter.create(t)
    const next = async (context: HookContext) => {
      if (context.method === 'patch') context.data.version = Number(context.params.headers?.expected) + 1
    }
    const send = await start(t, service, { around: { all: [version('version')] }, before: { patch: [next] } }, {})
    await send('POST', '', { text: 'one', stars: 0 })
    let wins = 0
    for (let round = 0; round < 5; round += 1) {
      const { etag, body } = await send('GET', '/1')
      const patch = () => send('PATCH', '/1', { stars: body.stars + 1 }, { 'if-match': etag, expected: body.version })
      const statuses = (await Promise.all([patch(), patch(), patch(), patch()])).map(({ status }) => status)
      t.strictSame(statuses.sort(), [200, 412, 412, 412])
      wins += 1
    }
    t.match((await send('GET', '/1')).body, { stars: wins, version: wins + 1 })
    t.equal((await send('DELETE', '/1', undefined, { 'if-match': '"1"' })).status, 412)
    t.equal((await send('DELETE', '/9', undefined, { 'if-match': '"1"' })).status, 404)
  })

  const { database } = adapter
  if (database === undefined) return
  await t.test(`${adapter.name}: writes with If-Match in transactions`, async (t) => {
    const service = await adapter.create(t)
    const next = async ({ method, data }: HookContext) => {
      if (method === 'patch') data.version = 2
    }
    const around = { all: [inTransaction(database as TransactionalDatabase), version('version')] }
    const send = await start(t, service, { around, before: { patch: [next] } }, {})
    await send('POST', '', { text: 'one' })
    const patch = (stars: number) => send('PATCH', '/1', { stars }, { 'if-match': '"1"' })
    const statuses = (await Promise.all([1, 2, 3].map(patch))).map(({ status }) => status)
    t.strictSame(statuses.sort(), [200, 412, 412])
  })

  await t.test(`${adapter.name}: a transaction that fails leaves nothing`, async (t) => {
    const service = await adapter.create(t, { multi: true })
    const fail = async (context: HookContext) => {
      const { service, params, method } = context
      const { find } = service as unknown as { find(params: object): Promise<object[]> }
      const inside = await find({ ...params, provider: undefined, query: {} })
      if (method === 'create') t.equal(inside.length, 3, 'the transaction sees its own writes')
      throw new Error('fails')
    }
    const hooks = {
      around: { all: [inTransaction(database as TransactionalDatabase)] },
      after: { create: [fail], patch: [fail], remove: [fail] }
    }
    const { create, find } = service as { create(data: object): Promise<unknown>; find(): Promise<object[]> }
    await create.call(service, { text: 'one', stars: 1 })
    const send = await start(t, service, hooks, {})
    t.equal((await send('POST', '', [{ text: 'two' }, { text: 'three', stars: 3 }])).status, 500)
    t.equal((await send('PATCH', '/1', { stars: 2 })).status, 500)
    t.equal((await send('DELETE', '/1')).status, 500)
    t.match(await find.call(service), [{ text: 'one', stars: 1 }])
  })
}

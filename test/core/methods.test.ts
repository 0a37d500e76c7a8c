import { memory } from '@feathersjs/memory'
import { BadRequest, commonOperators, type Params, type Query } from 'fastify-services'
import { createClient, rest } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { createApp } from '../support/core.js'

type Call = (...args: unknown[]) => Promise<unknown>

/** Calls a method of a service that returns its arguments. */
async function createCall(t: Test) {
  const echo = async (...args: unknown[]) => args
  const { app } = await createApp(t)
  const object = { find: echo, get: echo, create: echo, update: echo, patch: echo, remove: echo, archive: echo }
  const service = app.service('echo', object, { methods: ['find', 'archive'] }) as unknown as Record<string, Call>
  return (name: string, ...args: unknown[]) => (service[name] as Call)(...args)
}

const badRequest = (message: string) => ({ constructor: BadRequest, message, code: 400 })

t.test('the id of get, update, patch and remove must be given, null stands for many records', async (t) => {
  const call = await createCall(t)
  for (const name of ['get', 'update', 'patch', 'remove']) {
    const data = name === 'update' || name === 'patch' ? [{}] : []
    await t.rejects(call(name), badRequest(`An id must be provided to the '${name}' method`))
    await t.rejects(call(name, undefined, ...data), badRequest(`An id must be provided to the '${name}' method`))
    for (const id of [null, 0, ''])
      t.same(await call(name, id, ...data), [id, ...data, {}], `${name}(${JSON.stringify(id)})`)
  }
})

t.test('create, update, patch without a body: 400 BadRequest `No data provided`', async (t) => {
  const call = await createCall(t)
  await t.rejects(call('create'), badRequest('No data provided'))
  await t.rejects(call('update', '1'), badRequest('No data provided'))
  await t.rejects(call('patch', null, undefined, {}), badRequest('No data provided'))
})

t.test("`First parameter for 'create' must be an object` (`Second parameter for 'update' …`)", async (t) => {
  const call = await createCall(t)
  for (const data of [null, 1, 0, 's', '', true, false, Symbol('s'), 1n, () => {}]) {
    await t.rejects(
      call('create', data),
      badRequest("First parameter for 'create' must be an object"),
      `create ${String(data)}`
    )
    await t.rejects(
      call('update', '1', data),
      badRequest("Second parameter for 'update' must be an object"),
      `update ${String(data)}`
    )
    await t.rejects(
      call('patch', '1', data),
      badRequest("Second parameter for 'patch' must be an object"),
      `patch ${String(data)}`
    )
  }
})

t.test('a body that is not an object (for `create`: nor an array)', async (t) => {
  const call = await createCall(t)
  t.same(await call('create', [{ text: 'a' }]), [[{ text: 'a' }], {}], 'create takes a batch')
  t.same(await call('create', []), [[], {}], 'an empty one too')
  await t.rejects(call('update', '1', []), badRequest("Second parameter for 'update' must be an object"))
  await t.rejects(call('patch', '1', [{}]), badRequest("Second parameter for 'patch' must be an object"))
})

t.test('find and custom methods are called with anything, params are an object where none is given', async (t) => {
  const call = await createCall(t)
  t.same(await call('find'), [{}])
  t.same(await call('find', null), [{}])
  t.same(await call('find', { query: { a: '1' } }), [{ query: { a: '1' } }])
  t.same(await call('archive'), [undefined, {}])
  t.same(await call('archive', 's', { query: {} }), ['s', { query: {} }])
})

/** What a query becomes. */
async function mapped(t: Test, query: unknown): Promise<unknown> {
  const { app } = await createApp(t)
  const service = app.service(
    'things',
    { find: async (params: Params) => params },
    { hooks: { before: { all: [commonOperators()] } } }
  )
  return (await service.find({ query: query as Query })).query
}

const date = new Date(0)
const pattern = /a/
class ObjectId {
  $eq = 'a value of a database'
}
const id = new ObjectId()

const operatorRows: [name: string, query: unknown, expected: unknown][] = [
  ['`$le` → `$lte`', { age: { $le: '5' } }, { age: { $lte: '5' } }],
  ['`$ge` → `$gte`', { age: { $ge: '5' } }, { age: { $gte: '5' } }],
  ['`$eq` → plain equality', { age: { $eq: '5' } }, { age: '5' }],
  ['`$eq` beside others', { age: { $eq: '5', $ne: '6' } }, { age: { $ne: '6', $in: ['5'] } }],
  [
    '`$eq` of `null`, `0` and the empty string',
    { a: { $eq: null }, b: { $eq: 0 }, c: { $eq: '' } },
    { a: null, b: 0, c: '' }
  ],
  ['two bounds', { age: { $ge: '1', $le: '5' } }, { age: { $gte: '1', $lte: '5' } }],
  [
    'nested `$or` and `$and`',
    { $or: [{ age: { $le: '5' } }, { $and: [{ name: { $eq: 'a' } }, { age: { $ge: '1' } }] }] },
    { $or: [{ age: { $lte: '5' } }, { $and: [{ name: 'a' }, { age: { $gte: '1' } }] }] }
  ],
  [
    'what the adapters know themselves stays',
    { a: { $lt: '1', $gt: '2', $lte: '3', $gte: '4', $ne: '5' }, b: { $in: ['1'], $nin: ['2'] } },
    { a: { $lt: '1', $gt: '2', $lte: '3', $gte: '4', $ne: '5' }, b: { $in: ['1'], $nin: ['2'] } }
  ],
  [
    '`$limit`, `$skip`, `$sort`, `$select` stay',
    { $limit: '1', $skip: '2', $sort: { age: '-1' }, $select: ['age'] },
    { $limit: '1', $skip: '2', $sort: { age: '-1' }, $select: ['age'] }
  ],
  ['operators that nobody knows stay', { age: { $where: '1', le: '2' } }, { age: { $where: '1', le: '2' } }],
  ['arrays of values stay', { tags: ['a', 'b'], $select: [] }, { tags: ['a', 'b'], $select: [] }],
  ['an object without a prototype', Object.assign(Object.create(null), { age: { $le: '5' } }), { age: { $lte: '5' } }],
  ['an empty query', {}, {}]
]

for (const [name, query, expected] of operatorRows) {
  t.test(`commonOperators: ${name}`, async (t) => {
    t.strictSame(await mapped(t, query), expected)
  })
}

t.test('commonOperators: what an adapter can not read is refused', async (t) => {
  const rows: [query: Query, message: string][] = [
    [{ $or: '1' }, '$or must be a list of queries'],
    [{ $or: [] }, '$or must be a list of queries'],
    [{ $and: { a: 1 } }, '$and must be a list of queries'],
    [{ $or: [{ $nor: ['x'] }] }, '$nor must be a list of queries'],
    [{ a: { $or: '1' } }, '$or must be a list of queries'],
    [{ $sort: 'a' }, '$sort must be an object, as in $sort[name]=1'],
    [{ $sort: null }, '$sort must be an object, as in $sort[name]=1'],
    [{ $select: { a: '1' } }, '$select must be a list of names']
  ]
  for (const [query, message] of rows) await t.rejects(mapped(t, query), new BadRequest(message))
  t.strictSame(await mapped(t, { $select: 'a', $sort: undefined }), { $select: 'a', $sort: undefined })
})

t.test('commonOperators: Date values, patterns and ids of databases are values', async (t) => {
  const query = (await mapped(t, {
    at: { $ge: date },
    name: pattern,
    id,
    ref: { $eq: id },
    list: { $in: [date] }
  })) as Record<string, unknown>
  t.equal((query.at as { $gte: Date }).$gte, date)
  t.equal((query.list as { $in: Date[] }).$in[0], date)
  t.equal(query.name, pattern)
  t.equal(query.id, id)
  t.equal(query.ref, id)
})

t.test('commonOperators: the query of the caller is not changed, nor are its other params', async (t) => {
  const { app } = await createApp(t)
  const service = app.service(
    'things',
    { find: async (params: Params) => params },
    { hooks: { before: { find: commonOperators() } } }
  )
  const params = Object.freeze({ query: Object.freeze({ age: Object.freeze({ $le: '5' }) }), user: {} })
  const seen = await service.find(params)
  t.same(seen, { query: { age: { $lte: '5' } }, user: {} })
  t.equal(seen.user, params.user)
  t.same(params.query, { age: { $le: '5' } })
  t.same(await service.find({}), {}, 'without a query there is nothing to do')
})

/** The prices that a database adapter selects, `refused` where it does not take the query. */
async function select(t: Test, query: Query): Promise<unknown> {
  const { app } = await createApp(t)
  const service = app.service('things', memory<{ price: number }>({ multi: true }), {
    hooks: { before: { all: [commonOperators()] } }
  })
  await service.create([1, 2, 3, 4, 5].map((price) => ({ price })))
  const { remove } = service as unknown as { remove(id: null, params: Params): Promise<{ price: number }[]> }
  return remove(null, { query }).then(
    (records) => records.map(({ price }) => price),
    ({ code }) => (code === 400 ? 'refused' : code)
  )
}

t.test('commonOperators: the adapters understand what it gives', async (t) => {
  t.same(await select(t, { price: { $le: 2 } }), [1, 2])
  t.same(await select(t, { price: { $ge: 4 } }), [4, 5])
  t.same(await select(t, { price: { $eq: 3 } }), [3])
  t.same(await select(t, { $or: [{ price: { $eq: 1 } }, { price: { $ge: 5 } }] }), [1, 5])
  t.same(await select(t, { price: { $eq: 3, $ne: 3 } }), [])
})

t.test('commonOperators: no condition is cut: a cut filter selects more records', async (t) => {
  for (const [query, most] of [
    [{ price: { $le: 4, $lte: 2 } }, [1, 2]],
    [{ price: { $lte: 2, $le: 4 } }, [1, 2]],
    [{ price: { $ge: 2, $gte: 4 } }, [4, 5]],
    [{ price: { $gte: 4, $ge: 2 } }, [4, 5]],
    [{ price: { $eq: 3, $in: [1, 2] } }, []],
    [{ price: { $in: [1, 2], $eq: 3 } }, []]
  ] as const) {
    const selected = await select(t, query)
    t.ok(
      selected === 'refused' ||
        (Array.isArray(selected) && selected.every((price) => (most as readonly number[]).includes(price))),
      JSON.stringify({ query, selected })
    )
  }
})

t.test('commonOperators: `$eq` of no field does not take the place of the query', async (t) => {
  t.type(await mapped(t, { $eq: '' }), 'object')
  for (const query of [
    { $eq: '' },
    { $eq: null },
    { $eq: 0 },
    { $eq: [] },
    { $eq: { price: 1 } },
    { price: 1, $eq: '' },
    { $or: [{ $eq: '' }] },
    { $and: [{ $eq: '' }] }
  ]) {
    t.equal(await select(t, query), 'refused', `${JSON.stringify(query)} is no query that an adapter knows`)
  }
})

t.test('a service has the name of its path, without slashes at its ends, behind that of its prefix', async (t) => {
  const rows: [path: string, name: string, prefix?: string][] = [
    ['messages', 'messages'],
    ['/messages', 'messages'],
    ['messages/', 'messages'],
    ['//a/b///', 'a/b'],
    ['/', ''],
    ['', ''],
    ['/messages', 'v1/messages', '/v1/'],
    ['/', 'v1', '/v1'],
    ['/', '', '/'],
    ['/users/:userId/messages/', 'users/:userId/messages']
  ]
  for (const [path, name, prefix = ''] of rows) {
    const { app } = await createApp(t)
    const add = async (child: typeof app) => void child.service(path, { find: async () => [] })
    await app.register(add, { prefix })
    const paths: string[] = []
    const service = app.service(name).hooks({ before: { all: [(context) => void paths.push(context.path)] } })
    for (const spelling of [`/${name}`, `${name}/`]) t.equal(app.service(spelling), service, path)
    await service.find({ route: { userId: '1' } })
    t.same(paths, [name])
  }
})

const urls: string[] = []
const library = async (url: string) => {
  urls.push(url)
  return new Response('{}')
}
const client = createClient().configure(rest('http://a').fetch(library as typeof fetch))

/** The path that a call of the client asks for. */
async function asked(call: Promise<unknown>): Promise<unknown> {
  await call
  return urls.pop()?.slice('http://a/'.length)
}

t.test('what can be no segment of a URL is refused, by its name', async (t) => {
  for (const [value, shown] of [
    ['', 'empty'],
    [undefined, 'empty'],
    [null, 'empty'],
    ['.', '"."'],
    ['..', '".."'],
    ['a\ud83d', '"a\\ud83d"']
  ] as const) {
    const message = `The value of ':id' of things.get can't be ${shown}`
    await t.rejects(client.service('things').get(value as string), { message, code: 400 })
  }
})

t.test('what looks alike is a segment', async (t) => {
  for (const [value, segment] of [
    ['...', '...'],
    ['.a', '.a'],
    ['a.', 'a.'],
    [0, '0'],
    ['a/b', 'a%2Fb'],
    ['\u{1f600}', '%F0%9F%98%80']
  ] as const)
    t.equal(await asked(client.service('things').get(value)), `things/${segment}`)
})

t.test('each placeholder is filled with its own value, and what is none stays', async (t) => {
  const find = (name: string, route?: object) => asked(client.service(name).find({ route } as object))
  t.equal(await find(':a/b/:cd/e:f', { a: 1, cd: 'x y', f: 2 }), '1/b/x%20y/e:f')
  t.equal(await find('a/b'), 'a/b')
  for (const route of [undefined, {}, { a: undefined }])
    await t.rejects(find('users/:a', route), { message: "The value of ':a' in params.route can't be empty" })
  await t.rejects(find(':toString', {}), { message: "The value of ':toString' in params.route can't be empty" })
})

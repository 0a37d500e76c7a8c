import { Readable } from 'node:stream'
import { feathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'
import { type HookContext, type Params, resource } from 'fastify-services'
import { allow } from 'fastify-services/authentication'
import t from 'tap'
import { z } from 'zod'
import { JsonObject } from '../../support/json-object.js'
import { createMounted, type Theirs } from '../../support/mounted-app.js'
import { createApp } from './callers.js'

const admin = { id: 1, role: 'admin' }
const member = { id: 2, role: 'member' }
const guest = { id: 3, role: 'guest' }

type Post = { id?: number; title: string; text: string; salary: number }

const stored = () => {
  const service = new MemoryService<Post>({ startId: 3, multi: true, operators: ['$and'] })
  service.store = {
    1: { id: 1, title: 'a', text: 'x', salary: 10 },
    2: { id: 2, title: 'b', text: 'y', salary: 20 }
  }
  return service
}
const readable = ['id', 'title', 'text']
const roles = {
  admin: true,
  member: { find: readable, get: readable, create: true, patch: ['title', 'text'] },
  guest: { find: ['title'] }
} as const
const around = (hook: ReturnType<typeof allow>) => ({ hooks: { around: { all: [hook] } } })

t.test('each role may call the methods that it names, and no others', async (t) => {
  const { send } = await createApp(t, (app) => app.service('posts', stored(), around(allow(roles))))
  t.equal((await send('DELETE', '/posts/1', { as: admin })).status, 200)
  t.match(await send('DELETE', '/posts/2', { as: member }), {
    status: 403,
    body: { message: "'remove' of 'posts' is not for a user with the role 'member': it needs admin" }
  })
  t.equal((await send('GET', '/posts/2', { as: guest })).status, 403)
  t.equal((await send('GET', '/posts', { as: { id: 4 } })).status, 403, 'a user without a role')
  t.equal((await send('GET', '/posts', { as: { id: 4, role: 'constructor' } })).status, 403)
  t.equal((await send('GET', '/posts')).status, 401, 'nobody')
})

t.test('an update keeps the fields that the role may not send', async (t) => {
  const service = stored()
  const editor = { id: 5, role: 'editor' }
  const hook = allow({ editor: { update: ['title', 'text'], get: true } })
  const { send } = await createApp(t, (app) => app.service('posts', service, around(hook)))
  t.equal((await send('PUT', '/posts/1', { as: editor, body: { title: 'new' } })).status, 200)
  t.strictSame(service.store[1], { id: 1, title: 'new', salary: 10 })
})

t.test('fields of a write that are not allowed are refused, and all of them named', async (t) => {
  const service = stored()
  const { send } = await createApp(t, (app) => app.service('posts', service, around(allow(roles))))
  t.match(await send('PATCH', '/posts/1', { as: member, body: { title: 'new', salary: 99, $set: { salary: 99 } } }), {
    status: 403,
    body: { message: /does not allow 'salary', '\$set': only 'title', 'text'/, errors: { salary: 'is not allowed' } }
  })
  t.match(service.store, { 1: { title: 'a', salary: 10 } })
  t.match(await send('PATCH', '/posts/1', { as: member, body: { title: 'new' } }), {
    status: 200,
    body: { title: 'new' }
  })
  t.equal((await send('PUT', '/posts/1', { as: member, body: { title: 'new' } })).status, 403)
})

t.test('what is refused is not sent back whole: 20 fields are named, by their first 50 characters', async (t) => {
  const { send } = await createApp(t, (app) => app.service('posts', stored(), around(allow(roles))))
  const body = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index} ${'x'.repeat(100)}`, 1]))
  const { status, body: refusal } = await send('PATCH', '/posts/1', { as: member, body })
  t.equal(status, 403)
  t.strictSame([Object.keys(refusal.errors).length, refusal.message.match(/'\d+ x/g).length], [20, 20])
  t.ok(JSON.stringify(refusal).length < 5000)
})

t.test('fields of a read that are not allowed are left out of all answers', async (t) => {
  const { send } = await createApp(t, (app) => app.service('posts', stored(), around(allow(roles))))
  const [first] = (await send('GET', '/posts', { as: member })).body
  t.strictSame(first, { id: 1, title: 'a', text: 'x' })
  t.strictSame((await send('GET', '/posts', { as: guest })).body, [{ title: 'a' }, { title: 'b' }])
  t.strictSame((await send('GET', '/posts/1', { as: member })).body, { id: 1, title: 'a', text: 'x' })
  const body = { title: 'c', text: 'z', salary: 5 }
  t.strictSame((await send('POST', '/posts', { as: member, body })).body, { id: 3, title: 'c', text: 'z' })
  t.strictSame((await send('PATCH', '/posts/1', { as: member, body: { text: 'q' } })).body, {
    id: 1,
    title: 'a',
    text: 'q'
  })
  t.match((await send('GET', '/posts/3', { as: admin })).body, { salary: 5 })
})

t.test('a query can not ask for what is left out', async (t) => {
  const { send } = await createApp(t, (app) => app.service('posts', stored(), around(allow(roles))))
  const refused = [
    'salary=10',
    'salary[$gt]=15',
    '$sort[salary]=1',
    '$select=salary',
    '$or[0][salary]=10',
    '$and[0][$or][0][salary]=10',
    '$where=1',
    '$nor[0][salary]=10',
    'title[salary][$gt]=1',
    'title[$or][0][salary]=10',
    'title[$in][0][salary]=10',
    'title[$not][salary]=10',
    '$select[a]=x',
    '$sort=salary'
  ]
  for (const query of refused) {
    t.equal((await send('GET', `/posts?${query}`, { as: member })).status, 403, query)
    t.equal((await send('PATCH', `/posts?${query}`, { as: member, body: { title: 'q' } })).status, 403, query)
  }
  const fine = 'title=a&$or[0][text]=x&$or[1][text]=y&$sort[title]=1&$limit=5&$skip=0&$select[]=title'
  t.strictSame((await send('GET', `/posts?${fine}`, { as: member })).body, [{ id: 1, title: 'a' }])
  t.equal((await send('GET', '/posts?salary=10', { as: admin })).status, 200)
})

t.test('the query of a custom method can not ask for what is left out, and has its parameters', async (t) => {
  class Posts extends MemoryService<Post> {
    async archive(id: number, _: object, params: Params) {
      return this._patch(id, {}, { query: { $select: params.query?.$select } } as never)
    }
    async search(params: Params) {
      return { title: JSON.stringify(params.query), salary: 1 }
    }
  }
  const service = new Posts({ startId: 3 })
  service.store = stored().store
  const hook = allow({
    admin: { patch: ['salary'] },
    member: { get: readable, archive: true, search: readable, declared: true }
  })
  const plain = { archive: 'POST /:id/archive', search: 'GET /search' } as const
  const declaring = resource(z.object({ id: z.number(), title: z.string(), salary: z.number() }), {
    methods: { declared: { route: 'GET /:id/declared', query: z.object({ salary: z.coerce.number() }) } }
  })
  const { send } = await createApp(t, (app) => {
    app.service('posts', service, { ...around(hook), methods: ['get', 'archive', 'search'], routes: plain })
    app.service(
      'resources',
      { get: async () => null, declared: async () => ({ id: 1, title: 'b', salary: 2 }) },
      { ...around(hook), methods: ['get', 'declared'], schema: declaring }
    )
  })
  const refused = [
    '$select[]=salary as title',
    '$select=salary',
    '$sort[salary]=1',
    '$or[0][salary]=10',
    '$where=1',
    'salary=10',
    'posts.salary=10',
    'hidden[$gt]=1',
    'near[hidden][$gt]=1',
    'near[salary][a]=1',
    '$or[0][hidden]=1'
  ]
  for (const query of refused) {
    const url = encodeURI(`?${query}`)
    t.equal((await send('POST', `/posts/1/archive${url}`, { as: member, body: {} })).status, 403, query)
    t.equal((await send('GET', `/posts/search${url}`, { as: member })).status, 403, query)
  }
  const fine = 'q=x&near[lat]=1&tags[]=a&title[$like]=b&$select[]=title'
  t.strictSame((await send('POST', `/posts/1/archive?${fine}`, { as: member, body: {} })).body, { id: 1, title: 'a' })
  t.match((await send('GET', `/posts/search?${fine}`, { as: member })).body, { title: /"q":"x"/ })
  t.strictSame((await send('GET', '/resources/1/declared?salary=7', { as: member })).body, { id: 1, title: 'b' })
})

t.test(
  'parameters that a resource declares for its queries are no fields, unless a record has one of that name',
  async (t) => {
    const shared = { $id: 'pay', type: 'object', properties: { bonus: { type: 'number' } } }
    const record = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        salary: { type: 'number', writeOnly: true },
        resetToken: { type: 'string', readOnly: true }
      },
      allOf: [{ $ref: 'pay#' }],
      $defs: { shared }
    }
    const text = { type: 'string' }
    const near = { type: 'object', properties: { lat: { type: 'number' }, salary: text } }
    const parameters = {
      q: text,
      near,
      salary: text,
      ' Salary': text,
      reset_token: text,
      Bonus: text,
      notes: text,
      $search: text
    }
    const schema = resource(record, {
      create: { type: 'object', properties: { title: text, notes: text } },
      query: { type: 'object', properties: { ...parameters, grade: text } }
    })
    const find = async ({ query }: Params) => [{ id: 1, title: JSON.stringify(query) }]
    const hook = allow({ member: { find: ['id', 'title'], get: ['id'] }, admin: { find: ['grade'] } })
    const { send } = await createApp(t, (app) => {
      app.service('posts', { find, get: async (id) => ({ id }) }, { ...around(hook), schema })
      app.service('plain', { find }, around(hook))
    })
    t.strictSame((await send('GET', '/posts?q=x&near[lat]=1&title=a', { as: member })).body, [
      { id: 1, title: '{"q":"x","near":{"lat":1},"title":"a"}' }
    ])
    t.equal((await send('GET', '/posts/1?q=x', { as: member })).status, 200)
    for (const name of [...Object.keys(parameters).slice(2), 'near[salary]', 'grade', '$or[0][q]'])
      t.equal(
        (await send('GET', `/posts?${encodeURI(name)}=x`, { as: member })).status,
        name === '$or[0][q]' ? 400 : 403,
        name
      )
    t.equal((await send('GET', '/plain?q=x', { as: member })).status, 403, 'nothing is declared there')
  }
)

t.test('a role that is looked up, for the place of a call', async (t) => {
  const roleIn = async ({ id }: Readonly<Record<string, unknown>>, { params }: HookContext) =>
    id === Number(params.route?.team) ? 'admin' : undefined
  const hook = allow({ admin: true }, { role: roleIn })
  const { send } = await createApp(t, (app) => app.service('teams/:team/posts', stored(), around(hook)))
  t.equal((await send('GET', `/teams/${admin.id}/posts`, { as: admin })).status, 200)
  t.equal((await send('GET', '/teams/77/posts', { as: admin })).status, 403)
})

t.test('pages and streams are read field by field too', async (t) => {
  const paged = new MemoryService({ paginate: { default: 1 } })
  paged.store = stored().store
  const { send, app } = await createApp(t, (app) => {
    app.service('paged', paged, around(allow(roles)))
    app.service('streamed', { find: async () => Readable.from(Object.values(paged.store)) }, around(allow(roles)))
  })
  t.match((await send('GET', '/paged', { as: guest })).body, { total: 2, data: [{ title: 'a' }] })
  t.notMatch(JSON.stringify((await send('GET', '/paged', { as: guest })).body), 'salary')
  const lines = await app.inject({ url: '/streamed', headers: { 'x-user': JSON.stringify(guest) } })
  t.equal(lines.statusCode, 200)
  t.notMatch(lines.body, 'salary')
})

t.test('a stream that fails ends its answer, without what is left out', async (t) => {
  async function* failing() {
    yield { title: 'a', salary: 10 }
    throw new Error('The store is closed')
  }
  const { app } = await createApp(t, (app) =>
    app.service('streamed', { find: async () => Readable.from(failing()) }, around(allow(roles)))
  )
  const request = { url: '/streamed', headers: { 'x-user': JSON.stringify(guest) } }
  const body = await app.inject(request).then(
    (response) => response.body,
    (error) => String(error)
  )
  t.notMatch(body, 'salary')
})

t.test('several roles may do what any of them may; `role` says what they are', async (t) => {
  const role = (user: Readonly<Record<string, unknown>>) => user.groups
  const { send } = await createApp(t, (app) =>
    app.service(
      'posts',
      stored(),
      around(allow({ a: { find: ['id'] }, b: { find: ['title'] }, c: { get: true } }, { role }))
    )
  )
  const as = { id: 1, groups: ['a', 'b', 'unknown'] }
  t.strictSame((await send('GET', '/posts?title=a', { as })).body, [{ id: 1, title: 'a' }])
  t.equal((await send('GET', '/posts/1', { as })).status, 403)
  t.equal((await send('GET', '/posts/1', { as: { id: 1, groups: ['a', 'c'] } })).status, 200)
  const plain = await createApp(t, (app) => app.service('posts', stored(), around(allow(roles))))
  t.equal((await plain.send('GET', '/posts', { as: { id: 1, roles: ['guest'] } })).status, 200, 'the field `roles`')
})

t.test('custom methods are methods, and events have the whole record', async (t) => {
  const service = Object.assign(stored(), { stats: async () => ({ count: 2 }) })
  const { send, app } = await createApp(t, (app) =>
    app.service('posts', service, {
      ...around(allow({ admin: { stats: true, create: ['title'], get: ['title'] } })),
      methods: ['create', 'stats']
    })
  )
  const headers = { 'x-service-method': 'stats' }
  t.match(await send('POST', '/posts', { as: admin, headers, body: {} }), { status: 200, body: { count: 2 } })
  t.equal((await send('POST', '/posts', { as: member, headers, body: {} })).status, 403)
  const created = new Promise((resolve) => app.service<MemoryService<Post>>('posts').once('created', resolve))
  t.strictSame((await send('POST', '/posts', { as: admin, body: { title: 'c' } })).body, { title: 'c' })
  t.match(await created, { id: 3, title: 'c' })
})

t.test(
  'calls of the server itself pass, unless `internal` says otherwise; `except` leaves methods alone',
  async (t) => {
    const { send, app } = await createApp(t, (app) => {
      app.service('free', stored(), around(allow(roles)))
      app.service('held', stored(), around(allow(roles, { internal: true, except: ['remove'] })))
    })
    const [first] = (await app.service<MemoryService<Post>>('free').find()) as unknown as Post[]
    t.equal(first?.salary, 10)
    const params = { user: guest } as never
    t.strictSame(await app.service<MemoryService<Post>>('held').find(params), [{ title: 'a' }, { title: 'b' }] as never)
    t.equal((await send('DELETE', '/held/1', { as: guest })).status, 200)
  }
)

t.test('what has no fields is not answered where fields are left out; nothing is answered as nothing', async (t) => {
  let result: unknown = 'a text'
  const { send } = await createApp(t, (app) =>
    app.service(
      'odd',
      { get: async () => result, remove: async () => result },
      around(allow({ guest: { get: ['title'], remove: true } }))
    )
  )
  t.equal((await send('GET', '/odd/1', { as: guest })).status, 500)
  result = null
  t.equal((await send('GET', '/odd/1', { as: guest })).status, 204)
  result = ['a text', { title: 'b', salary: 1 }]
  t.equal((await send('DELETE', '/odd/1', { as: guest })).status, 500, 'a list with what is no record')
  result = Readable.from([Buffer.from('[{"salary":1}]')], { objectMode: false })
  t.equal((await send('GET', '/odd/1', { as: guest })).status, 500, 'bytes')
  result = Object.assign(new Blob(['[{"salary":1}]']), { title: 'b' })
  t.equal((await send('GET', '/odd/1', { as: guest })).status, 500, 'a Blob')
  result = { title: 'b', salary: 1, data: [], total: 1 }
  t.strictSame((await send('GET', '/odd/1', { as: guest })).body, { title: 'b' }, 'a record that looks like a page')
})

t.test('of a page, its numbers and its records leave, and nothing else', async (t) => {
  const page = { total: 1, limit: 1, skip: 0, data: [{ title: 'a', salary: 1 }], salary: 9, facets: { salary: 1 } }
  const { send } = await createApp(t, (app) =>
    app.service('pages', { find: async () => page }, around(allow({ guest: { find: ['title'] } })))
  )
  const body = { total: 1, limit: 1, skip: 0, data: [{ title: 'a' }] }
  t.strictSame((await send('GET', '/pages', { as: guest })).body, body)
})

t.test('a number of a page may be a BigInt', async (t) => {
  const properties = { title: { type: 'string' }, salary: { type: 'integer' } } as const
  const options = {
    schema: resource({ type: 'object', properties } as const) as object,
    ...around(allow({ guest: { find: ['title'] } }))
  }
  const find = async () => ({ total: 1n, data: [{ title: 'a', salary: 1 }] })
  const { send } = await createApp(t, (app) => app.service('pages', { find } as object, options))
  t.strictSame((await send('GET', '/pages', { as: guest })).body, { total: 1, data: [{ title: 'a' }] })
})

t.test('a result with a `toJSON` is what that gives', async (t) => {
  class Json extends JsonObject {
    readonly title = 'hidden'
  }
  const record = { id: 1, title: 'a', salary: 10 }
  const lists = [[record], [new Json(record)], new Json([record])]
  const pages = [record, new Json(record)].map((item) => new Json({ total: 1, data: new Json([item]), salary: 10 }))
  let result: unknown
  const service = { find: async () => result, get: async () => result }
  const { send } = await createApp(t, (app) => app.service('posts', service as object, around(allow(roles))))
  for (result of lists) t.match(await send('GET', '/posts', { as: guest }), { status: 200, body: [{ title: 'a' }] })
  for (result of pages)
    t.strictSame((await send('GET', '/posts', { as: guest })).body, { total: 1, data: [{ title: 'a' }] })
  result = new Json(record)
  t.strictSame((await send('GET', '/posts/1', { as: member })).body, { id: 1, title: 'a' })
})

t.test('a role that may only write is answered what it wrote', async (t) => {
  const writer = allow({ guest: { create: true, patch: ['text'], remove: true, update: [] } })
  const { send } = await createApp(t, (app) => app.service('posts', stored(), around(writer)))
  const body = { title: 'c', text: 'z' }
  t.strictSame((await send('POST', '/posts', { as: guest, body })).body, { id: 3, ...body })
  t.strictSame((await send('PATCH', '/posts/1', { as: guest, body: { text: 'q' } })).body, { id: 1, text: 'q' })
  t.strictSame((await send('DELETE', '/posts/1', { as: guest })).body, { id: 1 })
  t.equal((await send('PATCH', '/posts/2?salary=20', { as: guest, body: { text: 'q' } })).status, 403, 'nor asks')
  t.match((await send('PUT', '/posts/2', { as: guest, body })).body, { message: /only none/ })
  t.match((await send('GET', '/posts', { as: guest })).body, {
    message: "'find' of 'posts' is not for a user with the role 'guest'"
  })
})

t.test('what a hook has set as the answer is left out too', async (t) => {
  const hooks = {
    around: { all: [allow({ guest: { get: ['title'] } })] },
    after: {
      get: [
        (context: HookContext) => {
          context.dispatch = { title: 'shown', salary: 5 }
        }
      ]
    }
  }
  const { send } = await createApp(t, (app) => app.service('posts', stored(), { hooks }))
  t.strictSame((await send('GET', '/posts/1', { as: guest })).body, { title: 'shown' })
})

t.test(
  'a custom method of a mounted service is allowed to a role, and a field has one name however it is spelled',
  async (t) => {
    const theirs = feathers() as unknown as Theirs
    const stats = async (_: object, { query }: { query?: object }) => ({ id: 1, title: 'a', query })
    theirs.use(
      'notes',
      { get: async (id: unknown) => ({ id }), stats } as object,
      { methods: ['get', 'stats'] } as never
    )
    const hook = allow({ guest: { get: ['id', 'salary'], stats: ['id', 'title', 'query'] } }, { internal: true })
    Object(theirs.service('notes')).hooks({ around: { all: [hook] } })
    await createMounted(t, theirs)
    const ask = (query: object) =>
      Object(theirs.service('notes')).stats({}, { query, user: guest, authenticated: true })
    t.strictSame(await ask({ since: '1' }), { id: 1, title: 'a', query: { since: '1' } })
    for (const name of ['salary', 'salary ', 'SALARY', '$select'])
      await t.rejects(ask({ [name]: ['9'] }), { code: 403 }, name)
  }
)

t.test('mistakes stop the start', async (t) => {
  t.throws(() => allow({}), /allow needs the permissions of each role/)
  for (const methods of [['find'], 'find', () => true])
    t.throws(() => allow({ member: methods as never }), /needs the methods of the role 'member': \{ find: true/)
  for (const fields of ['title', { title: true }, ['title', 7], 1])
    t.throws(
      () => allow({ member: { patch: fields as never } }),
      /true or a list of fields for 'patch' of the role 'member'/
    )
  t.doesNotThrow(() => allow({ admin: true, guest: undefined as never, member: { find: undefined, get: false } }))
  const hooks = { after: { all: [allow(roles) as never] } }
  await t.rejects(
    createApp(t, (app) => app.service('posts', stored(), { hooks })),
    /allow at 'posts' is a hook for 'around'/
  )
})

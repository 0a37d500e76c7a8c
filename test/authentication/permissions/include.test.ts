import {
  type AroundHook,
  type Paged,
  type Params,
  resource,
  type ServiceOf,
  type ServiceOptions,
  Unavailable,
  version,
  type WithInclude
} from 'fastify-services'
import { allow, include, may, own, protect } from 'fastify-services/authentication'
import type { ClientApplication } from 'fastify-services/client'
import { memory } from 'fastify-services/memory'
import t, { type Test } from 'tap'
import { type Caller, createApp } from './callers.js'

const ann: Caller = { id: 1, role: 'member' }
const boss: Caller = { id: 2, role: 'admin' }

const users = [
  { id: 1, name: 'Ann', password: 'x' },
  { id: 2, name: 'Bea', password: 'y' }
]
const posts = [
  { id: 1, title: 'a', authorId: 1, tagIds: [2, 1, 9] },
  { id: 2, title: 'b', authorId: 2, tagIds: [] },
  { id: 3, title: 'c', authorId: null, tagIds: null },
  { id: 4, title: 'd', authorId: { $ne: 0 }, tagIds: [{ $ne: 0 }] }
]
const comments = [
  { id: 1, text: 'one', postId: 1, authorId: 2 },
  { id: 2, text: 'two', postId: 2, authorId: 1 },
  { id: 3, text: 'three', postId: 1, authorId: 1 }
]
const tags = [
  { id: 1, name: 'red' },
  { id: 2, name: 'blue' }
]
const relations = {
  author: 'users',
  comments: { service: 'comments', by: 'postId' },
  tags: { service: 'tags', field: 'tagIds' }
}

interface Options {
  readonly of?: Readonly<Record<string, ServiceOptions<object>>>
  readonly hooks?: readonly AroundHook[]
  readonly finds?: object[]
}

/** An application with posts and their related records. `finds` gets the queries of the other services. */
const createPosts = (t: Test, { of = {}, hooks = [include(relations)], finds = [] }: Options = {}) =>
  createApp(t, (app) => {
    const paginate = { default: 10, max: 50 }
    const add = (path: string, records: readonly { id: number }[], own: readonly AroundHook[] = []) => {
      const note: AroundHook = async (context, next) => {
        if (context.method === 'find') finds.push({ path, ...context.params.query })
        await next()
      }
      const { hooks = {}, ...options } = of[path] ?? {}
      const { around: { all = [] } = {} } = hooks as { around?: { all?: AroundHook[] } }
      app.service(path, memory({ records: records as never, paginate }), {
        ...options,
        hooks: { around: { all: [...own, ...all, note] } }
      } as ServiceOptions<object>)
    }
    add('users', users, [protect('password')])
    add('tags', tags)
    add('comments', comments, [include({ author: 'users' })])
    add('posts', posts, hooks)
  })

const [, bea] = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Bea' }
]

t.test('a record gets the records that its fields name, and those that name it', async (t) => {
  const finds: object[] = []
  const { send } = await createPosts(t, { finds })
  const { body } = await send('GET', '/posts?$include[]=author&$include[]=comments&$include[]=tags')
  t.strictSame(
    body.data.map(({ id, author, comments, tags }: (typeof posts)[0] & Record<string, { id: number }[]>) => [
      id,
      author,
      comments?.map(({ id }) => id),
      tags && [tags].flat().map(({ id }) => id)
    ]),
    [
      [1, { id: 1, name: 'Ann' }, [1, 3], [2, 1]],
      [2, bea, [2], []],
      [3, null, [], null],
      [4, null, [], []]
    ]
  )
  t.strictSame(finds.map((find) => (find as { path: string }).path).sort(), ['comments', 'posts', 'tags', 'users'])
  const one = await send('GET', '/posts/2?$include=author')
  t.strictSame(one.body, { id: 2, title: 'b', authorId: 2, tagIds: [], author: bea })
})

t.test('a path includes related records of related records, up to a depth', async (t) => {
  const { send } = await createPosts(t)
  const { body } = await send('GET', '/posts/1?$include[]=comments.author&$include[]=comments')
  t.strictSame(
    body.comments.map(({ id, author }: { id: number; author: object }) => [id, author]),
    [
      [1, bea],
      [3, { id: 1, name: 'Ann' }]
    ]
  )
  for (const [query, message] of [
    [
      '$include[]=autor',
      "'$include' of 'posts' must name related records: author, comments, tags. Did you mean 'author'?"
    ],
    ['$include[]=comments.author.posts', "'$include' of 'posts' must have paths of at most 2 names"],
    ['$include[]=comments.writer', "'$include' of 'comments' must name related records: author"],
    ['$include[a]=author', "'$include' of 'posts' must be a list of names: author, comments, tags"],
    ['$include=', "'$include' of 'posts' must name related records: author, comments, tags"],
    ['$include[]=toString', "'$include' of 'posts' must name related records: author, comments, tags"]
  ])
    t.match(await send('GET', `/posts?${query}`), { status: 400, body: { message } }, String(query))
  t.match(await send('DELETE', '/posts/1?$include[]=author'), {
    status: 400,
    body: { message: "'$include' is for 'find' and 'get'" }
  })
})

t.test('the caller gets what the other service would answer', async (t) => {
  const member = { find: ['id', 'name'], get: true }
  const schema = resource({
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string' }, password: { type: 'string', writeOnly: true } }
  } as const)
  const onlySelf = own('id', { internal: false } as never)
  for (const [name, options, expected] of [
    ['a role without the method', { hooks: { around: { all: [allow({ admin: true })] } } }, null],
    [
      'a role without the field',
      { hooks: { around: { all: [allow({ member: { find: ['id'] }, admin: true })] } } },
      { id: 1 }
    ],
    ['a role', { hooks: { around: { all: [allow({ member, admin: true })] } } }, { id: 1, name: 'Ann' }],
    ['a scope', { hooks: { around: { all: [onlySelf] } } }, { id: 1, name: 'Ann' }],
    ['a schema', { schema }, { id: 1, name: 'Ann' }]
  ] as const) {
    const { send } = await createPosts(t, { of: { users: options as never } })
    const { body } = await send('GET', '/posts/1?$include=author', { as: ann })
    t.strictSame(body.author, expected, name)
  }
  const { send } = await createPosts(t, { of: { users: { hooks: { around: { all: [onlySelf] } } } } })
  t.equal((await send('GET', '/posts/2?$include=author', { as: ann })).body.author, null)
  t.equal((await send('GET', '/posts/2?$include=author')).body.author, null)
  t.strictSame((await send('GET', '/posts/2?$include=author', { as: boss })).body.author, bea)
})

t.test('an id that the caller does not get leads to no record', async (t) => {
  const hooks = [allow({ member: { find: ['id', 'title'] }, admin: true }), include(relations)]
  const { send } = await createPosts(t, { hooks })
  t.strictSame((await send('GET', '/posts?$include=author', { as: ann })).body.data[0], {
    id: 1,
    title: 'a',
    author: null
  })
  t.equal((await send('GET', '/posts?$include=author&$select[]=title', { as: ann })).status, 403)
  t.strictSame((await send('GET', '/posts/2?$include=author', { as: boss })).body.author, bea)
})

t.test('no id leads to no record, also if the text of it is an id', async (t) => {
  const ids = ['null', 'undefined', '[object Object]', 'a']
  const records = [
    { id: 1, userIds: [null, {}, 'a'] },
    { id: 2, userId: 'null' },
    { id: 3, userId: null, userIds: ids }
  ]
  const { send } = await createApp(t, (app) => {
    app.service('users', memory({ records: ids.map((id) => ({ id })) }))
    app.service('posts', memory({ records } as never), {
      hooks: { around: { all: [include({ user: 'users', users: { service: 'users', field: 'userIds' } })] } }
    })
  })
  const { body } = await send('GET', '/posts?$include[]=user&$include[]=users')
  t.strictSame(
    [body.data ?? body].flat().map(({ user, users }: Record<string, unknown>) => [user, users]),
    [
      [null, [{ id: 'a' }]],
      [{ id: 'null' }, null],
      [null, ids.map((id) => ({ id }))]
    ]
  )
})

t.test('a selection keeps related records, and only its own fields', async (t) => {
  const { send } = await createPosts(t)
  const { body } = await send('GET', '/posts/2?$include=author&$select[]=title')
  t.strictSame(body, { id: 2, title: 'b', author: bea })
  const own = await send('GET', '/posts/3?$include=comments&$select[]=title')
  t.strictSame(own.body, { id: 3, title: 'c', comments: [] })
})

t.test('a resource accepts the parameter, and sends related records beside its fields', async (t) => {
  const properties = {
    id: { type: 'integer' },
    title: { type: 'string' },
    authorId: { type: ['integer', 'null'] },
    tagIds: { type: ['array', 'null'], items: { type: 'integer' } }
  } as const
  const schema = resource({ type: 'object', properties })
  const { send } = await createPosts(t, { of: { posts: { schema } as ServiceOptions<object> } })
  const { body } = await send('GET', '/posts/2?$include=author')
  t.strictSame(body, { id: 2, title: 'b', authorId: 2, tagIds: [], author: bea })
  const typed = await send('QUERY', '/posts', { body: { id: 2, $include: ['author'] } })
  if (typed.status !== 404) t.strictSame(typed.body.data[0].author, bea)
})

t.test('a stored field with the name of a relation stays hidden', async (t) => {
  const schema = resource({
    type: 'object',
    properties: { id: { type: 'integer' }, title: { type: 'string' } }
  } as const)
  const { send } = await createApp(t, (app) => {
    app.service('tags', memory({ records: tags }))
    const records = [{ id: 1, title: 'a', tags: 'secret' }]
    app.service('posts', memory({ records } as never), {
      schema: schema as never,
      hooks: { around: { all: [include({ tags: { service: 'tags', by: 'id' } })] } }
    })
  })
  t.strictSame((await send('GET', '/posts/1')).body, { id: 1, title: 'a' })
  t.strictSame((await send('GET', '/posts/1?$include=tags')).body.tags, [{ id: 1, name: 'red' }])
})

t.test('conditions and an order of a relation apply, and no client can change them', async (t) => {
  const relation = { service: 'comments', by: 'postId', query: { text: { $ne: 'one' }, $sort: { text: -1 } } }
  const { send } = await createPosts(t, { hooks: [include({ comments: relation })] })
  const get = async () =>
    (await send('GET', '/posts/1?$include=comments')).body.comments.map(({ id }: { id: number }) => id)
  t.strictSame(await get(), [3])
  t.strictSame(await get(), [3], 'also for the next call')
  const newest = { service: 'comments', by: 'postId', query: { $sort: { id: -1 } } }
  const { send: sendNewest } = await createPosts(t, { hooks: [include({ comments: newest })] })
  const { body } = await sendNewest('GET', '/posts/1?$include=comments&$sort[id]=1')
  t.strictSame(
    body.comments.map(({ id }: { id: number }) => id),
    [3, 1]
  )
})

t.test('related records come from several pages of the other service, within limits', async (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, id) => ({ id, postId: 1 }))
  const open = (count: number, max: number | undefined) =>
    createApp(t, (app) => {
      app.service('comments', memory({ records: many(count), ...(max && { paginate: { default: max, max } }) }))
      app.service('posts', memory({ records: [{ id: 1 }] }), {
        hooks: { around: { all: [include({ comments: { service: 'comments', by: 'postId' } })] } }
      })
    })
  for (const [count, max, expected] of [
    [99, 10, 99],
    [101, 10, 400],
    [1000, undefined, 1000],
    [1001, undefined, 400]
  ] as const) {
    const { send } = await open(count, max)
    const { status, body } = await send('GET', '/posts/1?$include=comments')
    t.equal(status === 200 ? body.comments.length : status, expected, `${count} records, at most ${max} on a page`)
    if (status !== 200) t.match(body.message, /The page has too many related records 'comments'. Ask for fewer/)
  }
})

t.test('services by hand have pages of any kind', async (t) => {
  const all = Array.from({ length: 25 }, (_, id) => ({ id, postId: 1 }))
  for (const [name, pageOf, expected] of [
    ['a total that is a text', (skip: number) => ({ total: '25', data: all.slice(skip, skip + 10), limit: 10 }), 25],
    ['no total', (skip: number) => ({ limit: 10, data: all.slice(skip, skip + 10) }), 25],
    ['always the same page', () => ({ total: 25, data: all.slice(0, 10) }), 10],
    ['a list', () => all, 25]
  ] as const) {
    const { send } = await createApp(t, (app) => {
      app.service('comments', { find: async ({ query }: Params) => pageOf(Number(query?.$skip ?? 0)) })
      app.service('posts', memory({ records: [{ id: 1 }] }), {
        hooks: { around: { all: [include({ comments: { service: 'comments', by: 'postId' } })] } }
      })
    })
    const { comments } = (await send('GET', '/posts/1?$include=comments')).body
    t.strictSame(
      [comments.length, new Set(comments.map(({ id }: { id: number }) => id)).size],
      [expected, expected],
      name
    )
  }
})

t.test('a stored value that is no key of the other service leads to no record, and the others stay', async (t) => {
  const schema = resource({
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string' } }
  } as const)
  const objectId = { toJSON: () => 2, toString: () => 'secret' }
  const authorIds = ['abc', 1.5, { toString: 1, valueOf: 1 }, [[2]], true, new Date(), objectId, '1']
  const { send } = await createApp(t, (app) => {
    app.service('users', memory({ records: users }), { schema } as ServiceOptions<object>)
    app.service(
      'posts',
      { find: async () => authorIds.map((authorId, id) => ({ id, authorId })) },
      { hooks: { around: { all: [include({ author: 'users' })] } } }
    )
  })
  const { body } = await send('GET', '/posts?$include=author')
  const none = [null, null, null, [], null, null]
  t.strictSame(
    body.map(({ author }: { author: unknown }) => author),
    [...none, bea, { id: 1, name: 'Ann' }]
  )
})

t.test('no cache keeps an answer with added fields, which depend on its caller', async (t) => {
  const cached: AroundHook = async (context, next) => {
    await next()
    const secret = context.id === '2' ? { 'cache-control': 'no-store' } : { 'cache-control': 'public, max-age=60' }
    context.http.headers = { ...context.http.headers, 'last-modified': new Date(0).toUTCString(), ...secret }
  }
  const hooks = [cached, version('title'), include(relations), may(({ rules }) => rules)]
  const { app } = await createPosts(t, { hooks })
  const headersOf = async (url: string) => {
    const { etag, 'last-modified': modified, 'cache-control': cache } = (await app.inject(url)).headers
    return [etag !== undefined, modified !== undefined, cache]
  }
  t.strictSame(await headersOf('/posts/1'), [true, true, 'public, max-age=60'])
  t.strictSame(await headersOf('/posts/1?$include=author'), [false, false, 'private, no-cache'])
  t.strictSame(await headersOf('/posts?$may=true'), [false, false, 'private, no-cache'])
  t.strictSame(await headersOf('/posts/2?$include=author'), [false, false, 'no-store'])
})

t.test('calls of the server get related records, too', async (t) => {
  const { app } = await createPosts(t)
  const service = app.service('posts') as { get(id: number, params: object): Promise<{ author?: unknown }> }
  t.strictSame((await service.get(1, { query: { $include: ['author'] } })).author, users[0])
  const asMember = { query: { $include: ['author'] }, provider: 'rest', user: ann, authenticated: true }
  t.strictSame((await service.get(1, asMember)).author, { id: 1, name: 'Ann' })
})

t.test('a failure of the other service is one of the call', async (t) => {
  const failing: AroundHook = async () => {
    throw new Unavailable('Try again')
  }
  const { send } = await createPosts(t, { of: { users: { hooks: { around: { all: [failing] } } } } })
  const { status, body } = await send('GET', '/posts/1?$include=author')
  t.match(await send('GET', '/users'), { status, body: { message: body.message } })
  t.equal(status, 503)
})

t.test('mistakes stop the start', async (t) => {
  for (const [relations, message] of [
    [{ author: 'user' }, /include\(\{ author: 'user' \}\) at 'posts'/],
    [{ author: { service: 'hidden' } }, /clients can't call 'find' of that service/],
    [{ title: { service: 'users', field: 'authorId' } }, /the records have a field 'title' themselves/],
    [{ writer: 'users' }, /clients don't get the field 'writerId'. Name its field: \{ service: 'users', field: … \}/],
    [{ key: { service: 'users', field: 'secretId' } }, /clients don't get the field 'secretId'/],
    [{ notes: { service: 'notes', by: 'ownerId' } }, /queries of 'notes' can't filter by 'ownerId'/],
    [{ notes: { service: 'notes', by: 'id', query: { state: 1 } } }, /queries of 'notes' can't filter by 'state'/],
    [{ teams: { service: 'teams', by: 'rank' } }, /queries of 'teams' can't filter by 'rank'/]
  ] as const) {
    const integer = { type: 'integer' } as const
    const properties = {
      id: integer,
      title: { type: 'string' },
      authorId: integer,
      secretId: { ...integer, writeOnly: true }
    } as const
    const started = createApp(t, (app) => {
      app.service('users', memory({ records: users }))
      app.service('hidden', memory({ records: users }), { methods: [] })
      app.service('notes', memory({ records: users }), {
        schema: resource({ type: 'object', properties: { id: integer } } as const) as never
      })
      app.service('teams', memory({ records: users }), { hooks: { around: { all: [protect('rank')] } } })
      app.service('posts', memory({ records: posts }) as never, {
        schema: resource({ type: 'object', properties }) as never,
        hooks: { around: { all: [include(relations)] } }
      })
    })
    await t.rejects(started, { message })
  }
  const both = createPosts(t, { hooks: [include({ author: 'users' }), include({ tags: relations.tags })] })
  await t.rejects(both, { message: "'posts' has include() twice: give one of them all relations" })
  const protectedId = createPosts(t, { hooks: [protect('authorId'), include(relations)] })
  await t.rejects(protectedId, { message: /clients don't get the field 'authorId'/ })
  const closed = { type: 'object', properties: { title: {} }, additionalProperties: false }
  const postsWith = (schema: object) => createPosts(t, { of: { posts: { schema } } })
  await t.rejects(postsWith({ find: { querystring: closed } }), { message: /queries of 'find' lacks '\$include'/ })
  await t.rejects(postsWith({ get: { response: closed } }), { message: /answers of 'get' lacks 'author'/ })
  await t.resolves(postsWith({ get: { response: { ...closed, additionalProperties: true } }, find: { response: {} } }))
  for (const [relations, message] of [
    [undefined, /include needs relations/],
    [{}, /include needs relations/],
    [{ a: 1 }, /include needs the name of the other service: include\(\{ a: 'users' \}\), got 1/],
    [{ $a: 'users' }, /include can't have the relation '\$a'/],
    [{ a: { service: 'users', on: 'id' } }, /no option 'a.on'/],
    [{ a: { service: 'users', field: 'x', by: 'y' } }, /has 'field' and 'by'/],
    [{ a: { service: 'users', query: { $limit: 1 } } }, /takes conditions and \$sort/]
  ] as const)
    t.throws(() => include(relations as never), { message })
})

t.test('the client has the types of related records', async (t) => {
  const schema = resource({ type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const)
  interface Related {
    author: { name: string } | null
    comments: { text: string }[]
  }
  interface Services {
    posts: WithInclude<Paged<ServiceOf<typeof schema>>, Related>
  }
  const call = async (client: ClientApplication<Services>) => {
    const { data } = await client.service('posts').find({ query: { $include: ['author'] } })
    const name: string | undefined = data[0]?.author?.name
    const one = await client.service('posts').get(1)
    // @ts-expect-error: a query may not have asked for it
    const text: string = one.comments[0].text
    return [name, text]
  }
  t.type(call, 'function')
})

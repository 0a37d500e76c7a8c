import { feathers as createFeathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'
import { NotFound, type Params } from 'fastify-services'
import { own, scope, within } from 'fastify-services/authentication'
import feathers from 'fastify-services/feathers'
import t from 'tap'
import { createApp } from './callers.js'

const ada = { id: 1, organisations: [1] }
const bob = { id: 2, organisations: [2] }
const cy = { id: 3, organisations: [1, 2] }

type Note = { id?: number; text: string; userId: number; organisationId?: number }

/** A store as the adapters of Feathers are. */
const stored = (notes: readonly Note[]) => {
  const service = new MemoryService<Note>({ startId: notes.length + 1, multi: true })
  service.store = Object.fromEntries(notes.map((note, index) => [index + 1, { ...note, id: index + 1 }]))
  return service
}

/** A service that selects nothing by its query, but for what `find` is told to. */
class Plain {
  notes: Note[]
  constructor(notes: readonly Note[]) {
    this.notes = notes.map((note, index) => ({ ...note, id: index + 1 }))
  }
  async find(_params: Params): Promise<unknown> {
    return this.notes
  }
  async get(id: string) {
    const note = this.notes.find((note) => String(note.id) === id)
    if (note === undefined) throw new NotFound(`There is no note ${id}`)
    return note
  }
  async create(note: Note) {
    this.notes.push(note)
    return note
  }
  async patch(id: string, data: Partial<Note>) {
    return Object.assign(await this.get(id), data)
  }
  async remove(id: string) {
    const note = await this.get(id)
    this.notes = this.notes.filter((other) => other !== note)
    return note
  }
  async publish(id: string) {
    return { ...(await this.get(id)), text: 'published' }
  }
  async stats() {
    return { count: this.notes.length }
  }
}

const notes = [
  { text: 'a', userId: 1 },
  { text: 'b', userId: 2 },
  { text: 'c', userId: 1 }
]
const around = (hook: ReturnType<typeof own>) => ({ hooks: { around: { all: [hook] } } })

t.test('own(field): each user sees their records, and no others', async (t) => {
  const service = stored(notes)
  const { send } = await createApp(t, (app) => app.service('notes', service, around(own('userId'))))
  const texts = async (query = '') => {
    const { body } = await send('GET', `/notes${query}`, { as: ada })
    return body.map(({ text }: Note) => text)
  }
  t.strictSame(await texts(), ['a', 'c'])
  t.strictSame(await texts('?text=b'), [])
  const wider = [
    'userId=2',
    'userId[$ne]=1',
    'userId[$in]=2',
    '$or[0][userId]=2&$or[1][text]=b',
    '$or[0][userId][$gt]=0&userId=2'
  ]
  for (const query of wider) t.notOk((await texts(`?${query}`)).includes('b'), query)
  t.equal((await send('GET', '/notes/1', { as: ada })).status, 200)
  for (const [verb, body] of [['GET'], ['DELETE'], ['PATCH', { text: 'x' }], ['PUT', { text: 'x' }]] as const) {
    const other = await send(verb, '/notes/2', { as: ada, body })
    const none = await send(verb, '/notes/99', { as: ada, body })
    t.equal(other.status, 404, verb)
    t.equal(other.body.message, none.body.message.replace('99', '2'), 'as if it were not there')
  }
  t.match(service.store, { 2: { text: 'b', userId: 2 } })
  t.equal((await send('GET', '/notes')).status, 401, 'without a user')
})

t.test('own(field): what is created is the record of its user, each of a list', async (t) => {
  const service = stored([])
  const { send } = await createApp(t, (app) => app.service('notes', service, around(own('userId'))))
  t.match(await send('POST', '/notes', { as: ada, body: { text: 'a' } }), { status: 201, body: { userId: 1 } })
  t.match(await send('POST', '/notes', { as: ada, body: { text: 'a', userId: '1' } }), { body: { userId: 1 } })
  const list = await send('POST', '/notes', { as: ada, body: [{ text: 'b' }, { text: 'c' }] })
  t.match(list.body, [{ userId: 1 }, { userId: 1 }])
  const refused = [
    { text: 'x', userId: 2 },
    [{ text: 'x' }, { text: 'x', userId: 2 }],
    { text: 'x', userId: null },
    { text: 'x', USERID: 2 },
    { text: 'x', 'notes.userId': 2 },
    { text: 'x', id: 1 }
  ]
  for (const body of refused)
    t.equal((await send('POST', '/notes', { as: ada, body })).status, 403, JSON.stringify(body))
  t.equal(Object.keys(service.store).length, 4)
})

t.test('own(field): a record is not moved', async (t) => {
  const service = stored(notes)
  const { send } = await createApp(t, (app) => app.service('notes', service, around(own('userId'))))
  for (const body of [
    { userId: 2 },
    { $set: { userId: 2 } },
    { $rename: { text: 'userId' } },
    { userid: 2 },
    { id: 2 }
  ])
    t.equal((await send('PATCH', '/notes/1', { as: ada, body })).status, 403, JSON.stringify(body))
  t.equal((await send('PUT', '/notes/1', { as: ada, body: { text: 'x', userId: 2 } })).status, 403)
  t.match(await send('PUT', '/notes/1', { as: ada, body: { text: 'x' } }), { body: { text: 'x', userId: 1 } })
  t.match(await send('PATCH', '/notes?text[$ne]=q', { as: ada, body: { text: 'y' } }), { body: [{ id: 1 }, { id: 3 }] })
  t.match(await send('DELETE', '/notes', { as: bob }), { body: [{ id: 2 }] })
  t.strictSame(Object.keys(service.store), ['1', '3'])
})

t.test('scope(function): fields with several values, all records, and a function that fails', async (t) => {
  const all = notes.map((note, index) => ({ ...note, organisationId: (index % 2) + 1 }))
  const organisations = scope(({ params }) =>
    params.user?.isAdmin ? true : { organisationId: params.user?.organisations }
  )
  const { send } = await createApp(t, (app) => app.service('notes', stored(all), around(organisations)))
  const ids = async (user: typeof ada | { id: number; isAdmin: boolean }) =>
    (await send('GET', '/notes', { as: user })).body.map(({ id }: Note) => id)
  t.strictSame(await ids(ada), [1, 3])
  t.strictSame(await ids(bob), [2])
  t.strictSame(await ids(cy), [1, 2, 3])
  t.strictSame(await ids({ id: 4, isAdmin: true }), [1, 2, 3])
  t.strictSame(await ids({ ...ada, organisations: [] }), [])
  t.match(await send('POST', '/notes', { as: cy, body: { text: 'x' } }), {
    status: 400,
    body: { message: /'organisationId' is required/ }
  })
  t.match(await send('POST', '/notes', { as: cy, body: { text: 'x', organisationId: 2 } }), { status: 201 })
  t.match(
    await send('PATCH', '/notes/1', { as: cy, body: { organisationId: 2 } }),
    { status: 200 },
    'from one of theirs to another'
  )
  t.match(await send('PATCH', '/notes/3', { as: cy, body: { organisationId: 3 } }), { status: 403 })
  for (const organisations of [undefined, null, [null], [1, null]]) {
    const as = { id: 5, organisations }
    t.equal(
      (await send('GET', '/notes', { as })).status,
      403,
      `who has ${JSON.stringify(organisations)} sees no record of nobody`
    )
    t.equal((await send('POST', '/notes', { as, body: { text: 'x' } })).status, 403)
  }
  t.equal((await send('GET', '/notes')).status, 401, 'nobody is logged in')
  const empty = await createApp(t, (app) => app.service('notes', stored(all), around(scope(() => ({})))))
  t.equal((await empty.send('GET', '/notes', { as: ada })).status, 500, 'no fields are no scope')
})

t.test('services that select nothing by themselves are read before they are changed', async (t) => {
  const service = new Plain(notes)
  const { send } = await createApp(t, (app) =>
    app.service('notes', service, {
      ...around(own('userId', { except: ['stats'] })),
      methods: ['find', 'get', 'create', 'patch', 'remove', 'publish', 'stats'],
      routes: { publish: 'POST /:id/publish' }
    })
  )
  t.match(await send('GET', '/notes/1', { as: ada }), { status: 200, body: { text: 'a' } })
  t.match(await send('PATCH', '/notes/1', { as: ada, body: { text: 'x' } }), { status: 200 })
  t.match(await send('POST', '/notes/3/publish', { as: ada, body: {} }), { body: { text: 'published' } })
  const calls = [
    ['GET', '/notes/2'],
    ['PATCH', '/notes/2', {}],
    ['DELETE', '/notes/2'],
    ['POST', '/notes/2/publish', {}]
  ] as const
  for (const [verb, url, body] of calls) {
    const other = await send(verb, url, { as: ada, body })
    const none = await send(verb, url.replace('2', '9'), { as: ada, body })
    t.equal(other.status, 404, url)
    t.equal(other.body.message, none.body.message.replace('9', '2'))
  }
  t.equal((await send('GET', '/notes', { as: ada })).status, 500, 'it found records of others')
  const several = await createApp(t, (app) => app.service('notes', service, around(scope(() => ({ userId: [1, 3] })))))
  t.equal((await several.send('GET', '/notes/1', { as: ada })).status, 200)
  t.equal((await several.send('GET', '/notes/2', { as: ada })).status, 404)
  service.find = async ({ query }) => service.notes.filter(({ userId }) => userId === query?.userId)
  t.match(await send('GET', '/notes', { as: bob }), { status: 200, body: [{ text: 'b' }] })
  const stats = { 'x-service-method': 'stats' }
  t.match(
    await send('POST', '/notes', { as: ada, body: {}, headers: stats }),
    { body: { count: 3 } },
    '`except` names it'
  )
})

t.test('a custom method without an id is refused, unless `except` names it', async (t) => {
  const { send } = await createApp(t, (app) =>
    app.service('notes', new Plain(notes), { ...around(own('userId')), methods: ['get', 'stats'] })
  )
  const answer = await send('POST', '/notes', { as: ada, body: {}, headers: { 'x-service-method': 'stats' } })
  t.match(answer, { status: 403, body: { message: /name it in the option `except`/ } })
})

t.test('calls of the server itself pass, unless `internal` says otherwise', async (t) => {
  const { app } = await createApp(t, (app) => {
    app.service('free', stored(notes), around(own('userId')))
    app.service('held', stored(notes), around(own('userId', { internal: true })))
  })
  const free = app.service<MemoryService>('free')
  const held = app.service<MemoryService>('held')
  t.equal(((await free.find()) as unknown as unknown[]).length, 3)
  t.equal(((await held.find({ user: ada } as Params)) as unknown as unknown[]).length, 2)
  await t.rejects(held.find(), { code: 401 })
})

t.test('one scope for all services', async (t) => {
  const hooks = { around: { all: [own('userId', { except: ['countries', 'posts.find'] })] } }
  const { send } = await createApp(
    t,
    (app) => {
      for (const name of ['notes', 'posts', 'countries']) app.service(name, stored(notes))
    },
    { hooks }
  )
  const count = async (name: string) => (await send('GET', `/${name}`, { as: ada })).body.length
  t.strictSame([await count('notes'), await count('posts'), await count('countries')], [2, 3, 3])
  t.equal((await send('GET', '/posts/2', { as: ada })).status, 404)
})

t.test('within(service): the records of another record, which the caller must see', async (t) => {
  const projects = stored([
    { text: 'of ada', userId: 1 },
    { text: 'of bob', userId: 2 }
  ])
  const issues = new MemoryService({ startId: 1 })
  const { send } = await createApp(t, (app) => {
    app.service('projects', projects, around(own('userId')))
    app.service('projects/:projectId/issues', issues, around(within('projects')))
  })
  t.match(await send('POST', '/projects/1/issues', { as: ada, body: { title: 'x' } }), {
    body: { projectId: 1, id: 1 }
  })
  t.match(await send('GET', '/projects/1/issues', { as: ada }), { body: [{ title: 'x', projectId: 1 }] })
  for (const url of ['/projects/1/issues', '/projects/1/issues/1', '/projects/9/issues', '/projects/x/issues'])
    t.equal((await send('GET', url, { as: bob })).status, 404, url)
  t.equal((await send('GET', '/projects/2/issues/1', { as: bob })).status, 404, 'an issue of another project')
  t.equal((await send('POST', '/projects/2/issues', { as: ada, body: { title: 'x' } })).status, 404)
  await t.rejects(
    createApp(t, (app) => {
      app.service('projects', new MemoryService())
      app.service('issues', new MemoryService(), around(within('projects')))
    }),
    /within\('projects'\) at 'issues': the path has no placeholder/
  )
})

t.test('what the store of a record gives is checked in pages, in `dispatch`, and where it fails', async (t) => {
  const service = new Plain(notes)
  const { send } = await createApp(t, (app) =>
    app.service('notes', service, {
      ...around(own('userId')),
      hooks: {
        around: { all: [own('userId')] },
        after: {
          all: [
            (context) => {
              if (context.params.query?.shown) context.dispatch = context.result
            }
          ]
        }
      }
    })
  )
  const mine = service.notes.filter(({ userId }) => userId === 1)
  service.find = async () => ({ total: 2, limit: 5, skip: 0, data: mine })
  t.match(await send('GET', '/notes', { as: ada }), { status: 200, body: { data: [{ text: 'a' }, { text: 'c' }] } })
  t.equal((await send('GET', '/notes?shown=1', { as: ada })).status, 200)
  t.equal((await send('GET', '/notes/1?shown=1', { as: ada })).status, 200)
  service.find = async () => mine[0]
  t.match(await send('GET', '/notes', { as: ada }), { status: 200, body: { text: 'a' } })
  service.find = async () => 'a text'
  t.equal((await send('GET', '/notes', { as: ada })).status, 500)
  service.get = async () => {
    throw new Error('The store is closed')
  }
  t.equal((await send('GET', '/notes/1', { as: ada })).status, 500)
  t.equal((await send('PATCH', '/notes', { as: ada, body: {} })).status, 403, 'many records at once')
  t.equal((await send('DELETE', '/notes', { as: ada })).status, 403)
})

t.test('a service without `get` can not be held to a scope', async (t) => {
  const { send } = await createApp(t, (app) => {
    const remove = async (id: string) => ({ id })
    app.service('notes', { remove }, around(own('userId')))
    app.service('queried', { remove, sanitizeQuery: () => ({}) }, around(own('userId')))
  })
  t.match(await send('DELETE', '/notes/1', { as: ada }), { status: 500, body: { message: /needs a method 'get'/ } })
  t.match(await send('DELETE', '/queried/1', { as: ada }), { status: 500 }, 'it has a part of an adapter alone')
})

t.test('within: another placeholder, another field, or the visible record alone', async (t) => {
  const { send } = await createApp(t, (app) => {
    app.service('projects', new Plain(notes), around(own('userId')))
    app.service('all/:p/issues', stored(notes), around(within('projects', { param: 'p', field: 'userId' })))
    app.service('projects/:p/any', stored(notes), around(within('projects', { field: null })))
    const broken = { get: async () => ({ userId: 1 }) }
    app.service('broken', broken)
    app.service('broken/:id/issues', stored(notes), around(within('broken', { field: 'userId' })))
    const failing = {
      get: async () => {
        throw new Error('The store is closed')
      }
    }
    app.service('failing', failing)
    app.service('failing/:id/issues', stored(notes), around(within('failing')))
  })
  t.match(await send('GET', '/all/1/issues', { as: ada }), { status: 200, body: [{ text: 'a' }, { text: 'c' }] })
  t.equal((await send('GET', '/projects/1/any', { as: ada })).body.length, 3)
  t.equal((await send('GET', '/projects/2/any', { as: ada })).status, 404)
  t.equal((await send('GET', '/broken/1/issues', { as: ada })).status, 200, 'a parent without an id field')
  t.equal((await send('GET', '/failing/1/issues', { as: ada })).status, 500)
})

t.test(
  'within: what gives nothing, or no rows, for a record that it does not find has none for the caller',
  async (t) => {
    const { send } = await createApp(t, (app) => {
      for (const [name, nothing] of Object.entries({ none: null, missing: undefined, rows: [], no: false })) {
        app.service(name, { get: async (id: string) => (id === '1' ? { id: 1 } : nothing) })
        app.service(`${name}/:id/issues`, stored(notes), around(within(name, { field: 'userId' })))
      }
    })
    for (const name of ['none', 'missing', 'rows', 'no']) {
      t.equal((await send('GET', `/${name}/1/issues`, { as: ada })).body.length, 2, name)
      t.match(await send('GET', `/${name}/2/issues`, { as: ada }), {
        status: 404,
        body: { message: "No record found for id '2'" }
      })
      t.equal((await send('POST', `/${name}/2/issues`, { as: ada, body: { text: 'x' } })).status, 404, name)
    }
  }
)

t.test('within: what `except` leaves alone is below a record that the caller must see, too', async (t) => {
  class Issues extends MemoryService {
    stats = async () => ({ count: this.store[1] === undefined ? 0 : 1 })
  }
  const { send } = await createApp(t, (app) => {
    app.service('projects', stored(notes), around(own('userId')))
    app.service('projects/:projectId/issues', new Issues(), {
      methods: ['find', 'stats'],
      routes: { stats: 'GET /stats' },
      ...around(within('projects', { except: ['stats', 'find'] }))
    })
  })
  for (const path of ['issues', 'issues/stats']) {
    t.equal((await send('GET', `/projects/1/${path}`, { as: ada })).status, 200, path)
    t.equal((await send('GET', `/projects/2/${path}`, { as: ada })).status, 404, path)
    t.equal((await send('GET', `/projects/1/${path}`)).status, 401, path)
  }
})

t.test('an id that was sent in a body is not sent back whole', async (t) => {
  const publish = async () => ({})
  const { send } = await createApp(t, (app) =>
    app.service('notes', Object.assign(stored(notes), { publish }), {
      methods: ['get', 'publish'],
      routes: { publish: 'POST /:id/publish' },
      ...around(own('userId'))
    })
  )
  const headers = { 'x-service-method': 'publish' }
  const { status, body } = await send('POST', '/notes', { as: ada, headers, body: { id: 'x'.repeat(100_000) } })
  t.equal(status, 404)
  t.ok(body.message.length < 2000)
})

t.test('a scope on the id lets nobody create a record in place of another', async (t) => {
  const service = stored(notes)
  const { send } = await createApp(t, (app) => {
    app.service('notes', service, around(own('id')))
    app.service('chosen', stored(notes), around(own('id', { clientIds: true })))
  })
  t.equal((await send('POST', '/notes', { as: ada, body: { text: 'x' } })).status, 403)
  t.match(service.store, { 1: { text: 'a' } })
  t.equal((await send('POST', '/chosen', { as: ada, body: { text: 'x' } })).status, 201)
})

t.test('an id field with another name, and the id under another spelling', async (t) => {
  const service = Object.assign(new Plain(notes), { id: '_id' })
  const { send } = await createApp(t, (app) => {
    app.service('named', service, around(own('userId')))
    app.service('notes', stored(notes), around(own('userId')))
  })
  t.equal((await send('POST', '/named', { as: ada, body: { _id: 2 } })).status, 403)
  t.equal((await send('PATCH', '/named/1', { as: ada, body: { _id: 2 } })).status, 403)
  for (const body of [{ ID: 2 }, { $set: { id: 2 } }, { $set: [{ id: 2 }] }])
    for (const [verb, url] of [
      ['POST', '/notes'],
      ['PATCH', '/notes/1']
    ] as const)
      t.equal((await send(verb, url, { as: ada, body })).status, 403, JSON.stringify(body))
  t.equal((await send('PATCH', '/notes/1', { as: ada, body: { id: ['1'] } })).status, 403)
})

t.test('a record is not moved by the field in a spelling that a mapper or a database reads as it', async (t) => {
  const service = stored(notes)
  const { send } = await createApp(t, (app) => {
    app.service('notes', service, around(own('userId')))
    app.service('columns', stored([]), around(scope(() => ({ organisation_id: 1 }))))
  })
  for (const name of ['user_id', 'USER_ID', '"user_id"', 'notes.user_id', 'userİd', 'ｕserId'])
    for (const body of [{ [name]: 2 }, { $set: { [name]: 2 } }])
      for (const [verb, url] of [
        ['POST', '/notes'],
        ['PUT', '/notes/1'],
        ['PATCH', '/notes/1']
      ] as const)
        t.equal((await send(verb, url, { as: ada, body })).status, 403, JSON.stringify(body))
  t.equal((await send('POST', '/columns', { as: ada, body: { organisationId: 2 } })).status, 403)
  t.equal((await send('POST', '/notes', { as: ada, body: { user: 2, useridea: 2 } })).status, 201)
})

t.test('an adapter that hands on other params is no adapter', async (t) => {
  class Careless extends MemoryService<Note> {
    override async get(id: never) {
      return super.get(id)
    }
    override async patch(id: never, data: never): Promise<never> {
      return super.patch(id, data) as never
    }
    override async find(): Promise<never> {
      return super.find({}) as never
    }
  }
  class CarelessInAll extends Careless {}
  for (const name of ['find', 'get', 'create', 'update', 'patch', 'remove'] as const)
    Object.defineProperty(CarelessInAll.prototype, name, { value: Careless.prototype[name] })
  for (const Class of [Careless, CarelessInAll]) {
    const service = new Class({ startId: 4 })
    service.store = stored(notes).store
    const { send } = await createApp(t, (app) => app.service('notes', service, around(own('userId'))))
    t.equal((await send('GET', '/notes/2', { as: ada })).status, 404)
    t.equal((await send('PATCH', '/notes/2', { as: ada, body: { text: 'x' } })).status, 404)
    t.equal((await send('GET', '/notes', { as: ada })).status, 500)
    t.equal((await send('GET', '/notes/1', { as: ada })).status, 200)
  }
})

t.test('fields and values that would let all records pass are refused', async (t) => {
  const odd = {
    dotted: { 'owner.id': 1 },
    operator: { $or: [] },
    object: { userId: { $gt: 0 } },
    hole: { userId: [undefined] }
  }
  const { send } = await createApp(t, (app) => {
    for (const [name, fields] of Object.entries(odd))
      app.service(name, stored(notes), around(scope(() => fields as never)))
  })
  for (const name of Object.keys(odd)) t.ok((await send('GET', `/${name}`, { as: ada })).status >= 400, name)
})

t.test('services of a mounted application are held too', async (t) => {
  const mounted = createFeathers()
  mounted.use('notes', stored(notes) as never)
  const { send } = await createApp(t, (app) => app.register(feathers, { app: mounted as never }), {
    hooks: { around: { all: [own('userId')] } }
  })
  t.match(await send('GET', '/notes', { as: ada }), { status: 200, body: [{ text: 'a' }, { text: 'c' }] })
  for (const [verb, body] of [['GET'], ['PATCH', { text: 'x' }], ['DELETE']] as const)
    t.equal((await send(verb, '/notes/2', { as: ada, body })).status, 404, verb)
  t.match(await send('PATCH', '/notes/1', { as: ada, body: { text: 'x' } }), { status: 200, body: { text: 'x' } })
})

t.test('a user without an id owns nothing', async (t) => {
  const { send } = await createApp(t, (app) => app.service('notes', stored(notes), around(own('userId'))))
  t.equal((await send('GET', '/notes', { as: { name: 'x' } as never })).status, 401)
})

t.test('they are hooks for around alone', async (t) => {
  await t.rejects(
    createApp(t, (app) => app.service('notes', stored([]), { hooks: { before: { all: [own('userId') as never] } } })),
    /own at 'notes' is a hook for 'around', not for 'before'/
  )
})

t.test('a selection of the client does not hide from the scope whose record it is', async (t) => {
  const rows = notes.map((note, index) => ({ ...note, id: index + 1, $hidden: true }))
  /** A record of a library that keeps its fields elsewhere. */
  class Row {
    readonly #fields: object
    readonly userId: unknown
    constructor(fields: object) {
      this.#fields = fields
      this.userId = Object(fields).userId
    }
    toJSON() {
      return this.#fields
    }
  }
  const asIs = (record: object): object => record
  const select = ({ query }: Params, record: object) =>
    query?.$select === undefined
      ? record
      : Object.fromEntries(
          Object.entries(record).filter(([field]) => ['id', ...(query.$select as string[])].includes(field))
        )
  const ofUser = ({ query }: Params) => rows.filter(({ userId }) => userId === query?.userId)
  class Selecting {
    readonly #wrap: (record: object) => object
    readonly #shape: (records: readonly object[]) => unknown
    constructor(wrap: (record: object) => object, shape: (records: readonly object[]) => unknown) {
      this.#wrap = wrap
      this.#shape = shape
    }
    async find(params: Params) {
      return this.#shape(ofUser(params).map((row) => this.#wrap(select(params, row))))
    }
    async get(id: string, params: Params) {
      const row = rows.find((row) => String(row.id) === id)
      if (row === undefined) throw new NotFound(`There is no note ${id}`)
      return this.#wrap(select(params, row))
    }
    async patch(id: string, _: object, params: Params) {
      return this.get(id, params)
    }
  }
  class Adapter extends MemoryService<Note> {
    override async get(id: never, params?: never) {
      return super.get(id, params)
    }
  }
  const adapter = new Adapter({ paginate: { default: 5 } })
  adapter.store = Object.fromEntries(rows.map((row) => [row.id, row]))
  const list = (records: readonly object[]) => records
  const page = (records: readonly object[]) => ({ total: 2, limit: 5, skip: 0, sum: 4, data: records })
  const copy = async (context: { result: unknown; dispatch?: unknown }) => {
    context.dispatch = context.result
  }
  const { send } = await createApp(t, (app) => {
    app.service('lists', new Selecting(asIs, list), around(own('userId')))
    app.service('pages', new Selecting(asIs, page), around(own('userId')))
    app.service('singles', new Selecting(asIs, ([record]) => record), around(own('userId')))
    app.service('rows', new Selecting((record) => new Row(record), list), around(own('userId')))
    app.service('adapters', adapter as never, around(own('userId')))
    app.service('copies', new Selecting(asIs, list), {
      hooks: { around: { all: [own('userId'), scope(() => ({ userId: 1 }))] }, after: { all: [copy] } }
    })
  })
  const selected = [
    { text: 'a', id: 1 },
    { text: 'c', id: 3 }
  ]
  const results: Record<string, unknown> = {
    lists: selected,
    pages: page(selected),
    singles: selected[0],
    rows: selected,
    adapters: { total: 2, limit: 5, skip: 0, data: selected },
    copies: selected
  }
  for (const [name, result] of Object.entries(results)) {
    t.strictSame((await send('GET', `/${name}?$select[]=text`, { as: ada })).body, result, name)
    t.strictSame((await send('GET', `/${name}/1?$select[]=text`, { as: ada })).body, selected[0], `one of ${name}`)
    t.equal((await send('GET', `/${name}/2?$select[]=text`, { as: ada })).status, 404, `${name}: that of others`)
    const whole = await send('GET', `/${name}/1?$select[]=text&$select[]=userId`, { as: ada })
    t.strictSame(whole.body, { text: 'a', userId: 1, id: 1 }, `${name}: who asks for the field gets it`)
  }
  t.strictSame((await send('PATCH', '/lists/1?$select[]=text', { as: ada, body: { text: 'a' } })).body, selected[0])
  t.equal((await send('GET', '/lists/1', { as: ada })).body.userId, 1)
  t.match(rows[0], { userId: 1 }, 'records of the service stay as they are')
})

import Fastify from 'fastify'
import services, {
  type AroundHook,
  Forbidden,
  type Hook,
  type Paged,
  type PatchOf,
  resource,
  type ServiceOf,
  type ServiceOptions,
  type WithMay
} from 'fastify-services'
import authentication, { allow, may, own, scope, within } from 'fastify-services/authentication'
import type { ClientApplication } from 'fastify-services/client'
import { memory } from 'fastify-services/memory'
import { tokenFor } from 'fastify-services/testing'
import t, { type Test } from 'tap'
import { type Caller, createApp } from './callers.js'

const ann: Caller = { id: 1, role: 'member', projects: [1] }
const boss: Caller = { id: 2, role: 'admin', projects: [1, 2] }

const records = [
  { id: 1, title: 'a', state: 'draft', userId: 1, projectId: 1 },
  { id: 2, title: 'b', state: 'sent', userId: 2, projectId: 2 }
]
const roles = allow({
  admin: true,
  member: { find: ['id', 'title'], get: ['id', 'title'], patch: ['title', 'userId'], remove: true }
})
// Everybody reads everything, and changes their own.
const ownWrites = own('userId', { except: ['find', 'get'] })

/** Sends requests to the service `notes` with these hooks around all methods. */
async function createNotes(t: Test, hooks: readonly AroundHook[], options: ServiceOptions<object> = {}) {
  return createApp(t, (app) => {
    app.service('notes', memory({ records, paginate: { default: 10, max: 10 } }), {
      ...options,
      hooks: { around: { all: [...hooks] } }
    } as ServiceOptions<object>)
  })
}

t.test('a record says what its caller may do with it', async (t) => {
  const { send } = await createNotes(t, [roles, ownWrites, may()])
  const { body } = await send('GET', '/notes?$may=true', { as: ann })
  t.strictSame(body.data, [
    { id: 1, title: 'a', $may: { update: false, patch: ['title', 'userId'], remove: true } },
    { id: 2, title: 'b', $may: { update: false, patch: false, remove: false } }
  ])
  t.equal(body.total, 2)
  const admin = await send('GET', '/notes/2?$may=true', { as: boss })
  t.strictSame(admin.body, { ...records[1], $may: { update: true, patch: true, remove: true } })
  const plain = await send('GET', '/notes/1', { as: ann })
  t.strictSame(plain.body, { id: 1, title: 'a' })
})

t.test('the fields of rules are read, but not sent', async (t) => {
  const { send } = await createNotes(t, [roles, ownWrites, may()])
  const { body } = await send('GET', '/notes?$may=true&$select[]=title', { as: ann })
  t.strictSame(body.data[1], { id: 2, title: 'b', $may: { update: false, patch: false, remove: false } })
  const one = await send('GET', '/notes/1?$may=true&$select[]=title', { as: boss })
  t.notOk('userId' in one.body)
  t.strictSame(one.body.$may, { update: false, patch: false, remove: false })
})

t.test('a resource accepts the parameter, sends the answer, and lists fields that a body may have', async (t) => {
  const properties = {
    id: { type: 'integer' },
    title: { type: 'string' },
    state: { type: 'string' },
    userId: { type: 'integer' },
    projectId: { type: 'integer' }
  } as const
  const schema = resource(
    { type: 'object', properties },
    {
      readOnly: ['id', 'userId'],
      writeOnly: ['state'],
      methods: { publish: { route: 'POST /:id/publish', allow: ['member'] } }
    }
  )
  const { send } = await createApp(t, (app) => {
    const notes = Object.assign(memory({ records }), { publish: async () => ({ id: 1 }) })
    app.service('notes', notes, { schema, hooks: { around: { all: [roles, ownWrites, may()] } } })
  })
  const { body } = await send('GET', '/notes/1?$may=true', { as: ann })
  t.strictSame(body, { id: 1, title: 'a', $may: { update: false, patch: ['title'], remove: true, publish: true } })
  const list = await send('GET', '/notes?$may=true', { as: ann })
  t.strictSame(list.body[1].$may, { update: false, patch: false, remove: false, publish: false })
  const wrong = await send('GET', '/notes?$may=maybe', { as: ann })
  t.match(wrong, { status: 400, body: { message: "'$may' must be true" } })
  const written = await send('PATCH', '/notes/1', { as: ann, body: { title: 'x', $may: {} } })
  t.equal(written.status, 400)
})

t.test('a method with a hook of the application has no answer, unless a function gives it', async (t) => {
  const ownHook: AroundHook = (_context, next) => next()
  const before = { before: { remove: [() => {}] } }
  const { send } = await createApp(t, (app) => {
    const add = (path: string, hook: AroundHook) =>
      app.service(path, memory({ records }), { hooks: { around: { all: [roles, ownWrites, hook] }, ...before } })
    add('notes', may())
    add(
      'trusted',
      may(({ rules }) => rules)
    )
    add(
      'drafts',
      may(({ record, rules, params }) => ({ ...rules, comment: record.state === 'draft', as: params.user?.id === 1 }))
    )
  })
  t.strictSame((await send('GET', '/notes/1?$may=true', { as: ann })).body.$may, {
    update: false,
    patch: ['title', 'userId']
  })
  t.equal((await send('GET', '/trusted/1?$may=true', { as: ann })).body.$may.remove, true)
  const { body } = await send('GET', '/drafts?$may=true&$select[]=title', { as: ann })
  t.match(body[0].$may, { comment: true, as: true, remove: true })
  t.strictSame(Object.keys(body[0]).sort(), ['$may', 'id', 'title'])
  await t.rejects(createNotes(t, [ownHook, may()]), /may at 'notes' can't tell anything, because each method has hooks/)
  t.throws(() => may('all' as never), /may takes a function that returns answers/)
})

t.test('what depends on a call is not told', async (t) => {
  const rules = [
    scope(({ data }) => (data === undefined ? true : { userId: 1 })),
    scope(() => {
      throw new Error('The database is away')
    }),
    // A client chooses the query of each call.
    scope(({ params }) => ({ userId: Number(params.query?.owner) || null })),
    allow({ owner: true }, { role: (_user, { params }) => params.query?.as })
  ]
  for (const rule of rules) {
    const { send } = await createApp(t, (app) => {
      app.service('notes', memory({ records }), { hooks: { around: { all: [may()], patch: [rule] } } })
    })
    const { body } = await send('GET', '/notes/1?$may=true', { as: ann })
    t.strictSame(body.$may, { update: true, remove: true })
  }
})

t.test('hooks of the reading method count for others only if these call it, too', async (t) => {
  const asServer: Hook = (context) => {
    context.params = { ...context.params, provider: undefined }
  }
  const trusted = await createApp(t, (app) => {
    const hooks = { around: { all: [ownWrites, may()] }, before: { get: [asServer] } }
    app.service('notes', memory({ records }), { hooks })
  })
  const told = await trusted.send('GET', '/notes/2?$may=true', { as: ann })
  t.strictSame(told.body.$may, { update: false, patch: false, remove: false })

  const closed: Hook = () => {
    throw new Forbidden('The office is closed')
  }
  // The scope of a service by hand gets the record before the method.
  const byHand = { find: async () => records, get: async () => records[0], remove: async () => records[0] }
  const { send } = await createApp(t, (app) => {
    const hooks = { around: { all: [ownWrites, may(({ rules }) => rules)] }, before: { get: [closed] } }
    app.service('trusted', byHand, { hooks })
    app.service('notes', Object.assign(memory({ records }), { publish: async () => ({}) }), {
      hooks: { ...hooks, around: { all: [ownWrites, may()] } },
      methods: ['find', 'get', 'patch', 'publish'],
      routes: { publish: 'POST /:id/publish' }
    } as ServiceOptions<object>)
  })
  t.strictSame((await send('GET', '/notes?$may=true', { as: ann })).body[0].$may, { patch: true })
  t.equal((await send('POST', '/notes/1/publish', { as: ann })).status, 403)
  t.strictSame((await send('GET', '/trusted?$may=true', { as: ann })).body[0].$may, { remove: true })
  t.equal((await send('PATCH', '/notes/1', { as: ann, body: { title: 'x' } })).status, 200)
})

t.test('a parent record is read once, and decides', async (t) => {
  let reads = 0
  const projects = { get: async (id: string) => ({ id: Number(id), reads: ++reads }) }
  const { send } = await createApp(t, (app) => {
    app.service('projects', projects)
    const hooks = { around: { all: [within('projects'), may()] } }
    app.service('projects/:projectId/notes', memory({ records }), { hooks })
  })
  const { body } = await send('GET', '/projects/1/notes?$may=true', { as: ann })
  t.strictSame(body[0].$may, { update: true, patch: true, remove: true })
  t.equal(reads, 1)
})

t.test('guards decide about callers of public methods', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  await app.register(authentication, { secret: 'x'.repeat(32), guard: 'jwt', public: ['notes.find', 'notes.remove'] })
  app.service('users', memory(), { methods: [] })
  app.service('notes', memory({ records }), {
    hooks: { around: { all: [own('userId', { except: ['find'] }), may()] } }
  })
  await app.ready()
  const { id } = await (app.service('users') as unknown as { create(data: object): Promise<{ id: number }> }).create({
    email: 'a'
  })
  const [guest, user] = [
    await app.inject('/notes?$may=true'),
    await app.inject({ url: '/notes?$may=true', headers: { authorization: `Bearer ${await tokenFor(app, { id })}` } })
  ]
  t.strictSame(guest.json()[0].$may, { update: false, patch: false, remove: false })
  t.strictSame(user.json()[0].$may, { update: true, patch: true, remove: false })
  t.strictSame(user.json()[1].$may, { update: false, patch: false, remove: false })
})

t.test('calls of the server ask as the caller that they name', async (t) => {
  const { app } = await createNotes(t, [roles, ownWrites, may()])
  const notes = app.service('notes') as { get(id: number, params: object): Promise<{ $may?: unknown }> }
  const query = { $may: true }
  t.same((await notes.get(2, { query, provider: 'rest', user: ann, authenticated: true })).$may, {
    update: false,
    patch: false,
    remove: false
  })
  t.same((await notes.get(2, { query })).$may, { update: true, patch: true, remove: true })
})

t.test('other uses of the name are refused', async (t) => {
  const { send } = await createNotes(t, [may()])
  for (const [verb, url, body] of [
    ['GET', '/notes?$may=1', undefined],
    ['GET', '/notes/1?$may=false', undefined],
    ['DELETE', '/notes/1?$may=true', undefined],
    ['PATCH', '/notes/1', { $may: { patch: true } }],
    ['POST', '/notes', { title: 'x', $may: {} }]
  ] as const)
    t.match(await send(verb, url, { body }), { status: 400, body: { message: /'\$may'/ } }, `${verb} ${url}`)
  const without = await createNotes(t, [])
  t.equal((await without.send('GET', '/notes?$may=true')).status, 400)
})

t.test('a stored field of that name is no answer', async (t) => {
  const { send } = await createApp(t, (app) => {
    const stored = {
      find: async () => [{ id: 1, title: 'a', userId: 1, $may: { secret: true } }],
      remove: async () => ({})
    }
    app.service('notes', stored, { hooks: { around: { all: [roles, may()] } } })
  })
  t.strictSame((await send('GET', '/notes', { as: ann })).body, [{ id: 1, title: 'a' }])
  t.strictSame((await send('GET', '/notes?$may=true', { as: ann })).body[0].$may, { remove: true })
})

t.test('the client has the types of the answers', async (t) => {
  const note = {
    type: 'object',
    properties: { id: { type: 'integer' }, title: { type: 'string' }, text: { type: 'string' } }
  } as const
  const schema = resource(note, { readOnly: ['id'], methods: { publish: { route: 'POST /:id/publish' } } })
  type Notes = WithMay<Paged<ServiceOf<typeof schema>>>
  const read = async (client: ClientApplication<{ notes: Notes }>) => {
    const { data } = await client.service('notes').find({ query: { $may: true } })
    const fields: readonly ('title' | 'text')[] | boolean | undefined = data[0]?.$may?.patch
    const isPublishable: boolean | undefined = (await client.service('notes').get(1)).$may?.publish
    return [fields, isPublishable]
  }
  t.type(read, 'function')
  const member = { find: true, patch: ['title'] } as const
  const edit: PatchOf<typeof schema, typeof member> = { title: 'b' }
  // @ts-expect-error: a member may not send it
  const forbidden: typeof edit = { text: 'b' }
  const all: PatchOf<typeof schema, true> = { title: 'b', text: 'c' }
  const none: PatchOf<typeof schema, { readonly find: true }>[] = []
  t.same([edit, forbidden, all, none], [{ title: 'b' }, { text: 'b' }, { title: 'b', text: 'c' }, []])
})

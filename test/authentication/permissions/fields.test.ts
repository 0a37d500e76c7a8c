import { MemoryService } from '@feathersjs/memory'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { resource, type ServiceOptions, version } from 'fastify-services'
import { allow, own, protect, refers, within } from 'fastify-services/authentication'
import { drizzle } from 'fastify-services/drizzle'
import t from 'tap'
import { z } from 'zod'
import { createApp } from './callers.js'

// A field that a list of permissions misspells is forbidden in silence: it stops the start.

const Post = z.object({ id: z.int(), name: z.string(), salary: z.int(), token: z.string() })
const posts = resource(Post, {
  readOnly: ['id'],
  writeOnly: ['token'],
  create: z.object({ name: z.string(), invitation: z.string() }),
  methods: { count: { route: 'GET /:id/count', response: z.object({ words: z.int() }) } }
})

class Posts extends MemoryService {
  async count() {
    return { words: 1 }
  }
}

type Hook = ReturnType<typeof allow>
const add = (app: FastifyInstance, path: string, hook: Hook, options: object = { schema: posts }) =>
  app.service<Record<string, unknown>, string>(path, new Posts({}) as never, {
    ...(options as ServiceOptions),
    hooks: { around: { all: [hook] } }
  })
const start = (hook: Hook, options?: object) => createApp(t, (app) => add(app, 'posts', hook, options))

t.test('a field that the schema lacks stops the start', async (t) => {
  const refused: [object, string][] = [
    [
      { find: ['nme'] },
      "names the field 'nme' for 'find' of the role 'admin', which no schema there has. Did you mean 'name'?"
    ],
    [{ patch: ['name', 'rank'] }, "names the field 'rank' for 'patch' of the role 'admin', which no schema there has"],
    [
      { find: ['invitation'] },
      "names the field 'invitation' for 'find' of the role 'admin', which no schema there has"
    ],
    [
      { get: ['Name'] },
      "names the field 'Name' for 'get' of the role 'admin', which no schema there has. Did you mean 'name'?"
    ],
    [
      { count: ['word'] },
      "names the field 'word' for 'count' of the role 'admin', which no schema there has. Did you mean 'words'?"
    ]
  ]
  for (const [admin, message] of refused)
    await t.rejects(start(allow({ member: true, admin: admin as never })), { message: `allow at 'posts' ${message}` })
})

t.test('parameters of the query are known: a list allows those whose values are objects', async (t) => {
  const query = z.object({ since: z.object({ $gt: z.string() }).optional() })
  const schema = resource(Post, { query, methods: { count: { route: 'GET /:id/count', query } } })
  const { send } = await start(allow({ admin: { find: ['since'], count: ['since'] }, member: { find: [] } }), {
    schema
  })
  const status = async (role: string) => (await send('GET', '/posts?since[$gt]=a', { as: { id: 1, role } })).status
  t.equal(await status('admin'), 200)
  t.equal(await status('member'), 403)
})

t.test('fields of the record, of a body and of an own answer are known, and so is the id', async () => {
  const all = ['id', 'name', 'salary', 'token']
  await start(allow({ admin: { find: all, patch: all, create: ['invitation'], count: ['words', 'name'], update: [] } }))
  const withoutId = resource(z.object({ name: z.string() }))
  await start(allow({ admin: { find: ['id', 'name'] } }), { schema: withoutId })
})

t.test('a service without a resource, or whose schema is open, may have any field', async () => {
  const hook = allow({ admin: { find: ['nme'] } })
  await start(hook, {})
  await start(hook, { schema: { find: {} } })
  await start(hook, { schema: resource(z.looseObject({ name: z.string() })) })
})

t.test('services that share the hook may have the field', async (t) => {
  const hook = allow({ admin: { find: ['name', 'text'] } })
  const notes = { schema: resource(z.object({ id: z.int(), text: z.string() })) }
  await createApp(t, (app) => {
    add(app, 'posts', hook)
    add(app, 'notes', hook, notes)
  })
  await t.rejects(
    createApp(t, (app) => {
      add(app, 'posts', hook)
      add(app, 'notes', allow({ admin: true }), notes)
    }),
    { message: "allow at 'posts' names the field 'text' for 'find' of the role 'admin', which no schema there has" }
  )
})

const Slot = z.object({ id: z.int(), userId: z.int(), doctorId: z.int(), revision: z.int(), startsAt: z.string() })
const slots = resource(Slot, { readOnly: ['id'] })
const slotTable = sqliteTable('slots', { id: integer().primaryKey(), userId: integer(), revision: integer() })
const inTable = () => drizzle({ select() {}, insert() {}, update() {}, delete() {} } as never, slotTable)

const startSlots = (hook: object, service: object = new MemoryService({}), path = 'slots', schema: object = slots) =>
  createApp(t, (app) => {
    app.service('users', new MemoryService({}))
    app.service(path, service, { schema, hooks: { around: { all: [hook] } } } as never)
  })

t.test('a field that another hook misspells stops the start, too', async (t) => {
  const near = (name: string, meant: string) =>
    `names the field '${name}', which no schema there has. Did you mean '${meant}'? If the records have '${name}', add it to the schema`
  const refused: [string, object, string][] = [
    ['own', own('usrId'), near('usrId', 'userId')],
    ['own', own('userid'), near('userid', 'userId')],
    ['version', version('revison'), near('revison', 'revision')],
    ['version', version('revisoin'), near('revisoin', 'revision')],
    ['protect', protect('password', 'strtsAt'), near('strtsAt', 'startsAt')],
    [
      'refers',
      refers({ docterId: 'users' }),
      "names the field 'docterId', which no schema there has. Did you mean 'doctorId'?"
    ],
    [
      'refers',
      refers({ roomId: 'users' }),
      "names the field 'roomId', which no schema there has. There are: id, userId, doctorId, revision, startsAt"
    ],
    ['refers', refers({ usrId: 'users' }, { internal: true }), near('usrId', 'userId')]
  ]
  for (const [who, hook, message] of refused)
    await t.rejects(startSlots(hook), { message: `${who} at 'slots' ${message}` }, message)
  await t.rejects(startSlots(within('users', { field: 'usrId' }), new MemoryService({}), 'users/:userId/slots'), {
    message: `within at 'users/:userId/slots' ${near('usrId', 'userId')}`
  })
})

t.test('where the columns are known, a field that is no column stops the start', async (t) => {
  const refused: [object, string][] = [
    [
      own('usr'),
      "own at 'slots' names the field 'usr', which its table lacks. There are: id, userId, revision, doctorId, startsAt"
    ],
    [
      version('revision2'),
      "version at 'slots' names the field 'revision2', which its table lacks. Did you mean 'revision'?"
    ]
  ]
  for (const [hook, message] of refused) await t.rejects(startSlots(hook, inTable()), { message }, message)
  const hook = own('usrId')
  await t.rejects(startSlots(hook, inTable(), 'slots', {}), {
    message: "own at 'slots' names the field 'usrId', which its table lacks. Did you mean 'userId'?"
  })
})

t.test('the fields that a scope adds are not for allow to refuse: it comes first', async (t) => {
  const lists = allow({ member: { find: ['id', 'name'], create: ['name'] } })
  const startWith = (...all: Hook[]) =>
    createApp(t, (app) => app.service('slots', new MemoryService({}), { hooks: { around: { all } } } as ServiceOptions))
  await t.rejects(startWith(own('userId'), lists), {
    message: "own at 'slots' runs before allow, which refuses the fields that own adds: put allow first"
  })
  await t.resolves(startWith(lists, own('userId')))
  await t.resolves(startWith(own('userId'), allow({ member: { find: true, create: true } })))
})

t.test('a field that only the records have does not stop the start', async (t) => {
  const hidden = resource(Slot.omit({ userId: true, revision: true }).extend({ user: z.string(), org: z.string() }), {
    readOnly: ['id']
  })
  const hooks = [own('userId'), own('ownerId'), own('id'), version('revision'), version('updatedAt'), protect('userId')]
  for (const hook of [...hooks, own('orgId'), refers({ userId: 'users' }, { internal: true })])
    await t.resolves(startSlots(hook, new MemoryService({}), 'slots', hidden))
  for (const hook of [own('userId'), version('revision'), protect('password'), refers({ doctorId: 'users' })])
    await t.resolves(startSlots(hook, inTable(), 'slots', hidden))
  for (const hook of [own('usrId'), version('revison'), refers({ docterId: 'users' })])
    await t.resolves(startSlots(hook, new MemoryService({}), 'slots', {}), 'without a resource')
  const toDoctor = refers({ doctorId: 'users' })
  await t.resolves(
    createApp(t, (app) => {
      app.service('users', new MemoryService({}))
      for (const [path, schema] of Object.entries({ slots, posts }))
        app.service(path, new Posts({}) as never, { schema, hooks: { around: { all: [toDoctor] } } } as never)
    }),
    'services that share the hook'
  )
})

import { MemoryService } from '@feathersjs/memory'
import type { FastifyInstance } from 'fastify'
import { resource, type ServiceOptions } from 'fastify-services'
import { allow } from 'fastify-services/authentication'
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

import { KnexService, transaction } from '@feathersjs/knex'
import { MemoryService } from '@feathersjs/memory'
import Fastify from 'fastify'
import services, { type HookContext, resource, type ServiceOptions, version } from 'fastify-services'
import { allow } from 'fastify-services/authentication'
import t, { type Test } from 'tap'
import Type from 'typebox'
import * as z from 'zod'
import { openPGlite } from '../../support/pglite.js'

const notes = Type.Object({
  id: Type.Integer({ readOnly: true }),
  title: Type.String(),
  text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  history: Type.Array(Type.Any(), { readOnly: true }),
  created: Type.String({ format: 'date-time', readOnly: true })
})

const created = '2026-01-01T00:00:00.000Z'
const history = [{ by: 1 }, 'ö']

async function serve(t: Test, object: object, options: ServiceOptions) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { logger: false } })
  app.service('notes', object, options as object)
  return async (payload: object, url = '/notes/1', headers: Record<string, string> = {}) => {
    const response = await app.inject({ method: 'PUT', url, headers, payload })
    return { status: response.statusCode, body: response.json(), etag: response.headers.etag }
  }
}

function inMemory(record: object = { title: 'a', text: 'b', history, created, tenant: 7 }) {
  const service = new MemoryService()
  service.store = { 1: { id: 1, ...record } }
  return service
}

t.test(
  'an update keeps what its caller can not send: fields that only the server sets, and those that the schema does not have',
  async (t) => {
    const service = inMemory()
    const put = await serve(t, service, { schema: resource(notes) })
    t.match(await put({ title: 'new' }), { status: 200, body: { id: 1, title: 'new', history, created } })
    t.strictSame(service.store[1], { id: 1, title: 'new', history, created, tenant: 7 }, 'and drops what it could')
    t.match(await put({ title: 'newer' }, '/notes/1?$select[]=title'), { status: 200 })
    t.strictSame(service.store[1], { id: 1, title: 'newer', history, created, tenant: 7 })
    t.equal((await put({ title: 'new' }, '/notes/2')).status, 404)
  }
)

t.test('what hooks set wins, and they see what was sent', async (t) => {
  const service = inMemory()
  const dataAfter: unknown[] = []
  const put = await serve(t, service, {
    schema: resource(notes),
    hooks: {
      before: {
        update: [({ data }: HookContext) => void Object.assign(data as object, { history: [], tenant: null })]
      },
      after: { update: [({ data }: HookContext) => void dataAfter.push(data)] }
    }
  })
  await put({ title: 'new' })
  t.strictSame(service.store[1], { id: 1, title: 'new', history: [], created, tenant: null })
  t.strictSame(dataAfter, [{ title: 'new', history: [], tenant: null }])
})

t.test('a hook empties a field by undefined, and a value keeps its type', async (t) => {
  const date = new Date(0)
  const service = inMemory({ title: 'a', created: date, tenant: 7 })
  const put = await serve(t, service, {
    schema: resource(notes),
    hooks: {
      before: { update: [({ data }: HookContext) => void Object.assign(data as object, { tenant: undefined })] }
    }
  })
  await put({ title: 'new' })
  t.strictSame(service.store[1], { id: 1, title: 'new', created: date, tenant: undefined })
})

t.test(
  'of a schema and a role, what both let through may be sent, and a record that is not there is no other',
  async (t) => {
    const service = inMemory()
    const app = Fastify()
    t.teardown(() => app.close())
    app.addHook('onRequest', async (request) => {
      request.feathers = { user: { id: 1, role: 'editor' }, authenticated: true }
    })
    await app.register(services, { errorHandler: { logger: false } })
    const around = { all: [allow({ editor: { update: ['title', 'created'], get: true } })] }
    app.service('notes', service, { schema: resource(notes), hooks: { around } } as object)
    const put = (url: string) => app.inject({ method: 'PUT', url, payload: { title: 'new' } })
    t.equal((await put('/notes/1')).statusCode, 200)
    t.strictSame(service.store[1], { id: 1, title: 'new', text: 'b', history, created, tenant: 7 })
    t.equal((await put('/notes/2')).statusCode, 404)
  }
)

t.test('without an id it is refused by the adapter', async (t) => {
  const put = await serve(t, inMemory(), { schema: resource(notes) })
  t.match(await put({ title: 'new' }, '/notes'), { status: 400, body: { message: /^You can not replace multiple/ } })
})

t.test('a class with an update of its own does what that says, within it and beside it', async (t) => {
  const calls: unknown[] = []
  class Upserts extends MemoryService {
    override async update(...[id, data, params]: Parameters<MemoryService['update']>) {
      calls.push(data)
      return id in this.store ? super.update(id, data, params) : this.create({ ...data, id }, params)
    }
  }
  const service = new Upserts()
  service.store = { 1: { id: 1, title: 'a', tenant: 7 } }
  const put = await serve(t, service, { schema: resource(notes) })
  await put({ title: 'new' })
  t.equal((await put({ title: 'second' }, '/notes/2')).status, 200)
  t.strictSame(calls, [{ title: 'new' }, { title: 'second' }])
  t.strictSame(service.store[1], { id: 1, title: 'new' })
})

t.test('a body of its own says what may be sent', async (t) => {
  const service = inMemory()
  const put = await serve(t, service, { schema: resource(notes, { update: Type.Object({ title: Type.String() }) }) })
  await put({ title: 'new' })
  t.strictSame(service.store[1], { id: 1, title: 'new', text: 'b', history, created, tenant: 7 })
})

t.test('a record that becomes one of another branch loses the fields of the former', async (t) => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), r: z.number(), by: z.number() }),
    z.object({ kind: z.literal('square'), a: z.number(), by: z.number() })
  ])
  const service = inMemory({ kind: 'circle', r: 1, by: 5 })
  const put = await serve(t, service, { schema: resource(shape, { readOnly: ['by'] }) })
  await put({ kind: 'square', a: 2 })
  t.strictSame(service.store[1], { id: 1, kind: 'square', a: 2, by: 5 })
})

t.test('calls of the server, and services that are no adapters, replace what they replace', async (t) => {
  const calls: unknown[] = []
  const handwritten = {
    get: async () => ({ id: 1 }),
    update: async (_id: unknown, data: unknown) => calls.push(data) && data
  }
  const put = await serve(t, handwritten, { schema: resource(notes) })
  await put({ title: 'new' })
  t.strictSame(calls, [{ title: 'new' }])

  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services)
  const service = inMemory()
  app.service('notes', service, { schema: resource(notes) } as object)
  await app.ready()
  await app.service('notes').update(1, { title: 'new' })
  t.strictSame(service.store[1], { id: 1, title: 'new' })
})

t.test('@feathersjs/knex leaves the columns alone, whatever is in them', async (t) => {
  const knex = await openPGlite(t)
  await knex.schema.createTable('notes', (table) => {
    table.increments()
    table.text('title')
    table.text('text')
    table.jsonb('history')
    table.specificType('place', 'point')
    table.timestamp('created')
    table.integer('version').defaultTo(1)
    table.specificType('length', 'integer generated always as (length(title)) stored')
  })
  const row = {
    title: 'a',
    text: 'b',
    history: JSON.stringify(history),
    place: '(1,2)',
    created: '2026-01-01T00:00:00.123456Z'
  }
  await knex('notes').insert(row)
  const stored = async () =>
    (
      await knex('notes').select(
        'title',
        'text',
        'history',
        'version',
        knex.raw(`place::text, created at time zone 'utc' as utc, created::text like '%.123456+%' as is_exact`)
      )
    )[0]
  const service = new KnexService({ Model: knex, name: 'notes' })
  let newest = 1
  const hooks = {
    around: { all: [version('version', { set: () => ++newest })] },
    before: { update: [transaction.start()] },
    after: { update: [transaction.end()] },
    error: { update: [transaction.rollback()] }
  }
  const put = await serve(t, service, { schema: resource(notes), hooks: hooks as object })
  t.match(await put({ title: 'new' }), { status: 200, body: { id: 1, title: 'new', history } })
  t.match(await stored(), { title: 'new', text: null, history, place: '(1,2)', is_exact: true, version: 2 })
  t.equal((await put({ title: 'newer' }, '/notes/1', { 'if-match': '"1"' })).status, 412)
  t.equal((await put({ title: 'newer' }, '/notes/1', { 'if-match': '"2"' })).status, 200)
  t.match(await stored(), { title: 'newer', text: null, history, place: '(1,2)', is_exact: true })
  const selected = await put({ title: 'newest', text: 'c' }, '/notes/1?$select[]=title')
  t.strictSame(selected.body, { id: 1, title: 'newest' })
  t.match(await stored(), { title: 'newest', text: 'c', history })
})

t.test(
  '@feathersjs/knex: a body that says nothing changes nothing, and other statements of a class are its own',
  async (t) => {
    const knex = await openPGlite(t)
    await knex.raw('create table notes (id integer generated always as identity, created text)')
    await knex.raw('create table comments (id integer, pinned text)')
    await knex('notes').insert({ created })
    await knex('comments').insert([
      { id: 5, pinned: 'yes' },
      { id: 6, pinned: 'yes' }
    ])
    class Notes extends KnexService {
      override async update(...[id, data, params]: Parameters<KnexService['update']>) {
        await this.getModel(params)('comments').update({ pinned: null })
        return super.update(id, data, params)
      }
    }
    const schema = resource(Type.Pick(notes, ['id', 'created']))
    const put = await serve(t, new KnexService({ Model: knex, name: 'notes' }), { schema })
    t.match(await put({}), { status: 200, body: { id: 1, created } })
    const putByClass = await serve(t, new Notes({ Model: knex, name: 'notes' }), { schema })
    t.match(await putByClass({}), { status: 200, body: { created: null } })
    t.strictSame(await knex('comments').select().orderBy('id'), [
      { id: 5, pinned: null },
      { id: 6, pinned: null }
    ])
  }
)

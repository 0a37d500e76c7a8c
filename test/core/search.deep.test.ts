import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { type AroundHook, resource, search, stableOrder } from 'fastify-services'
import { allow, scope } from 'fastify-services/authentication'
import t from 'tap'
import * as z from 'zod'
import { openPGlite } from '../support/pglite.js'

const note = z.object({ id: z.int(), title: z.string(), text: z.string(), owner: z.int(), author: z.string() })

const logIn: AroundHook = ({ params }, next) => {
  Object.assign(params, { user: { id: 1, role: 'reader' } })
  return next()
}
const readers = allow({ reader: { find: ['id', 'title'], get: ['id', 'title'], remove: true } })
const ownNotes = scope(({ params }) => ({ owner: Number(Object(params.user).id) }))

t.test('a search in PostgreSQL', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table users (id serial primary key, name text)')
  await Model.raw('create table notes (id serial primary key, title text, text text, owner int)')
  await Model.raw(
    'create view list as select notes.*, (select name from users where users.id = notes.owner) as author from notes'
  )
  await Model('users').insert([{ name: 'Ada' }, { name: 'Grace' }])
  await Model('notes').insert([
    { title: 'Big cats', text: 'Lions', owner: 1 },
    { title: 'Cats at home', text: '100% big, C:\\', owner: 1 },
    { title: 'Big cats of others', text: '100 snake_cases', owner: 2 }
  ])
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { errorHandler: { html: false } })
  const schema = resource(note, {
    readOnly: ['id', 'author'],
    operators: { $ilike: { type: 'string' } },
    query: z.object({ q: z.string().optional() })
  })
  const find = [stableOrder()]
  const words = search({ q: ['title', 'text', 'author'] })
  const list = () => new KnexService({ Model, name: 'list', paginate: { default: 10 } })
  app.service('notes', list(), { schema, hooks: { around: { all: [words], find } } })
  app.service('mine', list(), { schema, hooks: { around: { all: [logIn, readers, ownNotes, words], find } } })

  const found = async (url: string) => {
    const response = await app.inject(url)
    t.equal(response.statusCode, 200, `${url} ${response.body}`)
    const { data } = response.json() as { data: { id: number }[] }
    return data.map(({ id }) => id)
  }
  const ask = async (path: string, q: string, more = '') => found(`/${path}?q=${encodeURIComponent(q)}${more}`)

  await t.test('finds words in any of the fields', async (t) => {
    t.same(await ask('notes', 'BIG cats'), [1, 2, 3])
    t.same(await ask('notes', 'lion ada'), [1])
    t.same(await ask('notes', ''), [1, 2, 3])
    t.same(await ask('notes', "'; drop table notes --"), [])
  })

  await t.test('takes wildcards as texts', async (t) => {
    t.same(await ask('notes', '100%'), [2])
    t.same(await ask('notes', '_'), [3])
    t.same(await ask('notes', '\\'), [2])
  })

  await t.test('is joined with the other conditions', async (t) => {
    t.same(await ask('notes', 'cats', '&author=Grace'), [3])
    t.same(await ask('notes', 'big', '&title[$ilike]=c%25HOME'), [2])
    t.same(await ask('notes', 'cats', '&$or[0][id]=1&$or[1][owner]=2'), [1, 3])
    t.same(await ask('notes', 'cats', '&$and[0][id]=2'), [2])
    t.same(await ask('notes', 'big', '&$sort[author]=-1'), [3, 2, 1])
  })

  await t.test('stays within the scope, and needs no right to name its fields', async (t) => {
    t.same(await ask('mine', 'cats'), [1, 2])
    t.same(await ask('mine', 'cats', '&$or[0][id]=3&$or[1][id]=1'), [1])
    t.equal((await app.inject('/mine?text=Lions')).statusCode, 403)
  })

  await t.test('holds for the other methods too', async (t) => {
    t.equal((await app.inject('/notes/1?q=lions')).statusCode, 200)
    t.equal((await app.inject('/notes/1?q=tigers')).statusCode, 404)
    t.equal((await app.inject({ method: 'DELETE', url: '/notes/1?q=tigers' })).statusCode, 404)
    t.equal((await app.inject({ method: 'DELETE', url: '/notes/1?q=lions' })).statusCode, 200)
    t.same(await ask('notes', ''), [2, 3])
  })

  await t.test('a parameter is no field: conditions can not name it', async (t) => {
    t.equal((await app.inject('/notes?$or[0][q]=a')).statusCode, 400)
    t.equal((await app.inject('/notes?q[$ne]=a')).statusCode, 400)
  })
})

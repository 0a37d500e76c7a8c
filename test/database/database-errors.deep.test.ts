import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import type { HookContext } from 'fastify-services'
import services from 'fastify-services'
import { protect } from 'fastify-services/authentication'
import { databaseErrors } from 'fastify-services/database'
import t from 'tap'
import { openPGlite } from '../support/pglite.js'
import { createUsersTable } from '../support/users-table.js'

t.test('a query by a value that is undefined tells no statement', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table users (id serial primary key, secret int)')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [databaseErrors()] } } })
  const ofNobody = async (context: HookContext) => {
    context.params = { ...context.params, query: { secret: undefined } }
  }
  app.service('users', new KnexService({ Model, name: 'users' }), { hooks: { before: { find: [ofNobody] } } })
  const { statusCode, body } = await app.inject({ url: '/users', headers: { accept: 'application/json' } })
  t.equal(statusCode, 500)
  t.notMatch(body, /secret|select/)
})

t.test('a page that is none is 400 or another page, never 500', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table users (id serial primary key)')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [databaseErrors()] } } })
  app.service('users', new KnexService({ Model, name: 'users' }))
  app.service('pages', new KnexService({ Model, name: 'users', paginate: { default: 5, max: 10 } }))
  const huge = '99999999999999999999'
  for (const query of ['$skip=-1', '$skip[]=-1', `$skip=${huge}`, '$limit=-1', `$limit=${huge}`, '$limit=-1&$skip=-1'])
    t.match(await app.inject(encodeURI(`/users?${query}`)), { statusCode: 400 }, query)
  for (const value of ['-1', '1.5', huge, '1e30', 'NaN', '', 'Infinity', '[object Object]'])
    for (const path of ['users', 'pages'])
      for (const name of ['$skip', '$limit']) {
        const { statusCode } = await app.inject(encodeURI(`/${path}?${name}=${value}`))
        t.ok(statusCode === 200 || statusCode === 400, `${path} ${name}=${value}: ${statusCode}`)
      }
})

t.test('a value that a column of PostgreSQL can not hold: 404 for the id, or 400', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table things (id serial primary key, size int, done boolean, name varchar(5))')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [databaseErrors()] } }, errorHandler: { html: false } })
  app.service('things', new KnexService({ Model, name: 'things', multi: true }))
  const error = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
    const { statusCode, body } = await app.inject({ method, url: encodeURI(url), ...(payload && { payload }) })
    return [statusCode, JSON.parse(body).message]
  }
  const noRecord = (id: string) => [404, `No record found for id '${id}'`]
  const invalid = [400, 'A value is not valid']
  for (const id of ['99999999999999', 'abc', '1.5', '-9999999999', 'x-y', 'x"', ': "5']) {
    t.same(await error('GET', `/things/${id}`), noRecord(id))
    t.same(await error('PATCH', `/things/${id}`, { size: 1, name: 'n' }), noRecord(id))
  }
  for (const query of ['id=99999999999999', 'size[$in][]=1&size[$in][]=x', 'done=maybe', '$skip=-1'])
    t.same(await error('GET', `/things?${query}`), invalid, query)
  t.same(await error('POST', '/things', { size: 'x', name: 'y' }), invalid)
  t.same(await error('PATCH', '/things/1', { name: 'too long' }), invalid)
})

t.test('what a view fails at is no id without a record', async (t) => {
  const Model = await openPGlite(t)
  await Model.raw('create table sums (id int primary key, total int, count int)')
  await Model.raw('insert into sums values (1, 5, 0)')
  await Model.raw('create view means as select id, total / count as mean from sums')
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks: { around: { all: [databaseErrors()] } }, errorHandler: { html: false } })
  app.service('means', new KnexService({ Model, name: 'means' }))
  const failed = { code: 400, message: 'A value is not valid' }
  t.match((await app.inject('/means/1')).json(), failed, 'division by zero')
  t.match((await app.inject('/means/a%00')).json(), { code: 404 }, 'an id with a NUL')
})

t.test('in `production` no statement leaves in the error that an adapter has made of one of a database', async (t) => {
  const { object } = await createUsersTable(t)
  for (const expose of [false, true]) {
    const app = Fastify()
    t.teardown(() => app.close())
    const logged: unknown[] = []
    const logger = { error: (error: unknown) => logged.push(error) }
    await app.register(services, { errorHandler: { html: false, logger, expose } })
    app.service('users', object)
    app.service('protected', object, { hooks: { around: { all: [protect('password')] } } })
    if (!expose) t.equal((await app.inject('/protected?nope=1')).json().message, 'Unprocessable Entity')
    logged.splice(0)
    const answer = await app.inject('/users?nope=1')
    const told = 'select "users".* from "users" where "nope" = $1 - column "nope" does not exist'
    const message = expose ? told : 'Unprocessable Entity'
    t.match(answer.json(), { name: 'Unprocessable', message, code: 422 })
    t.match(logged, [{ message: told }])
  }
})

import { KnexService } from '@feathersjs/knex'
import Fastify from 'fastify'
import services, { type ServiceError } from 'fastify-services'
import { databaseErrors } from 'fastify-services/database'
import type { Knex } from 'knex'
import type { Test } from 'tap'

const message = 'There is a user with this e-mail address'
// Not all drivers tell the column.
const messages = { email: message, refused_users_email_unique: message }
const hooks = { around: { all: [databaseErrors({ messages })] } }

/** What databases differ in. */
interface Differences {
  /** Whether the driver tells the columns of a value that is there already. */
  readonly tellsUnique?: boolean
  /** Whether it tells the column of a reference. */
  readonly tellsReference?: boolean
  /** Whether a column holds its type, and no longer text than it says. */
  readonly isStrict?: boolean
  /** Whether it tells the column that has a check of its own. */
  readonly tellsCheck?: boolean
}

/** What the hook `databaseErrors` makes of what an empty database refuses. The tables are users, and notes that refer to them. */
export async function databaseRefusals(
  t: Test,
  Model: Knex,
  { tellsUnique = true, tellsReference = true, isStrict = true, tellsCheck = false }: Differences = {}
): Promise<void> {
  await Model.schema.createTable('refused_users', (table) => {
    table.increments('id')
    table.string('email', 30).notNullable().unique()
    table.integer('age')
    table.specificType('score', 'int check (score > 0)')
    table.specificType('doubled', 'int generated always as (age * 2) stored')
    table.check('age > 0', {}, 'refused_age')
  })
  await Model.schema.createTable('refused_notes', (table) => {
    table.increments('id')
    table.integer('author').unsigned().notNullable().references('refused_users.id')
  })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(services, { hooks, errorHandler: { html: false } })
  for (const name of ['users', 'notes'])
    app.service(name, new KnexService({ Model, name: `refused_${name}`, multi: true }))

  async function send(method: 'POST' | 'PATCH' | 'DELETE' | 'GET', url: string, payload?: object) {
    const response = await app.inject({ method, url, ...(payload && { payload }) })
    t.notMatch(response.body, /insert into|update |select |refused_/i, 'no text of a statement, no name of a table')
    const { message, errors = [] } = response.json()
    return [response.statusCode, message, ...errors.map((problem: { instancePath: string }) => problem.instancePath)]
  }

  const user = { email: 'ada@example.com', age: 36 }
  t.equal((await send('POST', '/users', user))[0], 201)
  t.equal((await send('POST', '/users', { email: 'bob@example.com' }))[0], 201)
  t.equal((await send('POST', '/notes', { author: 1 }))[0], 201)

  const conflict = [409, message, ...(tellsUnique ? ['/email'] : [])]
  t.strictSame(await send('POST', '/users', user), conflict, 'a value that is there')
  t.strictSame(await send('POST', '/users', [{ email: 'cy@example.com' }, user]), conflict, 'in a list')
  t.strictSame(
    await send('PATCH', '/users/2', { email: user.email }),
    conflict,
    'in a patch, whose errors the adapter passes on'
  )
  t.strictSame(await send('POST', '/users', { age: 1 }), [400, 'email is required', '/email'])
  const nowhere = tellsReference
    ? [400, 'author refers to no record that there is', '/author']
    : [400, 'It refers to no record that there is']
  t.strictSame(await send('POST', '/notes', { author: 99 }), nowhere, 'a reference that leads nowhere')
  t.strictSame(await send('DELETE', '/users/1'), [409, 'Other records refer to this one'])
  t.strictSame(await send('POST', '/users', { email: 'd', age: -1 }), [
    400,
    'The data is against a rule of the database'
  ])
  t.strictSame(
    await send('POST', '/users', { email: 'd', score: -1 }),
    tellsCheck
      ? [400, 'score is against a rule of the database', '/score']
      : [400, 'The data is against a rule of the database'],
    'the check of a column'
  )
  // PostgreSQL reports the columns of unique values, and not those of values that it refuses.
  const wrong = (name: string) =>
    tellsUnique ? [400, 'A value is not valid'] : [400, `${name} can't hold this value`, `/${name}`]
  if (isStrict) {
    t.strictSame(await send('POST', '/users', { email: 'x'.repeat(40) }), wrong('email'), 'a text that is too long')
    t.strictSame(await send('POST', '/users', { email: 'e', age: 'old' }), wrong('age'), 'another type')
    t.strictSame(await send('POST', '/users', { email: 'e', age: 1e12 }), wrong('age'), 'a number out of range')
  }
  for (const id of ['99999999999999', '99999999999999999999', '-99999999999999']) {
    const nobody = [404, `No record found for id '${id}'`]
    t.strictSame(await send('GET', `/users/${id}`), nobody, 'an id beyond the range of the column')
    t.strictSame(await send('PATCH', `/users/${id}`, { age: 2 }), nobody, 'in a patch')
    t.strictSame(await send('DELETE', `/users/${id}`), nobody, 'in a removal')
  }
  const generated = [400, 'doubled is set by the database alone', '/doubled']
  t.strictSame(await send('POST', '/users', { email: 'e', doubled: 4 }), generated, 'a column that is generated')
  t.strictSame(await send('PATCH', '/users/1', { doubled: 4 }), generated, 'in a patch')
  const unknown = [400, 'colour is not known', '/colour']
  t.strictSame(await send('GET', '/users?colour=red'), unknown, 'a column that is not there')
  t.strictSame(await send('POST', '/users', { email: 'e', colour: 'red' }), unknown, 'in data')

  const failed = (await app
    .service('users')
    .create(user)
    .catch((error: unknown) => error)) as ServiceError
  t.ok(failed.cause instanceof Error, 'the error of the driver is the cause')
}

import { KnexService } from '@feathersjs/knex'
import { passwordReset } from 'fastify-services/accounts'
import createKnex, { type Knex } from 'knex'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'
import { isHashOf } from '../support/auth-passwords.js'
import { openPGlite } from '../support/pglite.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'

async function createTable(knex: Knex) {
  await knex.schema.createTable('users', (table) => {
    table.increments('id')
    table.text('email').unique().notNullable()
    table.text('password')
  })
}

const createServer = (t: Test, knex: Knex) =>
  createAccounts(t, (app, send) => app.register(passwordReset, { send, rateLimit: false }), {
    object: new KnexService({ Model: knex, name: 'users' })
  })

/** Uses a link at the same moment at each of some servers. */
async function useAtOnce(t: Test, servers: Awaited<ReturnType<typeof createServer>>[], knex: Knex, password: unknown) {
  const [first] = servers as [(typeof servers)[number]]
  await knex('users').truncate()
  await first.users.create({ email: ada.email, password })
  await first.post('/password-resets', { email: ada.email })
  const { token } = await first.nextMail()
  const passwords = Array.from({ length: 10 }, (_, index) => `a new password ${index}`)
  const answers = await Promise.all(
    passwords.map((password, index) =>
      servers[index % servers.length]?.post('/password-resets/confirm', { token, password })
    )
  )
  const accepted = passwords.filter((_, index) => answers[index]?.status === 200)
  t.equal(accepted.length, 1)
  t.equal(answers.filter((answer) => answer?.status === 400).length, 9)
  const { password: stored } = await knex('users').first()
  t.ok(isHashOf(stored, String(accepted[0])))
}

t.test('a link that is used at once in two processes changes the password once', { skip: skipPostgres }, async (t) => {
  const connection = await createDatabase(t)
  const open = () => {
    const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max: 5 } })
    t.teardown(() => knex.destroy())
    return knex
  }
  const [one, other] = [open(), open()]
  await createTable(one)
  const servers = [await createServer(t, one), await createServer(t, other)]
  for (let round = 0; round < 5; round++) await useAtOnce(t, servers, one, ada.password)
  await useAtOnce(t, servers, one, null)
})

t.test('the same in PGlite, and a name with a NUL is unknown', async (t) => {
  const knex = await openPGlite(t)
  await createTable(knex)
  const server = await createServer(t, knex)
  await useAtOnce(t, [server], knex, ada.password)
  t.match(await server.post('/password-resets', { email: 'ada\0' }), { status: 201, body: { sent: true } })
})

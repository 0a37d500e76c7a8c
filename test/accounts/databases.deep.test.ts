import { KnexService } from '@feathersjs/knex'
import { BadRequest, type HookContext } from 'fastify-services'
import { emailVerification, passwordReset } from 'fastify-services/accounts'
import { inTransaction } from 'fastify-services/database'
import createKnex, { type Knex } from 'knex'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'
import { isHashOf } from '../support/auth-passwords.js'
import { openPGlite } from '../support/pglite.js'
import { createDatabase, skipPostgres } from '../support/postgres.js'

function openPool(t: Test, connection: string): Knex {
  const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max: 5 } })
  t.teardown(() => knex.destroy())
  return knex
}

async function createTable(knex: Knex) {
  await knex.schema.createTable('users', (table) => {
    table.increments('id')
    table.text('email').unique().notNullable()
    table.text('password')
    table.boolean('isVerified')
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
  const [one, other] = [openPool(t, connection), openPool(t, connection)]
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

async function commitFirst(t: Test, knex: Knex) {
  await createTable(knex)
  const seen: unknown[] = []
  const fail = (context: HookContext) => {
    if (context.data.email === 'eve@example.com') throw new BadRequest('Not this one')
  }
  const { app, users, post, nextMail, mails } = await createAccounts(
    t,
    (app, send) =>
      app.register(emailVerification, {
        rateLimit: false,
        send: async (mail) => {
          seen.push(await knex('users').select('id'))
          return send(mail)
        }
      }),
    {
      object: new KnexService({ Model: knex, name: 'users' }),
      options: { hooks: { around: { all: [inTransaction(knex)] }, after: { create: [fail] } } }
    }
  )
  t.equal((await post('/users', { ...ada, email: 'eve@example.com' })).status, 400)
  t.match(await post('/users', ada), { status: 201, body: { isVerified: false } })
  const { user, token } = await nextMail()
  t.strictSame(seen, [[{ id: user.id }]], 'the user is there when the mail is sent')
  t.equal((await post('/email-verifications/confirm', { token })).status, 200)
  t.match(await users.get(user.id as number), { isVerified: true })
  await app.close()
  t.strictSame(mails, [])
}

t.test('a mail is sent when the transaction of its user is committed, and not after a rollback', async (t) => {
  await t.test('PGlite', async (t) => commitFirst(t, await openPGlite(t)))
  await t.test('PostgreSQL', { skip: skipPostgres }, async (t) => commitFirst(t, openPool(t, await createDatabase(t))))
})

t.test('an address that another process changes while its link is used stays unverified', async (t) => {
  const knex = await openPGlite(t)
  await createTable(knex)
  const changes: (() => Promise<unknown>)[] = []
  class Users extends KnexService {
    // The adapter selects the ids before it writes.
    override async _findOrGet(...args: Parameters<KnexService['_findOrGet']>) {
      const found = await super._findOrGet(...args)
      await changes.pop()?.()
      return found
    }
  }
  const object = new Users({ Model: knex, name: 'users' })
  const { users, post, nextMail } = await createAccounts(
    t,
    (app, send) => app.register(emailVerification, { send, rateLimit: false }),
    {
      object,
      options: {
        hooks: {
          before: { patch: [() => void changes.push(() => knex('users').update({ email: 'bob@example.com' }))] }
        }
      }
    }
  )
  await users.create({ ...ada })
  const { token } = await nextMail()
  t.equal((await post('/email-verifications/confirm', { token })).status, 400)
  t.match(await knex('users').first(), { email: 'bob@example.com', isVerified: false })
})

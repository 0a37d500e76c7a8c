import { setTimeout } from 'node:timers/promises'
import { emailVerification, passwordReset } from 'fastify-services/accounts'
import t from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'

const invalid = { status: 400, body: { message: 'This link is not valid any more' } }

t.test('links end after `expiresIn`', async (t) => {
  const { users, post, nextMail } = await createAccounts(t, async (app, send) => {
    await app.register(passwordReset, { send, rateLimit: false, expiresIn: 1 })
    await app.register(emailVerification, { send, rateLimit: false, expiresIn: '1s' })
  })
  await users.create({ ...ada })
  const { token: verification } = await nextMail()
  await post('/password-resets', { email: ada.email })
  const { token: reset } = await nextMail()
  await setTimeout(2100)
  t.match(await post('/email-verifications/confirm', { token: verification }), invalid)
  t.match(await post('/password-resets/confirm', { token: reset, password: 'battery staple' }), invalid)
})

t.test('a mail that is never sent delays no answer, and the end of the server by five seconds', async (t) => {
  const calls: string[] = []
  const never = (name: string) => () => {
    calls.push(name)
    return new Promise(() => {})
  }
  const { app, post } = await createAccounts(t, async (app) => {
    await app.register(passwordReset, { send: never('reset'), rateLimit: false })
    await app.register(emailVerification, { send: never('verification'), rateLimit: false })
  })
  t.equal((await post('/users', ada)).status, 201)
  t.equal((await post('/password-resets', { email: ada.email })).status, 201)
  t.equal((await post('/email-verifications', { email: ada.email })).status, 201)
  await app.close()
  t.strictSame(calls.sort(), ['reset', 'verification', 'verification'])
})

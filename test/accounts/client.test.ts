import { feathers } from '@feathersjs/feathers'
import feathersRest from '@feathersjs/rest-client'
import { type PasswordResets, passwordReset } from 'fastify-services/accounts'
import { rest as connect, createClient } from 'fastify-services/client'
import t, { type Test } from 'tap'
import { ada, createAccounts } from '../support/accounts-app.js'

async function listen(t: Test) {
  const app = await createAccounts(t, (app, send) => app.register(passwordReset, { send, rateLimit: false }))
  await app.users.create({ ...ada })
  return { ...app, address: await app.app.listen({ port: 0 }) }
}

interface Services {
  'password-resets': PasswordResets
}

const routes = { 'password-resets': { confirm: 'POST /confirm' } } as const
const clients = { 'by the header': createClient<Services>(), 'by the route': createClient<Services>({ routes }) }

for (const [name, client] of Object.entries(clients))
  t.test(`the typed client resets a password ${name}`, async (t) => {
    const { address, nextMail, login } = await listen(t)
    const resets = client.configure(connect(address).fetch(fetch)).service('password-resets')
    const { sent }: { sent: boolean } = await resets.create({ email: ada.email })
    t.equal(sent, true)
    const { token } = await nextMail()
    await t.rejects(resets.confirm({ token: 'guessed', password: 'battery staple' }), { code: 400 })
    const { changed }: { changed: boolean } = await resets.confirm({ token, password: 'battery staple' })
    t.equal(changed, true)
    t.equal((await login(ada.email, 'battery staple')).status, 201)
  })

t.test('a client of Feathers resets a password', async (t) => {
  const { address, nextMail, login } = await listen(t)
  const client = feathers<{ 'password-resets': PasswordResets }>()
  const connection = feathersRest.default(address).fetch(fetch)
  client.configure(connection)
  client.use('password-resets', connection.service('password-resets') as never, { methods: ['create', 'confirm'] })
  const resets = client.service('password-resets')
  t.strictSame(await resets.create({ email: ada.email }), { sent: true })
  const { token } = await nextMail()
  t.strictSame(await resets.confirm({ token, password: 'battery staple' }), { changed: true })
  t.equal((await login(ada.email, 'battery staple')).status, 201)
})
